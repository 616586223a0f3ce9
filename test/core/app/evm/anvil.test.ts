import { type ChildProcess, spawn } from 'node:child_process';
import { getContractAddress, toHex as viemHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hex, to0xHex, toHex } from '../../../../core/lib/bytes.ts';
import { COIN, TestChain, VALIDATOR } from '../support/chain.ts';
import { deploying } from '../support/code.ts';
import { GWEI, signRaw, wallet, wrapRaw } from '../support/wallet.ts';

/**
 * The same transactions on anvil (revm, another implementation in another language) and on ours: random programs
 * that deploy, run, store, call, log, revert and run out of gas must cost the same, log the same and leave the same.
 */
const PROGRAMS = 60;
const alice = wallet(0);
let anvil: ChildProcess;
let url: string;

const rpc = async (method: string, params: readonly unknown[] = []): Promise<unknown> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  const reply = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`);
  return reply.result;
};

beforeAll(async () => {
  const flags = [
    '--port',
    '0',
    '--chain-id',
    '9000',
    '--hardfork',
    'osaka',
    '--no-mining',
    '--order',
    'fifo',
  ];
  anvil = spawn(process.execPath, [
    'node_modules/@foundry-rs/anvil/bin.mjs',
    ...flags,
    '--gas-limit',
    '40000000',
  ]);
  url = await new Promise((resolve, reject) => {
    let text = '';
    anvil.once('error', reject);
    anvil.once('exit', () => reject(new Error(`anvil ended: ${text}`)));
    anvil.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const match = /Listening on (\S+)/.exec(text);
      if (match !== null) resolve(`http://${match[1]}`);
    });
  });
});

afterAll(() => {
  anvil.removeAllListeners('exit');
  anvil.kill();
});

/** A small generator of its own, so that a failure names a program by its number. */
function randomOf(seed: number): (bound: number) => number {
  let state = seed * 2654435761 + 1;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % bound;
  };
}

const byte = (value: number): string => value.toString(16).padStart(2, '0');
// Arithmetic, comparison, keccak, memory, storage, transient storage, copies, calls, logs; nothing about the block.
const POOL = [
  0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x0a, 0x0b, 0x10, 0x11, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19,
  0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x20, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3b, 0x3c,
  0x3d, 0x3e, 0x3f, 0x46, 0x47, 0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x58, 0x59, 0x5a, 0x5b, 0x5c, 0x5d, 0x5e,
  0x5f, 0x80, 0x81, 0x82, 0x90, 0x91, 0xa0, 0xa1, 0xa2, 0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa, 0xfd, 0xfe, 0xff,
  0x0c,
];

/** Mostly well-formed: pushes small numbers, among them the addresses of precompiles, before each operation. */
function program(seed: number): string {
  const random = randomOf(seed);
  let code = '';
  const operations = 4 + random(12);
  for (let i = 0; i < operations; i++) {
    const pushes = random(8);
    for (let j = 0; j < pushes; j++) code += `60${byte(random(4) === 0 ? random(256) : random(18))}`;
    // Halts in one program of four only, or most would end at once.
    let opcode = POOL[random(POOL.length)] as number;
    if (opcode >= 0xfd && random(4) > 0) opcode = 0x55;
    code += byte(opcode);
  }
  return code;
}

interface AnvilReceipt {
  readonly status: string;
  readonly gasUsed: string;
  readonly contractAddress: string | null;
  readonly logsBloom: string;
  readonly effectiveGasPrice: string;
  readonly logs: readonly {
    readonly address: string;
    readonly topics: readonly string[];
    readonly data: string;
  }[];
}

test('random programs run as on another implementation', async () => {
  const chain = await TestChain.fresh([{ address: alice.address, balance: 10_000n * COIN }]);
  const raws: Uint8Array[] = [];
  for (let i = 0; i < PROGRAMS; i++) {
    const fields = { gas: 300_000n, maxPriorityFeePerGas: GWEI };
    const contract = getContractAddress({ from: alice.account.address, nonce: BigInt(2 * i) });
    raws.push(await signRaw(alice, { ...fields, nonce: 2 * i, data: deploying(program(i)) }));
    const accessList = i % 3 === 0 ? [{ address: contract, storageKeys: [viemHex(1n, { size: 32 })] }] : [];
    raws.push(
      await signRaw(alice, {
        ...fields,
        nonce: 2 * i + 1,
        to: contract,
        value: BigInt(i),
        accessList,
        data: `0x${byte(i)}${'00'.repeat(31)}`,
      }),
    );
  }
  // The proposer is warm and earns tips: it must be the same on both sides.
  await rpc('anvil_setCoinbase', [to0xHex(VALIDATOR)]);
  await rpc('anvil_setNextBlockBaseFeePerGas', [viemHex(chain.reader.nextBaseFee())]);
  const hashes = await Promise.all(raws.map((raw) => rpc('eth_sendRawTransaction', [to0xHex(raw)])));
  await rpc('evm_mine');
  const { reply } = await chain.commit(raws.map((raw) => wrapRaw(raw)));
  expect(reply.txResults.every((result) => result.code === 0)).toBe(true);
  const block = chain.reader.ethBlock(1);
  for (const [i, hash] of hashes.entries()) {
    const theirs = (await rpc('eth_getTransactionReceipt', [hash])) as AnvilReceipt;
    const ours = block?.receipts[i];
    const shown = {
      status: viemHex(ours?.status ?? 9),
      gasUsed: viemHex(ours?.gasUsed ?? 0n),
      logsBloom: to0xHex(ours?.logsBloom as Uint8Array),
      effectiveGasPrice: viemHex(ours?.effectiveGasPrice ?? 0n),
      logs: ours?.logs.map((log) => ({
        address: to0xHex(log.address),
        topics: log.topics.map(to0xHex),
        data: to0xHex(log.data),
      })),
    };
    const { status, gasUsed, logsBloom, effectiveGasPrice } = theirs;
    const logs = theirs.logs.map(({ address, topics, data }) => ({ address, topics, data }));
    const where = `program ${Math.floor(i / 2)} ${i % 2 === 0 ? 'deployed' : 'called'}: ${program(Math.floor(i / 2))}`;
    expect({ where, ...shown }).toEqual({ where, status, gasUsed, logsBloom, effectiveGasPrice, logs });
  }
  const view = chain.reader.latest();
  for (let i = 0; i < PROGRAMS; i++) {
    const contract = getContractAddress({ from: alice.account.address, nonce: BigInt(2 * i) });
    const slot = viemHex(1n, { size: 32 });
    expect(to0xHex(view.storage(hex(contract), hex(slot)))).toBe(
      await rpc('eth_getStorageAt', [contract, slot, 'latest']),
    );
    expect(`0x${toHex(view.code(hex(contract)))}`).toBe(await rpc('eth_getCode', [contract, 'latest']));
    expect(viemHex(view.account(hex(contract))?.balance ?? 0n)).toBe(
      await rpc('eth_getBalance', [contract, 'latest']),
    );
  }
  expect(viemHex(view.account(alice.address)?.balance ?? 0n)).toBe(
    await rpc('eth_getBalance', [alice.account.address, 'latest']),
  );
});
