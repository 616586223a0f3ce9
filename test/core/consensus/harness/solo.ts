/** One machine under a microscope: messages in, everything it says recorded. Signer and application answer at once. */
import type {
  ConsensusConfig,
  ConsensusInput,
  ConsensusNotice,
} from '../../../../core/consensus/contract.ts';
import { Consensus } from '../../../../core/consensus/machine.ts';
import { type Bytes, toHex } from '../../../../core/lib/bytes.ts';
import { ok } from '../../../../core/lib/result.ts';
import type { Effect, LogRecord, TimerKey } from '../../../../core/node/contract.ts';
import type { AppReply } from '../../../../core/types/app.ts';
import { type BlockId, type Commit, isZeroBlockId } from '../../../../core/types/block.ts';
import type { Evidence } from '../../../../core/types/evidence.ts';
import type { Micros, Round } from '../../../../core/types/ids.ts';
import type { ChainState } from '../../../../core/types/state.ts';
import type { Proposal, Vote, VoteType } from '../../../../core/types/vote.ts';
import { executed } from './executed.ts';
import {
  CONFIG,
  keyedSuite,
  type Made,
  makeTestBlock,
  NOW,
  proposerIndex,
  signedProposal,
  signedVote,
  type TestNet,
} from './net.ts';

export interface SoloOptions {
  readonly net: TestNet;
  /** Index of the validator whose node this is; undefined follows only. */
  readonly self: number | undefined;
  readonly config?: Partial<ConsensusConfig>;
  readonly state?: ChainState;
  readonly lastCommit?: Commit;
  /** Questions of these kinds stay open until `answer` is called. */
  readonly hold?: readonly Extract<Effect, { kind: 'app' }>['ask']['kind'][];
  readonly holdSigner?: boolean;
  readonly txs?: readonly Bytes[];
  readonly pending?: readonly Evidence[];
  /** A tx equal to this text makes the application refuse a block. */
  readonly refuse?: (txs: readonly Bytes[]) => boolean;
}

export class Solo {
  readonly consensus: Consensus;
  readonly net: TestNet;
  readonly state: ChainState;
  readonly effects: Effect[] = [];
  readonly notices: ConsensusNotice[] = [];
  readonly log: LogRecord[] = [];
  /** Own votes and proposals, as signed. */
  readonly signed: { readonly kind: string; readonly round: Round; readonly bytes: Bytes }[] = [];
  readonly #options: SoloOptions;
  #now: Micros = NOW;
  #calls = 0;

  constructor(options: SoloOptions) {
    this.#options = options;
    this.net = options.net;
    this.state = options.state ?? options.net.state;
    this.consensus = new Consensus({
      state: this.state,
      lastCommit: options.lastCommit,
      config: { ...CONFIG, ...options.config },
      suite: keyedSuite,
      validator: options.self === undefined ? undefined : options.net.keys[options.self],
      deps: {
        reapTxs: () => options.txs ?? [],
        pendingEvidence: () => options.pending ?? [],
        checkEvidence: () => ok(undefined),
        nextCall: () => ++this.#calls,
      },
    });
  }

  get rs() {
    return this.consensus.rs;
  }

  /** Own votes as `prevote/0`, `precommit/1:nil`, in the order they entered the vote sets. */
  get votes(): readonly Vote[] {
    return this.notices.flatMap((n) => (n.kind === 'voteAdded' && n.peer === undefined ? [n.vote] : []));
  }

  /** This node's vote in a round: the block id hash in hex, `nil`, or undefined for none. */
  own(type: VoteType, round: Round): string | undefined {
    const vote = this.votes.find((one) => one.type === type && one.round === round);
    if (vote === undefined) return undefined;
    return isZeroBlockId(vote.blockId) ? 'nil' : toHex(vote.blockId.hash);
  }

  get timers(): readonly { readonly key: TimerKey; readonly afterMs: number }[] {
    return this.effects.flatMap((e) => (e.kind === 'timer' ? [{ key: e.key, afterMs: e.afterMs }] : []));
  }

