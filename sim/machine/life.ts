import { unreachable } from '../../core/lib/assert.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import {
  type CallId,
  CHANNELS,
  type Effect,
  type LogRecord,
  type SignAsk,
  type TimerKey,
} from '../../core/node/contract.ts';
import type { AppAsk } from '../../core/types/app.ts';
import type { NodeEvent } from '../../core/types/nodeEvent.ts';
import { ROOM_MICROS, SLOW_MICROS } from '../disk/disk.ts';
import { type KvGate, KvHandle } from '../disk/kvDisk.ts';
import { drawDelay } from '../network/delay.ts';
import { consensusTopics, isPoolGossip } from '../network/frameKinds.ts';
import type { ChoiceStream } from '../world/choices.ts';
import type { World } from '../world/world.ts';
import type { Process } from './process.ts';
import type { LifeEnv } from './simNode.ts';

/** How long things inside a machine take, in virtual microseconds, both ends included. */
export interface Latencies {
  readonly sync: { readonly low: number; readonly high: number };
  readonly sign: { readonly low: number; readonly high: number };
  readonly check: { readonly low: number; readonly high: number };
  /** propose, validate, finalize, commit. */
  readonly app: { readonly low: number; readonly high: number };
}

export const DEFAULT_LATENCIES: Latencies = {
  sync: { low: 200, high: 2_000 },
  sign: { low: 100, high: 1_000 },
  check: { low: 200, high: 1_000 },
  app: { low: 500, high: 5_000 },
};

/** Points at which a crash can be set, besides any virtual time. */
export const CRASH_POINTS = [
  'append',
  'durable',
  'sign',
  'signed',
  'app',
  'send',
  'turnover',
  'batch',
  'batched',
] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

const timerText = (key: TimerKey): string =>
  key.machine === 'consensus' ? `${key.kind} ${key.height}/${key.round}` : key.machine;

type Performed = Exclude<Effect, { kind: 'persist' }>;

/**
 * One life of a process, from start to crash: the simulated Host. Effects of a life that is over do nothing, so code of
 * a crashed node that is still on the stack can run on unheard.
 */
export class Life implements KvGate {
  alive = true;
  readonly #world: World;
  readonly #process: Process;
  readonly #syncs: ChoiceStream;
  readonly #signs: ChoiceStream;
  readonly #apps: ChoiceStream;
  readonly #checks: ChoiceStream;
  /** When the application is free for the next call other than checkTx. */
  #appFreeAt = 0;

  constructor(world: World, process: Process) {
    this.#world = world;
    this.#process = process;
    const stream = (what: string): ChoiceStream => world.choices.stream(`${what}/${process.name}`);
    this.#syncs = stream('sync');
    this.#signs = stream('sign');
    this.#apps = stream('app');
    this.#checks = stream('check');
  }

  env(log: readonly LogRecord[]): LifeEnv {
    const world = this.#world;
    const process = this.#process;
    const ids = world.choices.stream(`ids/${process.name}`);
    return {
      name: process.name,
      index: process.index,
      version: process.version,
      isIndexed: process.isIndexed,
      kv: new KvHandle(process.disk.kv, this),
      log,
      now: () => process.clock.now(world.now),
      append: (records, durable) => this.#append(records, durable),
      perform: (effect) => this.#performWrapped(effect),
      listen: (event) => this.#listen(event),
      randomId: () => Uint8Array.from({ length: 16 }, () => ids.choose(256)),
      after: (ms, call) => this.#after(ms, call),
    };
  }

