import type { EthTx } from '../../../core/app/chain.ts';
import { wrapEthTx } from '../../../core/app/tx/wrapEthTx.ts';
import { present } from '../../../core/lib/assert.ts';
import { type Bytes, equalBytes, to0xHex, toHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { baseFeeAfter } from '../../clients/answers/feeMarket.ts';
import { settledPool } from '../../clients/settledPool.ts';
import { compareWorth } from '../../clients/worth.ts';
import type { Process } from '../../machine/process.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';

/** Larger pools never fill up in a run. */
const POOL_MAX = 64;

interface Held {
  readonly tx: EthTx;
  readonly sender: string;
}

/** The state of a full pool. */
interface Full {
  readonly head: number;
  /** In the form that blocks hold them, in the order of arrival. */
  readonly list: readonly Bytes[];
  readonly denom: string;
  readonly held: readonly Held[];
  /** By sender: the next nonce in the state, and the nonce after its pending transactions. */
  readonly nonces: ReadonlyMap<string, bigint>;
  readonly next: ReadonlyMap<string, bigint>;
}

/**
 * POOL: a full pool evicts as geth does. If the new transaction may run next and its sender is within its share, the
 * victim is the last transaction of a sender furthest over its share. Otherwise it is the least valuable transaction
 * without a successor, the youngest of equals, and only if the new one is worth more.
 */
export function eviction(context: CheckerContext): Checker {
  const name = 'records';
  const { scenario, cluster } = context;
  const { poolTxs = Number.POSITIVE_INFINITY, poolLifetime } = scenario.engine;
  // Cosmos transactions are in the pool, too, but `content()` does not show them. Expired transactions leave without a
  // newcomer.
  if (poolTxs > POOL_MAX || (scenario.bankers ?? []).length > 0 || poolLifetime !== undefined)
    return { name };
  const share = Math.max(1, poolTxs >> 2);
  const before = new Map<Process, Full>();
  /** Verdicts on transactions since the last look. With several, one may have come in and left again for the next. */
  const verdicts = new Map<Process, number>();
  return {
    name,
    ...hearing(['checkTold', 'flushed', 'started'], ({ kind, node }) => {
      // A pool of one place may be full again before it is looked at.
      if (kind !== 'checkTold') before.delete(node);
      else verdicts.set(node, (verdicts.get(node) ?? 0) + 1);
    }),
    look(node) {
      // Transactions in the backlog wait for the node's drive and enter all at once.
      if ((node.node?.backlog() ?? 0) > 0) return;
      const isOne = (verdicts.get(node) ?? 0) <= 1;
      verdicts.delete(node);
      const rpc = node.isCorrect ? settledPool(node, Number.POSITIVE_INFINITY) : undefined;
      const list = rpc?.pool.list?.(POOL_MAX) ?? [];
      if (rpc === undefined || list.length < poolTxs) {
        before.delete(node);
        return;
      }
      const was = before.get(node);
      const head = rpc.chain.head();
      if (was?.head === head && was.list.at(-1) === list.at(-1)) return;
      const now = fullOf(rpc, list);
      before.set(node, now);
      if (was?.head !== head || !isOne) return;
      const header = present(rpc.chain.ethBlock(head), 'the head').header;
      const problem = exchangeProblem(was, now, share, baseFeeAfter(header, cluster.feeMarket));
      if (problem !== undefined) context.fail(name, `the full pool of ${node.name} ${problem}`);
    },
  };
}

function fullOf({ chain, pool }: RpcContext, list: readonly Bytes[]): Full {
  const held: Held[] = [];
  const nonces = new Map<string, bigint>();
  const next = new Map<string, bigint>();
  for (const { sender, pending, queued } of pool.content()) {
    const key = toHex(sender);
    for (const tx of [...pending, ...queued]) held.push({ tx, sender: key });
    const { nonce = 0n } = chain.latest().account(sender) ?? {};
    nonces.set(key, nonce);
    next.set(key, nonce + BigInt(pending.length));
  }
  return { head: chain.head(), list, denom: chain.denom, held, nonces, next };
}

function exchangeProblem(was: Full, now: Full, share: number, baseFee: bigint): string | undefined {
  const isIn = ({ held }: Full, one: Held): boolean =>
    held.some(({ tx }) => equalBytes(tx.hash, one.tx.hash));
  const [fresh, ...others] = now.held.filter((one) => !isIn(was, one));
  const gone = was.held.filter((one) => !isIn(now, one));
  const [victim] = gone;
  if (fresh === undefined || victim === undefined || others.length > 0 || gone.length > 1) return undefined;
  if (victim.sender === fresh.sender && victim.tx.nonce === fresh.tx.nonce) return undefined;
  const what = `gives up ${to0xHex(victim.tx.hash)} for ${to0xHex(fresh.tx.hash)}`;
  const of = (sender: string): readonly Held[] => was.held.filter((one) => one.sender === sender);
  const tails = [...new Set(was.held.map(({ sender }) => sender))]
    .map((sender) => of(sender).reduce((last, one) => (one.tx.nonce > last.tx.nonce ? one : last)))
    .filter(({ sender, tx }) => sender !== fresh.sender || tx.nonce > fresh.tx.nonce);
  if (!tails.includes(victim)) return `${what}, which another one follows`;
  const most = Math.max(...tails.map(({ sender }) => of(sender).length));
  const isNext = (was.next.get(fresh.sender) ?? now.nonces.get(fresh.sender)) === fresh.tx.nonce;
  const isModest = of(fresh.sender).length < share && isNext && fresh.tx.maxFeePerGas >= baseFee;
  if (most > share && isModest)
    return of(victim.sender).length === most ? undefined : `${what}, though another sender has ${most}`;
  const lesser = tails.find((one) => isLess(was, one, victim, baseFee));
  if (lesser !== undefined) return `${what}, though ${to0xHex(lesser.tx.hash)} is worth less`;
  return compareWorth(victim.tx, fresh.tx, baseFee) < 0 ? undefined : `${what}, which is worth no more`;
}

/** Whether `a` goes before `b`: it is worth less, or as much and is younger. */
function isLess({ list, denom }: Full, a: Held, b: Held, baseFee: bigint): boolean {
  const order = compareWorth(a.tx, b.tx, baseFee);
  if (order !== 0 || a === b) return order < 0;
  const place = ({ tx }: Held): number => {
    const bytes = wrapEthTx(tx, denom);
    return list.findIndex((one) => equalBytes(one, bytes));
  };
  return place(a) > place(b);
}
