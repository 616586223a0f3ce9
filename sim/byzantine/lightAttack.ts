import { encodeEvidenceMessage } from '../../core/codec/messages.ts';
import { present } from '../../core/lib/assert.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import { EMPTY_COMMIT } from '../../core/types/block.ts';
import type { LightBlock, LightClientAttackEvidence } from '../../core/types/evidence.ts';
import { type Accomplice, atPrevote, type Behaviour, type Hooks } from './behaviour.ts';
import { DERIVED, type Ground, liars } from './lightBlocks.ts';
import { LIES, type Lie } from './lightLies.ts';

/** How far the client's trusted header is below the block it is shown, unless `trusted` gives its height. */
const TRUSTED_BELOW = 2;
/** Blocks remembered by height, so that a client that asks again is shown the same block. */
const SHOWN_MAX = 1_000;

/** Lies in which the victim has a part. */
const ABOUT_VICTIM = ['innocent', 'unsigned', 'abstained', 'other', 'keys', 'share', 'relabelled'];
/** Lies without a false state. */
const TRUE_STATE = [
  'shown-equivocation',
  'chain',
  'next-block',
  'equivocation',
  'other-round',
  'share',
  'relabelled',
];

/**
 * A light client is shown a block with a false state, signed by a set of liars that leaves out all other validators.
 * The client accepts it if the liars hold a third of the voting power that it trusts. This behaviour sends an honest
 * full node the evidence, as such a client would.
 */
export const LIGHT_ATTACK: Behaviour = {
  id: 'B11',
  alias: 'light-attack',
  text: "All who share it sign a block with a false state for light clients, and the proof gets to the audience: `what` is true, innocent (it accuses `victim` as well) unsigned (with the signature of `victim` left empty, and accusing it), shown (it proves nothing: it shows the block to light clients that ask it), shown-state and shown-equivocation (as state and equivocation, shown like that), powers (the liars stand in the set with powers that they have given themselves), abstained (`victim` is a liar who signs nil in its place, and is not accused), ahead (the block stands ten thousand above the chain, dated as a block that is there), state (with the validators of the chain, signed by two thirds of them), equivocation (another block of the same round, signed by two thirds), or what proves nothing: future (as ahead, dated in a year: it may yet come about), total, power (one too many), fewer (accuses one too few), other (accuses `victim` in place of one), thin (signed by less than two thirds of the set shown), repeated (one of the liars stands in the set twice, and signs twice), places (the commit has one place more than the set), chain (the block of the chain, accusing all who signed it), next-block (the same of a block that it has only just stored, while others have not), same-height (a false state at the very height that the client trusts), other-round (an equivocation in a round later), keys (`victim` stands in the set with the key of a liar), share (an equivocation at the height that the client trusts, with a signature of `victim` that is none behind two thirds of good ones), relabelled (the same, but `victim` and a liar have each other's address in the set) or stolen (a false state under the commit of the chain's own block). `trusted` is the height that the client trusts, whose validators may have left since (two below when left out). `field` says what is false in it, where something that follows from the blocks before is: app_hash, results, consensus, next_validators or validators (nothing but the set that is shown).",
  args: ['what', 'field', 'victim', 'trusted'],
  words: { what: [...LIES.keys()], field: [...DERIVED.keys()] },
  effectiveWith: {
    victim: { arg: 'what', words: ABOUT_VICTIM, usual: 'true' },
    field: {
      arg: 'what',
      words: [...LIES.keys()].filter((word) => !TRUE_STATE.includes(word)),
      usual: 'true',
    },
    trusted: {
      arg: 'what',
      words: [...LIES].flatMap(([word, lie]) => (lie.isAtTrusted ? [] : [word])),
      usual: 'true',
    },
  },
  create(me) {
    const lie = lieOf(me);
    if (lie.by !== 'shown') return proving(me, lie);
    const shown = new Map<number, LightBlock>();
    me.serveLight((height) => {
      const known = shown.get(height);
      const round = me.chain()?.commit(height)?.round ?? me.chain()?.seenCommit(height)?.round ?? 0;
      if (known !== undefined || height <= TRUSTED_BELOW || !me.isDue(height, round)) return known;
      const block = attackOf(me, lie, height)?.conflictingBlock;
      if (block !== undefined && shown.size < SHOWN_MAX) shown.set(height, block);
      return block;
    });
    return {};
  },
};

const proving = (me: Accomplice, lie: Lie): Hooks => ({
  beside(message) {
    if (lie.by !== 'seen') atPrevote(me, message, ({ height, round }) => prove(me, lie, height, round));
    // A node announces the next height as soon as it has stored a block.
    else if (message.kind === 'newRoundStep') prove(me, lie, message.height, message.round);
  },
});

function prove(me: Accomplice, lie: Lie, height: number, round: number): void {
  const { memory } = me.coalition;
  const told = `told/${String(me.args.get('what'))}/${String(me.args.get('field'))}`;
  if (height <= TRUSTED_BELOW + 1 || memory.has(told) || !me.isDue(height, round)) return;
  const evidence = attackOf(me, lie, height - (lie.by === 'commit' ? 2 : 1));
  if (evidence === undefined) return;
  memory.set(told, true);
  const to = me.others.filter((peer) => me.isAudience(peer));
  const bytes = encodeEvidenceMessage([evidence]);
  me.sendBytes({ kind: 'send', to, channel: CHANNELS.evidence, bytes });
}

const lieOf = (me: Accomplice): Lie =>
  present(LIES.get(String(me.args.get('what') ?? 'true')), 'one of the words');

function attackOf(me: Accomplice, lie: Lie, height: number): LightClientAttackEvidence | undefined {
  const chain = me.chain();
  const below = Number(me.args.get('trusted') ?? height - TRUSTED_BELOW);
  const commonHeight = lie.isAtTrusted === true ? height : below;
  if (commonHeight > height) return undefined;
  const [header, common] = [chain?.blockMeta(height)?.header, chain?.blockMeta(commonHeight)?.header];
  const [validators, trusted] = [chain?.validators(height), chain?.validators(commonHeight)];
  const [stored, seen] = [chain?.commit(height), chain?.seenCommit(height)];
  const commit = lie.by === 'seen' ? seen : lie.by === 'shown' ? (stored ?? seen) : stored;
  if (header === undefined || common === undefined) return undefined;
  if (validators === undefined || trusted === undefined) return undefined;
  if (commit === undefined && lie.by !== undefined) return undefined;
  const victim = me.addressOf(String(me.args.get('victim') ?? me.others[0]));
  const field = String(me.args.get('field') ?? 'app_hash');
  const ground: Ground = { me, victim, field, header, validators, trusted, commit: commit ?? EMPTY_COMMIT };
  if (liars(ground).length === 0) return undefined;
  const conflictingBlock = lie.shows(ground);
  return {
    kind: 'light-client-attack',
    conflictingBlock,
    commonHeight,
    byzantineValidators: lie.accuses(ground, conflictingBlock),
    totalVotingPower: trusted.totalPower + (lie.extraPower ?? 0n),
    timestamp: common.time,
  };
}
