/** genesis.json (CometBFT's types/genesis.go). */
import { validatorAddress } from '../crypto/addresses.ts';
import { equalBytes, toHex, toUpperHex } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { encodeUtf8 } from '../lib/utf8.ts';
import type { Genesis, GenesisValidator } from '../types/genesis.ts';
import type { Timestamp } from '../types/ids.ts';
import { type ConsensusParams, DEFAULT_PARAMS } from '../types/params.ts';
import type { PublicKey } from '../types/validator.ts';
import { type Json, KEY_NAME, paramsJson, publicKeyJson } from './json.ts';
import { JsonReader, parseJson } from './jsonReader.ts';
import {
  APP_HASH_BYTES_MAX,
  CHAIN_ID_BYTES_MAX,
  INITIAL_HEIGHT_MAX,
  PUB_KEY_TYPES_MAX,
  TOTAL_POWER_MAX,
  VALIDATORS_MAX,
} from './limits.ts';
import { formatTime } from './timeText.ts';
import { validateParamsBasic } from './validateParams.ts';
import { PUBLIC_KEY_BYTES } from './validator.ts';

export interface GenesisError {
  readonly code: 'genesis';
  /** For example `validators[1].power`; empty if the text is not JSON. */
  readonly field: string;
  readonly message: string;
}

type Parsed<T> = Result<T, GenesisError>;

const bad = (field: string, problem: string): { readonly ok: false; readonly error: GenesisError } =>
  err({ code: 'genesis', field, message: `genesis ${field === '' ? '' : `${field}: `}${problem}` });

/** Reads a public key written as `{type, value}`. */
export function publicKeyFromJson(reader: JsonReader, value: unknown, field: string): PublicKey {
  const { type, value: text } = reader.object(value, field);
  const key = (['ed25519', 'secp256k1'] as const).find((one) => KEY_NAME[one] === type);
  if (key === undefined) reader.fail(`${field}.type`, `${KEY_NAME.ed25519} or ${KEY_NAME.secp256k1}`);
  const name = key ?? 'ed25519';
  return { type: name, bytes: reader.base64(text, `${field}.value`, PUBLIC_KEY_BYTES[name]) };
}

function readParams(reader: JsonReader, given: unknown): ConsensusParams {
  if (given === undefined || given === null) return DEFAULT_PARAMS;
  const params = reader.object(given, 'consensus_params');
  const section = (name: string) => {
    const values = params[name] === undefined ? {} : reader.object(params[name], `consensus_params.${name}`);
    const path = (key: string): string => `consensus_params.${name}.${key}`;
    return {
      values,
      integer: (key: string, fallback: number): number =>
        values[key] === undefined ? fallback : reader.integer(values[key], path(key)),
      big: (key: string, fallback: bigint): bigint =>
        values[key] === undefined ? fallback : reader.big(values[key], path(key)),
    };
  };
  const [block, evidence, validator] = [section('block'), section('evidence'), section('validator')];
  const types = validator.values['pub_key_types'];
  const field = 'consensus_params.validator.pub_key_types';
  return {
    block: {
      maxBytes: block.integer('max_bytes', DEFAULT_PARAMS.block.maxBytes),
      maxGas: block.integer('max_gas', DEFAULT_PARAMS.block.maxGas),
    },
    evidence: {
      maxAgeNumBlocks: evidence.integer('max_age_num_blocks', DEFAULT_PARAMS.evidence.maxAgeNumBlocks),
      maxAgeDurationNs: evidence.big('max_age_duration', DEFAULT_PARAMS.evidence.maxAgeDurationNs),
      maxBytes: evidence.integer('max_bytes', DEFAULT_PARAMS.evidence.maxBytes),
    },
    validator: {
      pubKeyTypes:
        types === undefined
          ? DEFAULT_PARAMS.validator.pubKeyTypes
          : reader.list(types, field, PUB_KEY_TYPES_MAX).map((type) => reader.text(type, field)),
    },
    version: { app: section('version').integer('app', 0) },
    abci: { voteExtensionsEnableHeight: section('abci').integer('vote_extensions_enable_height', 0) },
  };
}

