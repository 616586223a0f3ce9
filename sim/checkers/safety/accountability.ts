import { isQuorum } from '../../../core/consensus/quorum.ts';
import { equalBytes } from '../../../core/lib/bytes.ts';
import { type Commit, equalBlockId, isZeroBlockId } from '../../../core/types/block.ts';
import type { ValidatorSet } from '../../../core/types/validator.ts';
import { commitVote, type Vote } from '../../../core/types/vote.ts';
import type { Process } from '../../machine/process.ts';
import type { Expectation } from '../../scenario/scenario.ts';
import { hearing } from '../../world/facts.ts';
import { type Checker, type CheckerContext, isAccountable } from '../checker.ts';
import { onlyAtTheEnd } from '../notJudged.ts';
import { isSignedBy } from './voteSignature.ts';

/** At most so many votes are kept, over all heights. A fork is judged by the votes of its own height. */
const VOTES_MAX = 200_000;

/** Two signed votes of one validator that no correct node casts together. */
interface Proof {
  readonly slot: number;
  readonly kind: 'equivocation' | 'amnesia';
  readonly votes: readonly [Vote, Vote];
}

interface Judgement {
  readonly height: number;
  readonly validators: ValidatorSet;
  readonly proofs: readonly Proof[];
}

/** The blocks that correct nodes decided at one height, with one commit for each. */
interface Decided {
  readonly validators: ValidatorSet;
  readonly commits: readonly Commit[];
}

type Guilty = Extract<Expectation, { kind: 'guilty' }>;

/**
 * ACC: suppose correct nodes decided different blocks at one height. Then their seen commits and the votes they heard
 * must accuse validators with at least a third of the power. Each accusation is two votes that the validator signed,
 * and no accused validator is correct, except those that got a new disk. If both blocks were decided in one round, the
 * two commits prove equivocation. Across rounds the heard votes prove amnesia: a validator precommitted one value and
 * later prevoted another without a polka for it in between, so it ignored its lock.
 */
export function accountability(context: CheckerContext, wanted?: Guilty): Checker {
  const name = wanted === undefined ? 'accountability' : 'guilty';
  const votes = new Map<number, Vote[]>();
  const decided = new Map<number, Decided>();
  let count = 0;
  const keep = (vote: Vote): void => {
    const list = votes.get(vote.height) ?? [];
    if (count >= VOTES_MAX || list.some((one) => equalBytes(one.signature, vote.signature))) return;
    list.push(vote);
    votes.set(vote.height, list);
    count++;
  };
  return {
    name,
    ...hearing(['vote', 'committed'], (fact) => {
      if (!fact.node.isCorrect) return;
      const { event } = fact;
      if (event.kind === 'vote') keep(event.vote);
      if (event.kind !== 'committed') return;
      const { height } = event.block.header;
      const commit = fact.node.node?.rpc?.chain.seenCommit(height);
      const validators = event.state.lastValidators;
      if (commit === undefined || validators === undefined) return;
      const commits = decided.get(height)?.commits ?? [];
      if (!commits.some((one) => equalBlockId(one.blockId, commit.blockId)))
        decided.set(height, { validators, commits: [...commits, commit] });
    }),
    ...(wanted === undefined ? {} : onlyAtTheEnd),
    finish() {
      // New disks may have made it too many only in the course of the run.
      if (wanted === undefined && !isAccountable(context)) return;
      const judged = judge(decided, votes);
      if (judged !== undefined) check(context, name, judged, wanted);
      else if (wanted !== undefined) context.fail(name, 'agreement holds: there is nobody to name');
    },
  };
}

function check(context: CheckerContext, name: string, judged: Judgement, wanted: Guilty | undefined): void {
  const { height, validators, proofs } = judged;
  const slots = [...new Set(proofs.map((proof) => proof.slot))];
  let power = 0n;
  const named: string[] = [];
  for (const slot of slots) {
    const validator = validators.validators[slot];
    if (validator === undefined) continue;
    power += validator.power;
    const nodes = context.cluster.members.filter((one) => equalBytes(one.address, validator.address));
    named.push(...nodes.map((one) => one.name));
    if (nodes.some((one) => isInnocent(context.world.process(one.name))))
      context.fail(name, `height ${height}: ${named.at(-1)} is called guilty and is correct`);
  }
  for (const proof of proofs) {
    if (!isProven(context, validators, proof))
      context.fail(name, `height ${height}: the proof against slot ${proof.slot} does not verify`);
  }
  const { numerator, denominator } = wanted?.powerAtLeast ?? { numerator: 1n, denominator: 3n };
  if (denominator * power < numerator * validators.totalPower) {
    const found = named.length === 0 ? 'nobody' : named.join(', ');
    context.fail(
      name,
      `height ${height} forked, and only ${found} with power ${power} of ${validators.totalPower} can be named, should be ${numerator}/${denominator} of it or more`,
    );
  }
  const missing = wanted?.equals?.filter((one) => !named.includes(one)) ?? [];
  const surplus = wanted?.equals === undefined ? [] : named.filter((one) => !wanted.equals?.includes(one));
  if (missing.length > 0 || surplus.length > 0)
    context.fail(
      name,
      `height ${height}: the guilty are ${named.join(', ')}, expected ${wanted?.equals?.join(', ')}`,
    );
}

