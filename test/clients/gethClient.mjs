// A program of `npm run test:clients`: go-ethereum's ethclient and gethclient against the devnet. Without Go it is skipped.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { buildGo } from './goProgram.mjs';

const file = buildGo(path.join(import.meta.dirname, 'geth'), '.', "go-ethereum's client");
const { ORRERY_HTTP: http, ORRERY_WS: ws } = process.env;
const { status, stdout } = spawnSync(file, [http, ws], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (status !== 0) process.exit(1);
process.stdout.write(`go-ethereum's client passed: ${stdout.trim()} checks\n`);
