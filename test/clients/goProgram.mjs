import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { skip } from './consensusClient.mjs';

const cacheHome = process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache');
const cache = process.env.ORRERY_INTEROP_CACHE ?? path.join(cacheHome, 'orrery', 'interop');
const UNREACHED = /dial tcp|proxyconnect|no such host|i\/o timeout|403|connection refused|requires go >=/;

/** Builds a Go package of a module into the cache folder; answers the program. Skips where there is no Go, no network. */
export function buildGo(module, what, name) {
  if (spawnSync('go', ['version']).status !== 0) skip(`${name} needs Go, and there is none`);
  const file = path.join(cache, 'bin', path.basename(what === '.' ? module : what));
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const built = spawnSync('go', ['build', '-o', file, what], { cwd: module, encoding: 'utf8' });
  if (built.status === 0) return file;
  if (UNREACHED.test(built.stderr))
    skip(`${name} cannot be fetched: ${built.stderr.trim().split('\n').at(-1)}`);
  throw new Error(built.stderr);
}