/** A correct validator that got a new disk no longer knows what it has signed. */
const isInnocent = ({ isCorrect, disk }: Process): boolean => isCorrect && disk.wipes === 0;

function isProven(context: CheckerContext, validators: ValidatorSet, { slot, votes }: Proof): boolean {
  const key = validators.validators[slot]?.pubKey;
  return votes.every((vote) => key !== undefined && isSignedBy(context, key, vote));
}

/** Judges the lowest height at which correct nodes decided different blocks. */
function judge(
  decided: ReadonlyMap<number, Decided>,
  votes: ReadonlyMap<number, readonly Vote[]>,
): Judgement | undefined {
  const heights = [...decided.keys()].sort((a, b) => a - b);
  for (const height of heights) {
    const { validators, commits } = decided.get(height) as Decided;
    const [first, other] = commits;
    if (first === undefined || other === undefined) continue;
    const [early, late] = first.round <= other.round ? [first, other] : [other, first];
    const heard = votes.get(height) ?? [];
    const proofs = [...equivocators(early, late, heard), ...amnesiacs(early, late, heard, validators)];
    return { height, validators, proofs };
  }
  return undefined;
}

const votesOf = (commit: Commit): readonly Vote[] =>
  commit.signatures.flatMap((_, i) => commitVote(commit, i) ?? []);

/** Validators that voted for two values in the same round and step, in the commits or among the heard votes. */
function equivocators(early: Commit, late: Commit, heard: readonly Vote[]): readonly Proof[] {
  const seen = new Map<string, Vote>();
  const proofs: Proof[] = [];
  for (const vote of [...votesOf(early), ...votesOf(late), ...heard]) {
    const key = `${vote.validatorIndex}/${vote.round}/${vote.type}`;
    const before = seen.get(key);
    if (before === undefined) seen.set(key, vote);
    else if (!equalBlockId(before.blockId, vote.blockId))
      proofs.push({ slot: vote.validatorIndex, kind: 'equivocation', votes: [before, vote] });
  }
  return proofs;
}

/** Validators that precommitted the early round's decision and later prevoted another value without a polka for it. */
function amnesiacs(
  early: Commit,
  late: Commit,
  heard: readonly Vote[],
  validators: ValidatorSet,
): readonly Proof[] {
  if (early.round === late.round) return [];
  const proofs: Proof[] = [];
  for (const lock of votesOf(early)) {
    if (!equalBlockId(lock.blockId, early.blockId)) continue;
    const broken = heard.find(
      (vote) =>
        vote.type === 'prevote' &&
        vote.validatorIndex === lock.validatorIndex &&
        vote.round > early.round &&
        vote.round <= late.round &&
        !isZeroBlockId(vote.blockId) &&
        !equalBlockId(vote.blockId, early.blockId) &&
        !hasPolka(heard, vote, early.round, validators),
    );
    if (broken !== undefined)
      proofs.push({ slot: lock.validatorIndex, kind: 'amnesia', votes: [lock, broken] });
  }
  return proofs;
}

/** Whether, in a round from `from` up to the one before the vote's, over two thirds of the power prevoted its value. */
function hasPolka(heard: readonly Vote[], vote: Vote, from: number, validators: ValidatorSet): boolean {
  for (let round = from; round < vote.round; round++) {
    const slots = new Set(
      heard
        .filter(
          (one) => one.type === 'prevote' && one.round === round && equalBlockId(one.blockId, vote.blockId),
        )
        .map((one) => one.validatorIndex),
    );
    const power = [...slots].reduce((sum, slot) => sum + (validators.validators[slot]?.power ?? 0n), 0n);
    if (isQuorum(power, validators.totalPower)) return true;
  }
  return false;
}
