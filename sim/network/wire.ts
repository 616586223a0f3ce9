import { sha256 } from '@noble/hashes/sha2.js';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { type Bytes, concat, equalBytes, hex, to0xHex, toHex } from '../../core/lib/bytes.ts';
import { CHANNEL_SPECS } from '../../core/p2p/channels.ts';
import { Connection } from '../../core/p2p/connection.ts';
import type { ConnectionEvent, ConnectionOptions } from '../../core/p2p/connectionContract.ts';
import type { KeyExchange } from '../../core/p2p/handshake.ts';
import type { Aead } from '../../core/p2p/sealed.ts';
import type { NodeInfo } from '../../core/types/peer.ts';
import { hashBytes } from '../world/rolling.ts';

/** Most bytes that one write takes. */
const WRITE_BYTES = 8_192;

export type Choose = (n: number) => number;
/** Changes bytes on their way from the first end or from the second. */
export type Meddler = (bytes: Bytes, fromFirst: boolean) => Bytes;

/** Turns after which the wire gives up: an end that wants more is broken, and its work is missing then. */
const TURNS_MAX = 10_000;

const PRIME = 2n ** 255n - 19n;
const KEY_BYTES = 32;

const numberOf = (bytes: Bytes): bigint => BigInt(to0xHex(bytes));
const times = (factor: bigint, secret: Bytes): Bytes =>
  hex(((factor * numberOf(secret)) % PRIME).toString(16).padStart(2 * KEY_BYTES, '0'));

/**
 * Diffie-Hellman in the additive group modulo 2^255 - 19. It keeps no secret, and none is needed here. The library's
 * curve blinds with real randomness.
 */
const EXCHANGE: KeyExchange = {
  publicKey: (secret) => times(2n, secret),
  shared: (secret, remotePublic) => times(numberOf(remotePublic), secret),
};

const PROOF_BYTES = 16;

function proofOf(key: Bytes, nonce: Bytes, plain: Bytes): Bytes {
  const proof = new Uint8Array(PROOF_BYTES);
  new DataView(proof.buffer).setUint32(0, hashBytes(plain, hashBytes(nonce, hashBytes(key, 0))));
  return proof;
}

/**
 * Frames in plain text, each with a checksum of key, nonce and content. Runs test the stream, and the library's cipher
 * costs ten times as much. Nobody here forges a checksum.
 */
const OPEN_AEAD: Aead = {
  seal: (key, nonce, plain) => concat(plain, proofOf(key, nonce, plain)),
  open(key, nonce, sealed) {
    const plain = sealed.subarray(0, -PROOF_BYTES);
    return equalBytes(proofOf(key, nonce, plain), sealed.subarray(-PROOF_BYTES)) ? plain : undefined;
  },
};

const seedOf = (n: number): Bytes => new Uint8Array(32).fill(n);

/** A node's id is the address of its key, computed apart from the core. */
export const idOf = (suite: CryptoSuite, n: number): string =>
  toHex(sha256(suite.ed25519PublicKey(seedOf(n))).slice(0, 20));

const infoOf = (suite: CryptoSuite, n: number): NodeInfo => ({
  protocol: { p2p: 8, block: 11, app: 0 },
  id: idOf(suite, n),
  listenAddress: 'tcp://0.0.0.0:26656',
  network: 'chain_9000-1',
  version: '0.38.0',
  channels: Uint8Array.from(CHANNEL_SPECS.map(({ id }) => id)),
  moniker: `node${n}`,
  other: { txIndex: 'on', rpcAddress: '' },
});

export interface EndChange extends Partial<Omit<ConnectionOptions, 'self'>> {
  readonly self?: Partial<NodeInfo>;
}

/** Two ends of a real connection, with a clock of their own. The streams between them are split at random. */
export class Wire {
  readonly ends: readonly [Connection, Connection];
  readonly heard: readonly [ConnectionEvent[], ConnectionEvent[]] = [[], []];
  now = 0;
  meddle: Meddler = (bytes) => bytes;
  readonly #choose: Choose;

  constructor(suite: CryptoSuite, choose: Choose, changes: readonly [EndChange?, EndChange?] = []) {
    this.#choose = choose;
    const end = (n: 1 | 2, change: EndChange = {}): Connection =>
      new Connection(0, {
        suite,
        nodeSeed: seedOf(n),
        ephemeralSecret: Uint8Array.from({ length: 32 }, () => (n + choose(256)) & 255),
        expectedId: undefined,
        keyExchange: EXCHANGE,
        aead: OPEN_AEAD,
        channels: CHANNEL_SPECS,
        sendRate: 50_000_000,
        receiveRate: 50_000_000,
        ...change,
        self: { ...infoOf(suite, n), ...change.self },
      });
    this.ends = [end(1, changes[0]), end(2, changes[1])];
  }

  /** Carries bytes until both ends are silent. */
  carry(): void {
    let isSilent = false;
    for (let turns = 0; !isSilent && turns < TURNS_MAX; turns++) {
      isSilent = true;
      for (const from of [0, 1] as const) {
        const bytes = this.ends[from].take(this.now, WRITE_BYTES - this.#choose(WRITE_BYTES));
        if (bytes === undefined) continue;
        isSilent = false;
        const there = this.meddle(bytes, from === 0);
        for (let at = 0; at < there.length; ) {
          const end = Math.min(there.length, at + there.length - this.#choose(there.length));
          this.ends[(1 - from) as 0 | 1].onBytes(this.now, there.slice(at, end));
          at = end;
        }
        this.#listen();
      }
    }
  }

  /** Lets time pass, from one deadline of the ends to the next. */
  pass(micros: number): void {
    const until = this.now + micros;
    for (let turns = 0; turns < TURNS_MAX; turns++) {
      const next = Math.min(...this.ends.map((end) => end.deadline() ?? Number.POSITIVE_INFINITY));
      if (next > until) break;
      this.now = Math.max(this.now + 1, next);
      for (const end of this.ends) end.onTime(this.now);
      this.#listen();
      this.carry();
    }
    this.now = until;
  }

  #listen(): void {
    for (const i of [0, 1] as const) this.heard[i].push(...this.ends[i].events());
  }

  isReady(end: 0 | 1): boolean {
    return this.heard[end].some(({ kind }) => kind === 'ready');
  }

  isClosed(end: 0 | 1): boolean {
    return this.heard[end].some(({ kind }) => kind === 'closed');
  }

  messages(end: 0 | 1): readonly Extract<ConnectionEvent, { kind: 'message' }>[] {
    return this.heard[end].filter((event) => event.kind === 'message');
  }
}
