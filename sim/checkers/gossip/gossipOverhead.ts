import { toHex } from '../../../core/lib/bytes.ts';
import type { Process } from '../../machine/process.ts';
import { longestDelay } from '../../network/delay.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { slowest } from '../linkFaults.ts';
import { isStream } from './consensusGossip.ts';

/** A message that takes longer is sent again. */
const PROMPT_MICROS = 500_000;
/** A node that has not been seen to move for so long is sent again what it may have lost. */
const STALE_MICROS = 2_000_000;
/** Time within which a move is announced. */
const TELL_MICROS = 300_000;
/** A node with a slower drive announces late what it has, and is sent it again meanwhile. */
const SLOW_DRIVE_MICROS = 300_000;
/** The most that may be sent: this factor times all there is, plus a few for runs with little to count. */
const AGAIN = 1.5;
const FEW = 4;

/** Since when a node has been at its present place, and its longest stay anywhere. */
interface Stay {
  readonly since: number;
  readonly longest: number;
}

/**
 * Gossip does not repeat itself without need. Over a run, a correct peer sends a node at most half as many votes again
 * as were ever signed, and as many parts as were proposed. Judged only where nothing is lost, all nodes are connected
 * and the receiving node never stands still for long.
 */
export function gossipOverhead(context: CheckerContext): Checker {
  const name = 'conduct';
  const { scenario, correct, world } = context;
  if (!isCalm(scenario) || slowest(scenario) > PROMPT_MICROS) return { name };
  const said = { votes: 0, proposals: 0 };
  /**
   * Number of parts of each proposal, by height, round and hash, since liars send several. A proposal nobody has seen
   * counts one.
   */
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
    ...hearing(['moved', 'signed', 'byzantineSigned'], (fact) => {
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
              `${id} has told ${node.name} ${votes} votes and ${blockParts} parts, expected at most ${Math.floor(AGAIN * said.votes + FEW)} and ${Math.floor(partsMax)}: all nodes together signed ${said.votes} votes and ${said.proposals} proposals`,
            );
        }
    },
  };
}

/** Nothing is lost, all nodes are connected, and no drive is slow. */
const isCalm = (scenario: Scenario): boolean =>
  isStream(scenario) &&
  scenario.peers === undefined &&
  scenario.network.rate === 0 &&
  scenario.validators.every(
    ({ pace }) => pace?.sync === undefined || longestDelay(pace.sync) < SLOW_DRIVE_MICROS,
  ) &&
  scenario.timeline.every(({ action }) => action.kind === 'addNode');
