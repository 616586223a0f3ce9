/** Votes and bit arrays in CometBFT's text form. */
import { formatTime } from '../../codec/timeText.ts';
import type { BitSet } from '../../lib/bitset.ts';
import { type Bytes, toUpperHex } from '../../lib/bytes.ts';
import type { VoteSetReader } from '../../types/roundState.ts';
import type { ValidatorSet } from '../../types/validator.ts';
import type { Vote } from '../../types/vote.ts';

const FINGERPRINT_BYTES = 6;
const TYPE_TEXT = {
  prevote: 'SIGNED_MSG_TYPE_PREVOTE(Prevote)',
  precommit: 'SIGNED_MSG_TYPE_PRECOMMIT(Precommit)',
} as const;

/** The first bytes in hex, padded with zeros. */
function fingerprint(bytes: Bytes): string {
  return toUpperHex(bytes.subarray(0, FINGERPRINT_BYTES)).padEnd(2 * FINGERPRINT_BYTES, '0');
}

function voteText(vote: Vote): string {
  const round = String(vote.round).padStart(2, '0');
  const [who, what] = [fingerprint(vote.validatorAddress), fingerprint(vote.blockId.hash)];
  const [signature, extension] = [fingerprint(vote.signature), fingerprint(vote.extension)];
  const place = `${vote.height}/${round}/${TYPE_TEXT[vote.type]}`;
  const time = formatTime(vote.timestamp);
  return `Vote{${vote.validatorIndex}:${who} ${place} ${what} ${signature} ${extension} @ ${time}}`;
}

/** `x` for a set bit, `_` for an unset one. */
export function bitsText(bits: BitSet): string {
  let text = '';
  for (let i = 0; i < bits.size; i++) text += bits.has(i) ? 'x' : '_';
  return text;
}

export function voteTexts(set: VoteSetReader | undefined, validators: ValidatorSet): readonly string[] {
  return validators.validators.map((_, i) => {
    const vote = set?.vote(i);
    return vote === undefined ? 'nil-Vote' : voteText(vote);
  });
}

/** `BA{4:x__x} 20/40 = 0.50`: which validators voted, and their share of the voting power. */
export function powerText(set: VoteSetReader | undefined, { validators, totalPower }: ValidatorSet): string {
  let power = 0n;
  let text = '';
  for (const [i, validator] of validators.entries()) {
    const has = set?.bits.has(i) === true;
    if (has) power += validator.power;
    text += has ? 'x' : '_';
  }
  return `BA{${validators.length}:${text}} ${power}/${totalPower} = ${shareText(power, totalPower)}`;
}

/** Go's `%.2f` of a float64 rounds ties to even. Only odd eighths are ties between two hundredths. */
function shareText(power: bigint, totalPower: bigint): string {
  const share = Number(power) / Number(totalPower);
  return ((share * 8) % 2 === 1 ? Math.round(share * 50) / 50 : share).toFixed(2);
}
