// Before any test: whoever starts vitest alone, too, tests what the sources say now.
import { build } from './setup.mjs';

export const setup = () => build('adapters');
