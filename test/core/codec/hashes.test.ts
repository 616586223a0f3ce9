import { describe, expect, test } from 'vitest';
import { decodeBlock, encodeBlock } from '../../../core/codec/block.ts';
import { encodeCommitSig } from '../../../core/codec/commit.ts';
import { encodeEvidence, encodeInnerEvidence } from '../../../core/codec/evidence.ts';
import {
  commitHash,
  consensusParamsHash,
  dataHash,
  EMPTY_HASH,
  evidenceHash,
  evidenceListHash,
  headerHash,
  headerLeaves,
  lightClientAttackHash,
  REDUCED_TX_RESULT,
  resultsHash,
  SIMPLE_VALIDATOR,
  validatorsHash,
} from '../../../core/codec/hashes.ts';
import { HASHED_PARAMS } from '../../../core/codec/params.ts';
import { PartSet } from '../../../core/codec/partSet.ts';
import { encode } from '../../../core/codec/proto.ts';
import { validateBlockBasic } from '../../../core/codec/validate.ts';
import { ed25519Address, validatorAddress } from '../../../core/crypto/addresses.ts';
import { sha256 } from '../../../core/crypto/hash.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { hex, toHex, toUpperHex } from '../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import { ZERO_TIME } from '../../../core/types/ids.ts';
import { DEFAULT_PARAMS } from '../../../core/types/params.ts';
import type { TxResult } from '../../../core/types/result.ts';
import type { PublicKey, Validator, ValidatorSet } from '../../../core/types/validator.ts';
import { type Any, blockOf, cases, evidenceOf, headerOf, vectors } from './vectors.ts';

const blocks = vectors('cometbft/block-hashes.json');

describe('a header', () => {
  test('has the leaves and the hash of the Go unit test', () => {
    const { header, leaves, hash } = blocks.go_header_test;
    expect(headerLeaves(headerOf(header)).map(toHex)).toEqual(leaves);
    expect(toHex(headerHash(headerOf(header)))).toBe(hash);
  });

  test('without validators has no hash', () => {
    const header = headerOf(blocks.go_header_test.header);
    expect(headerHash({ ...header, validatorsHash: new Uint8Array(0) })).toEqual(new Uint8Array(0));
  });
});

describe.each(cases(blocks.real_blocks, (one) => one.block_json.header.height))(
  'the real block of height %s',
  (_height, vector: Any) => {
    const block = blockOf(vector.block_json);

    test('has the recorded leaves', () => {
      expect(headerLeaves(block.header).map(toHex)).toEqual(vector.header_leaves);
      expect(block.lastCommit.signatures.map((sig) => toHex(encodeCommitSig(sig)))).toEqual(
        vector.commit_leaves,
      );
      expect(block.evidence.map((one) => toHex(encodeInnerEvidence(one)))).toEqual(vector.evidence_leaves);
    });

    test('has the recorded hashes', () => {
      expect(toUpperHex(headerHash(block.header))).toBe(vector.block_id.hash);
      expect(commitHash(block.lastCommit)).toEqual(block.header.lastCommitHash);
      expect(dataHash(block.txs)).toEqual(block.header.dataHash);
      expect(evidenceListHash(block.evidence)).toEqual(block.header.evidenceHash);
    });

    test('encodes to the recorded bytes and the recorded part set', () => {
      const bytes = encodeBlock(block);
      if (vector.block_proto !== undefined) expect(toHex(bytes)).toBe(vector.block_proto);
      expect(decodeBlock(bytes)).toEqual({ ok: true, value: block });
      const parts = PartSet.of(bytes);
      expect(parts.header.total).toBe(vector.block_id.parts.total);
      expect(toUpperHex(parts.header.hash)).toBe(vector.block_id.parts.hash);
    });

    test('is valid by itself', () => {
      expect(validateBlockBasic(block)).toEqual({ ok: true, value: undefined });
    });
  },
);

