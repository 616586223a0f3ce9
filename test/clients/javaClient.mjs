// A program of `npm run test:clients`: the JDK's own HTTP and websocket clients against the devnet. Without a JDK it is
// skipped.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { skip } from './consensusClient.mjs';

if (spawnSync('javac', ['--version']).status !== 0) skip('the JDK client needs a JDK, and there is none');
const { ORRERY_HTTP: http, ORRERY_WS: ws, ORRERY_COMET: comet } = process.env;
const { status, stdout } = spawnSync(
  'java',
  [path.join(import.meta.dirname, 'java', 'Client.java'), http, ws, comet],
  { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
);
if (status !== 0) process.exit(1);
process.stdout.write(`the JDK's clients passed: ${stdout.trim()} checks\n`);
