import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { skip } from './consensusClient.mjs';

const BIN = process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python'];

/**
 * Installs what a project's file of requirements asks for into a folder of the cache, unless a stamp says it is there.
 * Answers the Python of that environment. Skips where there is no Python, no network.
 */
function installPython(project, folder, name) {
  const requirements = path.join(project, 'requirements.txt');
  const environment = path.join(process.cwd(), folder);
  const python = path.join(environment, ...BIN);
  const wanted = fs.readFileSync(requirements, 'utf8');
  const stamp = path.join(environment, '.orrery-requirements');
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return python;
  const found = ['python3', 'python'].find((command) => spawnSync(command, ['--version']).status === 0);
  if (found === undefined) skip(`${name} needs Python, and there is none`);
  process.stdout.write(`installing ${name} in ${environment}\n`);
  const made = spawnSync(found, ['-m', 'venv', '--clear', environment], { encoding: 'utf8' });
  if (made.status !== 0) skip(`Python makes no environment: ${made.stderr.trim().split('\n').at(-1)}`);
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements];
  const installed = spawnSync(python, args, { encoding: 'utf8' });
  if (installed.status !== 0)
    skip(`${name} cannot be installed: ${installed.stderr.trim().split('\n').at(-1)}`);
  fs.writeFileSync(stamp, wanted);
  return python;
}

/** Runs `client.py` of a project, and ends this process if it fails. `folder` holds its environment. */
export function runPython(project, folder, name, args) {
  const python = installPython(project, folder, name);
  const { status, stdout } = spawnSync(python, [path.join(project, 'client.py'), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) process.exit(1);
  process.stdout.write(`${name} passed: ${stdout.trim()} checks\n`);
}
