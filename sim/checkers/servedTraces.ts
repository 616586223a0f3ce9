import type { EthBlock, View } from '../../core/app/chain.ts';
import { HISTORY_ADDRESS } from '../../core/app/evm/systemContracts.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, to0xHex } from '../../core/lib/bytes.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { type Fields, quantity } from '../answers.ts';
import type { FeeMarket } from '../feeMarket.ts';
import { toBig } from '../reference/state.ts';
import { eth, fieldsOf, heightsOf, hexBytesOf, listOf, unlike } from './questions.ts';

/** Blocks whose transactions are run again, the fullest ones. */
const TRACED_MAX = 2;
const [CALL_TRACER, PRESTATE] = [{ tracer: 'callTracer' }, { tracer: 'prestateTracer' }];
const CONTRACT = `0x${'9c'.repeat(20)}`;
/** The balance of whoever is named first. */
const BALANCE_TELLER = '0x5f35315f5260205ff3';
/** Beside a call's own price its row has what it hands on. */
const CALLS = /^(CALL|CALLCODE|DELEGATECALL|STATICCALL|CREATE|CREATE2)$/;

/** What is told of executions that are run again: the same however it is asked for, and what the state before and after them says. */
export async function wrongTraces(rpc: RpcContext, market: FeeMarket): Promise<string | undefined> {
  const { chain } = rpc;
  const size = (height: number): number => chain.ethBlock(height)?.transactions.length ?? 0;
  const fullest = heightsOf(chain).filter((height) => size(height) > 0);
  for (const height of fullest.sort((a, b) => size(b) - size(a) || b - a).slice(0, TRACED_MAX)) {
    const below = height === rpc.genesis.initialHeight ? 0 : height - 1;
    const [before, after] = [chain.view(below), chain.view(height)];
    if (before === undefined || after === undefined) continue;
    const block = present(chain.ethBlock(height), 'a kept block');
    const problem =
      (await wrongWays(rpc, block)) ??
      (await wrongWithin(rpc, block, before)) ??
      (await wrongRows(rpc, block)) ??
      (await wrongEnds(rpc, block, before, after, market));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** By number, by hash, by bytes and one by one. */
async function wrongWays(
  rpc: RpcContext,
  { header, hash, transactions }: EthBlock,
): Promise<string | undefined> {
  const number = quantity(header.number);
  const raw = await eth(rpc, 'debug_getRawBlock', [number]);
  const one = await Promise.all(
    transactions.map(async (tx) => {
      const txHash = to0xHex(tx.hash);
      return { txHash, result: await eth(rpc, 'debug_traceTransaction', [txHash, CALL_TRACER]) };
    }),
  );
  for (const [method, name] of [
    ['debug_traceBlockByNumber', number],
    ['debug_traceBlockByHash', to0xHex(hash)],
    ['debug_traceBlock', raw],
  ] as const) {
    const problem = unlike(`${method} ${number}`, await eth(rpc, method, [name, CALL_TRACER]), one);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

interface Held {
  readonly balance?: string;
  readonly nonce?: number;
  readonly code?: string;
  readonly storage?: Readonly<Record<string, string>>;
}
type Holdings = Readonly<Record<string, Held>>;

const balanceAt = (view: View, address: Bytes): string => quantity(view.account(address)?.balance ?? 0n);

/** Each transaction finds its sender as a call does that is made before it; the first one finds the block before. */
async function wrongWithin(rpc: RpcContext, block: EthBlock, before: View): Promise<string | undefined> {
  const number = quantity(block.header.number);
  for (const [index, { hash, from }] of block.transactions.entries()) {
    const told = (await eth(rpc, 'debug_traceTransaction', [to0xHex(hash), PRESTATE])) as Holdings;
    const name = to0xHex(from);
    const call = { to: CONTRACT, data: `0x${name.slice(2).padStart(64, '0')}` };
    const stateOverrides = { [CONTRACT]: { code: BALANCE_TELLER } };
    const asked = { ...CALL_TRACER, stateOverrides, txIndex: quantity(index) };
    const trace = (await eth(rpc, 'debug_traceCall', [call, number, asked])) as Fields;
    const held = quantity(BigInt(String(trace['output'] ?? '0x0')));
    const problem = unlike(`what ${name} has before ${to0xHex(hash)}`, told[name]?.balance, held);
    if (problem !== undefined) return problem;
    const isFirst = index === 0 && rpc.chain.ethTxLocation(hash)?.index === 0;
    const wrong = isFirst ? wrongHoldings(told, before) : undefined;
    if (wrong !== undefined) return `answers the state before ${to0xHex(hash)} with ${wrong}`;
  }
  return undefined;
}

/** The first account that the view has otherwise. */
function wrongHoldings(told: Holdings, view: View): string | undefined {
  for (const [name, { balance = '0x0', nonce = 0, code = '0x', storage = {} }] of Object.entries(told)) {
    const address = hexBytesOf(name);
    const account = view.account(address);
    const problem =
      unlike(`the balance of ${name}`, balance, balanceAt(view, address)) ??
      unlike(`the nonce of ${name}`, nonce, Number(account?.nonce ?? 0n)) ??
      unlike(`the code of ${name}`, code, to0xHex(view.code(address)));
    if (problem !== undefined) return problem;
    // The hashes of past blocks are written before the first transaction.
    if (name === to0xHex(HISTORY_ADDRESS)) continue;
    for (const [slot, value] of Object.entries(storage)) {
      const truth = toBig(view.storage(address, hexBytesOf(slot)));
      const wrong = unlike(`slot ${slot} of ${name}`, BigInt(value).toString(), truth.toString());
      if (wrong !== undefined) return wrong;
    }
  }
  return undefined;
}

/** What the last transaction leaves is what the block leaves; what the only one changed is what the block changed. */
async function wrongEnds(
  rpc: RpcContext,
  block: EthBlock,
  before: View,
  after: View,
  { collectBaseFee }: FeeMarket,
): Promise<string | undefined> {
  const number = quantity(block.header.number);
  const { hash } = present(block.transactions.at(-1), 'a transaction');
  const count = rpc.chain.block(block.header.number)?.txs.length ?? 0;
  if (rpc.chain.ethTxLocation(hash)?.index !== count - 1) return undefined;
  const roots = (await eth(rpc, 'debug_intermediateRoots', [to0xHex(block.hash)])) as readonly string[];
  const diff = (await eth(rpc, 'debug_traceTransaction', [
    to0xHex(hash),
    { ...PRESTATE, tracerConfig: { diffMode: true } },
  ])) as { readonly pre: Holdings; readonly post: Holdings };
  const left = Object.fromEntries(
    [...new Set([...Object.keys(diff.pre), ...Object.keys(diff.post)])].flatMap((name) => {
      // Who is only before is gone.
      if (diff.post[name] === undefined) return [[name, {}]];
      const { storage: had = {}, ...old } = diff.pre[name] ?? {};
      const { storage: has = {}, ...fresh } = diff.post[name];
      const zeros = Object.fromEntries(Object.keys(had).map((slot) => [slot, '0x0']));
      return [[name, { ...old, ...fresh, storage: { ...zeros, ...has } }]];
    }),
  );
  const wrong = wrongHoldings(left, after);
  if (wrong !== undefined) return `answers what ${to0xHex(hash)} changed with ${wrong}`;
  const changed = await eth(rpc, 'debug_getModifiedAccountsByHash', [to0xHex(block.hash)]);
  const byNumber = await eth(rpc, 'debug_getModifiedAccountsByNumber', [block.header.number]);
  const named = (Array.isArray(changed) ? (changed as string[]) : []).filter(
    (name) => name !== to0xHex(HISTORY_ADDRESS) && left[name] === undefined,
  );
  return (
    unlike(`the last state within block ${number}`, roots.at(-1), to0xHex(block.header.stateRoot)) ??
    unlike(`the accounts changed by block ${number}, by its hash`, changed, byNumber) ??
    (count > 1 || collectBaseFee
      ? undefined
      : unlike(`who else was changed by ${to0xHex(hash)}`, named, [])) ??
    wrongRange(rpc, block, before)
  );
}

/** Storage before a block in pages: that of the first contract that the block changed, as the block before left it. */
async function wrongRange(rpc: RpcContext, block: EthBlock, before: View): Promise<string | undefined> {
  const history = to0xHex(HISTORY_ADDRESS);
  const addresses = block.transactions.flatMap(({ to }) => (to === undefined ? [] : [to]));
  const address = addresses.find((one) => before.storageRange(one, new Uint8Array(32), 1).length > 0);
  if (address === undefined || to0xHex(address) === history) return undefined;
  const truth = before
    .storageRange(address, new Uint8Array(32), 3)
    .map(({ keyHash, value }) => [to0xHex(keyHash), toBig(value).toString()]);
  const found: unknown[] = [];
  let next = '0x00';
  for (const count of [1, 2]) {
    const asked = [to0xHex(block.hash), 0, to0xHex(address), next, count];
    const told = (await eth(rpc, 'debug_storageRangeAt', asked)) as Fields;
    for (const [key, one] of Object.entries(fieldsOf(told, 'storage')))
      found.push([key, BigInt(String((one as Fields)['value'])).toString()]);
    if (typeof told['nextKey'] !== 'string') break;
    next = told['nextKey'];
  }
  return unlike(`the storage of ${to0xHex(address)} before block ${block.header.number}`, found, truth);
}

/** An instruction takes what its row says, reads what its row shows, and the first one has all gas but what a transaction takes. */
async function wrongRows(rpc: RpcContext, { transactions, receipts }: EthBlock): Promise<string | undefined> {
  const tx = present(transactions.at(-1), 'a transaction');
  const receipt = present(receipts.at(-1), 'its receipt');
  const hash = to0xHex(tx.hash);
  const told = (await eth(rpc, 'debug_traceTransaction', [hash, {}])) as Fields;
  const tree = (await eth(rpc, 'debug_traceTransaction', [hash, CALL_TRACER])) as Fields;
  const rows = listOf(told, 'structLogs');
  for (const [i, row] of rows.entries()) {
    const problem = wrongRow(row, rows[i + 1]);
    if (problem !== undefined) return `answers row ${i} of ${hash} with ${problem}`;
  }
  const isLost = tree['error'] !== undefined && tree['error'] !== 'execution reverted';
  return (
    unlike(
      `the end of ${hash}`,
      [told['gas'], told['failed'], told['returnValue']],
      [Number(receipt.gasUsed), receipt.status === 0, isLost ? '0x' : (tree['output'] ?? '0x')],
    ) ?? unlike(`how deep ${hash} begins`, rows[0]?.['depth'] ?? 1, 1)
  );
}

function wrongRow(row: Fields, next: Fields | undefined): string | undefined {
  if (next === undefined || next['depth'] !== row['depth'] || CALLS.test(String(row['op']))) return undefined;
  const left = Number(row['gas']) - Number(row['gasCost']);
  const stack = row['stack'] as readonly string[];
  const slot = `0x${(stack.at(-1) ?? '0x').slice(2).padStart(64, '0')}`;
  const shown = fieldsOf(row, 'storage')[slot];
  const truth = row['op'] === 'SLOAD' ? (next['stack'] as readonly string[]).at(-1) : stack.at(-2);
  const isStorage = row['op'] === 'SLOAD' || row['op'] === 'SSTORE';
  return (
    unlike('the gas that is left', next['gas'], left) ??
    (isStorage && shown !== undefined
      ? unlike('what is stored', quantity(BigInt(String(shown))), truth)
      : undefined)
  );
}
