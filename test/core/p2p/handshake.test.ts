import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hex, toHex } from '../../../core/lib/bytes.ts';
import { connectionSecrets, directionKeys, nobleKeyExchange } from '../../../core/p2p/handshake.ts';
import { MerlinTranscript } from '../../../core/p2p/merlin.ts';
import { nobleAead, Opener, SEALED_BYTES, Sealer } from '../../../core/p2p/sealed.ts';

const vectors = JSON.parse(readFileSync('test/vectors/cometbft/secret-connection.json', 'utf8'));

test('Merlin gives the challenge of its own test suite', () => {
  const transcript = new MerlinTranscript('test protocol');
  transcript.append('some label', new TextEncoder().encode('some data'));
  expect(toHex(transcript.challenge('challenge', 32))).toBe(vectors.merlin_sanity.output);
});

test("direction keys equal Go's golden values", () => {
  for (const golden of vectors.derive_secrets_golden) {
    const keys = directionKeys(hex(golden.dh_secret), golden.loc_is_least);
    expect(toHex(keys.receiveKey)).toBe(golden.recv_secret);
    expect(toHex(keys.sendKey)).toBe(golden.send_secret);
  }
});

test('both sides of a handshake get mirrored keys, the same challenge, and seal the same first frame', () => {
  for (const shake of vectors.handshakes_computed_here) {
    const pub = { a: hex(shake.ephemeral_pub_a), b: hex(shake.ephemeral_pub_b) };
    const secret = { a: hex(shake.ephemeral_priv_a), b: hex(shake.ephemeral_priv_b) };
    for (const [me, other] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      expect(toHex(nobleKeyExchange.publicKey(secret[me]))).toBe(toHex(pub[me]));
      const got = connectionSecrets(secret[me], pub[other]);
      if (!got.ok) throw new Error(got.error);
      expect(toHex(got.value.challenge)).toBe(shake.challenge);
      expect(toHex(got.value.sendKey)).toBe(shake[me].send_key);
      expect(toHex(got.value.receiveKey)).toBe(shake[me].recv_key);
      const frame = new Sealer(got.value.sendKey).seal(hex(shake[me].auth_sig_plain_delimited));
      expect(toHex(frame)).toBe(shake[me].first_sealed_frame_zero_padded);
    }
  }
});

test('low-order ephemeral keys are refused', () => {
  const secret = new Uint8Array(32).fill(7);
  for (const point of [new Uint8Array(32), new Uint8Array(32).fill(1, 0, 1)]) {
    expect(connectionSecrets(secret, point)).toMatchObject({ ok: false });
  }
});

test('a key that comes back and a secret of zeros are refused, whoever made them', () => {
  const secret = new Uint8Array(32).fill(7);
  const own = nobleKeyExchange.publicKey(secret);
  expect(connectionSecrets(secret, own)).toEqual({
    ok: false,
    error: 'the peer answered with our own ephemeral key',
  });
  expect(connectionSecrets(secret, own.slice(1))).toMatchObject({ ok: false });
  const careless = { ...nobleKeyExchange, shared: () => new Uint8Array(32) };
  expect(connectionSecrets(secret, new Uint8Array(32).fill(9), careless)).toEqual({
    ok: false,
    error: 'ephemeral key of low order',
  });
});

test('a frame that claims more than it can carry is refused', () => {
  const [key, nonce] = [new Uint8Array(32).fill(3), new Uint8Array(12)];
  const opened = [1024, 1025, 1028, 2 ** 32 - 1].map((length) => {
    const plain = new Uint8Array(1028);
    new DataView(plain.buffer).setUint32(0, length, true);
    return new Opener(key).open(nobleAead.seal(key, nonce, plain)).ok;
  });
  expect(opened).toEqual([true, false, false, false]);
});

test('whatever is sealed comes out, however the stream is cut', () => {
  const key = new Uint8Array(32).fill(3);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), fc.integer({ min: 1, max: 3000 }), (data, cut) => {
      const sealed = new Sealer(key).seal(data);
      const opener = new Opener(key);
      let out = '';
      for (let at = 0; at < sealed.length; at += cut) {
        const opened = opener.open(sealed.subarray(at, at + cut));
        if (!opened.ok) throw new Error(opened.error);
        out += toHex(opened.value);
      }
      expect(out).toBe(toHex(data));
    }),
    { numRuns: 30 },
  );
});

test('a flipped bit, a replayed frame and a reordered frame do not authenticate', () => {
  const key = new Uint8Array(32).fill(3);
  const sealed = new Sealer(key).seal(new Uint8Array(2048));
  const [first, second] = [sealed.slice(0, SEALED_BYTES), sealed.slice(SEALED_BYTES)];
  const flipped = first.slice();
  flipped[9] = (flipped[9] as number) ^ 1;
  expect(new Opener(key).open(flipped)).toMatchObject({ ok: false });
  expect(new Opener(key).open(second)).toMatchObject({ ok: false });
  const opener = new Opener(key);
  expect(opener.open(first)).toMatchObject({ ok: true });
  expect(opener.open(first)).toMatchObject({ ok: false });
});