  #after(ms: number, call: () => void): () => void {
    let isWanted = true;
    this.#later(this.#process.clock.timerMicros(ms), 'patience', () => {
      if (isWanted) call();
      return undefined;
    });
    return () => {
      isWanted = false;
    };
  }

  beforeBatch(): void {
    this.#at('batch');
  }

  afterBatch(vain: Bytes | undefined): void {
    if (vain !== undefined)
      this.#world.witness({ kind: 'missingKeyDeleted', node: this.#process, key: vain });
    this.#at('batched');
  }

  #listen(event: NodeEvent): void {
    if (!this.alive) return;
    if (event.kind === 'committed') {
      const { height } = event.block.header;
      this.#process.decided = height;
      this.#process.reached = Math.max(this.#process.reached, height);
      if (height >= this.#process.forgotten) this.#process.forgotten = 0;
    }
    this.#world.witness({ kind: 'event', node: this.#process, event });
  }

  #append(records: readonly LogRecord[], durable: () => void): void {
    if (!this.#at('append')) return;
    const { log } = this.#process.disk;
    log.append(records);
    const done = (): undefined => {
      if (this.#process.disk.isFull) {
        // As on a full volume: the write waits for room, and everything that depends on it waits too.
        this.#later(ROOM_MICROS, 'room', done);
        return undefined;
      }
      if (this.#failed('write the log')) return undefined;
      log.sync();
      if (!this.#at('durable')) return undefined;
      const hasWaiting = (this.#process.node?.backlog() ?? 0) > 0;
      durable();
      // Now the node has taken the inputs that waited for its disk.
      if (hasWaiting) this.#world.touch(this.#process);
      return undefined;
    };
    const { sync } = this.#process.pace;
    const { low, high } = this.#world.latencies.sync;
    const own = sync === undefined ? this.#syncs.between(low, high) : drawDelay(sync, this.#syncs);
    const wait = own + this.#slowness();
    if (wait === 0) done();
    else this.#later(wait, 'sync', done);
  }

  /** A failed sync is final: the kernel may have dropped the pages, and the next sync would falsely succeed. */
  #failed(what: string): boolean {
    const { disk } = this.#process;
    if (!disk.failsNext) return false;
    disk.failsNext = false;
    this.#process.halt(`cannot ${what}: input/output error (EIO)`, 'hostile');
    return true;
  }

  #slowness(): number {
    return this.#process.disk.isSlow ? SLOW_MICROS : 0;
  }

  #performWrapped(effect: Performed): void {
    if (!this.alive) return;
    const { wrapper } = this.#process;
    if (wrapper === undefined) this.perform(effect);
    else for (const changed of wrapper.effect(effect)) this.perform(changed);
  }

  /** Performs an effect as it is. */
  perform(effect: Performed): void {
    const process = this.#process;
    const world = this.#world;
    switch (effect.kind) {
      case 'send':
        if (this.#at('send')) this.#send(effect);
        return;
      case 'timer':
        if (this.alive) this.#timer(effect);
        return;
      case 'sign':
        if (this.#at('sign')) this.#sign(effect.call, effect.ask);
        return;
      case 'app':
        if (this.#at('app')) this.#ask(effect.call, effect.ask);
        return;
      case 'drop':
        if (!this.alive) return;
        process.drops++;
        world.note('drop', process, world.network.indexOf(effect.peer), `${effect.peer}: ${effect.reason}`);
        world.witness({ kind: 'dropped', node: process, peer: effect.peer, reason: effect.reason });
        world.network.drop(process.index, effect.peer, effect.reason);
        return;
      case 'turnover':
        if (!this.#at('turnover')) return;
        world.witness({ kind: 'cut', node: process, height: effect.height });
        process.disk.log.turnover(effect.height);
        return;
      case 'halt':
        if (this.alive) process.halt(effect.reason);
        return;
      case 'publish':
      case 'reply':
        // The assembly handles these itself.
        return;
      default:
        unreachable(effect);
    }
  }

  #send({ to, channel, bytes }: Extract<Effect, { kind: 'send' }>): void {
    const process = this.#process;
    for (const peer of to)
      if (!process.isConnected(peer)) this.#world.witness({ kind: 'sentUnconnected', node: process, peer });
    if (channel === CHANNELS.blocksync)
      for (const peer of to) this.#world.witness({ kind: 'syncSaid', node: process, peer, bytes });
    if (isPoolGossip(channel))
      this.#world.witness({ kind: 'poolGossipSaid', node: process, to, channel, bytes });
    const topics = consensusTopics(channel, bytes);
    if (topics !== undefined) this.#world.witness({ kind: topics.said, node: process, to, bytes });
    this.#world.network.send(process.index, process.reachable(to), channel, bytes);
  }

  #timer(effect: Extract<Effect, { kind: 'timer' }>): void {
    const { key } = effect;
    const fire = (): undefined => {
      this.#process.input({ kind: 'timer', key });
    };
    const { name, clock } = this.#process;
    const late = clock.jitter === 0 ? 0 : this.#world.choices.choose(`jitter/${name}`, clock.jitter + 1);
    this.#later(clock.timerMicros(effect.afterMs) + late, 'timer', fire, timerText(key));
  }

  /** The guard is durable before the signature exists. The signature comes back later. */
  #sign(call: CallId, ask: SignAsk): void {
    const process = this.#process;
    const result = process.signer?.sign(process.disk, ask) ?? {
      ok: false,
      error: { code: 'unavailable', message: 'the node has no key' },
    };
    const { low, high } = this.#world.latencies.sign;
    if (!this.#at('signed')) return;
    if (result.ok) this.#world.witness({ kind: 'signed', node: process, ask, signed: result.value });
    const { sign } = process.pace;
    const wait = sign === undefined ? this.#signs.between(low, high) : drawDelay(sign, this.#signs);
    this.#later(wait, 'signed', () => {
      process.input({ kind: 'signed', call, result });
      return undefined;
    });
  }

  /**
   * Draws the virtual time of the answer now. The work happens at that time, all at once, and virtual time waits for
   * it. So real asynchrony in the EVM library cannot reorder anything, and a crash before the answer is a crash before
   * the work. Calls other than checkTx are answered in the order asked. `Pace` can delay the answer after the work:
   * meanwhile everybody but the node sees the result.
   */
  #ask(call: CallId, ask: AppAsk): void {
    const { check, app } = this.#world.latencies;
    const isCheck = ask.kind === 'checkTx';
    if (isCheck) this.#world.witness({ kind: 'checkAsked', node: this.#process, tx: ask.tx });
    const wait = isCheck
      ? this.#checks.between(check.low, check.high)
      : this.#apps.between(app.low, app.high) + (ask.kind === 'commit' ? this.#slowness() : 0);
    const at = isCheck ? this.#world.now + wait : Math.max(this.#world.now + wait, this.#appFreeAt);
    if (!isCheck) {
      this.#appFreeAt = at;
      const stall = at - this.#world.now - wait;
      this.#process.stallMicros = Math.max(this.#process.stallMicros, stall);
    }
    this.#later(at - this.#world.now, ask.kind, () => this.#answer(call, ask));
  }

  async #answer(call: CallId, ask: AppAsk): Promise<void> {
    const node = this.#process.node;
    if (node === undefined) return;
    if (ask.kind === 'commit') {
      if (this.#process.disk.isFull) {
        this.#later(ROOM_MICROS, 'room', () => this.#answer(call, ask));
        return;
      }
      if (this.#failed('write the database')) return;
    }
    if (ask.kind !== 'checkTx') this.#world.witness({ kind: 'asked', node: this.#process, ask });
    const reply = await node.handle(ask);
    if (!this.alive) return;
    if (reply.kind === 'checked' && reply.result.kind === 'accepted') {
      this.#process.admissions++;
      this.#world.witness({ kind: 'admitted', node: this.#process });
    }
    if (ask.kind === 'propose' && reply.kind === 'proposed')
      this.#world.witness({ kind: 'proposed', node: this.#process, ask, txs: reply.txs });
    const tell = (): undefined => {
      if (ask.kind === 'checkTx') this.#world.witness({ kind: 'checkTold', node: this.#process, tx: ask.tx });
      this.#process.input({ kind: 'app', call, reply });
    };
    const wait = this.#toTell(ask.kind);
    if (wait === 0) tell();
    else this.#later(wait, 'told', tell, reply.kind);
  }

  /** Virtual µs from the work to its answer. */
  #toTell(what: AppAsk['kind']): number {
    const { batch, verdict, answer } = this.#process.pace;
    const delay = what === 'commit' ? batch : what === 'checkTx' ? verdict : answer;
    return delay === undefined ? 0 : drawDelay(delay, what === 'checkTx' ? this.#checks : this.#apps);
  }

  #later(wait: number, what: string, act: () => Promise<void> | undefined, text = ''): void {
    this.#world.schedule(this.#world.now + wait, () => {
      if (!this.alive) return undefined;
      this.#world.note(what, this.#process, 0, text);
      return this.#process.during(this, act);
    });
  }

  /** Passes a crash point; false when the life ended there. */
  #at(point: CrashPoint): boolean {
    if (this.alive) this.#world.crashPoint(this.#process, point);
    return this.alive;
  }
}
