// A program of `npm run test:clients`: web3.py against the devnet. Installed into the cache folder of the clients;
// without Python it is skipped.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { skip } from './consensusClient.mjs';

const project = path.join(import.meta.dirname, 'web3py');
const requirements = path.join(project, 'requirements.txt');
const environment = path.join(process.cwd(), 'python');
const python = path.join(
  environment,
  ...(process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python']),
);

/** Installs what the file of requirements asks for, unless a stamp says it is there. */
function installClient() {
  const wanted = fs.readFileSync(requirements, 'utf8');
  const stamp = path.join(environment, '.orrery-requirements');
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return;
  const found = ['python3', 'python'].find((name) => spawnSync(name, ['--version']).status === 0);
  if (found === undefined) skip('web3.py needs Python, and there is none');
  process.stdout.write(`installing web3.py in ${environment}\n`);
  const made = spawnSync(found, ['-m', 'venv', '--clear', environment], { encoding: 'utf8' });
  if (made.status !== 0) skip(`Python makes no environment: ${made.stderr.trim().split('\n').at(-1)}`);
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements];
  const installed = spawnSync(python, args, { encoding: 'utf8' });
  if (installed.status !== 0)
    skip(`web3.py cannot be installed: ${installed.stderr.trim().split('\n').at(-1)}`);
  fs.writeFileSync(stamp, wanted);
}

installClient();
const { ORRERY_HTTP: http, ORRERY_WS: ws } = process.env;
const { status, stdout } = spawnSync(python, [path.join(project, 'client.py'), http, ws], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (status !== 0) process.exit(1);
process.stdout.write(`web3.py is content: ${stdout.trim()} checks\n`);