test('an absent commit signature is its flag and the zero time', () => {
  const nothing = new Uint8Array(0);
  const absent = {
    flag: 'absent',
    validatorAddress: nothing,
    timestamp: ZERO_TIME,
    signature: nothing,
  } as const;
  expect(toHex(encodeCommitSig(absent))).toBe(blocks.absent_commit_sig_proto);
});

describe('validators', () => {
  const file = vectors('cometbft/validators.json');

  test('have addresses by key type', () => {
    const { secret_utf8, seed_sha256, pub_key, address } = file.ed25519_from_secret;
    const seed = sha256(encodeUtf8(secret_utf8));
    expect(toHex(seed)).toBe(seed_sha256);
    expect(toHex(nobleSuite.ed25519PublicKey(seed))).toBe(pub_key);
    expect(toUpperHex(ed25519Address(hex(pub_key)))).toBe(address);
  });

  test.each(cases(file.sets, (set) => set.hash))('have the set hash %s', (hash, set: Any) => {
    const validators: Validator[] = set.sorted_validators.map((one: Any) => {
      const pubKey: PublicKey = { type: 'ed25519', bytes: hex(one.pub_key) };
      expect(toUpperHex(validatorAddress(pubKey))).toBe(one.address);
      const validator = { address: hex(one.address), pubKey, power: BigInt(one.power), priority: 0n };
      expect(toHex(encode(SIMPLE_VALIDATOR, validator))).toBe(one.simple_validator_proto);
      return validator;
    });
    expect(toUpperHex(validatorsHash({ validators } as unknown as ValidatorSet))).toBe(hash);
  });
});

test.each(cases(vectors('cometbft/consensus-params-hash.json'), (one) => one.hash))(
  'consensus params hash to %s',
  (hash, vector: Any) => {
    const block = { maxBytes: Number(vector.block_max_bytes), maxGas: Number(vector.block_max_gas) };
    const hashed = { blockMaxBytes: block.maxBytes, blockMaxGas: block.maxGas };
    expect(toHex(encode(HASHED_PARAMS, hashed))).toBe(vector.hashed_params_proto);
    expect(toUpperHex(consensusParamsHash({ ...DEFAULT_PARAMS, block }))).toBe(hash);
  },
);

test.each(cases(vectors('cometbft/last-results-hash.json'), (one) => one.hash))(
  'results hash to %s whatever their logs and events say',
  (hash, vector: Any) => {
    const results: TxResult[] = vector.results.map((one: Any) => ({
      code: one.code,
      data: hex(one.data),
      gasWanted: BigInt(one.gas_wanted),
      gasUsed: BigInt(one.gas_used),
      log: 'a log',
      info: 'an info',
      events: [{ type: 'transfer', attributes: [] }],
      codespace: 'sdk',
    }));
    expect(results.map((one) => toHex(encode(REDUCED_TX_RESULT, one)))).toEqual(
      vector.results.map((one: Any) => one.leaf),
    );
    expect(toUpperHex(resultsHash(results))).toBe(hash);
  },
);

describe('evidence', () => {
  const file = vectors('cometbft/evidence.json');

  test('of a duplicate vote has the recorded bytes and hashes', () => {
    const { json, proto, hash, evidence_list_hash, wrapped_in_Evidence_oneof } = file.duplicate_vote;
    const evidence = evidenceOf(json);
    expect(toHex(encodeInnerEvidence(evidence))).toBe(proto);
    expect(toHex(encodeEvidence(evidence))).toBe(wrapped_in_Evidence_oneof);
    expect(toUpperHex(evidenceHash(evidence))).toBe(hash);
    expect(toUpperHex(evidenceListHash([evidence]))).toBe(evidence_list_hash);
  });

  test.each(cases(file.light_client_attack_hash, (one) => one.common_height))(
    'of a light client attack from height %s has the recorded hash',
    (height, one: Any) => {
      expect(toUpperHex(lightClientAttackHash(hex(one.conflicting_header_hash), Number(height)))).toBe(
        one.hash,
      );
    },
  );
});

test('an empty list of anything has the hash of nothing', () => {
  expect(toHex(EMPTY_HASH)).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});
