// Writes docs/json-rpc.md from the handler table of the built code.
import { writeFileSync } from 'node:fs';
import { docPage } from '../dist/core/rpc/eth/docPage.js';
import { ETH_METHODS } from '../dist/core/rpc/eth/table.js';

writeFileSync(new URL('../docs/json-rpc.md', import.meta.url), docPage(ETH_METHODS));
