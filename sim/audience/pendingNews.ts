import { type Bytes, to0xHex } from '../../core/lib/bytes.ts';
import { EthSession } from '../../core/rpc/eth/session.ts';
import { eth } from '../checkers/questions.ts';
import { readOut, Wire } from '../clients/wire.ts';
import { type Frame, shown } from './ethFrames.ts';
import { type Stage, settle } from './stage.ts';
import { wronglyTold } from './telling.ts';

/** Only the hash, and the whole transaction. */
const WAYS = [false, true] as const;

/**
 * A client subscribes to pending transactions, by hash and whole, and makes filters for both. The first transactions
 * come just as the node answers, and the answer must come first. A transaction that has left the pool again is reported
 * only by hash.
 */
export async function pendingNewsProblem(
  stage: Stage,
  choose: (n: number) => number,
): Promise<string | undefined> {
  const { ctx } = stage;
  const gone = new Uint8Array(32).fill(0xd0 + choose(16));
  const known = knownTo(stage);
  const hashes = known === undefined ? [gone] : choose(2) === 0 ? [known, gone] : [gone, known];
  const dueOf = (isWhole: boolean): readonly string[] =>
    [...hashes, ...hashes].filter((hash) => !isWhole || hash === known).map(to0xHex);
  const filters = await Promise.all(
    WAYS.map(async (isWhole) => ({
      isWhole,
      id: await eth(ctx, 'eth_newPendingTransactionFilter', [isWhole]),
    })),
  );
  const wire = new Wire(0, Number.MAX_SAFE_INTEGER);
  const session = new EthSession(ctx, wire);
  for (const [id, isWhole] of WAYS.entries()) {
    const params = ['newPendingTransactions', isWhole];
    void session.receive(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }));
  }
  const texts: string[] = [];
  for (let times = 0; times < 2; times++) {
    for (const ethHash of hashes) ctx.hub.publish({ kind: 'pendingTx', tx: ethHash, ethHash });
    await settle();
    for (const text of await readOut(wire, session)) texts.push(text);
  }
  const told = new Map<string, string[]>();
  for (const text of texts) {
    const { id, result, params } = JSON.parse(text) as Frame;
    if (id !== undefined) told.set(String(result), []);
    else if (params !== undefined) {
      const news = told.get(params.subscription);
      if (news === undefined) return 'whoever subscribes to what is pending is told of it before the answer';
      news.push(nameOf(params.result));
    }
  }
  for (const [i, news] of [...told.values()].entries()) {
    const wrong = wronglyTold(news, dueOf(WAYS[i] === true));
    if (wrong !== undefined)
      return `whoever subscribes to what is pending, ${wayOf(WAYS[i] === true)}, ${wrong}`;
  }
  for (const { isWhole, id } of filters) {
    const answer = await eth(ctx, 'eth_getFilterChanges', [id]);
    const wrong = wronglyTold(Array.isArray(answer) ? answer.map(nameOf) : [], dueOf(isWhole));
    if (wrong !== undefined) return `a filter for what is pending, ${wayOf(isWhole)}, ${wrong}`;
  }
  session.closed();
  return undefined;
}

/** The newest transaction of a block, which the node can show whole. */
function knownTo(stage: Stage): Bytes | undefined {
  for (let height = stage.head; height > Math.max(0, stage.ctx.chain.base() - 1); height--) {
    const tx = stage.ethBlock(height).transactions.at(-1);
    if (tx !== undefined) return tx.hash;
  }
  return undefined;
}

const nameOf = (told: unknown): string => (told === null ? 'nothing' : shown(told));
const wayOf = (isWhole: boolean): string => (isWhole ? 'whole' : 'by name');
