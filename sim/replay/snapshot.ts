import { type Bytes, toHex } from '../../core/lib/bytes.ts';
import { err, ok, type Result } from '../../core/lib/result.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { SimNode } from '../machine/simNode.ts';
import type { ScenarioReport } from '../report.ts';
import { type RunOptions, runScenario } from '../run.ts';
import type { ScenarioError } from '../scenario/cursor.ts';

/** What one node holds when a replay stops. */
export interface NodeSnapshot {
  readonly name: string;
  readonly state: string;
  readonly decided: number;
  readonly at: string;
  readonly proposer: string;
  readonly proposal: string;
  readonly locked: string;
  readonly valid: string;
  /** Votes seen, one line per round and type: who voted for what, and the two-thirds majority if there is one. */
  readonly votes: readonly string[];
  readonly stateHash: string;
}

export interface Replay {
  readonly report: ScenarioReport;
  readonly nodes: readonly NodeSnapshot[];
  readonly events: number;
  readonly virtualMicros: number;
  /** The run was stopped there; it did not end by itself. */
  readonly isCut: boolean;
}

export interface ReplayOptions extends RunOptions {
  /** Stop after this event; undefined: at the end. */
  readonly untilEvent?: number | undefined;
  /** Stop before the first event after this virtual time in µs. */
  readonly untilTime?: number | undefined;
}

/** Runs a scenario up to an event or a time and looks into every node there. */
export async function replayTo(text: string, options: ReplayOptions): Promise<Result<Replay, ScenarioError>> {
  const live = new Map<string, SimNode>();
  const { untilEvent = Number.POSITIVE_INFINITY, untilTime = Number.POSITIVE_INFINITY } = options;
  let events = 0;
  let virtualMicros = 0;
  let isCut = false;
  const names = new Map<string, string>();
  const result = await runScenario(text, {
    ...options,
    onCluster({ members }) {
      for (const { name, address } of members) names.set(toHex(address), name);
    },
    nodes: (real) => async (env) => {
      const node = await (options.nodes?.(real) ?? real)(env);
      live.set(env.name, node);
      return node;
    },
    stop(now, count, nextAt = untilTime) {
      events = count;
      virtualMicros = now;
      isCut = count >= untilEvent || nextAt > untilTime;
      return isCut;
    },
  });
  if (!result.ok) return err(result.error);
  const report = result.value;
  const nodes = report.nodes.map(({ name, state, height }) =>
    snapshotOf(name, state, height, state === 'up' || state === 'paused' ? live.get(name) : undefined, names),
  );
  return ok({ report, nodes, events, virtualMicros, isCut });
}

const NONE = '-';

const blockText = (hash: Uint8Array | undefined): string =>
  hash === undefined || hash.length === 0 ? 'nil' : toHex(hash).slice(0, 12);

type Names = ReadonlyMap<string, string>;

const nameOf = (names: Names, address: Bytes): string =>
  names.get(toHex(address)) ?? toHex(address).slice(0, 8);

function snapshotOf(
  name: string,
  state: string,
  decided: number,
  node: SimNode | undefined,
  names: Names,
): NodeSnapshot {
  const rs = node?.rs();
  if (node === undefined || rs === undefined)
    return {
      name,
      state,
      decided,
      at: NONE,
      proposer: NONE,
      proposal: NONE,
      locked: NONE,
      valid: NONE,
      votes: [],
      stateHash: NONE,
    };
  return {
    name,
    state,
    decided,
    at: `${rs.height}/${rs.round}/${rs.step}`,
    proposer: nameOf(names, rs.proposer.address),
    proposal: rs.proposal === undefined ? NONE : blockText(rs.proposal.blockId.hash),
    locked:
      rs.lockedBlock === undefined ? NONE : `${blockText(rs.lockedBlock.hash)} in round ${rs.lockedRound}`,
    valid: rs.validBlock === undefined ? NONE : `${blockText(rs.validBlock.hash)} in round ${rs.validRound}`,
    votes: votesOf(rs, names),
    stateHash: node.stateHash().toString(16).padStart(8, '0'),
  };
}

function votesOf(rs: RoundState, names: Names): readonly string[] {
  const lines: string[] = [];
  for (let round = 0; round <= rs.round; round++) {
    for (const type of ['prevote', 'precommit'] as const) {
      const votes = rs.votes(round, type);
      if (votes === undefined) continue;
      const told = rs.validators.validators.flatMap(({ address }, i) => {
        const vote = votes.vote(i);
        return vote === undefined ? [] : [`${nameOf(names, address)} ${blockText(vote.blockId.hash)}`];
      });
      if (told.length === 0) continue;
      const majority = votes.majority();
      const outcome = majority === undefined ? 'no majority' : `two thirds for ${blockText(majority.hash)}`;
      lines.push(`${round} ${type}s: ${told.join(', ')}; ${outcome}`);
    }
  }
  return lines;
}
