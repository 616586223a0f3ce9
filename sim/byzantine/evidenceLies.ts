import { evidenceListHash } from '../../core/codec/hashes.ts';
import { encodeEvidenceMessage } from '../../core/codec/messages.ts';
import { duplicateVoteEvidence } from '../../core/evidence/pool.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import type { Block } from '../../core/types/block.ts';
import type { DuplicateVoteEvidence, Evidence } from '../../core/types/evidence.ts';
import { type Address, addMillis } from '../../core/types/ids.ts';
import type { Vote } from '../../core/types/vote.ts';
import { type Accomplice, type Behaviour, besidePrevotes, type Hooks, inventedBlock } from './behaviour.ts';
import { replacingBlock } from './blocks.ts';
import { lastPlaceOf, type Place, placeOf } from './places.ts';

/** Id of another chain that the same key may sign for. */
const ELSEWHERE = 'another-chain';
const PIECES_MAX = 1_000;
const SAME_TIMES = 20;
const MANY_ROUNDS = 50;
const NOBODY: Address = new Uint8Array(20).fill(0x99);
const BLOCKS_AHEAD = 10;

const withEvidence = (block: Block, evidence: readonly Evidence[]): Block => ({
  ...block,
  evidence,
  header: { ...block.header, evidenceHash: evidenceListHash(evidence) },
});

/** The newest height at which every node can verify an offence. */
const judgeable = (me: Accomplice): number => (me.rs()?.height ?? 1) - 1;

/** A real offence of this node: two conflicting prevotes in one round, both with valid signatures. */
function ownOffence(me: Accomplice, height: number, round: number): DuplicateVoteEvidence | undefined {
  const place = placeOf(me, me.address, height);
  return place && offenceAt(me, me.address, place, height, round);
}

/** Two conflicting prevotes of one round in a validator's name, both signed with this node's key. */
function offenceAt(
  me: Accomplice,
  validatorAddress: Address,
  { validators, index }: Place,
  height: number,
  round: number,
): DuplicateVoteEvidence | undefined {
  const header = me.chain()?.blockMeta(height)?.header;
  if (header === undefined) return undefined;
  const vote = (salt: number): Vote =>
    me.signVote({
      type: 'prevote',
      height,
      round,
      blockId: inventedBlock(height, round + salt),
      timestamp: header.time,
      validatorAddress,
      validatorIndex: index,
      signature: new Uint8Array(64),
      extension: new Uint8Array(0),
      extensionSignature: new Uint8Array(0),
    });
  return duplicateVoteEvidence({ voteA: vote(0), voteB: vote(1) }, validators, header.time);
}

function tell(me: Accomplice, peer: string, evidence: readonly Evidence[]): void {
  for (const piece of evidence) {
    me.sendBytes({
      kind: 'send',
      to: [peer],
      channel: CHANNELS.evidence,
      bytes: encodeEvidenceMessage([piece]),
    });
  }
}

/** Gossips the evidence that `make` returns beside its prevotes, puts it into its own blocks, or both. */
function spreading(me: Accomplice, where: string, make: () => readonly Evidence[]): Hooks {
  const inBlock = replacingBlock(me, (_, block) => {
    const lies = make();
    return lies.length === 0 ? undefined : withEvidence(block, [...block.evidence, ...lies]);
  });
  const byGossip = besidePrevotes(me, (peer) => tell(me, peer, make()));
  return { ...(where === 'block' ? {} : byGossip), ...(where === 'gossip' ? {} : inBlock) };
}

const LIES = [
  'types',
  'rounds',
  'same',
  'key',
  'power',
  'total',
  'time',
  'culprit',
  'swapped',
  'place',
  'extension',
  'chain',
  'accused',
  'voters',
  'nobody',
  'future',
] as const;
const PLACES = ['gossip', 'block', 'both'] as const;

