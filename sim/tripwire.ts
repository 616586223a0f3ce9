/**
 * Takes the real world away from everything that runs inside a simulation: clocks, timers, randomness, environment.
 * Lint forbids them in our own code; this covers the libraries too. Whatever touches them throws and is recorded, so
 * an error that some library swallows still fails the run.
 */

/** The globals that lead out of the simulated world. `Date` keeps its pure parts. */
const FORBIDDEN = [
  'setTimeout',
  'setInterval',
  'setImmediate',
  'requestAnimationFrame',
  'fetch',
  'XMLHttpRequest',
  'WebSocket',
  'performance',
] as const;

export class TripwireError extends Error {
  override readonly name = 'TripwireError';
}

type Globals = Record<string, unknown>;

export class Tripwire {
  /** What was touched, in order, each once. */
  readonly touched: string[] = [];
  #restore: (() => void)[] = [];

  get isArmed(): boolean {
    return this.#restore.length > 0;
  }

  arm(): void {
    if (this.isArmed) return;
    const globals = globalThis as unknown as Globals;
    for (const name of FORBIDDEN) if (name in globals) this.#replace(globals, name, this.#thrower(name));
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

  /** Date of a given time is arithmetic; the present moment is not to be had. */
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
    for (const name of ['getRandomValues', 'randomUUID'])
      this.#replace(crypto, name, this.#thrower(`crypto.${name}`));
  }

  /** Libraries look into `process.env` for debug switches; they see an empty one. */
  #armProcess(globals: Globals): void {
    const process = globals['process'] as Globals | undefined;
    if (process === undefined) return;
    this.#replace(process, 'env', {});
    for (const name of ['hrtime', 'uptime', 'cpuUsage', 'memoryUsage']) {
      this.#replace(process, name, this.#thrower(`process.${name}`));
    }
  }
}
