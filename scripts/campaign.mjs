// npm run campaign [DURATION]: every shipped scenario and a swarm over many seeds, on all processors, going on where the
// last campaign stopped. Results and failing scenarios lie in .cache/campaign.
import * as fs from 'node:fs';
import path from 'node:path';
import { build, install, root } from './setup.mjs';

install();
build('adapters');
const { main } = await import('../dist/adapters/cli/main.js');
const files = fs
  .readdirSync(path.join(root, 'scenarios'))
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => path.join('scenarios', file));
process.chdir(root);
const budget = process.argv[2] ?? '30m';
await main([
  'sim',
  'sweep',
  '--swarm',
  ...files,
  '--seeds',
  '1..2000',
  '--crypto',
  'keyed-hash',
  '--budget',
  budget,
  '--keep',
  '.cache/campaign',
]);
