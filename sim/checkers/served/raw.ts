import type { ChainReader, EthBlock, View } from '../../../core/app/chain.ts';
import { present } from '../../../core/lib/assert.ts';
import { EMPTY, equalBytes, to0xHex, toHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity, shownLogs } from '../../clients/answers/answers.ts';
import { itemsOf } from '../../reference/trieProof.ts';
import { type Keccak, listRoot } from '../../reference/trieRoot.ts';
import { eth, everyAccount, heightsOf, hexBytesOf, someOf, unlike, withoutLimits } from '../questions.ts';

/** Most accounts in one answer, as in geth. */
const DUMPED_MAX = 256;

/** Raw blocks, the accounts that each block changed, its gas costs, and the whole newest state are right. */
export async function wrongRaw(rpc: RpcContext, keccak: Keccak): Promise<string | undefined> {
  const { chain } = rpc;
  for (const height of new Set([...someOf(heightsOf(chain)), ...typedHeights(chain)])) {
    const block = present(chain.ethBlock(height), 'a kept block');
    const problem =
      (await wrongBytes(rpc, block, keccak)) ??
      (await wrongChanges(rpc, height, keccak)) ??
      (await wrongCosts(rpc, block));
    if (problem !== undefined) return problem;
  }
  return (await wrongSizes(rpc)) ?? wrongDump(rpc, keccak);
}

/** The newest height with each transaction type, since each type has its own encoding. */
function typedHeights(chain: ChainReader): readonly number[] {
  const known = new Map<number, number>();
  for (const height of heightsOf(chain))
    for (const { type } of chain.ethBlock(height)?.transactions ?? []) known.set(type, height);
  return [...known.values()];
}

/** A block's size is the length of its bytes, whatever its transactions are. */
async function wrongSizes(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const isFilled = (height: number): boolean => (chain.ethBlock(height)?.transactions.length ?? 0) > 0;
  for (const height of someOf(heightsOf(chain).filter(isFilled))) {
    const number = quantity(height);
    const { length } = hexBytesOf(await eth(rpc, 'debug_getRawBlock', [number]));
    const told = (await eth(rpc, 'eth_getBlockByNumber', [number, false])) as Fields;
    const problem = unlike(`the size of block ${number}`, told['size'], quantity(length));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Empty if the node refuses, which then shows as missing items. */
const listed = <T>(told: unknown): readonly T[] => (Array.isArray(told) ? told : []);

/** The bytes are those that hashes and roots were made of. */
async function wrongBytes(rpc: RpcContext, block: EthBlock, keccak: Keccak): Promise<string | undefined> {
  const number = quantity(block.header.number);
  const header = hexBytesOf(await eth(rpc, 'debug_getRawHeader', [number]));
  if (!equalBytes(keccak(header), block.hash))
    return `answers debug_getRawHeader ${number} with another header`;
  const [top, txs] = itemsOf(hexBytesOf(await eth(rpc, 'debug_getRawBlock', [to0xHex(block.hash)])));
  const raws = block.transactions.map(({ raw }) => to0xHex(raw));
  const inside = itemsOf(txs?.whole ?? EMPTY).map(({ isList, whole, content }) =>
    to0xHex(isList ? whole : content),
  );
  if (!equalBytes(top?.whole ?? EMPTY, header))
    return `answers debug_getRawBlock ${number} with another header`;
  const receipts = listed<string>(await eth(rpc, 'debug_getRawReceipts', [number]));
  const root = listRoot(receipts.map(hexBytesOf), keccak);
  const last = block.transactions.at(-1);
  const hash = last && to0xHex(last.hash);
  const logs = shownLogs(block).map(({ shown }) => shown);
  return (
    unlike(`the transactions in debug_getRawBlock ${number}`, inside, raws) ??
    unlike(`debug_getRawReceipts ${number} with the root`, toHex(root), toHex(block.header.receiptsRoot)) ??
    (hash &&
      (unlike(`the bytes of ${hash}`, await eth(rpc, 'eth_getRawTransactionByHash', [hash]), raws.at(-1)) ??
        unlike(
          `the logs of ${hash}`,
          await eth(rpc, 'eth_getTransactionLogs', [hash]),
          logs.filter(({ transactionHash }) => transactionHash === hash),
        )))
  );
}

/** All that a state holds of each account as text, by the hash of its address. */
function accountsOf(view: View): ReadonlyMap<string, string> {
  const found = everyAccount(view);
  return new Map(
    found.map(({ keyHash, account: { nonce, balance, storageRoot, codeHash } }) => [
      toHex(keyHash),
      [nonce, balance, toHex(storageRoot), toHex(codeHash)].join(),
    ]),
  );
}

/** A block changed exactly the accounts that differ before and after it. */
async function wrongChanges(rpc: RpcContext, height: number, keccak: Keccak): Promise<string | undefined> {
  const [before, after] = [rpc.chain.view(height - 1), rpc.chain.view(height)];
  if (before === undefined || after === undefined || rpc.chain.ethBlock(height - 1) === undefined)
    return undefined;
  const earlier = accountsOf(before);
  const changed = [...accountsOf(after)]
    .filter(([key, text]) => earlier.get(key) !== text)
    .map(([key]) => key);
  const told = listed<string>(await eth(rpc, 'debug_getModifiedAccountsByNumber', [height]));
  const hashes = told.map((address) => toHex(keccak(hexBytesOf(address))));
  return unlike(`the accounts changed by block ${height}`, hashes.sort(), changed.sort());
}

/** Traces of a block cost what its receipts say, and each of its transactions has a state root. */
async function wrongCosts(
  rpc: RpcContext,
  { header, hash, receipts }: EthBlock,
): Promise<string | undefined> {
  const { number } = header;
  // The state before the first block is genesis, stored under height 0.
  const before = number === rpc.genesis.initialHeight ? 0 : number - 1;
  if (rpc.chain.view(before) === undefined) return undefined;
  const asked = [quantity(number), { tracer: 'callTracer' }];
  const traces = await eth(withoutLimits(rpc), 'debug_traceBlockByNumber', asked);
  // The refusal to trace an empty block shows in the comparison, too.
  const costs = Array.isArray(traces)
    ? (traces as readonly { readonly result?: Fields }[]).map(({ result }) => result?.['gasUsed'])
    : traces;
  const roots = listed<string>(await eth(rpc, 'debug_intermediateRoots', [to0xHex(hash)]));
  return (
    unlike(
      `the costs of block ${number}`,
      costs,
      receipts.map(({ gasUsed }) => quantity(gasUsed)),
    ) ?? unlike(`how many states block ${number} goes through`, roots.length, receipts.length)
  );
}

/** All accounts of the newest state, if one answer holds them. */
async function wrongDump(rpc: RpcContext, keccak: Keccak): Promise<string | undefined> {
  const { chain } = rpc;
  const view = chain.latest();
  const range = everyAccount(view);
  if (range.length > DUMPED_MAX) return undefined;
  const dump = (await eth(rpc, 'debug_dumpBlock', ['latest'])) as {
    readonly root?: string;
    readonly accounts?: Readonly<Record<string, Fields>>;
  };
  const told = Object.entries(dump.accounts ?? {}).map(([address, { balance, nonce }]) =>
    [toHex(keccak(hexBytesOf(address))), balance, nonce].join(),
  );
  const truth = range.map(({ keyHash, account }) => [toHex(keyHash), account.balance, account.nonce].join());
  return (
    unlike('the root of the whole state', dump.root, toHex(view.stateRoot)) ??
    unlike('the whole state', told.sort(), truth.sort())
  );
}
