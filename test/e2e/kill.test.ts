import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Hex, keccak256 } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Wal } from '../../adapters/disk/wal.ts';
import { decodeLogRecord } from '../../core/consensus/log.ts';
import { toHex } from '../../core/lib/bytes.ts';
import { parseLastSigned } from '../../core/node/signGuard.ts';
import { EPHEMERAL_FLAGS } from './devnet.ts';

const KILLS = 20;
const SENDERS = 5;
const SINK = '0x00000000000000000000000000000000000051a0';
const MNEMONIC = 'test test test test test test test test test test test junk';
const accounts = Array.from({ length: SENDERS }, (_, addressIndex) =>
  mnemonicToAccount(MNEMONIC, { addressIndex }),
);

let home: string;
let child: ChildProcess | undefined;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'orrery-kill-'));
});
afterAll(() => {
  child?.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

interface Running {
  readonly process: ChildProcess;
  readonly url: string;
}

/** Starts the program as a user does, and waits until it says where it listens. */
async function start(): Promise<Running> {
  const args = [
    'bin/orrery.js',
    'devnet',
    '--home',
    home,
    '--quiet',
    '--block-time',
    '100ms',
    ...EPHEMERAL_FLAGS,
  ];
  const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  child = started;
  let errors = '';
  started.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  for await (const line of createInterface({ input: started.stdout })) {
    const url = /^JSON-RPC +(http:\S+)$/.exec(line)?.[1];
    if (url === undefined) continue;
    started.stdout.resume();
    return { process: started, url };
  }
  throw new Error(`the node did not start: ${errors}`);
}

async function rpc<T>(url: string, method: string, ...params: readonly unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

interface Receipt {
  readonly transactionHash: Hex;
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly status: Hex;
}

/**
 * Sends one transfer and asks until there is a receipt. Right after a restart the height in progress may still commit
 * a transfer that the kill cut off; then the nonce just read is used up, and the next one is taken.
 */
async function transfer(url: string, sender: number): Promise<Receipt> {
  const account = accounts[sender] as (typeof accounts)[number];
  const nonce = Number(await rpc<Hex>(url, 'eth_getTransactionCount', account.address, 'pending'));
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: 9000,
    nonce,
    to: SINK,
    value: 1n,
    gas: 21000n,
    maxFeePerGas: 10n ** 11n,
    maxPriorityFeePerGas: 1n,
  });
  try {
    await rpc(url, 'eth_sendRawTransaction', raw);
  } catch (error) {
    if (/nonce too low/.test(String(error))) return transfer(url, sender);
    throw error;
  }
  for (;;) {
    const receipt = await rpc<Receipt | null>(url, 'eth_getTransactionReceipt', keccak256(raw));
    if (receipt !== null) return receipt;
  }
}

/** Transfers from all senders until `enough` receipts are in, and kills the node at that moment. */
async function transferAndKill({ process: node, url }: Running, enough: number): Promise<readonly Receipt[]> {
  const receipts: Receipt[] = [];
  const exited = once(node, 'exit');
  const send = async (sender: number): Promise<void> => {
    for (;;) {
      const receipt = await transfer(url, sender);
      receipts.push(receipt);
      if (receipts.length >= enough) node.kill('SIGKILL');
    }
  };
  // Every sender ends with the connection that the kill cuts; an error before it is a failure of the node.
  const ends = await Promise.allSettled(accounts.map((_, sender) => send(sender)));
  await exited;
  for (const end of ends) {
    const reason = end.status === 'rejected' ? String(end.reason) : '';
    if (!/fetch failed|terminated|socket|ECONN/.test(reason)) throw new Error(reason);
  }
  return receipts;
}

/** Sign bytes by height, round and kind, of everything that the log says was signed. */
function signedInLog(): Map<string, Set<string>> {
  const wal = Wal.open(join(home, 'data', 'cs.wal'), {
    onFatal: (error) => {
      throw error;
    },
  });
  const signed = new Map<string, Set<string>>();
  for (const record of wal.history()) {
    const entry = decodeLogRecord(record);
    if (!entry.ok) throw new Error(entry.error.message);
    const { value } = entry;
    if (value.entry.kind !== 'signed' || value.entry.signature.length === 0) continue;
    const place = `${record.height}/${value.entry.round}/${value.entry.of}`;
    const known = signed.get(place) ?? new Set();
    signed.set(place, known.add(toHex(value.entry.bytes)));
  }
  return signed;
}

describe('a node that is killed at work', () => {
  test(`${KILLS} times keeps every receipt it gave, goes on, and signs nothing twice`, {
    timeout: 900_000,
  }, async () => {
    const receipts = new Map<Hex, Receipt>();
    for (let kill = 0; kill < KILLS; kill++) {
      const node = await start();
      const height = Number(await rpc<Hex>(node.url, 'eth_blockNumber'));
      for (const receipt of receipts.values()) {
        expect(await rpc(node.url, 'eth_getTransactionReceipt', receipt.transactionHash)).toMatchObject(
          receipt,
        );
        expect(Number(receipt.blockNumber)).toBeLessThanOrEqual(height);
      }
      for (const receipt of await transferAndKill(node, 1 + ((kill * 7) % 23))) {
        expect(receipt.status).toBe('0x1');
        expect(Number(receipt.blockNumber)).toBeGreaterThan(height);
        receipts.set(receipt.transactionHash, receipt);
      }
    }
    const node = await start();
    const supply = Number(await rpc<Hex>(node.url, 'eth_getBalance', SINK, 'latest'));
    // A transfer whose answer the kill cut off may be there as well.
    expect(supply).toBeGreaterThanOrEqual(receipts.size);
    const exited = once(node.process, 'exit');
    node.process.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);

    const signed = signedInLog();
    expect(signed.size).toBeGreaterThan(3 * KILLS);
    for (const [place, messages] of signed) expect([place, messages.size]).toEqual([place, 1]);
    const state = parseLastSigned(readFileSync(join(home, 'data', 'priv_validator_state.json'), 'utf8'));
    if (!state.ok) throw new Error(state.error.message);
    const heights = [...signed.keys()].map((place) => Number(place.split('/')[0]));
    // The guard is ahead of the log by one signature at most, and never behind.
    expect(state.value.height).toBeGreaterThanOrEqual(Math.max(...heights));
    expect(existsSync(join(home, 'orrery.pid'))).toBe(false);
  });
});
