import { present } from '../lib/assert.ts';
import { type Bytes, equalBytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { PublicKey, Validator, ValidatorSet } from '../types/validator.ts';
import { bytes, embed, int64Big, optional, repeated } from './fields.ts';
import { ADDRESS_BYTES, TOTAL_POWER_MAX, VALIDATORS_MAX } from './limits.ts';
import { decode, encode, mapped, type Shape, table } from './proto.ts';
import type { CodecError } from './wire.ts';

export const PUBLIC_KEY_NUMBER = { ed25519: 1, secp256k1: 2 } as const;
export const PUBLIC_KEY_BYTES = { ed25519: 32, secp256k1: 33 } as const;

/** tendermint.crypto.PublicKey: a oneof of two byte strings. */
export const PUBLIC_KEY: Shape<PublicKey> = {
  name: 'PublicKey',
  write(writer, key) {
    writer.uint32(PUBLIC_KEY_NUMBER[key.type] * 8 + 2);
    writer.bytes(key.bytes);
  },
  read(reader) {
    const tag = reader.peekTag('PublicKey');
    const type = tag === 10 ? 'ed25519' : 'secp256k1';
    if (tag !== 10 && tag !== 18) reader.fail('PublicKey', 'neither ed25519 nor secp256k1');
    reader.uint32('PublicKey');
    const key = { type, bytes: reader.bytes(`PublicKey.${type}`, PUBLIC_KEY_BYTES[type]) } as const;
    const expected = PUBLIC_KEY_BYTES[type];
    if (key.bytes.length !== expected) {
      reader.fail(`PublicKey.${type}`, `${key.bytes.length} bytes, expected ${expected}`, expected);
    }
    return key;
  },
};

export const VALIDATOR = table<Validator>(
  'Validator',
  [
    bytes(1, 'address', ADDRESS_BYTES),
    embed(2, 'pubKey', PUBLIC_KEY),
    int64Big(3, 'power', { name: 'voting_power' }),
    int64Big(4, 'priority', { name: 'proposer_priority' }),
  ],
  {
    check: ({ address, power }) =>
      power < 0n
        ? 'voting_power is negative'
        : address.length !== ADDRESS_BYTES
          ? 'address is not 20 bytes'
          : undefined,
  },
);

interface ValidatorSetWire {
  readonly validators: readonly Validator[];
  readonly proposer: Validator | undefined;
  readonly totalPower: bigint;
}

/** Go writes total_voting_power as 0 and ignores it when reading. We refuse any other value. */
export const VALIDATOR_SET_WIRE = table<ValidatorSetWire>('ValidatorSet', [
  repeated(1, 'validators', VALIDATOR, VALIDATORS_MAX),
  optional(2, 'proposer', VALIDATOR),
  int64Big(3, 'totalPower', { name: 'total_voting_power' }),
]);

const equalValidator = (a: Validator, b: Validator): boolean =>
  equalBytes(a.address, b.address) &&
  a.pubKey.type === b.pubKey.type &&
  equalBytes(a.pubKey.bytes, b.pubKey.bytes) &&
  a.power === b.power &&
  a.priority === b.priority;

export const VALIDATOR_SET = mapped(
  VALIDATOR_SET_WIRE,
  ({ validators, proposer }: ValidatorSet): ValidatorSetWire => ({ validators, proposer, totalPower: 0n }),
  ({ validators, proposer, totalPower }): Result<ValidatorSet, string> => {
    if (totalPower !== 0n) return err('total_voting_power is given');
    if (proposer === undefined) return err('proposer is missing');
    const member = validators.find((one) => equalValidator(one, proposer));
    if (member === undefined) return err('proposer is not among the validators');
    const total = validators.reduce((sum, one) => sum + one.power, 0n);
    if (total > TOTAL_POWER_MAX)
      return err(`total voting power ${total}, at most ${TOTAL_POWER_MAX} is allowed`);
    return ok({ validators, totalPower: total, proposer: present(member, 'proposer') });
  },
);

export const encodeValidatorSet = (set: ValidatorSet): Bytes => encode(VALIDATOR_SET, set);
export const decodeValidatorSet = (from: Bytes): Result<ValidatorSet, CodecError> =>
  decode(VALIDATOR_SET, from);
