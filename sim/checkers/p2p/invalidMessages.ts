import { equalBytes } from '../../../core/lib/bytes.ts';
import { CHANNELS } from '../../../core/node/contract.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { Process } from '../../machine/process.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { Connections } from '../connections.ts';
import { isSound } from '../progressCore.ts';
import { isSluggish } from '../timing/waitingTime.ts';
import { illFormed, isJudged, type WireMessage, wireMessageIn } from './illFormed.ts';

/** Dropping a peer waits at most for one write of the WAL. */
const PROMPT_MICROS = 2_000_000;
const VOTE = 6;

interface Offence {
  readonly at: number;
  readonly text: string;
  /** A message about the height that the node is at. Once that is over, the node ignores the message. */
  readonly isPassing: boolean;
}

/**
 * Every correct node drops a peer that sends it what no honest node can send. Frames are read apart from the core's
 * codec. Excused: scenarios with pauses or disk faults, and late machines.
 */
export function invalidMessages(context: CheckerContext): Checker {
  const { world, cluster } = context;
  // A node that is paused or waits for its drive drops the peer later.
  const isTimely = context.scenario.timeline.every(
    ({ action }) => action.kind !== 'pause' && action.kind !== 'disk',
  );
  const links = new Connections((): { offence: Offence | undefined } => ({ offence: undefined }));
  /** Nodes with a connection on which the peer may have given offence. */
  const offended = new Set<Process>();
  const check = (node: Process): void => {
    if (!offended.delete(node)) return;
    for (const [peer, link] of links.of(node)) {
      const { offence } = link;
      if (offence === undefined) continue;
      // The node has not processed the message yet.
      const isBusy = (node.node?.backlog() ?? 0) > 0;
      if (isBusy && offence.isPassing) {
        link.offence = undefined;
        continue;
      }
      if (isBusy) link.offence = { ...offence, at: world.now };
      if (isBusy || world.now - offence.at <= PROMPT_MICROS) {
        offended.add(node);
        continue;
      }
      link.offence = undefined;
      const isAble = node.state === 'up' && isSound(node.disk) && !isSluggish(node, context.scenario);
      if (isTimely && isAble)
        context.fail('conduct', `${node.name} keeps ${peer}, should drop it: it has sent ${offence.text}`);
    }
  };
  return {
    name: 'conduct',
    ...hearing(['dropped', 'byzantineFrameHeard', ...Connections.TOPICS], (fact) => {
      if (!fact.node.isCorrect) return;
      const { node } = fact;
      links.on(fact);
      if (fact.kind === 'dropped') links.end(node, fact.peer);
      else if (fact.kind === 'byzantineFrameHeard' && isJudged(fact.channel)) {
        const link = links.get(node, fact.peer);
        if (link === undefined || link.offence !== undefined) return;
        const wrong = illFormed(fact.channel, fact.bytes, cluster.genesis.initialHeight);
        const text = wrong ?? (fact.channel === CHANNELS.vote ? misplaced(node, fact.bytes) : undefined);
        if (text === undefined) return;
        link.offence = { at: world.now, text, isPassing: wrong === undefined };
        offended.add(node);
      }
    }),
    look: check,
    finish() {
      for (const node of context.correct) check(node);
    },
  };
}

/** Problems of a vote that only the validator set of the node's height shows. */
function misplaced(node: Process, frame: Uint8Array): string | undefined {
  const rs = node.node?.rs();
  const found = wireMessageIn(frame);
  if (found?.number !== VOTE || rs === undefined || node.node?.isSyncing() !== false) return undefined;
  const vote = found.said.inner(1);
  const isCounted = vote.number(2) === BigInt(rs.height) && vote.number(3) <= BigInt(rs.round) + 1n;
  return isCounted ? voteProblem(vote, rs) : undefined;
}

function voteProblem(vote: WireMessage, { validators }: RoundState): string | undefined {
  if (vote.count(9) + vote.count(10) > 0) return 'a vote with an extension';
  const index = Number(vote.number(7));
  const validator = validators.validators[index];
  if (validator === undefined) return `a vote of validator ${index} of ${validators.validators.length}`;
  return equalBytes(validator.address, vote.bytes(6)) ? undefined : `a vote of validator ${index} as another`;
}
