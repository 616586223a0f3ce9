// node test/clients/cometGo.mjs: CometBFT's own Go client against a devnet of this checkout: all methods, subscriptions,
// and its light client over state proofs. Built into the cache folder of `npm run test:interop`; without Go nothing is
// tested, and that is said.
import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..', '..');
const cacheHome = process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache');
const cache = process.env.ORRERY_INTEROP_CACHE ?? path.join(cacheHome, 'orrery', 'interop');
const program = process.env.ORRERY_TEST_PROGRAM ?? path.join(root, 'bin', 'orrery.js');
const CHAIN = 'chain_9000-1';
const TRANSACTIONS = 5;
const START_MS_MAX = 120_000;
const say = (text) => process.stdout.write(`${text}\n`);

function buildClient() {
  if (spawnSync('go', ['version']).status !== 0) {
    say("skipped: CometBFT's client needs Go, and there is none");
    process.exit(0);
  }
  const file = path.join(cache, 'bin', 'client');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const built = spawnSync('go', ['build', '-o', file, './client'], {
    cwd: path.join(root, 'test', 'interop'),
    encoding: 'utf8',
  });
  if (built.status === 0) return file;
  if (/dial tcp|proxyconnect|no such host|i\/o timeout|403|connection refused/.test(built.stderr)) {
    say(`skipped: CometBFT cannot be fetched: ${built.stderr.trim().split('\n').at(-1)}`);
    process.exit(0);
  }
  throw new Error(built.stderr);
}

async function startDevnet(home) {
  const addresses = ['rpc.laddr', 'api.address'].flatMap((name) => [`--${name}`, 'tcp://127.0.0.1:0']);
  const plain = ['json-rpc.address', 'json-rpc.ws-address', 'grpc.address'];
  const ports = [...addresses, ...plain.flatMap((name) => [`--${name}`, '127.0.0.1:0'])];
  const args = [program, 'devnet', '--home', home, '--quiet', '--block-time', '300ms', ...ports];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const urls = await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the devnet does not start')), START_MS_MAX);
    child.once('exit', (code) => reject(new Error(`the devnet stopped with exit code ${code}`)));
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const [jsonRpc, comet] = ['JSON-RPC', 'Consensus RPC'].map((name) =>
        new RegExp(`^${name} +(http:\\S+)`, 'm').exec(text),
      );
      if (jsonRpc === null || comet === null) return;
      clearTimeout(late);
      resolve({ jsonRpc: jsonRpc[1], comet: comet[1] });
    });
  });
  return { child, ...urls };
}

async function rpc(url, method, params) {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const { result, error } = await (await fetch(url, { method: 'POST', headers, body })).json();
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

const file = buildClient();
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'orrery-comet-go-'));
let devnet;
let sending;
try {
  devnet = await startDevnet(home);
  const { jsonRpc, comet } = devnet;
  const [from, to] = await rpc(jsonRpc, 'eth_accounts', []);
  const send = () => rpc(jsonRpc, 'eth_sendTransaction', [{ from, to, value: '0x1' }]).catch(() => {});
  sending = setInterval(send, 500);
  const client = spawn(file, [comet, CHAIN, from, String(TRANSACTIONS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  client.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const code = await new Promise((resolve) => client.once('exit', resolve));
  if (code === 0) say(`CometBFT's Go client is content: ${JSON.parse(out).checks} checks`);
  else process.exitCode = 1;
} finally {
  clearInterval(sending);
  devnet?.child.kill('SIGTERM');
  if (devnet !== undefined) await new Promise((resolve) => devnet.child.once('exit', resolve));
  fs.rmSync(home, { recursive: true, force: true });
}
