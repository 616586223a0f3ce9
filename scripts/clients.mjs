// npm run test:clients [NAME ...]: runs clients as users install them against a devnet of this checkout: viem, ethers,
// web3.js, hardhat with OpenZeppelin, cast and CosmJS. Where Go, Python, Rust or Java is installed, it also runs the
// clients of go-ethereum and CometBFT, web3.py, grpcio, tendermint-rpc and the JDK. The clients are too many to be
// dependencies, so they are installed in a cache folder outside the repository. docs/clients.md says what each covers.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SKIPPED } from '../test/clients/consensusClient.mjs';
import { build, install, root } from './setup.mjs';
import { stopWithParent } from './stopWithParent.mjs';

stopWithParent();

const START_MS_MAX = 120_000;
const say = (text) => process.stdout.write(`${text}\n`);
const project = path.join(root, 'test', 'clients', 'project');
const cacheHome = process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache');
const cache = process.env.ORRERY_CLIENTS_CACHE ?? path.join(cacheHome, 'orrery', 'clients');
const program = process.env.ORRERY_TEST_PROGRAM ?? path.join(root, 'bin', 'orrery.js');
const hardhat = path.join('node_modules', 'hardhat', 'internal', 'cli', 'bootstrap.js');

/** A test that hangs ends by this time-out and counts as failed. */
const TEST = ['--test', '--test-reporter=spec', '--test-timeout=120000'];
const PROGRAMS = {
  hardhat: [hardhat, 'test', '--network', 'orrery'],
  ethers: [...TEST, 'clients/ethers.test.mjs'],
  viem: [...TEST, 'clients/viem.test.mjs'],
  web3: [...TEST, 'clients/web3.test.mjs'],
  cast: [...TEST, 'clients/cast.test.mjs'],
  // Its websocket client leaves a handle open that keeps the process alive.
  cosmjs: [...TEST, '--test-force-exit', 'clients/cosmjs.test.mjs'],
  grpc: [path.join(root, 'test', 'clients', 'grpcClient.mjs')],
  geth: [path.join(root, 'test', 'clients', 'gethClient.mjs')],
  web3py: [path.join(root, 'test', 'clients', 'web3pyClient.mjs')],
  go: [path.join(root, 'test', 'clients', 'cometGo.mjs')],
  rust: [path.join(root, 'test', 'clients', 'rustClient.mjs')],
  java: [path.join(root, 'test', 'clients', 'javaClient.mjs')],
};
/** The clients that deploy the contracts that hardhat compiled. */
const WITH_CONTRACTS = ['hardhat', 'ethers', 'viem', 'web3', 'cast'];
const INSTALLED = [...WITH_CONTRACTS, 'cosmjs'];

/** Installs what the lock file asks for, unless the stamp says that it is installed. False if that fails. */
function installClients() {
  const wanted = createHash('sha256')
    .update(fs.readFileSync(path.join(project, 'package-lock.json')))
    .digest('hex');
  const stamp = path.join(cache, 'node_modules', '.orrery-lock');
  fs.mkdirSync(cache, { recursive: true });
  fs.cpSync(project, cache, { recursive: true, force: true });
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return true;
  say(`installing the clients in ${cache} (minutes, the first time)`);
  const result = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: cache,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (result.status !== 0) {
    // package.json and the lock file disagree: this is a mistake in the repository and not of the network.
    if ((result.stderr ?? '').includes('EUSAGE')) throw new Error(result.stderr);
    say(`the clients cannot be installed: ${(result.stderr ?? '').trim().split('\n').at(-1)}`);
    return false;
  }
  fs.writeFileSync(stamp, wanted);
  return true;
}

function run(args, env) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: cache,
      env: { ...process.env, ...env, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', NO_COLOR: '1' },
      stdio: 'inherit',
    });
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/** Starts a devnet on ports that the system chooses. Returns the addresses that it prints. */
async function startDevnet(home) {
  const zero = ['rpc.laddr', 'api.address'].flatMap((name) => [`--${name}`, 'tcp://127.0.0.1:0']);
  const plain = ['json-rpc.address', 'json-rpc.ws-address', 'grpc.address'];
  const ports = [...zero, ...plain.flatMap((name) => [`--${name}`, '127.0.0.1:0'])];
  const args = [program, 'devnet', '--home', home, '--quiet', '--block-time', '200ms', ...ports];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const urls = await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the devnet does not start')), START_MS_MAX);
    child.once('exit', (code) => reject(new Error(`the devnet stopped with exit code ${code}`)));
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const http = /^JSON-RPC +(http:\S+)/m.exec(text);
      const ws = /(ws:\S+:\d+)(?=\s)(?!\/websocket)/m.exec(text);
      const comet = /^Consensus RPC +(http:\S+)/m.exec(text);
      const grpc = /^gRPC +(\S+)/m.exec(text);
      if (http === null || ws === null || comet === null || grpc === null) return;
      clearTimeout(late);
      resolve({ http: http[1], ws: ws[1], comet: comet[1], grpc: grpc[1] });
    });
  });
  return { child, ...urls };
}

const names = process.argv.slice(2);
const wanted = names.length > 0 ? names : Object.keys(PROGRAMS);
const unknown = wanted.filter((name) => !(name in PROGRAMS));
if (unknown.length > 0) {
  say(`no client is named ${unknown.join(', ')}; there are ${Object.keys(PROGRAMS).join(', ')}`);
  process.exit(2);
}
if (process.env.ORRERY_TEST_PROGRAM === undefined) {
  install();
  build('adapters');
}
const isInstalled = !wanted.some((name) => INSTALLED.includes(name)) || installClients();
const skipped = isInstalled ? [] : wanted.filter((name) => INSTALLED.includes(name));
// OpenZeppelin's plugin keeps the deployments of an earlier run's chain here.
fs.rmSync(path.join(cache, '.openzeppelin'), { recursive: true, force: true });
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'orrery-clients-'));
const failed = [];
let devnet;
try {
  devnet = await startDevnet(home);
  const { http, ws, comet, grpc } = devnet;
  const env = { ORRERY_HTTP: http, ORRERY_WS: ws, ORRERY_COMET: comet, ORRERY_GRPC: grpc };
  const isReady = (name) => wanted.includes(name) && !skipped.includes(name);
  const needsContracts = WITH_CONTRACTS.some(isReady);
  if (needsContracts && (await run([hardhat, 'compile', '--quiet'], env)) !== 0)
    throw new Error('hardhat cannot compile');
  for (const [name, args] of Object.entries(PROGRAMS)) {
    if (!isReady(name)) continue;
    say(`\n== ${name}`);
    const code = await run(args, env);
    if (code === SKIPPED) skipped.push(name);
    else if (code !== 0) failed.push(name);
  }
} finally {
  devnet?.child.kill('SIGTERM');
  fs.rmSync(home, { recursive: true, force: true });
}
if (skipped.length > 0) say(`\nskipped: ${skipped.join(', ')}`);
const passed = skipped.length === 0 ? 'all clients passed' : 'all other clients passed';
say(failed.length === 0 ? `\n${passed}` : `\nfailed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