function readValidator(reader: JsonReader, given: unknown, field: string): GenesisValidator {
  const { address, pub_key, power, name } = reader.object(given, field);
  const pubKey = publicKeyFromJson(reader, pub_key, `${field}.pub_key`);
  const computed = validatorAddress(pubKey);
  const written = reader.hex(address, `${field}.address`);
  if (written.length !== 0 && !equalBytes(written, computed)) {
    reader.fail(`${field}.address`, `${toUpperHex(computed)}, the address of pub_key`);
  }
  const value = reader.big(power, `${field}.power`);
  if (value <= 0n) reader.fail(`${field}.power`, 'a power above 0');
  return {
    address: computed,
    pubKey,
    power: value,
    name: name === undefined ? '' : reader.text(name, `${field}.name`),
  };
}

function validatorsProblem(validators: readonly GenesisValidator[]): string | undefined {
  const addresses = new Set(validators.map((one) => toHex(one.address)));
  if (addresses.size !== validators.length) return 'one key is given twice';
  const total = validators.reduce((sum, one) => sum + one.power, 0n);
  return total > TOTAL_POWER_MAX ? `total power ${total}, at most ${TOTAL_POWER_MAX} is allowed` : undefined;
}

/**
 * Parses and checks a genesis document, and fills in defaults. `now` replaces a missing genesis time; without `now` a
 * document that lacks one is refused.
 */
export function parseGenesis(text: string, now?: Timestamp): Parsed<Genesis> {
  const json = parseJson(text);
  if (json === undefined) return bad('', 'is not JSON');
  const reader = new JsonReader();
  const doc = reader.object(json.value, 'document');
  const hasTime = doc['genesis_time'] !== undefined || now === undefined;
  const genesis: Genesis = {
    genesisTime: hasTime ? reader.time(doc['genesis_time'], 'genesis_time') : now,
    chainId: reader.text(doc['chain_id'], 'chain_id'),
    initialHeight:
      doc['initial_height'] === undefined ? 1 : reader.integer(doc['initial_height'], 'initial_height') || 1,
    params: readParams(reader, doc['consensus_params']),
    validators: reader
      .list(doc['validators'], 'validators', VALIDATORS_MAX)
      .map((one, i) => readValidator(reader, one, `validators[${i}]`)),
    appHash: reader.hex(doc['app_hash'], 'app_hash'),
    appState: doc['app_state'] ?? null,
  };
  if (reader.problem !== undefined) {
    return err({
      code: 'genesis',
      field: reader.problem.field,
      message: `genesis ${reader.problem.message}`,
    });
  }
  const chainIdBytes = encodeUtf8(genesis.chainId).length;
  if (chainIdBytes < 1 || chainIdBytes > CHAIN_ID_BYTES_MAX) {
    return bad('chain_id', `${chainIdBytes} bytes, expected 1 to ${CHAIN_ID_BYTES_MAX}`);
  }
  if (genesis.initialHeight < 0) return bad('initial_height', 'is negative');
  if (genesis.initialHeight > INITIAL_HEIGHT_MAX)
    return bad('initial_height', `${genesis.initialHeight}, at most ${INITIAL_HEIGHT_MAX} is allowed`);
  if (genesis.appHash.length > APP_HASH_BYTES_MAX)
    return bad('app_hash', `at most ${APP_HASH_BYTES_MAX} bytes`);
  const params = validateParamsBasic(genesis.params);
  if (!params.ok) return bad(params.error.field, params.error.message.slice(params.error.field.length + 2));
  const problem = validatorsProblem(genesis.validators);
  return problem === undefined ? ok(genesis) : bad('validators', problem);
}

/** The document in CometBFT's key order, for the file and for RPC. */
export function genesisJson(genesis: Genesis): Readonly<Record<string, Json>> {
  const validators = genesis.validators.map((one) => ({
    address: toUpperHex(one.address),
    pub_key: publicKeyJson(one.pubKey),
    power: String(one.power),
    name: one.name,
  }));
  return {
    genesis_time: formatTime(genesis.genesisTime),
    chain_id: genesis.chainId,
    initial_height: String(genesis.initialHeight),
    consensus_params: paramsJson(genesis.params),
    ...(validators.length === 0 ? {} : { validators }),
    app_hash: toUpperHex(genesis.appHash),
    ...(genesis.appState === null ? {} : { app_state: genesis.appState as Json }),
  };
}

/** The text of genesis.json, indented by two spaces. */
export const renderGenesis = (genesis: Genesis): string =>
  `${JSON.stringify(genesisJson(genesis), undefined, 2)}\n`;
