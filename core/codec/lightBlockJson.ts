/**
 * A light block as users send it within evidence: CometBFT's JSON form. Numbers are checked against what the wire can
 * hold; ValidateBasic and signatures are checked elsewhere.
 */
import { type Bytes, EMPTY, equalBytes } from '../lib/bytes.ts';
import type { BlockId, Commit, CommitSig, Header } from '../types/block.ts';
import type { LightBlock } from '../types/evidence.ts';
import type { PublicKey, Validator, ValidatorSet } from '../types/validator.ts';
import { KEY_NAME } from './json.ts';
import type { JsonReader } from './jsonReader.ts';
import { ADDRESS_BYTES, SIGNATURE_BYTES_MAX, TOTAL_POWER_MAX, VALIDATORS_MAX } from './limits.ts';

const FLAGS = ['absent', 'commit', 'nil'] as const;

export const INT32_MAX = 2 ** 31 - 1;
const UINT32_MAX = 2 ** 32 - 1;

/** A number from 0 to `max`, which the wire can hold. */
export function bounded(
  reader: JsonReader,
  value: unknown,
  field: string,
  max = Number.MAX_SAFE_INTEGER,
): number {
  const number = reader.integer(value, field);
  if (number >= 0 && number <= max) return number;
  reader.fail(field, `a number from 0 to ${max}`);
  return 0;
}

export function blockIdFromJson(reader: JsonReader, value: unknown, field: string): BlockId {
  const json = reader.object(value, field);
  const parts = reader.object(json['parts'], `${field}.parts`);
  return {
    hash: reader.hex(json['hash'], `${field}.hash`),
    parts: {
      total: bounded(reader, parts['total'], `${field}.parts.total`, UINT32_MAX),
      hash: reader.hex(parts['hash'], `${field}.parts.hash`),
    },
  };
}

function headerFromJson(reader: JsonReader, value: unknown, field: string): Header {
  const json = reader.object(value, field);
  const at = (name: string): string => `${field}.${name}`;
  const version = reader.object(json['version'], at('version'));
  const hash = (name: string): Bytes => reader.hex(json[name], at(name));
  return {
    version: {
      block: bounded(reader, version['block'], at('version.block')),
      app: bounded(reader, version['app'] ?? 0, at('version.app')),
    },
    chainId: reader.text(json['chain_id'], at('chain_id')),
    height: bounded(reader, json['height'], at('height')),
    time: reader.time(json['time'], at('time')),
    lastBlockId: blockIdFromJson(reader, json['last_block_id'], at('last_block_id')),
    lastCommitHash: hash('last_commit_hash'),
    dataHash: hash('data_hash'),
    validatorsHash: hash('validators_hash'),
    nextValidatorsHash: hash('next_validators_hash'),
    consensusHash: hash('consensus_hash'),
    appHash: hash('app_hash'),
    lastResultsHash: hash('last_results_hash'),
    evidenceHash: hash('evidence_hash'),
    proposerAddress: hash('proposer_address'),
  };
}

function commitSigFromJson(reader: JsonReader, value: unknown, field: string): CommitSig {
  const json = reader.object(value, field);
  const flag = FLAGS[reader.integer(json['block_id_flag'], `${field}.block_id_flag`) - 1];
  if (flag === undefined) reader.fail(`${field}.block_id_flag`, '1, 2 or 3');
  const { signature } = json;
  return {
    flag: flag ?? 'absent',
    validatorAddress: reader.hex(json['validator_address'], `${field}.validator_address`),
    timestamp: reader.time(json['timestamp'], `${field}.timestamp`),
    signature:
      signature === null || signature === undefined
        ? EMPTY
        : reader.base64(signature, `${field}.signature`, SIGNATURE_BYTES_MAX),
  };
}

function commitFromJson(reader: JsonReader, value: unknown, field: string): Commit {
  const json = reader.object(value, field);
  const signatures = reader.list(json['signatures'], `${field}.signatures`, VALIDATORS_MAX);
  return {
    height: bounded(reader, json['height'], `${field}.height`),
    round: bounded(reader, json['round'], `${field}.round`, INT32_MAX),
    blockId: blockIdFromJson(reader, json['block_id'], `${field}.block_id`),
    signatures: signatures.map((one, i) => commitSigFromJson(reader, one, `${field}.signatures[${i}]`)),
  };
}

function publicKeyFromJson(reader: JsonReader, value: unknown, field: string): PublicKey {
  const json = reader.object(value, field);
  const type = json['type'] === KEY_NAME.secp256k1 ? 'secp256k1' : 'ed25519';
  if (json['type'] !== KEY_NAME[type]) reader.fail(`${field}.type`, Object.values(KEY_NAME).join(' or '));
  return { type, bytes: reader.base64(json['value'], `${field}.value`, type === 'ed25519' ? 32 : 33) };
}

export function validatorFromJson(reader: JsonReader, value: unknown, field: string): Validator {
  const json = reader.object(value, field);
  const address = reader.hex(json['address'], `${field}.address`);
  if (address.length !== ADDRESS_BYTES) reader.fail(`${field}.address`, `${ADDRESS_BYTES} bytes`);
  const power = reader.big(json['voting_power'], `${field}.voting_power`);
  if (power < 0n) reader.fail(`${field}.voting_power`, 'no less than 0');
  return {
    address,
    pubKey: publicKeyFromJson(reader, json['pub_key'], `${field}.pub_key`),
    power,
    priority: reader.big(json['proposer_priority'] ?? '0', `${field}.proposer_priority`),
  };
}

function validatorSetFromJson(reader: JsonReader, value: unknown, field: string): ValidatorSet {
  const json = reader.object(value, field);
  const list = reader.list(json['validators'], `${field}.validators`, VALIDATORS_MAX);
  const validators = list.map((one, i) => validatorFromJson(reader, one, `${field}.validators[${i}]`));
  const given = validatorFromJson(reader, json['proposer'], `${field}.proposer`);
  const proposer = validators.find(({ address }) => equalBytes(address, given.address));
  if (proposer === undefined) reader.fail(`${field}.proposer`, 'one of the validators');
  const totalPower = validators.reduce((sum, one) => sum + one.power, 0n);
  if (totalPower > TOTAL_POWER_MAX || validators.some(({ power }) => power <= 0n))
    reader.fail(`${field}.validators`, `powers above 0 of at most ${TOTAL_POWER_MAX} in all`);
  return { validators, totalPower, proposer: proposer ?? given };
}

/** Failures are recorded in the reader. */
export function lightBlockFromJson(reader: JsonReader, value: unknown, field: string): LightBlock {
  const json = reader.object(value, field);
  const signed = reader.object(json['signed_header'], `${field}.signed_header`);
  return {
    header: headerFromJson(reader, signed['header'], `${field}.signed_header.header`),
    commit: commitFromJson(reader, signed['commit'], `${field}.signed_header.commit`),
    validators: validatorSetFromJson(reader, json['validator_set'], `${field}.validator_set`),
  };
}
