import { present } from '../../../core/lib/assert.ts';
import { hex, to0xHex } from '../../../core/lib/bytes.ts';
import { heightAfter } from '../../../core/rpc/heightSteps.ts';
import { hexOf, keyOf } from '../../checkers/mempool/txSelection.ts';
import type { Process } from '../../machine/process.ts';
import { longestDelay } from '../../network/delay.ts';
import type { Ask } from '../answers/answers.ts';
import { settledPool } from '../settledPool.ts';
import type { Watch } from './watch.ts';

/** The fields of a transaction that a watcher reads. */
export interface PoolTx {
  readonly hash: string;
  readonly from: string;
  readonly nonce: string;
}

/** The fields of a block that a watcher reads. Transactions are objects only if it asked for them. */
export interface BlockShown {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly transactions: readonly PoolTx[];
}

/** Whether it is in a block that the node has announced. Clients may find one in the database before that. */
export function isCommitted({ node, decided }: Process, hash: string): boolean {
  const location = node?.rpc?.chain.ethTxLocation(hex(hash.slice(2)));
  return location !== undefined && location.height <= decided;
}

/**
 * Checks the pending block. It builds on the head, is not older than the head, and is up to date by the node's clock.
 * It holds no transaction that is committed or was never announced, and it follows each sender's nonce. It also has to
 * fit the pool at that moment: it holds nothing that was replaced or has gone, it keeps the order in which the pool
 * would offer the transactions, and it begins with the first of them.
 * @param isShared Senders use some of their nonces for other transactions than Ethereum's.
 * @param isHeldUp Announcements wait for the node's disk.
 */
export async function pendingProblems(
  ask: Ask,
  node: Process,
  watch: Watch,
  isShared: boolean,
  isHeldUp: boolean,
  now: number,
): Promise<readonly string[]> {
  const pending = (await ask('eth_getBlockByNumber', ['pending', true])) as BlockShown;
  return [
    ...placeProblems(pending, node),
    ...poolProblems(pending, node),
    ...untoldProblems(pending, node, watch, isHeldUp, now),
    ...(await nonceProblems(ask, pending, node, isShared)),
  ];
}

const rpcOf = ({ node }: Process) => present(node?.rpc, 'a node that answers');

/** Says nothing between a commit and the node's own step after it, when the pool still belongs to the state before. */
function poolProblems(pending: BlockShown, node: Process): readonly string[] {
  const rpc = settledPool(node, Number.POSITIVE_INFINITY);
  if (rpc === undefined) return [];
  const { chain, pool } = rpc;
  const held = new Map(
    pool.content().flatMap((one) => one.pending.map((tx) => [to0xHex(tx.hash), keyOf(tx, chain.denom)])),
  );
  const shown = pending.transactions.map(({ hash }) => hash);
  const stale = shown.find((hash) => !held.has(hash));
  if (stale !== undefined) return [`${stale} is in the pending block, and cannot run next in the pool`];
  const maxBytes = chain.params(heightAfter(chain, chain.head()))?.block.maxBytes;
  if (maxBytes === undefined) return [];
  const offered = pool.best(maxBytes < 0 ? Number.MAX_SAFE_INTEGER : maxBytes).map(hexOf);
  const places = shown.map((hash) => offered.indexOf(held.get(hash) ?? ''));
  const early = places.findIndex((place, i) => place <= (places[i - 1] ?? -1));
  if (early >= 0) return [`${shown[early]} is in the pending block where the pool does not offer it`];
  const first = [...held].find(([, key]) => key === offered[0]);
  return first === undefined || places[0] === 0
    ? []
    : [`${first[0]} would be offered first, and is not in the pending block`];
}

/** Like geth, a node may show a pending block again that it made at most so long ago by its clock. */
const LAG_SECONDS = 2;

function placeProblems(pending: BlockShown, node: Process): readonly string[] {
  const rpc = rpcOf(node);
  const { chain } = rpc;
  const head = present(chain.ethBlock(chain.head()), 'the head');
  const [number, timestamp] = [Number(pending.number), Number(pending.timestamp)];
  const problems: string[] = [];
  if (number !== head.header.number + 1 || pending.parentHash !== to0xHex(head.hash))
    problems.push(`the pending block is ${number} on ${pending.parentHash}`);
  if (timestamp < head.header.timestamp)
    problems.push(`the pending block is of ${timestamp}, its parent of ${head.header.timestamp}`);
  const seconds = Math.floor(rpc.now() / 1_000_000);
  if (timestamp < seconds - LAG_SECONDS)
    problems.push(`the pending block is of ${timestamp}, it is ${seconds} there`);
  return problems;
}

/** How long an announcement may wait for records on a drive with a pace of its own. On others the next look is late. */
const tellMicros = ({ pace: { sync } }: Process): number => (sync === undefined ? 0 : 2 * longestDelay(sync));

function untoldProblems(
  pending: BlockShown,
  node: Process,
  watch: Watch,
  isHeldUp: boolean,
  now: number,
): readonly string[] {
  const told = new Set([...watch.pooled, ...watch.pending]);
  const before = isHeldUp ? new Map<string, number>() : watch.untold;
  const untold = pending.transactions
    .filter(({ hash }) => !told.has(hash))
    .map(({ hash }) => [hash, before.get(hash) ?? now] as const);
  watch.untold = new Map(untold);
  const late = untold.find(([, since]) => since < now - tellMicros(node));
  return late === undefined ? [] : [`${late[0]} is pending, and nobody who listens was told`];
}

async function nonceProblems(
  ask: Ask,
  pending: BlockShown,
  node: Process,
  isShared: boolean,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const next = new Map<string, number>();
  for (const { hash, from, nonce } of pending.transactions) {
    if (isCommitted(node, hash)) problems.push(`${hash} is pending and in a block`);
    const account = rpcOf(node)
      .chain.latest()
      .account(hex(from.slice(2)));
    const wanted = next.get(from) ?? Number(account?.nonce ?? 0n);
    if (isShared ? Number(nonce) < wanted : Number(nonce) !== wanted)
      problems.push(`pending nonce of ${from} is ${nonce}, next is ${wanted}`);
    next.set(from, wanted + 1);
  }
  for (const [from, nonce] of next) {
    const count = Number(await ask('eth_getTransactionCount', [from, 'pending']));
    if (count < nonce) problems.push(`pending count of ${from} is ${count}, below ${nonce}`);
  }
  return problems;
}
