/** A chain made beforehand, peers that serve it well or badly, and one node that syncs from them in virtual time. */

import { nextState } from '../../../core/consensus/chainState.ts';
import { present } from '../../../core/lib/assert.ts';
import { toHex } from '../../../core/lib/bytes.ts';
import { ok } from '../../../core/lib/result.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import { blockRules } from '../../../core/node/blockRules.ts';
import { BlockSync } from '../../../core/sync/blockSync.ts';
import type { SyncOut } from '../../../core/sync/contract.ts';
import type { AppAsk, AppReply, FinalizeReply } from '../../../core/types/app.ts';
import { type Commit, EMPTY_COMMIT } from '../../../core/types/block.ts';
import type { Micros } from '../../../core/types/ids.ts';
import type { BlocksyncMessage } from '../../../core/types/messages.ts';
import type { ChainState } from '../../../core/types/state.ts';
import { executed } from '../consensus/harness/executed.ts';
import {
  at,
  keyedSuite,
  type Made,
  makeTestBlock,
  NOW,
  proposerIndex,
  signedVote,
  type TestNet,
  testNet,
} from '../consensus/harness/net.ts';

export interface Link {
  readonly made: Made;
  readonly commit: Commit;
  /** Before the block. */
  readonly before: ChainState;
}

/** What the toy application answers: the app hash follows from height and txs. */
const resultsOf = (height: number, txs: readonly Uint8Array[], salt = ''): FinalizeReply =>
  executed(txs, keyedSuite.sha256(encodeUtf8(`${height}:${txs.map(toHex).join()}${salt}`)));

export const net: TestNet = testNet([10n, 10n, 10n, 10n]);

/** `length` decided blocks from genesis on, signed by all. */
export function makeChain(length: number): readonly Link[] {
  const chain: Link[] = [];
  let state = net.state;
  let last: Commit = EMPTY_COMMIT;
  for (let height = 1; height <= length; height++) {
    const made = makeTestBlock(net, state, proposerIndex(state, 0), [encodeUtf8(`tx of ${height}`)], last);
    const commit = commitFor(made, height);
    chain.push({ made, commit, before: state });
    const next = nextState(state, made.blockId, made.block, resultsOf(height, made.block.txs));
    if (!next.ok) throw new Error(next.error.code);
    state = next.value;
    last = commit;
  }
  return chain;
}

export function commitFor(made: Made, height: number, signers: readonly number[] = [0, 1, 2, 3]): Commit {
  const signatures = net.keys.map((_, i): Commit['signatures'][number] => {
    if (!signers.includes(i)) {
      const none = new Uint8Array(0);
      return {
        flag: 'absent',
        validatorAddress: none,
        timestamp: { seconds: -62135596800, nanos: 0 },
        signature: none,
      };
    }
    const vote = signedVote(net, i, 'precommit', height, 0, made.blockId, at(height * 2 + 2));
    const { validatorAddress, timestamp, signature } = vote;
    return { flag: 'commit', validatorAddress, timestamp, signature };
  });
  return { height, round: 0, blockId: made.blockId, signatures };
}

/** What a peer says to a message, each answer after its delay in ms. */
export type Peer = (message: BlocksyncMessage) => readonly (readonly [number, BlocksyncMessage])[];

interface Event {
  readonly due: Micros;
  readonly seq: number;
  readonly act: () => void;
}

export interface SyncNetOptions {
  readonly self?: Uint8Array;
  readonly enabled?: boolean;
  readonly salt?: string;
  readonly net?: TestNet;
  /** What the application takes for an answer. */
  readonly appMs?: number;
}

/** One syncing node and its peers. */
export class SyncNet {
  now = NOW;
  readonly sync: BlockSync;
  readonly stored: Made[] = [];
  readonly dropped: string[] = [];
  readonly notes: string[] = [];
  halted: string | undefined;
  handedOver: { readonly state: ChainState; readonly lastCommit: Commit | undefined } | undefined;
  /** Heights asked of each peer, in order. */
  readonly asked: { readonly peer: string; readonly height: number }[] = [];
  readonly #peers = new Map<string, Peer>();
  #events: Event[] = [];
  #seq = 0;
  #calls = 0;
  readonly #out: SyncOut;

  /** Added to the app hash of our own application, to make it another one. */
  readonly #salt: string;
  readonly #appMs: number;

