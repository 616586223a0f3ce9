import { spawn } from 'node:child_process';

/** Transactions a second that a client hears of. */
const RATE = 2;
/** As `scripts/clients.mjs` understands it: there was nothing to test with. */
export const SKIPPED = 77;

export function skip(reason) {
  process.stdout.write(`skipped: ${reason}\n`);
  process.exit(SKIPPED);
}

async function rpc(url, method, params) {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const { result, error } = await (await fetch(url, { method: 'POST', headers, body })).json();
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

/**
 * Runs a program of another language against the consensus RPC of the devnet that the environment names, while
 * transfers go on: `argsOf` is told that RPC's URL and the address that sends. Answers what the program prints, or
 * undefined when it fails, having said why.
 */
export async function runConsensusClient(file, argsOf) {
  const { ORRERY_HTTP: http, ORRERY_COMET: comet } = process.env;
  const [from, to] = await rpc(http, 'eth_accounts', []);
  const send = () => rpc(http, 'eth_sendTransaction', [{ from, to, value: '0x1' }]).catch(() => {});
  const sending = setInterval(send, 1000 / RATE);
  try {
    const client = spawn(file, argsOf({ comet, from }), { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    client.stdout.on('data', (chunk) => {
      out += chunk;
    });
    const code = await new Promise((resolve) => client.once('close', resolve));
    return code === 0 ? out : undefined;
  } finally {
    clearInterval(sending);
  }
}