export const FORGED_EVIDENCE: Behaviour = {
  id: 'B27',
  alias: 'forged-evidence',
  text: 'Accuses with forged evidence, by gossip and in its blocks: `what` is types, rounds, same, key, power, total, time, culprit, or a true offence under another face: its votes swapped, another place for the voter or an extension; chain is two votes of which it cast one on another chain; voters are two, the second in the place and with the vote of the liar, nobody is somebody who was never a validator, future is of a height to come; accused is a true light client attack that waits for its block, with somebody else accused; `victim` is who is framed, who may have left: key and culprit then accuse it with the place and the power that it had last.',
  args: ['what', 'where', 'victim'],
  words: { what: LIES, where: PLACES },
  effectiveWith: {
    victim: { arg: 'what', words: ['key', 'culprit', 'voters', 'accused'], usual: 'key' },
    where: { arg: 'what', words: LIES.filter((word) => word !== 'accused'), usual: 'key' },
  },
  create(me) {
    const what = String(me.args.get('what') ?? 'key');
    if (what === 'accused') return accusingAnother(me);
    return spreading(me, String(me.args.get('where') ?? 'both'), () => {
      const forged = forgery(me, what);
      return forged === undefined ? [] : [forged];
    });
  },
};

/** The evidence pool knows a light client attack by a hash that does not cover the accused validators. */
const accusingAnother = (me: Accomplice): Hooks =>
  replacingBlock(me, (_, block) => {
    if (!block.evidence.some(({ kind }) => kind === 'light-client-attack')) return undefined;
    const victim = victimOf(me);
    const byzantineValidators = (me.rs()?.validators.validators ?? []).filter(
      ({ address }) => victim !== undefined && equalBytes(address, victim),
    );
    const lies = block.evidence.map((one) =>
      one.kind === 'light-client-attack' ? { ...one, byzantineValidators } : one,
    );
    return withEvidence(block, lies);
  });

function forgery(me: Accomplice, what: string): Evidence | undefined {
  const height = judgeable(me);
  if (what === 'key') return framed(me, height);
  if (what === 'culprit') return lunatic(me, height);
  const offence = ownOffence(me, height, 0);
  return offence && disguised(me, offence, what);
}

/** A real offence with one wrong detail. */
function disguised(me: Accomplice, true_: DuplicateVoteEvidence, what: string): Evidence {
  const { voteA, voteB } = true_;
  switch (what) {
    case 'types':
      return { ...true_, voteB: me.signVote({ ...voteB, type: 'precommit' }) };
    case 'rounds':
      return { ...true_, voteB: me.signVote({ ...voteB, round: voteB.round + 1 }) };
    case 'same':
      return { ...true_, voteB: voteA };
    case 'power':
      return { ...true_, validatorPower: true_.validatorPower + 1n };
    case 'total':
      return { ...true_, totalVotingPower: true_.totalVotingPower * 2n };
    case 'time':
      return { ...true_, timestamp: addMillis(true_.timestamp, 1_000) };
    case 'swapped':
      return { ...true_, voteA: voteB, voteB: voteA };
    case 'place':
      return { ...true_, voteB: { ...voteB, validatorIndex: voteB.validatorIndex === 0 ? 1 : 0 } };
    case 'extension':
      return extended(me, true_);
    case 'chain':
      return { ...true_, voteB: me.signVote(voteB, ELSEWHERE) };
    case 'voters':
      return { ...true_, voteB: { ...voteB, validatorAddress: victimOf(me) ?? NOBODY } };
    case 'nobody':
      return {
        ...true_,
        voteA: { ...voteA, validatorAddress: NOBODY },
        voteB: { ...voteB, validatorAddress: NOBODY },
      };
    default: {
      const later = (vote: Vote): Vote => me.signVote({ ...vote, height: vote.height + BLOCKS_AHEAD });
      return { ...true_, voteA: later(voteA), voteB: later(voteB) };
    }
  }
}

/** Adds an extension signature. Only precommits may have one, and the vote's own signature does not cover it. */
function extended(me: Accomplice, offence: DuplicateVoteEvidence): DuplicateVoteEvidence {
  const { voteA, voteB } = offence;
  const extensionSignature = new Uint8Array(64).fill(1);
  return {
    ...offence,
    voteA: me.signVote({ ...voteA, type: 'precommit' }),
    voteB: { ...me.signVote({ ...voteB, type: 'precommit' }), extensionSignature },
  };
}

const victimOf = (me: Accomplice): Address | undefined =>
  me.addressOf(String(me.args.get('victim') ?? me.others[0]));

/**
 * Votes in the victim's name under this node's signature. A victim that has left keeps the index and power it had last.
 */