  constructor(options: SyncNetOptions = {}) {
    this.#salt = options.salt ?? '';
    this.#appMs = options.appMs ?? 1;
    this.sync = new BlockSync({
      enabled: options.enabled ?? true,
      state: (options.net ?? net).state,
      lastCommit: undefined,
      self: options.self,
      rules: blockRules(keyedSuite, () => ok(undefined)),
      blocks: {
        head: () => this.stored.length,
        base: () => Math.min(1, this.stored.length),
        block: (height) => this.stored[height - 1]?.block,
      },
      nextCall: () => ++this.#calls,
    });
    this.#out = this.#makeOut();
  }

  #makeOut(): SyncOut {
    return {
      send: (to, message) => {
        for (const peer of to) {
          if (message.kind === 'blockRequest') this.asked.push({ peer, height: message.height });
          for (const [delay, answer] of this.#peers.get(peer)?.(message) ?? []) {
            this.#at(delay, () => {
              if (this.#peers.has(peer)) this.sync.onMessage(peer, this.now, answer, this.#out);
            });
          }
        }
      },
      tickAfter: (ms) => this.#at(ms, () => this.sync.onTick(this.now, this.#out)),
      askAfter: (ms) => this.#at(ms, () => this.sync.onAsk(this.now, this.#out)),
      drop: (peer, reason) => {
        this.dropped.push(`${peer}: ${reason}`);
        this.#at(0, () => this.disconnect(peer));
      },
      app: (call, ask) =>
        this.#at(this.#appMs, () => this.sync.onApp(this.now, call, this.#answer(ask), this.#out)),
      committed: ({ block, blockId }) => {
        this.stored.push({ block, blockId, parts: undefined as never });
      },
      done: (state, lastCommit) => {
        this.handedOver = { state, lastCommit };
      },
      note: (_level, text) => this.notes.push(text),
      halt: (reason) => {
        this.halted = reason;
      },
    };
  }

  #answer(ask: AppAsk): AppReply {
    if (ask.kind === 'finalize') {
      return { kind: 'finalized', result: resultsOf(ask.context.height, ask.txs, this.#salt) };
    }
    if (ask.kind !== 'commit') throw new Error(`block sync asked to ${ask.kind}`);
    const { height } = ask.block.header;
    return { kind: 'committed', result: { height, spenders: [], nextBaseFee: 0n, gasLimit: 0n } };
  }

  #at(ms: number, act: () => void): void {
    this.#events.push({ due: this.now + Math.ceil(ms * 1000), seq: this.#seq++, act });
  }

  start(): void {
    this.sync.start(this.now, this.#out);
  }

  connect(name: string, peer: Peer): void {
    this.#peers.set(name, peer);
    this.sync.onPeerUp(name, this.now, this.#out);
  }

  disconnect(name: string): void {
    if (this.#peers.delete(name)) this.sync.onPeerDown(name, this.now, this.#out);
  }

  receive(peer: string, message: BlocksyncMessage): void {
    this.sync.onMessage(peer, this.now, message, this.#out);
  }

  isConnected(name: string): boolean {
    return this.#peers.has(name);
  }

  /** Runs until consensus takes over, the node halts, or `seconds` of virtual time have passed. */
  run(seconds: number): void {
    const end = this.now + seconds * 1_000_000;
    while (this.handedOver === undefined && this.halted === undefined) {
      this.#events.sort((a, b) => a.due - b.due || a.seq - b.seq);
      const event = this.#events[0];
      if (event === undefined || event.due > end) break;
      this.#events.shift();
      this.now = event.due;
      event.act();
    }
    if (this.handedOver === undefined) this.now = Math.max(this.now, end);
  }
}

export const status = (height: number, base = 1): BlocksyncMessage => ({
  kind: 'statusResponse',
  height,
  base: Math.min(base, height),
});

/** Serves the first `height` blocks of the chain, each answer after `ms`. */
export const honest =
  (chain: readonly Link[], height: number, ms = 20): Peer =>
  (message) => {
    if (message.kind === 'statusRequest') return [[ms, status(height)]];
    if (message.kind !== 'blockRequest') return [];
    const link = message.height <= height ? chain[message.height - 1] : undefined;
    return [
      [
        ms,
        link === undefined
          ? { kind: 'noBlockResponse', height: message.height }
          : { kind: 'blockResponse', block: link.made.block },
      ],
    ];
  };

export const blockAt = (chain: readonly Link[], height: number): Made =>
  present(chain[height - 1], 'a block of the chain').made;
