// Runs before any test, so that vitest started directly also tests a current build.
import { build } from './setup.mjs';

export const setup = () => build('adapters');
