import { EthSession } from '../../core/rpc/eth/session.ts';
import { quantity } from '../clients/answers/answers.ts';
import { Wire } from '../clients/wire.ts';
import { type Frame, newsOf, shown } from './ethFrames.ts';
import { type Stage, settle } from './stage.ts';
import { wronglyTold } from './telling.ts';

/** The first block that the client subscribes to is so far above the head. */
const AHEAD = 3;

/**
 * A client subscribes to heads from a future block on and to the node's syncing state. It hears no earlier head, and
 * each change once.
 */
export async function aheadProblem(stage: Stage, choose: (n: number) => number): Promise<string | undefined> {
  let isBehind = false;
  const wire = new Wire(0, Number.MAX_SAFE_INTEGER);
  const session = new EthSession({ ...stage.ctx, catchingUp: () => isBehind }, wire);
  const follow = async (...params: readonly unknown[]): Promise<string> => {
    await session.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }));
    await session.settled();
    await settle();
    const { result, error } = JSON.parse(wire.read() ?? '{}') as Frame;
    return typeof result === 'string' ? result : `none, but ${error?.message}`;
  };
  stage.tell();
  const first = stage.head + AHEAD;
  const heads = { id: await follow('newHeads', { fromBlock: quantity(first) }), due: [] as string[] };
  const changes = { id: await follow('syncing'), due: [] as string[] };
  while (!stage.isOver) {
    const wasBehind: boolean = isBehind;
    isBehind = choose(2) === 0;
    stage.grow();
    stage.tell();
    if (isBehind !== wasBehind) changes.due.push(String(isBehind));
    if (stage.head >= first) heads.due.push(...newsOf('newHeads', stage.ethBlock(stage.head)));
  }
  await settle();
  const frames = wire.unread.map((text) => JSON.parse(text) as Frame);
  const toldOf = (id: string, show: (result: unknown) => string): readonly string[] =>
    frames.flatMap(({ params }) => (params?.subscription === id ? [show(params.result)] : []));
  const wrongHeads = wronglyTold(toldOf(heads.id, shown), heads.due);
  if (wrongHeads !== undefined)
    return `whoever follows heads from block ${first} on, yet to come, ${wrongHeads}`;
  const wrongChange = wronglyTold(toldOf(changes.id, isSyncing), changes.due);
  return wrongChange && `whoever asks to be told whether the node catches up ${wrongChange}`;
}

const isSyncing = (result: unknown): string =>
  String(result !== false && (result as { readonly syncing?: boolean }).syncing === true);
