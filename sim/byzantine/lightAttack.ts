import { headerHash, validatorsHash } from '../../core/codec/hashes.ts';
import { encodeEvidenceMessage } from '../../core/codec/messages.ts';
import { makeValidatorSet } from '../../core/consensus/priority.ts';
import { EMPTY, equalBytes } from '../../core/lib/bytes.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import type { BlockId, Commit, Header } from '../../core/types/block.ts';
import type { LightBlock, LightClientAttackEvidence } from '../../core/types/evidence.ts';
import type { Validator, ValidatorSet } from '../../core/types/validator.ts';
import { type Accomplice, type Behaviour, type Hooks, isOwnVote } from './behaviour.ts';

const WHATS = ['true', 'innocent', 'unsigned', 'shown'] as const;
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
  text: 'All who share it sign a block with a false state for light clients, and the proof gets to the audience: `what` is true, innocent (it accuses `victim` as well) unsigned (with the signature of `victim` left empty, and accusing it) or shown (it proves nothing: it shows the block to light clients that ask it).',
  args: ['what', 'victim'],
  words: { what: WHATS },
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
    const told = `told/${me.args.get('what')}`;
    const isTime = isOwnVote(me, message) && message.vote.type === 'prevote' && !memory.has(told);
    if (isTime && message.vote.height > TRUSTED_BELOW + 1 && me.isDue(message.vote.height, 0)) {
      const evidence = attackOf(me, message.vote.height - 1);
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

function attackOf(me: Accomplice, height: number): LightClientAttackEvidence | undefined {
  const commonHeight = height - TRUSTED_BELOW;
  const chain = me.chain();
  const [ours, common] = [chain?.blockMeta(height)?.header, chain?.blockMeta(commonHeight)?.header];
  const trusted = chain?.validators(commonHeight);
  if (ours === undefined || common === undefined || trusted === undefined) return undefined;
  const what = String(me.args.get('what') ?? 'true');
  const victim = me.addressOf(String(me.args.get('victim') ?? me.others[0]));
  const isLiar = ({ address }: Validator): boolean => signerOf(me, address) !== undefined;
  const isVictim = ({ address }: Validator): boolean => victim !== undefined && equalBytes(address, victim);
  const isShown = (one: Validator): boolean => isLiar(one) || (what === 'unsigned' && isVictim(one));
  const validators = setOf(trusted.validators.filter(isShown));
  if (validators === undefined) return undefined;
  const header: Header = {
    ...ours,
    appHash: ours.appHash.map((byte) => byte ^ 1),
    validatorsHash: validatorsHash(validators),
  };
  const accused = trusted.validators.filter((one) => isLiar(one) || (what !== 'true' && isVictim(one)));
  return {
    kind: 'light-client-attack',
    conflictingBlock: { header, commit: commitOf(me, header, validators), validators },
    commonHeight,
    // All of one power in the set's order, which is by power and address.
    byzantineValidators: accused,
    totalVotingPower: trusted.totalPower,
    timestamp: common.time,
  };
}

const signerOf = (me: Accomplice, address: Uint8Array): Accomplice | undefined =>
  me.coalition.members.find((member) => equalBytes(member.address, address));

function setOf(validators: readonly Validator[]): ValidatorSet | undefined {
  const made = makeValidatorSet(validators.map(({ pubKey, power, address }) => ({ pubKey, power, address })));
  return made.ok ? made.value : undefined;
}

function commitOf(me: Accomplice, header: Header, { validators }: ValidatorSet): Commit {
  const { height, time } = header;
  const blockId: BlockId = {
    hash: headerHash(header),
    parts: { total: 1, hash: new Uint8Array(32).fill(1) },
  };
  const at = { type: 'precommit', height, round: 0, blockId, timestamp: time } as const;
  const empty = { signature: new Uint8Array(64), extension: EMPTY, extensionSignature: EMPTY };
  const signatures = validators.map(({ address }, validatorIndex): Commit['signatures'][number] => {
    const vote = { ...at, ...empty, validatorAddress: address, validatorIndex };
    const { signature } = signerOf(me, address)?.signVote(vote) ?? vote;
    return { flag: 'commit', validatorAddress: address, timestamp: time, signature };
  });
  return { height, round: 0, blockId, signatures };
}
