import { unreachable } from '../core/lib/assert.ts';
import type { Bytes } from '../core/lib/bytes.ts';
import type { ChannelId, Effect, Host, Input, LogRecord, SignAsk, TimerKey } from '../core/node/contract.ts';
import type { AppAsk, AppReply } from '../core/types/app.ts';
import type { Micros, PeerId } from '../core/types/ids.ts';
import type { Signer } from './signer/fileSigner.ts';
import { systemNow, TIMEOUT_MS_MAX } from './system.ts';

/** Effects that the host performs; the core handles persist, publish and reply itself. */
export type OutsideEffect = Exclude<Effect, { kind: 'persist' | 'publish' | 'reply' }>;

export interface HostParts {
  readonly log: {
    append(records: readonly LogRecord[], durable: () => void): void;
    turnover(height: number): void;
  };
  /** undefined on a node that is not a validator. */
  readonly signer: Signer | undefined;
  readonly app: { handle(ask: AppAsk): Promise<AppReply> };
  readonly network: {
    send(to: readonly PeerId[], channel: ChannelId, bytes: Bytes): void;
    drop(peer: PeerId, reason: string): void;
  };
  /** Called when the protocol cannot continue safely. */
  readonly onHalt: (reason: string) => void;
  /** Called at most once, for a disk fault or an internal error: the process must stop. */
  readonly onFatal: (error: unknown) => void;
}

/** Maximum running timers. The state machines keep only a few each, so more means a leak. */
const TIMERS_MAX = 4096;

type ConsensusKey = Extract<TimerKey, { machine: 'consensus' }>;

/** Consensus ignores timeouts of heights and rounds that it has left (so does CometBFT's timeout ticker). */
const isLeftBehind = (earlier: ConsensusKey, key: ConsensusKey): boolean =>
  earlier.height < key.height || (earlier.height === key.height && earlier.round < key.round);

/** Connects the driver to the outside: clock, WAL, signer, application, timers, sockets. */
export class NodeHost {
  readonly #parts: HostParts;
  readonly #timers = new Map<NodeJS.Timeout, TimerKey>();
  #input: ((input: Input) => void) | undefined;
  #stopped = false;

  constructor(parts: HostParts) {
    this.#parts = parts;
  }

  /** Sets the driver that receives inputs. Call it before the driver gets its first input. */
  attach(driver: { input(input: Input): void }): void {
    this.#input = (input) => driver.input(input);
  }

  now(): Micros {
    return systemNow();
  }

  /** A property, so that it can be passed on without its object. */
  readonly append: Host['append'] = (records, durable) => {
    if (this.#stopped) return;
    this.#parts.log.append(records, () => this.#guarded(durable));
  };

  perform(effect: OutsideEffect): void {
    if (this.#stopped) return;
    switch (effect.kind) {
      case 'send':
        this.#parts.network.send(effect.to, effect.channel, effect.bytes);
        return;
      case 'timer':
        this.#startTimer(effect.key, effect.afterMs);
        return;
      case 'sign':
        this.#sign(effect.call, effect.ask);
        return;
      case 'app':
        this.#ask(effect.call, effect.ask);
        return;
      case 'drop':
        this.#parts.network.drop(effect.peer, effect.reason);
        return;
      case 'turnover':
        this.#parts.log.turnover(effect.height);
        return;
      case 'halt':
        this.stop();
        this.#parts.onHalt(effect.reason);
        return;
      default:
        unreachable(effect);
    }
  }

  /** From now on, no effect is performed and no input delivered. */
  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers.keys()) clearTimeout(timer);
    this.#timers.clear();
  }

  #startTimer(key: TimerKey, afterMs: number): void {
    if (key.machine === 'consensus') this.#cancelBehind(key);
    if (this.#timers.size >= TIMERS_MAX) {
      this.#fail(new RangeError(`more than ${TIMERS_MAX} timers`));
      return;
    }
    const waitMs = Math.min(afterMs, TIMEOUT_MS_MAX);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      // Genesis may be months ahead, longer than one timer can wait.
      if (afterMs > waitMs) this.#startTimer(key, afterMs - waitMs);
      else this.deliver({ kind: 'timer', key });
    }, waitMs);
    this.#timers.set(timer, key);
  }

  /** Long intervals between empty blocks would otherwise leave thousands of useless timers while transactions make blocks. */
  #cancelBehind(key: ConsensusKey): void {
    for (const [timer, earlier] of this.#timers) {
      if (earlier.machine !== 'consensus' || !isLeftBehind(earlier, key)) continue;
      clearTimeout(timer);
      this.#timers.delete(timer);
    }
  }

  #sign(call: number, ask: SignAsk): void {
    const { signer } = this.#parts;
    if (signer === undefined) {
      this.#fail(new Error('asked to sign on a node without a validator key'));
      return;
    }
    signer.sign(ask).then(
      (result) => this.deliver({ kind: 'signed', call, result }),
      (error: unknown) => this.#fail(error),
    );
  }

  #ask(call: number, ask: AppAsk): void {
    this.#parts.app.handle(ask).then(
      (reply) => this.deliver({ kind: 'app', call, reply }),
      (error: unknown) => this.#fail(error),
    );
  }

  /** Gives the driver an input. A broken invariant stops the node; the error does not reach the caller. */
  deliver(input: Input): void {
    this.#guarded(() => this.#input?.(input));
  }

  /** The state machines throw only on a broken invariant: the node stops before it can send anything wrong. */
  #guarded(work: () => void): void {
    if (this.#stopped) return;
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#stopped) return;
    this.stop();
    this.#parts.onFatal(error);
  }
}
