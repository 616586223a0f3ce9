import type { EthBlock } from '../../../core/app/chain.ts';
import { HISTORY_ADDRESS } from '../../../core/app/evm/systemContracts.ts';
import { present } from '../../../core/lib/assert.ts';
import { hex, to0xHex, toHex } from '../../../core/lib/bytes.ts';
import { decodeUtf8 } from '../../../core/lib/utf8.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { bytesOf, comet, eth, everyAccount, heightsOf, someOf, unlike } from '../questions.ts';
import { STRANGER } from './pretences.ts';

const HISTORY = to0xHex(HISTORY_ADDRESS);
const RING = 8191;
/** A hash with no known keccak256 preimage. */
const NOWHERE = `0x${'5e'.repeat(32)}`;
const SERVER_ERROR = -32000;
/** Accounts in a page. */
const PAGE = 2;
const PAGES_MAX = 200;

/** Blocks, slots, transactions and accounts are found by each of their names. */
export async function wrongPlaces(rpc: RpcContext): Promise<string | undefined> {
  for (const height of someOf(heightsOf(rpc.chain))) {
    const block = present(rpc.chain.ethBlock(height), 'a kept block');
    const problem =
      (await wrongBlockNames(rpc, block)) ?? (await wrongSlots(rpc, block)) ?? (await wrongBytes(rpc, block));
    if (problem !== undefined) return problem;
  }
  return (
    (await wrongRange(rpc)) ??
    (await wrongStart(rpc)) ??
    (await wrongSpans(rpc)) ??
    (await wrongPreimages(rpc)) ??
    wrongListed(rpc)
  );
}

