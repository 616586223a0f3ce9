import { toHex } from '../../core/lib/bytes.ts';
import type { Process } from '../machine/process.ts';
import { longestDelay } from '../network/delay.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { hearing } from '../world/facts.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { slowest } from './liveness.ts';
import { isStream } from './spread.ts';

/** What takes longer on its way is said again. */
const PROMPT_MICROS = 500_000;
/** Who has not been seen to move for so long is told again what it may have lost. */
const STALE_MICROS = 2_000_000;
/** In which a move is told of. */
const TELL_MICROS = 300_000;
/** Whose drive takes so long says as late what it has, and is told again meanwhile. */
const SLOW_DRIVE_MICROS = 300_000;
/** What is said again all the same, at most: so much of it all, and a little where a run has little to count. */
const AGAIN = 1.5;
const FEW = 4;

/** Since when a node has stood where it stands, and how long it ever stood anywhere. */
interface Stay {
  readonly since: number;
  readonly longest: number;
}

/**
 * Gossip does not repeat itself without need: where nothing is lost a correct peer tells a node that never stays for long where it is
 * at most half as many votes again as were ever signed, and parts of blocks as were proposed.
 */
export function repetition(context: CheckerContext): Checker {
  const name = 'conduct';
  const { scenario, correct, world } = context;
  if (!isCalm(scenario) || slowest(scenario) > PROMPT_MICROS) return { name };
  const said = { votes: 0, proposals: 0 };
  /** Parts of what was proposed, by height, round and hash, for liars propose several; one where nobody has seen it. */
  const parts = new Map<string, number>();
  const stays = new Map<Process, Stay>();
  const stayMax = STALE_MICROS - TELL_MICROS - slowest(scenario);
  const stay = (node: Process): Stay => {
    const { since, longest } = stays.get(node) ?? { since: world.now, longest: 0 };
    const now = { since: world.now, longest: Math.max(longest, world.now - since) };
    stays.set(node, now);
    return now;
  };
  return {
    name,
    ...hearing(['moved', 'signed', 'lied'], (fact) => {
      if (fact.kind === 'moved') {
        stay(fact.node);
        const rs = fact.node.node?.rs();
        if (rs?.proposalParts !== undefined) {
          const { hash, total } = rs.proposalParts.header;
          parts.set(`${rs.height}/${rs.round} ${toHex(hash)}`, total);
        }
      } else said[fact.ask.kind === 'proposal' ? 'proposals' : 'votes']++;
    }),
    finish() {
      const seen = [...parts.values()].reduce((sum, total) => sum + total, 0);
      const partsMax = AGAIN * (seen + Math.max(0, said.proposals - parts.size)) + FEW;
      const names = new Set(correct.map((node) => node.name));
      for (const node of correct.filter((node) => stay(node).longest < stayMax))
        for (const { id, round } of node.node?.rpc?.consensus?.peers() ?? []) {
          const { votes, blockParts } = round.received;
          const isTalkative = votes > AGAIN * said.votes + FEW || blockParts > partsMax;
          if (names.has(id) && isTalkative)
            context.fail(
              name,
              `${id} has told ${node.name} ${votes} votes and ${blockParts} parts, of ${said.votes} votes and ${said.proposals} proposals`,
            );
        }
    },
  };
}

/** Where nothing is lost and all are connected. */
const isCalm = (scenario: Scenario): boolean =>
  isStream(scenario) &&
  scenario.peers === undefined &&
  scenario.network.rate === 0 &&
  scenario.validators.every(
    ({ pace }) => pace?.sync === undefined || longestDelay(pace.sync) < SLOW_DRIVE_MICROS,
  ) &&
  scenario.timeline.every(({ action }) => action.kind === 'addNode');
