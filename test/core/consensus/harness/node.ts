/** A node in memory: machine, log, store, signer with last-signed guard, toy application, driver with barrier. */
import type { ConsensusConfig, ConsensusInput } from '../../../../core/consensus/contract.ts';
import { Consensus } from '../../../../core/consensus/machine.ts';
import { assert } from '../../../../core/lib/assert.ts';
import { equalBytes } from '../../../../core/lib/bytes.ts';
import { err, ok } from '../../../../core/lib/result.ts';
import { encodeUtf8 } from '../../../../core/lib/utf8.ts';
import type { Effect, LogRecord, SignAsk, Signed, TimerKey } from '../../../../core/node/contract.ts';
import type { AppAsk, AppReply } from '../../../../core/types/app.ts';
import type { Commit } from '../../../../core/types/block.ts';
import type { Conflict } from '../../../../core/types/evidence.ts';
import type { Micros } from '../../../../core/types/ids.ts';
import type { ChainState } from '../../../../core/types/state.ts';
import { commitVote, type Vote } from '../../../../core/types/vote.ts';
import { executed } from './executed.ts';
import { CONFIG, cut, keyedSuite, type Made, type TestKey, type TestNet } from './net.ts';

/** The node is cut here. */
export class Crash extends Error {}

export interface NodeOptions {
  readonly config?: Partial<ConsensusConfig>;
}

interface Stored {
  readonly made: Made;
  readonly commit: Commit;
  readonly precommits: readonly Vote[];
}

const SIGN_STEP = { proposal: 1, prevote: 2, precommit: 3 } as const;

export class TestNode {
  readonly name: string;
  readonly self: number;
  readonly #key: TestKey;
  readonly #config: ConsensusConfig;
  // Durable.
  #log: LogRecord[] = [];
  #state: ChainState;
  #commit: Commit | undefined;
  readonly blocks = new Map<number, Stored>();
  readonly #guard = new Map<string, Signed>();
  #lastSigned = '';
  // Of one life.
  consensus: Consensus;
  inbox: ConsensusInput[] = [];
  #timers: { readonly due: Micros; readonly key: TimerKey }[] = [];
  #calls = 0;
  readonly conflicts: Conflict[] = [];
  /** Peers accused by this node. */
  readonly punished: string[] = [];
  /** Count of boundaries passed: before and after each durable write and each effect. */
  boundaries = 0;
  /** The boundary at which to die. */
  fuse: number | undefined;
  lives = 0;

  constructor(net: TestNet, self: number, options: NodeOptions) {
    this.name = `n${self}`;
    this.self = self;
    this.#key = net.keys[self] as TestKey;
    this.#config = { ...CONFIG, ...options.config };
    this.#state = net.state;
    this.consensus = this.#machine();
  }