  /** The application's questions so far. */
  get asks(): readonly string[] {
    return this.effects.flatMap((e) => (e.kind === 'app' ? [e.ask.kind] : []));
  }

  get punished(): readonly string[] {
    return this.notices.flatMap((n) => (n.kind === 'punish' ? [n.reason] : []));
  }

  later(ms: number): this {
    this.#now += ms * 1000;
    return this;
  }

  feed(...inputs: readonly ConsensusInput[]): this {
    for (const input of inputs) {
      const answers: ConsensusInput[] = [];
      this.consensus.step(this.#now, input, {
        effect: (effect) => {
          this.effects.push(effect);
          if (effect.kind === 'persist') this.log.push(effect.record);
          const answer = this.#answer(effect);
          if (answer !== undefined) answers.push(answer);
        },
        notice: (notice) => void this.notices.push(notice),
      });
      this.feed(...answers);
    }
    return this;
  }

  start(): this {
    return this.feed({ kind: 'start' }).fire('newHeight', 0);
  }

  fire(kind: Extract<TimerKey, { machine: 'consensus' }>['kind'], round: Round): this {
    return this.feed({ kind: 'timer', key: { machine: 'consensus', kind, height: this.rs.height, round } });
  }

  #answer(effect: Effect): ConsensusInput | undefined {
    if (effect.kind === 'sign' && this.#options.holdSigner !== true) {
      const key = this.net.keys[this.#options.self as number];
      const { bytes, kind, round } = effect.ask;
      this.signed.push({ kind, round, bytes });
      const signature = keyedSuite.ed25519Sign(key?.seed as Bytes, bytes);
      return { kind: 'signed', call: effect.call, result: ok({ signature, bytes }) };
    }
    if (effect.kind !== 'app' || this.#options.hold?.includes(effect.ask.kind)) return undefined;
    return { kind: 'app', call: effect.call, reply: this.reply(effect) };
  }

  reply({ ask }: Extract<Effect, { kind: 'app' }>): AppReply {
    switch (ask.kind) {
      case 'propose':
        return { kind: 'proposed', txs: ask.txs };
      case 'validate': {
        const refused = this.#options.refuse?.(ask.txs) === true;
        return { kind: 'validated', accept: !refused, reason: refused ? 'refused by test' : '' };
      }
      case 'finalize':
        return { kind: 'finalized', result: executed(ask.txs, keyedSuite.sha256(ask.hash)) };
      case 'commit':
        return {
          kind: 'committed',
          result: { height: ask.block.header.height, spenders: [], nextBaseFee: 0n, gasLimit: 0n },
        };
      default:
        throw new Error(`unexpected ask ${ask.kind}`);
    }
  }

  /** Answers the newest open question of the application (held ones). */
  answerApp(): this {
    const open = this.effects.findLast((effect) => effect.kind === 'app');
    if (open?.kind !== 'app') throw new Error('no question is open');
    return this.feed({ kind: 'app', call: open.call, reply: this.reply(open) });
  }

  // Messages of others.

  block(round: Round, ...txs: readonly string[]): Made {
    const bytes = txs.map((tx) => new TextEncoder().encode(tx));
    return makeTestBlock(this.net, this.state, proposerIndex(this.state, round), bytes);
  }

  proposal(made: Made, round: Round, polRound: Round = -1): readonly ConsensusInput[] {
    const proposer = proposerIndex(this.state, round);
    const proposal: Proposal = signedProposal(
      this.net,
      proposer,
      this.rs.height,
      round,
      made.blockId,
      polRound,
    );
    return [{ kind: 'proposal', peer: 'peer', proposal }, ...this.parts(made, round)];
  }

  parts(made: Made, round: Round): readonly ConsensusInput[] {
    const height = this.rs.height;
    return made.parts.parts().map((part) => ({ kind: 'part', peer: 'peer', height, round, part }) as const);
  }

  vote(type: VoteType, round: Round, from: readonly number[], blockId?: BlockId): readonly ConsensusInput[] {
    return from.map((index) => ({
      kind: 'vote',
      peer: `peer ${index}`,
      vote: signedVote(this.net, index, type, this.rs.height, round, blockId),
    }));
  }
}
