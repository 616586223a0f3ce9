import { headerHash, validatorsHash } from '../../core/codec/hashes.ts';
import { encodeEvidenceMessage } from '../../core/codec/messages.ts';
import { makeValidatorSet } from '../../core/consensus/priority.ts';
import { present } from '../../core/lib/assert.ts';
import { EMPTY, equalBytes } from '../../core/lib/bytes.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import type { BlockId, Commit, CommitSig, Header } from '../../core/types/block.ts';
import type { LightBlock, LightClientAttackEvidence } from '../../core/types/evidence.ts';
import type { ConsensusMessage } from '../../core/types/messages.ts';
import type { Validator, ValidatorSet } from '../../core/types/validator.ts';
import { type Accomplice, type Behaviour, type Hooks, isOwnVote } from './behaviour.ts';
import { ABSENT } from './blocks.ts';

const WHATS = [
  'true',
  'innocent',
  'unsigned',
  'shown',
  'total',
  'power',
  'fewer',
  'other',
  'thin',
  'repeated',
  'chain',
  'next-block',
  'same-height',
  'state',
  'equivocation',
  'other-round',
] as const;
/** The block is one that all validators might have made: only its transactions are others. */
const LIKE_OURS: readonly string[] = ['equivocation', 'other-round'];
/** Judged by the commit that the chain has for the height: the newest block has none yet. */
const NEEDS_COMMIT: readonly string[] = ['chain', 'state', ...LIKE_OURS];
/** The block of the chain itself. */
const GENUINE: readonly string[] = ['chain', 'next-block'];
const ACCUSES_VICTIM: readonly string[] = ['innocent', 'unsigned', 'other'];
/** Shown with the validators of the chain. */
const OF_ALL: readonly string[] = ['thin', ...GENUINE, 'state', ...LIKE_OURS];
/** What follows from the blocks before, by the word for it: one of them is false. */
const DERIVED = new Map<string, 'appHash' | 'lastResultsHash' | 'consensusHash' | 'nextValidatorsHash'>([
  ['app_hash', 'appHash'],
  ['results', 'lastResultsHash'],
  ['consensus', 'consensusHash'],
  ['next_validators', 'nextValidatorsHash'],
]);
/** The header that the client trusts is so many blocks below the one it is shown. */
const TRUSTED_BELOW = 2;
/** Blocks of a light client's remembered, so that it is shown the same again. */
const SHOWN_MAX = 1_000;

/**
 * A light client was shown a block with a state that never was, by validators who left out all others: it believes it
 * when they are a third of those it trusts. Here the proof of it reaches an honest full node, as a client would send it.
 */
export const LIGHT_ATTACK: Behaviour = {
  id: 'B42',
  alias: 'light-attack',
  text: 'All who share it sign a block with a false state for light clients, and the proof gets to the audience: `what` is true, innocent (it accuses `victim` as well) unsigned (with the signature of `victim` left empty, and accusing it), shown (it proves nothing: it shows the block to light clients that ask it), state (with the validators of the chain, signed by two thirds of them), equivocation (another block of the same round, signed by two thirds), or what proves nothing: total, power (one too many), fewer (accuses one too few), other (accuses `victim` in place of one), thin (signed by less than two thirds of the set shown), repeated (one of the liars stands in the set twice, and signs twice), chain (the block of the chain, accusing all who signed it), next-block (the same of a block that it has only just stored, while others have not), same-height (a false state at the very height that the client trusts), other-round (an equivocation in a round later). `field` says what is false in it, where something that follows from the blocks before is: app_hash, results, consensus or next_validators.',
  args: ['what', 'field', 'victim'],
  words: { what: WHATS, field: [...DERIVED.keys()] },
  create(me) {
    if (me.args.get('what') !== 'shown') return proving(me);
    const shown = new Map<number, LightBlock>();
    me.serveLight((height) => {
      const known = shown.get(height);
      if (known !== undefined || height <= TRUSTED_BELOW || !me.isDue(height, 0)) return known;
      const block = attackOf(me, height)?.conflictingBlock;
      if (block !== undefined && shown.size < SHOWN_MAX) shown.set(height, block);
      return block;
    });
    return {};
  },
};

const proving = (me: Accomplice): Hooks => ({
  message(message) {
    const { memory } = me.coalition;
    const what = String(me.args.get('what') ?? 'true');
    const told = `told/${what}/${fieldOf(me)}`;
    const height = what === 'next-block' ? begun(message) : prevoted(me, message);
    const isTime = height !== undefined && height > TRUSTED_BELOW + 1 && !memory.has(told);
    if (isTime && me.isDue(height, 0)) {
      const evidence = attackOf(me, height - (NEEDS_COMMIT.includes(what) ? 2 : 1));
      if (evidence !== undefined) {
        memory.set(told, true);
        const to = me.others.filter((peer) => me.isAudience(peer));
        const bytes = encodeEvidenceMessage([evidence]);
        me.sendBytes({ kind: 'send', to, channel: CHANNELS.evidence, bytes });
      }
    }
    return [message];
  },
});

const prevoted = (me: Accomplice, message: ConsensusMessage): number | undefined =>
  isOwnVote(me, message) && message.vote.type === 'prevote' ? message.vote.height : undefined;

