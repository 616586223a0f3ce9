/**
 * Takes the real world away from everything that runs inside a simulation: clocks, timers, randomness, environment.
 * Lint forbids them in our own code; this covers the libraries too. Whatever touches them throws and is recorded, so
 * an error that some library swallows still fails the run.
 */
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { boundTo } from '../memo.ts';
import { Sfc32 } from './prng.ts';

/** The globals that lead out of the simulated world. `Date` keeps its pure parts. */
const FORBIDDEN = [
  'setTimeout',
  'setInterval',
  'setImmediate',
  'requestAnimationFrame',
  'fetch',
  'XMLHttpRequest',
  'WebSocket',
] as const;

class TripwireError extends Error {
  override readonly name = 'TripwireError';
}

type Globals = Record<string, unknown>;

export class Tripwire {
  /** Forbidden names that were used, each once, in order. */
  readonly touched: string[] = [];
  #restore: (() => void)[] = [];
  readonly #blinds = new Sfc32('tripwire', 'blinding');
  #isBlinding = false;

  get isArmed(): boolean {
    return this.#restore.length > 0;
  }

  arm(): void {
    if (this.isArmed) return;
    const globals = globalThis as unknown as Globals;
    for (const name of FORBIDDEN) if (name in globals) this.#replace(globals, name, this.#thrower(name));
    if ('performance' in globals) {
      this.#replace(globals, 'performance', new Proxy({}, { get: this.#thrower('performance') }));
    }
    const math = Math as unknown as Globals;
    this.#replace(math, 'random', this.#thrower('Math.random'));
    this.#replace(globals, 'Date', this.#date(globals['Date'] as object));
    this.#armCrypto(globals);
    this.#armProcess(globals);
  }

  disarm(): void {
    for (const restore of this.#restore.reverse()) restore();
    this.#restore = [];
  }

  /**
   * Key operations may ask for random bytes: noble blinds multiplications by secrets, which changes their timing and
   * never their result. They get deterministic bytes.
   */
  blinding(suite: CryptoSuite): CryptoSuite {
    const within = <T>(act: () => T): T => {
      const before = this.#isBlinding;
      this.#isBlinding = true;
      try {
        return act();
      } finally {
        this.#isBlinding = before;
      }
    };
    return {
      ...boundTo(suite),
      ed25519PublicKey: (seed) => within(() => suite.ed25519PublicKey(seed)),
      ed25519Sign: (seed, message) => within(() => suite.ed25519Sign(seed, message)),
      secp256k1PublicKey: (secret, compressed) => within(() => suite.secp256k1PublicKey(secret, compressed)),
      secp256k1Sign: (secret, digest) => within(() => suite.secp256k1Sign(secret, digest)),
    };
  }

  #replace(owner: Globals, name: string, value: unknown): void {
    const before = Object.getOwnPropertyDescriptor(owner, name);
    Object.defineProperty(owner, name, {
      value,
      configurable: true,
      writable: true,
      enumerable: before?.enumerable ?? true,
    });
    this.#restore.push(() => {
      if (before === undefined) delete owner[name];
      else Object.defineProperty(owner, name, before);
    });
  }

  #trip(name: string): never {
    if (!this.touched.includes(name)) this.touched.push(name);
    throw new TripwireError(`${name} was used while simulated nodes run`);
  }

  #thrower(name: string): () => never {
    return () => this.#trip(name);
  }

  /** A Date of a given time is arithmetic. The current time is not available. */
  #date(real: object): unknown {
    const trip = this.#thrower('Date.now');
    return new Proxy(real as new (...args: unknown[]) => object, {
      construct: (target, args) => (args.length === 0 ? trip() : Reflect.construct(target, args)),
      apply: trip,
      get: (target, key) => (key === 'now' ? trip : Reflect.get(target, key)),
    });
  }

  #armCrypto(globals: Globals): void {
    const crypto = globals['crypto'] as Globals | undefined;
    if (crypto === undefined) return;
    this.#replace(crypto, 'randomUUID', this.#thrower('crypto.randomUUID'));
    this.#replace(crypto, 'getRandomValues', (out: Uint8Array) => this.#randomValues(out));
  }

  #randomValues(out: Uint8Array): Uint8Array {
    if (!this.#isBlinding) this.#trip('crypto.getRandomValues');
    for (let i = 0; i < out.length; i++) out[i] = this.#blinds.next();
    return out;
  }

  /** Libraries look into `process.env` for debug switches; they see an empty one. */
  #armProcess(globals: Globals): void {
    const process = globals['process'] as Globals | undefined;
    if (process === undefined) return;
    this.#replace(process, 'env', {});
    const bigint = this.#thrower('process.hrtime.bigint');
    this.#replace(process, 'hrtime', Object.assign(this.#thrower('process.hrtime'), { bigint }));
    for (const name of ['uptime', 'cpuUsage', 'memoryUsage']) {
      this.#replace(process, name, this.#thrower(`process.${name}`));
    }
  }
}
