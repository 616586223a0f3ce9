import { type Bytes, to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import type { Process } from '../../machine/process.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { eth } from '../questions.ts';
import { failBy } from '../unanswered.ts';

/** Number of senders of a block that are asked about. */
const ASKED_MAX = 4;

/** The run does not wait for the answers. By then the node may have stopped, and its operator have taken back a height. */
const isOver = ({ node }: Process, rpc: RpcContext): boolean => node?.rpc !== rpc;

/**
 * The next nonce for a wallet (`eth_getTransactionCount`, pending) is never one that a block has used. This holds even
 * between a commit and the node's next step, when the pool does not know the block yet. Checked once for each block and
 * node, as soon as the block can be read.
 */
export function pendingNonces(context: CheckerContext): Checker {
  const name = 'records';
  const heads = new Map<Process, { readonly rpc: RpcContext; readonly head: number }>();

  async function ask(node: Process, rpc: RpcContext, sender: Bytes): Promise<void> {
    const used = rpc.chain.latest().account(sender)?.nonce ?? 0n;
    const told = await eth(rpc, 'eth_getTransactionCount', [to0xHex(sender), 'pending']);
    if (isOver(node, rpc)) return;
    if (BigInt(String(told)) < used)
      context.fail(
        name,
        `${node.name} says that ${told} is the next nonce of ${to0xHex(sender)}, whose next is ${used}`,
      );
  }

  async function look(node: Process, rpc: RpcContext, head: number): Promise<void> {
    try {
      const senders = new Map(
        rpc.chain.ethBlock(head)?.transactions.map(({ from }) => [to0xHex(from), from]),
      );
      await Promise.all([...senders.values()].slice(0, ASKED_MAX).map((sender) => ask(node, rpc, sender)));
    } catch (error) {
      if (!isOver(node, rpc)) failBy(context, node, error);
    }
  }

  return {
    name,
    look(node) {
      const rpc = node.isCorrect && node.state === 'up' && !node.disk.isDamaged ? node.node?.rpc : undefined;
      const head = rpc?.chain.head();
      const known = heads.get(node);
      if (rpc === undefined || head === undefined || (known?.rpc === rpc && known.head === head)) return;
      heads.set(node, { rpc, head });
      void look(node, rpc, head);
    },
  };
}
