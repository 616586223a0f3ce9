import type { EthBlock, View } from '../../../core/app/chain.ts';
import { HISTORY_ADDRESS } from '../../../core/app/evm/systemContracts.ts';
import { present } from '../../../core/lib/assert.ts';
import { to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import type { FeeMarket } from '../../clients/answers/feeMarket.ts';
import { list, text } from '../../reference/rlp.ts';
import { toBig } from '../../reference/state.ts';
import { eth, fieldsOf, heightsOf, hexBytesOf, someOf, unlike, withoutLimits } from '../questions.ts';
import { headerBytes } from './headerBytes.ts';
import { wrongRows } from './rows.ts';
import { aloneIn, CALL_TRACER, traceOf, tracesOf } from './tracedTxs.ts';

/** Number of blocks that are traced, the fullest ones. */
const TRACED_MAX = 2;
const PRESTATE = { tracer: 'prestateTracer' };
const DIFF = { ...PRESTATE, tracerConfig: { diffMode: true } };
const HISTORY = to0xHex(HISTORY_ADDRESS);
const CONTRACT = `0x${'9c'.repeat(20)}`;
/** Returns the balance of the address in its calldata. */
const BALANCE_TELLER = '0x5f35315f5260205ff3';

/** Traces are the same in whatever way they are requested, and agree with the states before and after the block. */
export async function wrongTraces(rpc: RpcContext, market: FeeMarket): Promise<string | undefined> {
  const { chain } = rpc;
  const size = (height: number): number => chain.ethBlock(height)?.transactions.length ?? 0;
  const fullest = heightsOf(chain).filter((height) => size(height) > 0);
  // The first block with transactions may build on genesis.
  const early = fullest.slice(0, 1);
  const most = fullest.sort((a, b) => size(b) - size(a) || b - a).slice(0, TRACED_MAX);
  for (const height of new Set([...most, ...early])) {
    const below = height === rpc.genesis.initialHeight ? 0 : height - 1;
    const [before, after] = [chain.view(below), chain.view(height)];
    if (before === undefined || after === undefined) continue;
    const block = present(chain.ethBlock(height), 'a kept block');
    const calls = await tracesOf(rpc, block, CALL_TRACER);
    const states = await statesOf(rpc, block, market);
    const problem =
      (await wrongWays(rpc, block, calls)) ??
      (await wrongGiven(rpc, block, calls)) ??
      (await wrongAlone(rpc, block, calls, states)) ??
      (states && (await wrongStates(rpc, block, [before, after], states))) ??
      (await wrongRange(rpc, block, before));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

interface States {
  readonly held: readonly Fields[];
  readonly diffs: readonly Fields[];
}

/**
 * What transactions found and changed. Undefined if other things change accounts, too: Cosmos transactions and
 * collected base fees are not traced.
 */
async function statesOf(
  rpc: RpcContext,
  block: EthBlock,
  { collectBaseFee }: FeeMarket,
): Promise<States | undefined> {
  const { header, transactions } = block;
  if (collectBaseFee || rpc.chain.block(header.number)?.txs.length !== transactions.length) return undefined;
  return { held: await tracesOf(rpc, block, PRESTATE), diffs: await tracesOf(rpc, block, DIFF) };
}

/** Traces by number equal those by hash and by raw bytes. */
async function wrongWays(
  rpc: RpcContext,
  block: EthBlock,
  calls: readonly Fields[],
): Promise<string | undefined> {
  const { header, hash, transactions } = block;
  const number = quantity(header.number);
  const raw = await eth(rpc, 'debug_getRawBlock', [number]);
  const all = transactions.map((tx, i) => ({ txHash: to0xHex(tx.hash), result: calls[i] }));
  for (const [method, name] of [
    ['debug_traceBlockByHash', to0xHex(hash)],
    ['debug_traceBlock', raw],
  ] as const) {
    const told = await eth(withoutLimits(rpc), method, [name, CALL_TRACER]);
    const problem = unlike(`${method} ${number}`, told, all);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A block unlike any of the chain (its extra data differs) with the same transactions has the same traces. */
async function wrongGiven(
  rpc: RpcContext,
  { header, transactions }: EthBlock,
  calls: readonly Fields[],
): Promise<string | undefined> {
  if (rpc.chain.block(header.number)?.txs.length !== transactions.length) return undefined;
  const number = quantity(header.number);
  const head = (await eth(rpc, 'eth_getHeaderByNumber', [number])) as Fields;
  const items = transactions.map(({ type, raw }) => (type === 0 ? raw : text(raw)));
  const block = list([headerBytes({ ...head, extraData: '0x07' }), list(items), list([]), list([])]);
  const told = await eth(withoutLimits(rpc), 'debug_traceBlock', [to0xHex(block), CALL_TRACER]);
  const results = Array.isArray(told) ? told.map(({ result }: Fields) => result) : told;
  return unlike(`the traces of a block like ${number}`, results, calls);
}

/**
 * A transaction traced alone gives the same as among the others. Asked one after another, since the node only goes
 * forwards through a block; the last one in all ways at once.
 */
async function wrongAlone(
  rpc: RpcContext,
  block: EthBlock,
  calls: readonly Fields[],
  states: States | undefined,
): Promise<string | undefined> {
  const ways = [[CALL_TRACER, calls] as const];
  if (states !== undefined) ways.push([PRESTATE, states.held], [DIFF, states.diffs]);
  const indices = aloneIn(block);
  for (const index of indices) {
    const asked = ways.map(
      ([config]) =>
        () =>
          traceOf(rpc, block, index, config),
    );
    const together = index === indices.at(-1) ? await Promise.all(asked.map((ask) => ask())) : undefined;
    for (const [way, [, results]] of ways.entries()) {
      const problem = unlike(
        `the trace of transaction ${index} in block ${block.header.number}`,
        together?.[way] ?? (await asked[way]?.()),
        results[index],
      );
      if (problem !== undefined) return problem;
    }
    const problem = await wrongRows(rpc, block, index, calls[index] ?? {});
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

/** Accounts that start as in a view and change as traces say. */
class Running {
  readonly #view: View;
  readonly #changed = new Map<string, Required<Omit<Held, 'storage'>> & { storage: Map<string, string> }>();
  readonly #gone = new Set<string>();

  constructor(view: View) {
    this.#view = view;
  }

  get changed(): readonly string[] {
    return [...this.#changed.keys()];
  }

  account(name: string) {
    const known = this.#changed.get(name);
    if (known !== undefined) return known;
    const address = hexBytesOf(name);
    const { balance = 0n, nonce = 0n } = this.#view.account(address) ?? {};
    const code = to0xHex(this.#view.code(address));
    return { balance: quantity(balance), nonce: Number(nonce), code, storage: new Map<string, string>() };
  }

  slot(name: string, slot: string): bigint {
    const known = this.account(name).storage.get(slot);
    if (known !== undefined) return BigInt(known);
    return this.#gone.has(name) ? 0n : toBig(this.#view.storage(hexBytesOf(name), hexBytesOf(slot)));
  }

  change({ pre, post }: { readonly pre: Holdings; readonly post: Holdings }): void {
    for (const name of new Set([...Object.keys(pre), ...Object.keys(post)])) {
      const { storage, ...before } = this.account(name);
      const { storage: written = {}, ...after } = post[name] ?? {};
      if (post[name] === undefined) this.#gone.add(name);
      const had = Object.keys(pre[name]?.storage ?? {}).map((slot) => [slot, '0x0'] as const);
      const all = new Map([...storage, ...had, ...Object.entries(written)]);
      const made = post[name] === undefined ? NOBODY : { ...before, ...after };
      this.#changed.set(name, { ...made, storage: post[name] === undefined ? new Map() : all });
    }
  }
}

const NOBODY = { balance: '0x0', nonce: 0, code: '0x' };

/** The first account or slot that differs. */
function wrongHoldings(told: Holdings, running: Running): string | undefined {
  for (const [name, { balance = '0x0', nonce = 0, code = '0x', storage = {} }] of Object.entries(told)) {
    const truth = running.account(name);
    const problem = unlike(
      `account ${name}`,
      [balance, nonce, code],
      [truth.balance, truth.nonce, truth.code],
    );
    if (problem !== undefined) return problem;
    // The hashes of past blocks are written before the first transaction.
    if (name === HISTORY) continue;
    for (const [slot, value] of Object.entries(storage)) {
      const wrong = unlike(
        `slot ${slot} of ${name}`,
        quantity(BigInt(value)),
        quantity(running.slot(name, slot)),
      );
      if (wrong !== undefined) return wrong;
    }
  }
  return undefined;
}

/**
 * Each transaction, and each call before it, finds what earlier ones left, and all together leave the block's end
 * state.
 */
async function wrongStates(
  rpc: RpcContext,
  block: EthBlock,
  [before, after]: readonly [View, View],
  { held, diffs }: States,
): Promise<string | undefined> {
  const { header, transactions } = block;
  const number = quantity(header.number);
  // For each of these the node runs all preceding transactions again.
  const called = new Set(someOf(aloneIn(block)));
  const running = new Running(before);
  for (const [index, { hash, from }] of transactions.entries()) {
    const diff = diffs[index] as { readonly pre: Holdings; readonly post: Holdings };
    const name = to0xHex(from);
    const balance = called.has(index)
      ? unlike(
          `what ${name} has`,
          await balanceBefore(rpc, number, index, name),
          running.account(name).balance,
        )
      : undefined;
    const problem =
      wrongHoldings(held[index] as Holdings, running) ??
      wrongHoldings(diff.pre, running) ??
      balance ??
      unlike('changes of nothing', unchanged(diff.pre, diff.post), []) ??
      unlike('slots that were cleared', zeros(diff.post), []);
    if (problem !== undefined) return `before ${to0xHex(hash)} ${problem}`;
    running.change(diff);
  }
  return wrongEnd(rpc, block, running, after);
}

/** The balance that code sees if it is called before a transaction of the block. */
async function balanceBefore(rpc: RpcContext, number: string, index: number, name: string): Promise<string> {
  const call = { to: CONTRACT, data: `0x${name.slice(2).padStart(64, '0')}` };
  const stateOverrides = { [CONTRACT]: { code: BALANCE_TELLER } };
  const asked = { ...CALL_TRACER, stateOverrides, txIndex: quantity(index) };
  const told = (await eth(rpc, 'debug_traceCall', [call, number, asked])) as Fields;
  return quantity(BigInt(String(told['output'] ?? '0x0')));
}

const zeros = (post: Holdings): readonly string[] =>
  Object.values(post).flatMap(({ storage = {} }) =>
    Object.entries(storage).flatMap(([slot, value]) => (BigInt(value) === 0n ? [slot] : [])),
  );

const unchanged = (pre: Holdings, post: Holdings): readonly string[] =>
  Object.keys(post).filter(
    (name) => Object.keys(post[name] ?? {}).length === 0 && pre[name]?.storage === undefined,
  );

async function wrongEnd(
  rpc: RpcContext,
  { header, hash }: EthBlock,
  running: Running,
  after: View,
): Promise<string | undefined> {
  const number = quantity(header.number);
  const roots = (await eth(rpc, 'debug_intermediateRoots', [to0xHex(hash)])) as readonly string[];
  const byHash = await eth(rpc, 'debug_getModifiedAccountsByHash', [to0xHex(hash)]);
  const changed = await eth(rpc, 'debug_getModifiedAccountsByNumber', [header.number]);
  const untold = (changed as readonly string[]).filter(
    (name) => name !== HISTORY && !running.changed.includes(name),
  );
  const end = new Running(after);
  const left = Object.fromEntries(
    running.changed.map((name) => {
      const { storage, ...account } = running.account(name);
      return [name, { ...account, storage: Object.fromEntries(storage) }];
    }),
  );
  const wrong = wrongHoldings(left, end);
  return (
    (wrong === undefined ? undefined : `after block ${number} ${wrong}`) ??
    unlike(`the last state within block ${number}`, roots.at(-1), to0xHex(header.stateRoot)) ??
    unlike(`the accounts changed by block ${number}, by its hash`, byHash, changed) ??
    unlike(`who else was changed in block ${number}`, untold, [])
  );
}

/** Storage before a block in pages: that of the first recipient in the block that has storage then. */
async function wrongRange(rpc: RpcContext, block: EthBlock, before: View): Promise<string | undefined> {
  const addresses = block.transactions.flatMap(({ to }) => (to === undefined ? [] : [to]));
  const address = addresses.find((one) => before.storageRange(one, new Uint8Array(32), 1).length > 0);
  if (address === undefined || to0xHex(address) === HISTORY) return undefined;
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
