/** The secrets of a CometBFT SecretConnection (p2p/conn/secret_connection.go), computed from the two ephemeral keys. */
import { x25519 } from '@noble/curves/ed25519.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { assert } from '../lib/assert.ts';
import { type Bytes, compareBytes, equalBytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { encodeUtf8 } from '../lib/utf8.ts';
import { MerlinTranscript } from './merlin.ts';

const TRANSCRIPT = 'TENDERMINT_SECRET_CONNECTION_TRANSCRIPT_HASH';
const KEY_INFO = encodeUtf8('TENDERMINT_SECRET_CONNECTION_KEY_AND_CHALLENGE_GEN');

export interface ConnectionSecrets {
  readonly sendKey: Bytes;
  readonly receiveKey: Bytes;
  /** 32 bytes, signed by both node keys to bind them to this connection. */
  readonly challenge: Bytes;
}

/** X25519 as a port: this implementation runs anywhere, a host may have a faster one. */
export interface KeyExchange {
  /** Public half of a 32-byte secret. */
  publicKey(secret: Bytes): Bytes;
  /** undefined for a low-order point, with which the product is all zero. */
  shared(secret: Bytes, remotePublic: Bytes): Bytes | undefined;
}

export const nobleKeyExchange: KeyExchange = {
  publicKey: (secret) => x25519.getPublicKey(secret),
  shared(secret, remotePublic) {
    try {
      return x25519.getSharedSecret(secret, remotePublic);
    } catch {
      return undefined;
    }
  },
};

/** The keys of both directions from the Diffie-Hellman secret. */
export function directionKeys(dh: Bytes, locIsLeast: boolean): { sendKey: Bytes; receiveKey: Bytes } {
  const okm = hkdf(sha256, dh, undefined, KEY_INFO, 96);
  const low = okm.slice(0, 32);
  const high = okm.slice(32, 64);
  return locIsLeast ? { receiveKey: low, sendKey: high } : { receiveKey: high, sendKey: low };
}

export function connectionSecrets(
  secret: Bytes,
  remotePublic: Bytes,
  exchange: KeyExchange = nobleKeyExchange,
): Result<ConnectionSecrets, string> {
  assert(secret.length === 32, 'ephemeral secret length');
  if (remotePublic.length !== 32) return err(`ephemeral key of ${remotePublic.length} bytes, expected 32`);
  const own = exchange.publicKey(secret);
  if (equalBytes(own, remotePublic)) return err('the peer answered with our own ephemeral key');
  const dh = exchange.shared(secret, remotePublic);
  if (dh === undefined || dh.every((byte) => byte === 0)) return err('ephemeral key of low order');
  const locIsLeast = compareBytes(own, remotePublic) < 0;
  const [low, high] = locIsLeast ? [own, remotePublic] : [remotePublic, own];
  const transcript = new MerlinTranscript(TRANSCRIPT);
  transcript.append('EPHEMERAL_LOWER_PUBLIC_KEY', low);
  transcript.append('EPHEMERAL_UPPER_PUBLIC_KEY', high);
  transcript.append('DH_SECRET', dh);
  const challenge = transcript.challenge('SECRET_CONNECTION_MAC', 32);
  return ok({ ...directionKeys(dh, locIsLeast), challenge });
}
