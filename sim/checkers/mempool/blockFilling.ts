import type { EthTx } from '../../../core/app/chain.ts';
import { type Bytes, toHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { EMPTY_CODE_HASH } from '../../../core/state/account.ts';
import type { BlockContext } from '../../../core/types/app.ts';
import { baseFeeAfter, type FeeMarket } from '../../clients/answers/feeMarket.ts';
import { roomBeside } from '../../clients/blockRoom.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { hexOf, keyOf, sizeInBlock } from './txSelection.ts';

/** The transactions that the application was offered for a block, and those that it took. */
interface Filling {
  readonly offered: readonly Bytes[];
  readonly taken: readonly Bytes[];
  readonly bytesMax: number;
}

/**
 * The application fills a block from the transactions that the pool offers: in their order, nothing else, and no more
 * bytes than fit. It is told of all the room that the last commit leaves. The block includes every transaction that can
 * run on the state before it whatever the others do and that fits beside the taken ones, so a transaction that cannot run
 * keeps no other out.
 */
export function blockFilling(context: CheckerContext): Checker {
  const name = 'conduct';
  const { feeMarket } = context.cluster;
  return {
    name,
    ...hearing(['proposed'], ({ node, ask, txs }) => {
      const rpc = node.isCorrect ? node.node?.rpc : undefined;
      if (rpc === undefined) return;
      const fail = (problem: string): void =>
        context.fail(name, `${node.name} makes a block of height ${ask.context.height} ${problem}`);
      const room = roomFor(rpc.chain, ask.context);
      if (room !== undefined && room !== ask.maxBytes)
        fail(`with a limit of ${ask.maxBytes} bytes for transactions, should be ${room}`);
      if (ask.txs.length === 0) return;
      const filling = { offered: ask.txs, taken: txs, bytesMax: ask.maxBytes };
      // Nothing runs in a block before 1970. A proposer makes one only if the last commit leaves it no choice.
      const mayTake = ask.context.time.seconds >= 0;
      const problem =
        strangeProblem(filling) ?? (mayTake ? leftOutProblem(rpc, filling, feeMarket) : undefined);
      if (problem !== undefined) fail(problem);
    }),
  };
}

/** The bytes for transactions in a block without evidence. How much room evidence takes is not said here. */
function roomFor(
  chain: RpcContext['chain'],
  { height, lastCommit, misbehavior }: BlockContext,
): number | undefined {
  const params = misbehavior.length === 0 ? chain.params(height) : undefined;
  return params && Math.max(0, roomBeside(params.block.maxBytes, lastCommit.votes.length));
}

function strangeProblem({ offered, taken, bytesMax }: Filling): string | undefined {
  const keys = offered.map(hexOf);
  let at = -1;
  for (const tx of taken) {
    at = keys.indexOf(hexOf(tx), at + 1);
    if (at < 0) return 'with a transaction that its pool did not offer, or in another order';
  }
  const bytes = bytesOf(taken);
  return bytes > bytesMax
    ? `with ${bytes} bytes of transactions, should have at most ${bytesMax}`
    : undefined;
}

const bytesOf = (txs: readonly Bytes[]): number => txs.reduce((sum, tx) => sum + sizeInBlock(tx), 0);

function leftOutProblem(
  { chain, pool }: RpcContext,
  { offered, taken, bytesMax }: Filling,
  feeMarket: FeeMarket,
): string | undefined {
  if (taken.length === offered.length) return undefined;
  const known = new Map(
    pool.content().flatMap(({ pending }) => pending.map((tx) => [keyOf(tx, chain.denom), tx] as const)),
  );
  const inside = taken.map((tx) => known.get(hexOf(tx)));
  // Transactions that the pool has lost meanwhile or does not show may do anything. So may code that an account
  // delegates to (EIP-7702).
  if (!inside.every((tx): tx is EthTx => tx !== undefined && tx.type !== 4)) return undefined;
  const { header } = chain.ethBlock(chain.head()) ?? {};
  if (header === undefined) return undefined;
  const price = baseFeeAfter(header, feeMarket);
  const gasLeft = inside.reduce((gas, tx) => gas - tx.gasLimit, header.gasLimit);
  const bytesLeft = bytesMax - bytesOf(taken);
  const keys = new Set(taken.map(hexOf));
  for (const bytes of offered) {
    const tx = keys.has(hexOf(bytes)) ? undefined : known.get(hexOf(bytes));
    if (tx === undefined || tx.gasLimit > gasLeft || sizeInBlock(bytes) > bytesLeft) continue;
    if (tx.maxFeePerGas >= price && mayRun(chain.latest().account(tx.from), tx))
      return `without transaction 0x${toHex(tx.hash)}, which may run and for which there is room`;
  }
  return undefined;
}

/** Whether it can run whatever other senders do, unless they carry authorizations (EIP-7702). */
function mayRun(
  account: ReturnType<ReturnType<RpcContext['chain']['latest']>['account']>,
  tx: EthTx,
): boolean {
  const isPlain = account !== undefined && toHex(account.codeHash) === toHex(EMPTY_CODE_HASH);
  return isPlain && account.nonce === tx.nonce && account.balance >= tx.value + tx.gasLimit * tx.maxFeePerGas;
}
