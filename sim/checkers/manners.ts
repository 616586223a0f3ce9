import { equalBytes } from '../../core/lib/bytes.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { Process } from '../process.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { illFormed, isOfConsensus, type Said, saidIn } from './illFormed.ts';
import { isSound } from './recoverable.ts';

/** A farewell waits for no more than a write of the log. */
const PROMPT_MICROS = 2_000_000;
const VOTE = 6;

interface Offence {
  readonly at: number;
  readonly text: string;
}

/** Whoever says what nobody honest can say is dropped by every correct node that hears it, read apart from the core's codec. */
export function manners(context: CheckerContext): Checker {
  const { world, cluster } = context;
  // A node that stands still, or waits for its drive, says farewell later.
  const isTimely = context.scenario.timeline.every(
    ({ action }) => action.kind !== 'pause' && action.kind !== 'disk',
  );
  const peers = new Map<Process, Set<string>>();
  const open = new Map<Process, Map<string, Offence>>();
  const settle = (node: Process, peer: string): void => {
    open.get(node)?.delete(peer);
  };
  const check = (node: Process): void => {
    const offences = open.get(node);
    if (offences === undefined || offences.size === 0) return;
    for (const [peer, { at, text }] of [...offences]) {
      if (world.now - at <= PROMPT_MICROS) continue;
      offences.delete(peer);
      if (isTimely && node.state === 'up' && isSound(node.disk))
        context.fail('conduct', `${node.name} keeps ${peer}, which has sent ${text}`);
    }
  };
  return {
    name: 'conduct',
    on(fact) {
      if (!('node' in fact) || !fact.node.isCorrect) return;
      const { node } = fact;
      if (fact.kind === 'started') {
        peers.set(node, new Set());
        open.set(node, new Map());
      } else if (fact.kind === 'crashed' || fact.kind === 'halted') open.get(node)?.clear();
      else if (fact.kind === 'peer') {
        settle(node, fact.peer);
        if (fact.isUp) peers.get(node)?.add(fact.peer);
        else peers.get(node)?.delete(fact.peer);
      } else if (fact.kind === 'dropped') {
        settle(node, fact.peer);
        peers.get(node)?.delete(fact.peer);
      } else if (fact.kind === 'lieHeard' && peers.get(node)?.has(fact.peer) === true) {
        if (!isOfConsensus(fact.channel) || open.get(node)?.has(fact.peer) === true) return;
        const text =
          illFormed(fact.channel, fact.bytes, cluster.genesis.initialHeight) ?? misplaced(node, fact.bytes);
        if (text !== undefined) open.get(node)?.set(fact.peer, { at: world.now, text });
      }
    },
    look: check,
    finish() {
      for (const node of context.correct) check(node);
    },
  };
}

/** What is not so in the set of validators that the node counts by. */
function misplaced(node: Process, frame: Uint8Array): string | undefined {
  const rs = node.node?.rs();
  const found = saidIn(frame);
  if (found?.number !== VOTE || rs === undefined || node.node?.isSyncing() !== false) return undefined;
  const vote = found.said.inner(1);
  const isCounted = vote.number(2) === BigInt(rs.height) && vote.number(3) <= BigInt(rs.round) + 1n;
  return isCounted ? voteProblem(vote, rs) : undefined;
}

function voteProblem(vote: Said, { validators }: RoundState): string | undefined {
  if (vote.count(9) + vote.count(10) > 0) return 'a vote with an extension';
  const index = Number(vote.number(7));
  const validator = validators.validators[index];
  if (validator === undefined) return `a vote of validator ${index} of ${validators.validators.length}`;
  return equalBytes(validator.address, vote.bytes(6)) ? undefined : `a vote of validator ${index} as another`;
}