function framed(me: Accomplice, height: number): DuplicateVoteEvidence | undefined {
  const victim = victimOf(me);
  const place = victim && lastPlaceOf(me, victim, height);
  return victim && place && offenceAt(me, victim, place, height, 0);
}

/** A light client attack that accuses the victim, with a header that nobody signed. */
function lunatic(me: Accomplice, height: number): Evidence | undefined {
  const chain = me.chain();
  const header = chain?.blockMeta(height)?.header;
  const commit = chain?.seenCommit(height) ?? chain?.commit(height);
  const validators = chain?.validators(height);
  const victim = victimOf(me);
  const place = victim && lastPlaceOf(me, victim, height);
  if (header === undefined || commit === undefined || validators === undefined) return undefined;
  if (place === undefined) return undefined;
  const lie = { ...header, appHash: header.appHash.map((byte) => byte ^ 1) };
  return {
    kind: 'light-client-attack',
    conflictingBlock: { header: lie, commit, validators },
    commonHeight: height,
    byzantineValidators: place.validators.validators.slice(place.index, place.index + 1),
    totalVotingPower: place.validators.totalPower,
    timestamp: header.time,
  };
}

const SPAM = ['same', 'many', 'heap', 'committed', 'block', 'old', 'again'] as const;
/** Where evidence goes that is not spread by gossip alone. */
const SPAM_PLACES: Readonly<Record<string, (typeof PLACES)[number]>> = {
  heap: 'block',
  block: 'block',
  again: 'block',
  old: 'both',
};
/** Copies of one piece sent at a time, where not SAME_TIMES. */
const TIMES: Readonly<Record<string, number>> = { block: 2, again: 1 };
const OLD_BLOCKS = 10;

export const EVIDENCE_SPAM: Behaviour = {
  id: 'B28',
  alias: 'evidence-spam',
  text: 'Floods evidence that is true: `what` is same (one piece again and again), many (`count` rounds at once), heap (the same in its own blocks), committed (what the chain has), again (the same in its own blocks), block (twice in one block) or old (of so many blocks ago as `age` says, in blocks too).',
  args: ['what', 'count', 'age'],
  words: { what: SPAM },
  effectiveWith: {
    count: { arg: 'what', words: ['many', 'heap'], usual: 'same' },
    age: { arg: 'what', words: ['old'], usual: 'same' },
  },
  create(me) {
    const what = String(me.args.get('what') ?? 'same');
    const count = Math.min(PIECES_MAX, Number(me.args.get('count') ?? MANY_ROUNDS));
    return spreading(me, SPAM_PLACES[what] ?? 'gossip', () => spam(me, what, count));
  },
};

function spam(me: Accomplice, what: string, count: number): readonly Evidence[] {
  const height = judgeable(me);
  if (what === 'many' || what === 'heap')
    return Array.from({ length: count }, (_, round) => ownOffence(me, height, round)).filter(
      (piece) => piece !== undefined,
    );
  if (what === 'old') {
    const old = ownOffence(me, height - Number(me.args.get('age') ?? OLD_BLOCKS), 0);
    return old === undefined ? [] : [old];
  }
  const piece = what === 'committed' || what === 'again' ? committed(me, height) : ownOffence(me, height, 0);
  if (piece === undefined) return [];
  return new Array<Evidence>(TIMES[what] ?? SAME_TIMES).fill(piece);
}

function committed(me: Accomplice, height: number): Evidence | undefined {
  const chain = me.chain();
  const base = chain?.base() ?? 0;
  for (let at = height; base > 0 && at >= base; at--) {
    const piece = chain?.block(at)?.evidence[0];
    if (piece !== undefined) return piece;
  }
  // The chain has no evidence yet: provide the first.
  return ownOffence(me, height, 0);
}

export const EVIDENCE_CENSOR: Behaviour = {
  id: 'B29',
  alias: 'evidence-censor',
  text: 'Keeps evidence out of its blocks and tells nobody of any.',
  args: [],
  create(me) {
    const empty = replacingBlock(me, (_, block) =>
      block.evidence.length > 0 ? withEvidence(block, []) : undefined,
    );
    return {
      ...empty,
      send(send) {
        const { height, round } = me.rs() ?? { height: 0, round: 0 };
        return send.channel === CHANNELS.evidence && me.isDue(height, round) ? [] : [send];
      },
    };
  },
};
