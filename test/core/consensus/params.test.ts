import { expect, test } from 'vitest';
import { verifySignature } from '../../../core/codec/verifySignature.ts';
import { blockPartsMax, checkParamUpdate, dataBytesMax } from '../../../core/consensus/params.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import { type ConsensusParams, DEFAULT_PARAMS } from '../../../core/types/params.ts';

const sized = (maxBytes: number): ConsensusParams => ({ ...DEFAULT_PARAMS, block: { maxBytes, maxGas: -1 } });

// CometBFT types/block_test.go, TestBlockMaxDataBytes; below 842 it panics.
test.each([
  [841, 1, 0, -1],
  [842, 1, 0, 0],
  [843, 1, 0, 1],
  [954, 2, 0, 1],
  [1053, 2, 100, 0],
])('a block of %i bytes with %i validators and %i bytes of evidence has %i for transactions', (...row) => {
  const [maxBytes, validators, evidence, data] = row;
  expect(dataBytesMax(sized(maxBytes), validators, evidence)).toBe(data);
});

test.each([
  [1, 1],
  [65_536, 1],
  [65_537, 2],
  [22_020_096, 336],
  [22_020_097, 337],
  [104_857_600, 1600],
  [-1, 1600],
])('a block of at most %i bytes has at most %i parts', (maxBytes, parts) => {
  expect(blockPartsMax(sized(maxBytes))).toBe(parts);
});

test.each([
  [0, 0, 'accepted'],
  [0, 11, 'accepted'],
  [0, 10, 'vote extensions enable height 10 is not in the future'],
  [12, 11, 'accepted'],
  [11, 12, 'accepted'],
  [10, 11, 'vote extensions are enabled already'],
  [10, 10, 'accepted'],
  [12, 0, 'vote extensions cannot be disabled once enabled'],
])('after block 10, vote extensions from %i on become those from %i on: %s', (before, after, message) => {
  const from = (height: number): ConsensusParams => ({
    ...DEFAULT_PARAMS,
    abci: { voteExtensionsEnableHeight: height },
  });
  const checked = checkParamUpdate(from(before), from(after), 10);
  expect(checked.ok ? 'accepted' : checked.error.message).toBe(message);
});

test('a signature is one of ed25519 over the bytes, or one of secp256k1 over their SHA-256', () => {
  const [seed, message] = [new Uint8Array(32).fill(5), encodeUtf8('message')];
  const keys = [
    [{ type: 'ed25519', bytes: nobleSuite.ed25519PublicKey(seed) }, nobleSuite.ed25519Sign(seed, message)],
    [
      { type: 'secp256k1', bytes: nobleSuite.secp256k1PublicKey(seed, true) },
      nobleSuite.secp256k1Sign(seed, nobleSuite.sha256(message)).rs,
    ],
  ] as const;
  for (const [key, signature] of keys) {
    expect(verifySignature(nobleSuite, key, message, signature)).toBe(true);
    expect(verifySignature(nobleSuite, key, encodeUtf8('other'), signature)).toBe(false);
    expect(verifySignature(nobleSuite, key, message, signature.slice(1))).toBe(false);
  }
});
