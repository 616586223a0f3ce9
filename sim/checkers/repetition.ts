import { toHex } from '../../core/lib/bytes.ts';
import type { Process } from '../machine/process.ts';
import { longestDelay } from '../network/delay.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { hearing } from '../world/facts.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { slowest } from './liveness.ts';
import { isStream } from './spread.ts';

/** What takes longer on its way is said again, and so is what a long round waits for: gossip repeats itself every two seconds. */
const PROMPT_MICROS = 500_000;
const ROUND_MS = 2_000;
/** For a liar's proposal that never comes. */
const PROPOSE_MS = 2 * ROUND_MS;
/** Whose drive takes so long says as late what it has, and is told again meanwhile. */
const SLOW_DRIVE_MICROS = 300_000;
/** What is said again all the same, at most: so much of it all, and a little where a run has little to count. */
const AGAIN = 1.5;
const FEW = 4;

/**
 * Gossip does not repeat itself without need: where nothing is lost a correct peer tells a node at most half as many votes again as
 * were ever signed, and parts of blocks as were proposed.
 */
export function repetition(context: CheckerContext): Checker {
  const name = 'conduct';
  const { scenario, correct, world } = context;
  if (!isCalm(scenario) || slowest(scenario) > PROMPT_MICROS) return { name };
  const said = { votes: 0, proposals: 0 };
  /** Parts of what was proposed, by height, round and hash, for liars propose several; one where nobody has seen it. */
  const parts = new Map<string, number>();
  return {
    name,
    ...hearing(['moved', 'signed', 'lied'], (fact) => {
      if (fact.kind === 'moved') {
        const rs = fact.node.node?.rs();
        if (rs?.proposalParts !== undefined) {
          const { hash, total } = rs.proposalParts.header;
          parts.set(`${rs.height}/${rs.round} ${toHex(hash)}`, total);
        }
      } else said[fact.ask.kind === 'proposal' ? 'proposals' : 'votes']++;
    }),
    finish() {
      // Where nothing is decided rounds were long, whatever the settings say.
      if (correct.every(({ head }) => head === 0) || isAnyBehind(world.processes)) return;
      const seen = [...parts.values()].reduce((sum, total) => sum + total, 0);
      const partsMax = AGAIN * (seen + Math.max(0, said.proposals - parts.size)) + FEW;
      const names = new Set(correct.map((node) => node.name));
      for (const node of correct)
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

/** Nobody rests beside one that stays behind, and be it a liar. */
const isAnyBehind = (all: readonly Process[]): boolean => {
  const heads = all.map(({ head }) => head);
  return Math.max(...heads) - Math.min(...heads) > 1;
};

/** Where nothing is lost, all are connected and no round is long: who waits says every two seconds what it has. */
const isCalm = (scenario: Scenario): boolean => {
  const { timeoutProposeMs, timeoutPrevoteMs, timeoutPrecommitMs } = scenario.engine.consensus;
  // A proposal of others is there long before its time is up.
  const proposeMs = scenario.byzantine.length > 0 ? timeoutProposeMs : 0;
  return (
    isStream(scenario) &&
    scenario.peers === undefined &&
    scenario.network.rate === 0 &&
    scenario.validators.every(
      ({ pace }) => pace?.sync === undefined || longestDelay(pace.sync) < SLOW_DRIVE_MICROS,
    ) &&
    Math.max(timeoutPrevoteMs, timeoutPrecommitMs) < ROUND_MS &&
    proposeMs < PROPOSE_MS &&
    scenario.timeline.every(({ action }) => action.kind === 'addNode')
  );
};