/** A block by its number or hash, as a string or in an object. */
async function wrongBlockNames(rpc: RpcContext, block: EthBlock): Promise<string | undefined> {
  const [number, hash] = [quantity(block.header.number), to0xHex(block.hash)];
  const view = rpc.chain.view(block.header.number);
  if (view === undefined) return undefined;
  const address = block.header.coinbase;
  const balance = quantity(view.account(address)?.balance ?? 0n);
  const names = [
    number,
    hash,
    { blockNumber: number },
    { blockHash: hash },
    { blockHash: hash, requireCanonical: true },
  ];
  for (const name of names) {
    const shown = JSON.stringify(name);
    const told = await eth(rpc, 'eth_getBalance', [to0xHex(address), name]);
    const receipts = await eth(rpc, 'eth_getBlockReceipts', [name]);
    const problem =
      unlike(`a balance at ${shown}`, told, balance) ??
      unlike(
        `how many receipts are in ${shown}`,
        (receipts as readonly unknown[] | null)?.length,
        block.transactions.length,
      );
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The EIP-2935 slot of the parent's hash, by its number in each form: alone, in a list and with a proof. */
async function wrongSlots(rpc: RpcContext, { header }: EthBlock): Promise<string | undefined> {
  const view = rpc.chain.view(header.number);
  if (view === undefined || header.number === rpc.genesis.initialHeight) return undefined;
  const slot = BigInt((header.number - 1) % RING);
  const whole = slot.toString(16).padStart(64, '0');
  const value = to0xHex(view.storage(HISTORY_ADDRESS, hex(whole)));
  const number = quantity(header.number);
  const names = [quantity(slot), `0x${whole}`, whole, `0x0${slot.toString(16)}`];
  for (const name of names) {
    const problem = unlike(
      `slot ${name} at ${number}`,
      await eth(rpc, 'eth_getStorageAt', [HISTORY, name, number]),
      value,
    );
    if (problem !== undefined) return problem;
  }
  // The slot for the block's own hash is written by the next block.
  const own = quantity((header.number % RING) >>> 0);
  const many = { [HISTORY]: [...names, own], [STRANGER]: ['0x0'] };
  const proof = (await eth(rpc, 'eth_getProof', [HISTORY, names.slice(0, 2), number])) as Fields;
  const proven = (proof['storageProof'] as readonly Fields[]).map((one) => [one['key'], one['value']]);
  const least = quantity(BigInt(value));
  const ownValue = to0xHex(view.storage(HISTORY_ADDRESS, hex(own.slice(2).padStart(64, '0'))));
  return (
    unlike(`slots at ${number}`, await eth(rpc, 'eth_getStorageValues', [many, number]), {
      [HISTORY]: [...names.map(() => value), ownValue],
      [STRANGER]: [`0x${'0'.repeat(64)}`],
    }) ??
    unlike(`proven slots at ${number}`, proven, [
      [quantity(slot), least],
      [`0x${whole}`, least],
    ])
  );
}

/** The bytes of a transaction by its position, and a block by its number as a JSON number. */
async function wrongBytes(rpc: RpcContext, block: EthBlock): Promise<string | undefined> {
  const { number } = block.header;
  const [name, hash] = [quantity(number), to0xHex(block.hash)];
  for (const [index, { raw, hash: txHash }] of [...block.transactions.entries()].slice(-2)) {
    const told = [
      await eth(rpc, 'eth_getRawTransactionByBlockNumberAndIndex', [name, quantity(index)]),
      await eth(rpc, 'eth_getRawTransactionByBlockHashAndIndex', [hash, quantity(index)]),
      await eth(rpc, 'debug_getRawTransaction', [to0xHex(txHash)]),
    ];
    const problem = unlike(
      `the bytes of ${to0xHex(txHash)}`,
      told,
      told.map(() => to0xHex(raw)),
    );
    if (problem !== undefined) return problem;
  }
  const after = quantity(block.transactions.length);
  const printed = String(await eth(rpc, 'debug_printBlock', [number]));
  return (
    unlike(
      'bytes of nothing',
      await eth(rpc, 'eth_getRawTransactionByBlockNumberAndIndex', [name, after]),
      '0x',
    ) ??
    unlike(
      `debug_printBlock ${number}`,
      JSON.parse(printed),
      await eth(rpc, 'eth_getBlockByNumber', [name, true]),
    ) ??
    unlike(
      `debug_getHeaderRlp ${number}`,
      await eth(rpc, 'debug_getHeaderRlp', [number]),
      await eth(rpc, 'debug_getRawHeader', [name]),
    ) ??
    unlike(
      `debug_getBlockRlp ${number}`,
      await eth(rpc, 'debug_getBlockRlp', [name]),
      await eth(rpc, 'debug_getRawBlock', [hash]),
    )
  );
}

interface Page {
  readonly accounts?: Readonly<Record<string, Fields>>;
  readonly next?: string;
}

/** All accounts in pages, without their code. */
async function wrongRange(rpc: RpcContext): Promise<string | undefined> {
  const range = everyAccount(rpc.chain.latest());
  if (range.length > PAGE * PAGES_MAX) return undefined;
  const keys: unknown[] = [];
  let next: string | undefined = '0x00';
  for (let page = 0; next !== undefined && page <= PAGES_MAX; page++) {
    const asked = ['latest', next, PAGE, true, true, true];
    const told = (await eth(rpc, 'debug_accountRange', asked)) as Page;
    const accounts = Object.values(told.accounts ?? {});
    if (accounts.length > PAGE) return `answers debug_accountRange with ${accounts.length} accounts`;
    if (accounts.some((one) => 'code' in one))
      return 'answers debug_accountRange with code that nobody asked for';
    keys.push(...accounts.map(({ key }) => key));
    next = told.next === undefined ? undefined : to0xHex(bytesOf(told.next));
  }
  return unlike(
    'debug_accountRange in pages',
    keys,
    range.map(({ keyHash }) => to0xHex(keyHash)),
  );
}

/** Accounts from a hash on that ends in zeros, and just before which there is another account. */
async function wrongStart(rpc: RpcContext): Promise<string | undefined> {
  const names = everyAccount(rpc.chain.latest()).map(({ keyHash }) => to0xHex(keyHash));
  const firstByte = (name: string | undefined): number => Number(name?.slice(0, 4));
  const at = names.findIndex((name, i) => i > 0 && firstByte(names[i - 1]) < firstByte(name));
  if (at < 0) return undefined;
  const start = to0xHex(Uint8Array.of(firstByte(names[at - 1]) + 1));
  const told = (await eth(rpc, 'debug_accountRange', ['latest', start, PAGE, true, true, true])) as Page;
  return unlike(
    `debug_accountRange from ${start}`,
    Object.values(told.accounts ?? {}).map(({ key }) => key),
    names.slice(at, at + PAGE),
  );
}

/** Accounts that changed between the fullest block and the next one. */
async function wrongSpans(rpc: RpcContext): Promise<string | undefined> {
  const size = (height: number): number => rpc.chain.ethBlock(height)?.transactions.length ?? 0;
  const [first] = heightsOf(rpc.chain)
    .slice(0, -1)
    .sort((a, b) => size(b) - size(a));
  if (first === undefined) return undefined;
  const last = first + 1;
  const [before, after] = [rpc.chain.view(first), rpc.chain.view(last)];
  if (before === undefined || after === undefined) return undefined;
  const told = await eth(rpc, 'debug_getModifiedAccountsByNumber', [first, last]);
  const earlier = new Map(
    everyAccount(before).map((one) => [toHex(one.keyHash), shown(one.account)] as const),
  );
  const changed = everyAccount(after).filter((one) => earlier.get(toHex(one.keyHash)) !== shown(one.account));
  const names = (Array.isArray(told) ? (told as readonly string[]) : []).map((name) =>
    toHex(rpc.suite.keccak256(hex(name.slice(2)))),
  );
  const upwards = await eth(rpc, 'debug_getAccessibleState', [quantity(first), quantity(last)]);
  const downwards = await eth(rpc, 'debug_getAccessibleState', [quantity(last), quantity(first)]);
  return (
    unlike(
      `the accounts changed after ${first} up to ${last}`,
      names.sort(),
      changed.map(({ keyHash }) => toHex(keyHash)).sort(),
    ) ?? unlike('debug_getAccessibleState', [upwards, downwards], [first, last])
  );
}

const shown = ({
  nonce,
  balance,
  storageRoot,
  codeHash,
}: ReturnType<typeof everyAccount>[number]['account']) =>
  [nonce, balance, toHex(storageRoot), toHex(codeHash)].join();

/** The preimage of an address hash is the address. */
async function wrongPreimages(rpc: RpcContext): Promise<string | undefined> {
  const { coinbase } = present(rpc.chain.ethBlock(rpc.chain.head()), 'the head').header;
  if (rpc.chain.latest().account(coinbase) === undefined) return undefined;
  const told = await eth(rpc, 'debug_preimage', [to0xHex(rpc.suite.keccak256(coinbase))]);
  const nothing = (await eth(rpc, 'debug_preimage', [NOWHERE])) as { readonly refused?: Fields };
  return (
    unlike('debug_preimage', told, to0xHex(coinbase)) ??
    unlike('debug_preimage of nothing', nothing.refused?.['code'], SERVER_ERROR)
  );
}

/** CometBFT's RPC shows part of the pool, and genesis in chunks. */
async function wrongListed(rpc: RpcContext): Promise<string | undefined> {
  const { txs, total } = await comet(rpc, 'unconfirmed_txs', { limit: '1' });
  const { data, chunk, total: count } = await comet(rpc, 'genesis_chunked', { chunk: '0' });
  const pieces = JSON.parse(decodeUtf8(bytesOf(data)) || 'null');
  return (
    unlike(
      'how many are shown of those that wait',
      (txs as readonly unknown[] | undefined)?.length,
      Math.min(1, Number(total)),
    ) ??
    unlike('genesis in pieces', pieces, (await comet(rpc, 'genesis', {}))['genesis']) ??
    unlike('which piece of how many', [chunk, count], ['0', '1'])
  );
}