  #machine(): Consensus {
    return new Consensus({
      state: this.#state,
      lastCommit: this.#commit,
      config: this.#config,
      suite: keyedSuite,
      validator: this.#key,
      deps: {
        // The pool forgets everything in a crash and never offers the same twice.
        reapTxs: () => [encodeUtf8(`${this.name} life ${this.lives} call ${this.#calls}`)],
        pendingEvidence: () => [],
        checkEvidence: () => ok(undefined),
        nextCall: () => ++this.#calls,
      },
    });
  }

  /** A new life from what is durable. */
  boot(now: Micros): void {
    this.lives++;
    this.inbox = [];
    this.#timers = [];
    // Calls of different lives must not be told apart by luck.
    this.#calls = this.lives * 1000;
    this.consensus = this.#machine();
    const replayed = this.consensus.replay(
      this.#log.filter(({ height }) => height > this.#state.lastBlockHeight),
    );
    assert(replayed.ok, replayed.ok ? '' : replayed.error.message);
    this.step(now, { kind: 'start' });
  }

  #boundary(): void {
    this.boundaries++;
    if (this.fuse === undefined || this.boundaries < this.fuse) return;
    this.fuse = undefined;
    throw new Crash(`${this.name} at boundary ${this.boundaries}`);
  }

  step(now: Micros, input: ConsensusInput): void {
    const effects: Effect[] = [];
    this.consensus.step(now, input, {
      effect: (effect) => void effects.push(effect),
      notice: (notice) => {
        if (notice.kind === 'conflict') this.conflicts.push(notice.conflict);
        if (notice.kind === 'punish') this.punished.push(`${notice.peer}: ${notice.reason}`);
      },
    });
    const records = effects.flatMap((effect) => (effect.kind === 'persist' ? [effect.record] : []));
    if (records.length > 0) {
      this.#boundary();
      this.#log.push(...records);
    }
    for (const effect of effects) {
      if (effect.kind === 'persist' || effect.kind === 'publish') continue;
      this.#boundary();
      this.#perform(now, effect);
    }
  }

  #perform(now: Micros, effect: Effect): void {
    switch (effect.kind) {
      case 'sign':
        this.inbox.push({ kind: 'signed', call: effect.call, result: this.#sign(effect.ask) });
        return;
      case 'app':
        this.inbox.push({ kind: 'app', call: effect.call, reply: this.#ask(effect.ask) });
        return;
      case 'timer':
        this.#timers.push({ due: now + effect.afterMs * 1000, key: effect.key });
        return;
      case 'turnover':
        this.#log = this.#log.filter(({ height }) => height > effect.height);
        return;
      case 'halt':
        throw new Error(`${this.name} halts: ${effect.reason}`);
      default:
        throw new Error(`unexpected effect ${effect.kind}`);
    }
  }

  /** Last-signed guard: one message a (height, round, step), steps only forward, durable before it answers. */
  #sign(ask: SignAsk) {
    const place = `${String(ask.height).padStart(9, '0')}/${String(ask.round).padStart(9, '0')}/${SIGN_STEP[ask.kind]}`;
    const before = this.#guard.get(place);
    if (before !== undefined) {
      // Stricter than a real signer: a second message that differs at all, even in time, is a failure of recovery.
      assert(equalBytes(before.bytes, ask.bytes), `${this.name} asks for a second signature at ${place}`);
      return ok(before);
    }
    if (place < this.#lastSigned) return err({ code: 'regression', message: place } as const);
    const signed = { bytes: ask.bytes, signature: keyedSuite.ed25519Sign(this.#key.seed, ask.bytes) };
    this.#guard.set(place, signed);
    this.#lastSigned = place;
    this.#boundary();
    return ok(signed);
  }

  #ask(ask: AppAsk): AppReply {
    switch (ask.kind) {
      case 'propose':
        return { kind: 'proposed', txs: ask.txs };
      case 'validate':
        return { kind: 'validated', accept: true, reason: '' };
      case 'finalize':
        return { kind: 'finalized', result: executed(ask.txs, keyedSuite.sha256(ask.hash)) };
      case 'commit': {
        const { height } = ask.block.header;
        const made = cut(ask.block);
        const precommits = ask.seenCommit.signatures.flatMap((_, i) => commitVote(ask.seenCommit, i) ?? []);
        this.blocks.set(height, { made, commit: ask.seenCommit, precommits });
        this.#state = ask.state;
        this.#commit = ask.seenCommit;
        this.#boundary();
        return { kind: 'committed', result: { height, spenders: [], nextBaseFee: 0n, gasLimit: 0n } };
      }
      default:
        throw new Error(`unexpected ask ${ask.kind}`);
    }
  }

  takeAnswer(now: Micros): void {
    const input = this.inbox.shift();
    if (input !== undefined) this.step(now, input);
  }

  nextTimer(): Micros {
    return Math.min(...this.#timers.map(({ due }) => due));
  }

  takeTimers(now: Micros): readonly TimerKey[] {
    const due = this.#timers.filter((timer) => timer.due <= now);
    this.#timers = this.#timers.filter((timer) => timer.due > now);
    return due.map(({ key }) => key);
  }
}
