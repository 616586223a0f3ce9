/** A chain of four blocks, and attacks on those who follow it lightly. */
import { headerHash } from '../../../core/codec/hashes.ts';
import { evidenceJson } from '../../../core/codec/json.ts';
import { nextState } from '../../../core/consensus/chainState.ts';
import { EvidencePool } from '../../../core/evidence/pool.ts';
import { commitRules } from '../../../core/node/commitRules.ts';
import { type BlockId, type Commit, EMPTY_COMMIT, type Header } from '../../../core/types/block.ts';
import type { LightClientAttackEvidence } from '../../../core/types/evidence.ts';
import { ZERO_TIME } from '../../../core/types/ids.ts';
import type { ChainState } from '../../../core/types/state.ts';
import type { ValidatorSet } from '../../../core/types/validator.ts';
import { at, keyedSuite, type Made, makeTestBlock, signedVote, testNet } from '../consensus/harness/net.ts';

const net = testNet([40n, 30n, 20n, 10n]);
export const set = net.state.validators;
export const power = (index: number): bigint => set.validators[index]?.power ?? 0n;

/** Signed for the block by these of the set; the others are absent. */
export function commitOf(blockId: BlockId, height: number, signers: readonly number[], round = 0): Commit {
  const signatures = set.validators.map((_, i): Commit['signatures'][number] => {
    if (!signers.includes(i)) {
      const none = new Uint8Array(0);
      return { flag: 'absent', validatorAddress: none, timestamp: ZERO_TIME, signature: none };
    }
    const vote = signedVote(net, i, 'precommit', height, round, blockId, at(height + 1));
    const { validatorAddress, timestamp, signature } = vote;
    return { flag: 'commit', validatorAddress, timestamp, signature };
  });
  return { height, round, blockId, signatures };
}

export const ALL = [0, 1, 2, 3];
/** More than two thirds: 70 of 100. */
export const LIARS = [0, 1];

/** Four blocks that everyone signed. */
export const blocks: Made[] = [];
const commits: Commit[] = [];
export const states: ChainState[] = [net.state];
for (let height = 1; height <= 4; height++) {
  const state = states.at(-1) as ChainState;
  const made = makeTestBlock(net, state, 0, [], commits.at(-1) ?? EMPTY_COMMIT);
  const reply = {
    txResults: [],
    events: [],
    validatorUpdates: [],
    paramUpdates: undefined,
    appHash: new Uint8Array(32),
  };
  const next = nextState(state, made.blockId, made.block, reply);
  if (!next.ok) throw new Error(next.error.code);
  blocks.push(made);
  commits.push(commitOf(made.blockId, height, ALL));
  states.push(next.value);
}
export const state = states[4] as ChainState;
export const headerAt = (height: number): Header | undefined => blocks[height - 1]?.block.header;
export const header = (height: number): Header => headerAt(height) as Header;

const facts = {
  suite: keyedSuite,
  validatorsAt: (): ValidatorSet => set,
  blockTimeAt: (height: number) => headerAt(height)?.time,
  headerAt,
  // The commit of the last block is in none yet.
  commitAt: (height: number) => (height < 4 ? commits[height - 1] : undefined),
  commits: commitRules(keyedSuite),
};
export const newPool = (has = (_key: Uint8Array) => false): EvidencePool =>
  new EvidencePool({ ...facts, state, has });

interface Attack {
  readonly header: Header;
  readonly commonHeight: number;
  readonly signers?: readonly number[];
  readonly round?: number;
  readonly accused?: readonly number[];
  readonly validators?: ValidatorSet;
}

export function evidenceOf(attack: Attack): LightClientAttackEvidence {
  const { header: lie, commonHeight, signers = LIARS, round = 0, accused = LIARS, validators = set } = attack;
  const blockId = { hash: headerHash(lie), parts: { total: 1, hash: new Uint8Array(32).fill(1) } };
  return {
    kind: 'light-client-attack',
    conflictingBlock: { header: lie, commit: commitOf(blockId, lie.height, signers, round), validators },
    commonHeight,
    byzantineValidators: accused.map((i) => set.validators[i] as ValidatorSet['validators'][number]),
    totalVotingPower: 100n,
    timestamp: header(commonHeight).time,
  };
}

export const otherTxs: Header = { ...header(2), dataHash: new Uint8Array(32).fill(7) };
export const otherState: Header = { ...header(3), appHash: new Uint8Array(32).fill(7) };
export const lunatic = evidenceOf({ header: otherState, commonHeight: 1 });
export const equivocation = evidenceOf({ header: otherTxs, commonHeight: 2 });
export const lunaticJson = JSON.parse(JSON.stringify(evidenceJson(lunatic)));