/** The height that the liar begins, which it says as soon as the block before is stored. */
const begun = (message: ConsensusMessage): number | undefined =>
  message.kind === 'newRoundStep' ? message.height : undefined;

function attackOf(me: Accomplice, height: number): LightClientAttackEvidence | undefined {
  const what = String(me.args.get('what') ?? 'true');
  const commonHeight = what === 'same-height' ? height : height - TRUSTED_BELOW;
  const chain = me.chain();
  const [ours, common] = [chain?.blockMeta(height)?.header, chain?.blockMeta(commonHeight)?.header];
  const trusted = chain?.validators(commonHeight);
  if (ours === undefined || common === undefined || trusted === undefined) return undefined;
  const victim = me.addressOf(String(me.args.get('victim') ?? me.others[0]));
  const isLiar = ({ address }: Validator): boolean => signerOf(me, address) !== undefined;
  const isShown = (one: Validator): boolean => isLiar(one) || (what === 'unsigned' && isOf(one, victim));
  const validators = OF_ALL.includes(what)
    ? chain?.validators(height)
    : setOf(trusted.validators.filter(isShown), what === 'repeated');
  if (validators === undefined) return undefined;
  const decided = what === 'next-block' ? chain?.seenCommit(height) : chain?.commit(height);
  if (decided === undefined && NEEDS_COMMIT.includes(what)) return undefined;
  const isTrue = GENUINE.includes(what) && decided !== undefined;
  const header = isTrue ? ours : falseHeader(ours, validators, LIKE_OURS.includes(what), fieldOf(me));
  const commit = isTrue ? decided : commitOf(me, header, validators, what, decided?.round ?? 0);
  const hasSigned = ({ address }: Validator): boolean =>
    decided?.signatures.some(
      ({ flag, validatorAddress }) => flag === 'commit' && equalBytes(validatorAddress, address),
    ) === true;
  const isAccused = (one: Validator): boolean => {
    if (GENUINE.includes(what)) return hasSigned(one);
    if (isOf(one, victim) && !isLiar(one)) return ACCUSES_VICTIM.includes(what);
    return isLiar(one) && (what !== 'equivocation' || hasSigned(one));
  };
  const accused = trusted.validators.filter(isAccused);
  // Whom the victim stands for, and who is left out, is the last of them.
  if (what === 'fewer' || what === 'other') accused.pop();
  if (what === 'repeated') accused.unshift(...accused.slice(0, 1));
  return {
    kind: 'light-client-attack',
    conflictingBlock: { header, commit, validators },
    commonHeight,
    // In the set's order, which is by power and address, as it must be.
    byzantineValidators: accused.map((one) => (what === 'power' ? { ...one, power: one.power + 1n } : one)),
    totalVotingPower: trusted.totalPower + (what === 'total' ? 1n : 0n),
    timestamp: common.time,
  };
}

const fieldOf = (me: Accomplice): string => String(me.args.get('field') ?? 'app_hash');

const isOf = (one: Validator, address: Uint8Array | undefined): boolean =>
  address !== undefined && equalBytes(one.address, address);

const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 1);

function falseHeader(ours: Header, validators: ValidatorSet, isLikeOurs: boolean, word: string): Header {
  if (isLikeOurs) return { ...ours, dataHash: flipped(ours.dataHash) };
  const field = present(DERIVED.get(word), 'a field that follows from the blocks before');
  return { ...ours, [field]: flipped(ours[field]), validatorsHash: validatorsHash(validators) };
}

const signerOf = (me: Accomplice, address: Uint8Array): Accomplice | undefined =>
  me.coalition.members.find((member) => equalBytes(member.address, address));

function setOf(validators: readonly Validator[], isRepeated: boolean): ValidatorSet | undefined {
  const made = makeValidatorSet(validators.map(({ pubKey, power, address }) => ({ pubKey, power, address })));
  if (!made.ok || !isRepeated) return made.ok ? made.value : undefined;
  const first = present(made.value.validators[0], 'a set has somebody');
  const totalPower = made.value.totalPower + first.power;
  return { ...made.value, validators: [...made.value.validators, first], totalPower };
}

function commitOf(
  me: Accomplice,
  header: Header,
  { validators }: ValidatorSet,
  what: string,
  decided: number,
): Commit {
  const { height, time } = header;
  const round = what === 'other-round' ? decided + 1 : decided;
  const blockId: BlockId = {
    hash: headerHash(header),
    parts: { total: 1, hash: new Uint8Array(32).fill(1) },
  };
  const at = { type: 'precommit', height, round, blockId, timestamp: time } as const;
  const empty = { signature: new Uint8Array(64), extension: EMPTY, extensionSignature: EMPTY };
  const signatures = validators.map(({ address }, validatorIndex): CommitSig => {
    const vote = { ...at, ...empty, validatorAddress: address, validatorIndex };
    const signer = signerOf(me, address);
    if (signer === undefined && OF_ALL.includes(what)) return ABSENT;
    const { signature } = signer?.signVote(vote) ?? vote;
    return { flag: 'commit', validatorAddress: address, timestamp: time, signature };
  });
  return { height, round, blockId, signatures };
}
