import type { Scenario } from '../scenario/scenario.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { slowest } from './liveness.ts';
import { isStream } from './spread.ts';

/** What takes longer on its way is said again: gossip repeats itself every two seconds. */
const PROMPT_MICROS = 500_000;
/** A run of one block has little to count. */
const FEW = 4;

/**
 * Gossip says nothing twice: over connections that lose nothing a node does not hear more votes of a correct peer than were ever
 * signed, nor more parts of blocks than were proposed.
 */
export function repetition(context: CheckerContext): Checker {
  const name = 'conduct';
  const { scenario, correct } = context;
  if (!isStream(scenario) || slowest(scenario) > PROMPT_MICROS || isHampered(scenario)) return { name };
  const said = { votes: 0, proposals: 0 };
  /** Of one block. */
  let partsMax = 1;
  return {
    name,
    on(fact) {
      if (fact.kind === 'moved')
        partsMax = Math.max(partsMax, fact.node.node?.rs()?.proposalParts?.header.total ?? 0);
      else if (fact.kind === 'signed' || fact.kind === 'lied')
        said[fact.ask.kind === 'proposal' ? 'proposals' : 'votes']++;
    },
    finish() {
      const names = new Set(correct.map((node) => node.name));
      for (const node of correct)
        for (const { id, round } of node.node?.rpc?.consensus?.peers() ?? []) {
          const { votes, blockParts } = round.received;
          const isTalkative = votes > said.votes + FEW || blockParts > said.proposals * partsMax + FEW;
          if (names.has(id) && isTalkative)
            context.fail(
              name,
              `${id} has told ${node.name} ${votes} votes and ${blockParts} parts, of ${said.votes} votes and ${said.proposals} proposals`,
            );
        }
    },
  };
}

/** Who is slow itself, or whose clock runs away, is told again as well. */
const isHampered = ({ network, timeline }: Scenario): boolean =>
  network.rate > 0 ||
  timeline.some(({ action }) =>
    action.kind === 'disk' ? action.fault === 'slow' : action.kind === 'jump' || action.kind === 'drift',
  );
