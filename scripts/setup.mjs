/**
 * Installs the dependencies and builds the project. Both are skipped if a stamp says that nothing has changed, so an
 * up-to-date tree costs only the listing of its files.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const fromRoot = createRequire(path.join(root, 'package.json'));
const LOCK_WAIT_MS_MAX = 600_000;
const SOURCE_ROOMS = {
  adapters: ['core', 'sim', 'adapters'],
  bench: ['core', 'sim', 'adapters', 'bench'],
};

/** Runs a command. Its output is shown only if it fails. */
function runQuietly(command, args, what) {
  const result = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 << 20,
    shell: process.platform === 'win32',
  });
  if (result.signal) process.kill(process.pid, result.signal);
  if (result.status !== 0)
    fail(what, `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`);
}

function fail(what, why) {
  process.stderr.write(`${why}\n${what} failed\n`);
  // From `orrery sim` and `orrery fuzz` a 1 would mean that a failure was found.
  process.exit(3);
}

function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Lets one process at a time install or build: two launchers started together must not write the same files. */
function exclusively(name, work) {
  const lock = path.join(root, `.${name}.lock`);
  for (let waitedMs = 0; ; waitedMs += 100) {
    try {
      fs.writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (!isHeld(lock)) fs.rmSync(lock, { force: true });
      else if (waitedMs > LOCK_WAIT_MS_MAX) throw new Error(`waited too long for ${lock}`);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
  const release = () => fs.rmSync(lock, { force: true });
  process.once('exit', release);
  try {
    work();
  } finally {
    release();
    process.off('exit', release);
  }
}

function isHeld(lock) {
  const pid = Number(readText(lock));
  // The holder has created the file and not yet written its process id.
  if (pid === 0) return fs.existsSync(lock) && Date.now() - fs.statSync(lock).mtimeMs < 5000;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Whether node_modules already matches the lock file. Packages of another platform may be absent. */
function installedMatchesLock(lockText) {
  const hidden = readText(path.join(root, 'node_modules', '.package-lock.json'));
  if (hidden === undefined) return false;
  const installed = JSON.parse(hidden).packages;
  return Object.entries(JSON.parse(lockText).packages).every(
    ([name, entry]) =>
      name === '' || entry.optional || entry.peer || installed[name]?.version === entry.version,
  );
}

/** Installs the dependencies of the lock file unless they are installed. */
export function install() {
  const lockText = fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8');
  const wanted = createHash('sha256').update(lockText).digest('hex');
  const stamp = path.join(root, 'node_modules', '.orrery-lock');
  if (readText(stamp) === wanted) return;
  exclusively('install', () => {
    if (readText(stamp) === wanted) return;
    if (!installedMatchesLock(lockText)) {
      process.stderr.write('installing dependencies …\n');
      // No dependency needs its install script: native ones carry their binaries.
      runQuietly('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], 'npm ci');
    }
    fs.writeFileSync(stamp, wanted);
  });
}

function* filesUnder(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* filesUnder(full);
    else yield full;
  }
}

/**
 * A hash of the name, size and modification time of every source file and of what builds them: cheap, and different after
 * every edit.
 */
function sourceStamp(rooms) {
  const hash = createHash('sha256');
  hash.update(readText(path.join(root, 'node_modules', '.orrery-lock')) ?? '');
  const files = [path.join(root, 'tsconfig.base.json'), fileURLToPath(import.meta.url)];
  for (const room of rooms) files.push(...filesUnder(path.join(root, room)));
  for (const file of files.sort()) {
    const { size, mtimeMs } = fs.statSync(file);
    hash.update(`${path.relative(root, file)}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** Deletes the output of deleted source files: code that lists a folder would still find it. */
function removeStaleOutput(rooms) {
  for (const room of rooms) {
    const out = path.join(root, 'dist', room);
    if (!fs.existsSync(out)) continue;
    for (const file of filesUnder(out)) {
      const source = path.relative(path.join(root, 'dist'), file).replace(/(\.d\.ts|\.js|\.js\.map)$/, '.ts');
      if (!fs.existsSync(path.join(root, source))) fs.rmSync(file);
    }
  }
}

/**
 * Joins the compiled command line and the simulator's worker thread into few files in dist/cli/, packages excepted: to load
 * a thousand files takes longer than most commands.
 */
function bundle() {
  const { buildSync } = fromRoot('esbuild');
  const outdir = path.join(root, 'dist', 'cli');
  fs.rmSync(outdir, { recursive: true, force: true });
  try {
    buildSync({
      absWorkingDir: path.join(root, 'dist'),
      entryPoints: { main: 'adapters/cli/main.js', worker: 'adapters/cli/sim/worker.js' },
      outdir,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      sourcemap: true,
      sourcesContent: false,
      logLevel: 'silent',
    });
  } catch (error) {
    fail('the build', error.message);
  }
}

/** Compiles `target` (`adapters` or `bench`) and everything it depends on to dist/, unless no source has changed. */
export function build(target = 'adapters') {
  const rooms = SOURCE_ROOMS[target];
  const stamp = path.join(root, 'dist', `.${target}.stamp`);
  if (readText(stamp) === sourceStamp(rooms)) return;
  exclusively('build', () => {
    const now = sourceStamp(rooms);
    if (readText(stamp) === now) return;
    const tsc = fromRoot.resolve('typescript/package.json');
    runQuietly(process.execPath, [path.join(path.dirname(tsc), 'bin', 'tsc'), '-b', target], 'the build');
    removeStaleOutput(rooms);
    if (target === 'adapters') bundle();
    fs.writeFileSync(stamp, now);
  });
}
