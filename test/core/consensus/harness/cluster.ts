/**
 * A few nodes that gossip by reading each other's state: whatever one has and another lacks may be delivered next,
 * in any order the schedule picks. Crashes cut a node anywhere between two of its effects.
 */
import type { ConsensusInput } from '../../../../core/consensus/contract.ts';
import { toHex } from '../../../../core/lib/bytes.ts';
import type { BlockId } from '../../../../core/types/block.ts';
import type { PeerId } from '../../../../core/types/ids.ts';
import { STEP } from '../../../../core/types/messages.ts';
import type { VoteType } from '../../../../core/types/vote.ts';
import { type Made, NOW, type TestNet } from './net.ts';
import { Crash, type NodeOptions, TestNode } from './node.ts';

export interface Action {
  readonly name: string;
  run(): void;
}

export class Cluster {
  readonly nodes: readonly TestNode[];
  readonly net: TestNet;
  now = NOW;
  /** Extra actions of a byzantine actor, asked anew each time. */
  adversary: () => readonly Action[] = () => [];
  /** Told and useless, or in flight twice: not offered again to the same life of a node. */
  readonly #told = new Set<string>();

  constructor(net: TestNet, selves: readonly number[], options: NodeOptions = {}) {
    this.net = net;
    this.nodes = selves.map((self) => new TestNode(net, self, options));
    for (const node of this.nodes) node.boot(this.now);
  }

  /** Everything that could happen now, but for time. */
  actions(): Action[] {
    const list: Action[] = [...this.adversary()];
    for (const node of this.nodes) {
      if (node.inbox.length > 0)
        list.push({
          name: `${node.name} answer`,
          run: () => this.#guarded(node, () => node.takeAnswer(this.now)),
        });
      for (const from of this.nodes) if (from !== node) list.push(...this.#gossip(from, node));
    }
    return list;
  }

  /** A crash inside is the end of that life of the node, not of the test. */
  #guarded(node: TestNode, act: () => void): void {
    try {
      act();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      this.restart(node);
    }
  }

  restart(node: TestNode): void {
    for (const key of [...this.#told]) if (key.startsWith(`${node.name}<`)) this.#told.delete(key);
    // The next life may be cut short as well.
    for (;;) {
      try {
        node.boot(this.now);
        return;
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
    }
  }

  tell(node: TestNode, input: ConsensusInput): void {
    this.#guarded(node, () => node.step(this.now, input));
  }

  /** Moves time to the next timer of any node and fires all that are due. False when no timer is set. */
  advance(): boolean {
    const due = Math.min(...this.nodes.map((node) => node.nextTimer()));
    if (!Number.isFinite(due)) return false;
    this.now = Math.max(this.now, due);
    for (const node of this.nodes) {
      for (const key of node.takeTimers(this.now)) this.tell(node, { kind: 'timer', key });
    }
    return true;
  }

  #offer(to: TestNode, from: string, key: string, input: () => ConsensusInput): Action[] {
    const id = `${to.name}<${from}:${to.consensus.rs.height}:${key}`;
    if (this.#told.has(id)) return [];
    const run = (): void => {
      this.#told.add(id);
      this.tell(to, input());
    };
    return [{ name: id, run }];
  }

  #gossip(from: TestNode, to: TestNode): Action[] {
    const [ours, theirs] = [from.consensus.rs, to.consensus.rs];
    const list: Action[] = [];
    if (ours.height > theirs.height) {
      const stored = from.blocks.get(theirs.height);
      if (stored === undefined) return list;
      const { round, blockId } = stored.commit;
      const set = theirs.votes(round, 'precommit');
      const { height } = theirs;
      const peer: PeerId = from.name;
      list.push(
        ...this.#offer(to, peer, `c${round}`, () => ({
          kind: 'maj23',
          peer,
          height,
          round,
          type: 'precommit',
          blockId,
        })),
      );
      for (const vote of stored.precommits) {
        if (set?.bitsFor(blockId).has(vote.validatorIndex)) continue;
        list.push(...this.#offer(to, peer, `c${vote.validatorIndex}`, () => ({ kind: 'vote', peer, vote })));
      }
      if (sameParts(theirs.proposalParts?.header.hash, stored.made.parts.header.hash)) {
        list.push(...this.#parts(from.name, to, stored.made));
      }
      return list;
    }
    if (ours.height === theirs.height) list.push(...this.#sameHeight(from, to));
    if (theirs.step === STEP.newHeight && theirs.lastPrecommits !== undefined) {
      const set =
        ours.height === theirs.height
          ? ours.lastPrecommits
          : ours.votes(theirs.lastPrecommits.round, 'precommit');
      if (set?.height !== theirs.lastPrecommits.height || set.round !== theirs.lastPrecommits.round)
        return list;
      for (const index of set.bits.minus(theirs.lastPrecommits.bits)) {
        const vote = set.vote(index);
        if (vote)
          list.push(
            ...this.#offer(to, from.name, `l${index}`, () => ({ kind: 'vote', peer: from.name, vote })),
          );
      }
    }
    return list;
  }

  #sameHeight(from: TestNode, to: TestNode): Action[] {
    const [ours, theirs] = [from.consensus.rs, to.consensus.rs];
    const list: Action[] = [];
    const { proposal } = ours;
    if (proposal !== undefined && ours.round === theirs.round && theirs.proposal === undefined) {
      list.push(
        ...this.#offer(to, from.name, `p${proposal.round}`, () => ({
          kind: 'proposal',
          peer: from.name,
          proposal,
        })),
      );
    }
    const parts = ours.proposalParts;
    if (parts !== undefined && sameParts(theirs.proposalParts?.header.hash, parts.header.hash)) {
      for (const index of parts.bits.minus(theirs.proposalParts?.bits)) {
        const part = parts.part(index);
        if (part)
          list.push({
            name: `${to.name}<${from.name} part`,
            run: () =>
              this.tell(to, {
                kind: 'part',
                peer: from.name,
                height: theirs.height,
                round: ours.round,
                part,
              }),
          });
      }
    }
    for (let round = 0; round <= Math.max(ours.round, theirs.round) + 1; round++) {
      for (const type of ['prevote', 'precommit'] as const) list.push(...this.#votes(from, to, round, type));
    }
    return list;
  }

  #votes(from: TestNode, to: TestNode, round: number, type: VoteType): Action[] {
    const ours = from.consensus.rs.votes(round, type);
    if (ours === undefined) return [];
    const theirs = to.consensus.rs.votes(round, type);
    const list: Action[] = [];
    const majority = ours.majority();
    if (majority !== undefined && theirs !== undefined && theirs.majority() === undefined) {
      const { height } = ours;
      const peer: PeerId = from.name;
      list.push(
        ...this.#offer(to, from.name, `m${round}${type}`, () => ({
          kind: 'maj23',
          peer,
          height,
          round,
          type,
          blockId: majority,
        })),
      );
    }
    // Once a majority is claimed, votes for it are worth telling even to one who has another vote of that validator.
    const known = majority === undefined ? theirs?.bits : theirs?.bitsFor(majority);
    for (let index = 0; index < ours.bits.size; index++) {
      const vote = ours.vote(index);
      if (vote === undefined || known?.has(index)) continue;
      if (theirs !== undefined && sameValue(theirs.vote(index)?.blockId, vote.blockId)) continue;
      const claimed = majority === undefined ? '' : 'm';
      list.push(
        ...this.#offer(
          to,
          from.name,
          `v${round}${type}${index}${claimed}${toHex(vote.blockId.hash).slice(0, 8)}`,
          () => ({ kind: 'vote', peer: from.name, vote }),
        ),
      );
    }
    return list;
  }

  #parts(from: string, to: TestNode, made: Made): Action[] {
    const { height, round } = to.consensus.rs;
    return made.parts
      .parts()
      .filter(({ index }) => to.consensus.rs.proposalParts?.bits.has(index) === false)
      .map((part) => ({
        name: `${to.name}<${from} part`,
        run: () => this.tell(to, { kind: 'part', peer: from, height, round, part }),
      }));
  }

  /** Runs until every node has reached `height`, picking with `pick(n)`; gives up after `stepsMax`. */
  run(height: number, pick: (n: number) => number, stepsMax: number): boolean {
    for (let i = 0; i < stepsMax; i++) {
      if (this.nodes.every((node) => node.consensus.rs.height > height)) return true;
      const actions = this.actions();
      // One in sixteen times, time goes on although something could still be delivered.
      if (actions.length === 0 || pick(16) === 0) {
        if (!this.advance() && actions.length === 0) return false;
      } else actions[pick(actions.length)]?.run();
    }
    return false;
  }

  /** Agreement: the first height at which two nodes stored different blocks. */
  fork(): number | undefined {
    const chosen = new Map<number, string>();
    for (const node of this.nodes) {
      for (const [height, { made }] of node.blocks) {
        const hash = toHex(made.blockId.hash);
        if ((chosen.get(height) ?? hash) !== hash) return height;
        chosen.set(height, hash);
      }
    }
    return undefined;
  }
}

const sameParts = (a: Uint8Array | undefined, b: Uint8Array): boolean =>
  a !== undefined && toHex(a) === toHex(b);
const sameValue = (a: BlockId | undefined, b: BlockId): boolean =>
  a !== undefined && toHex(a.hash) === toHex(b.hash);

/** xorshift: the same schedule for the same seed, on every machine. */
export function picker(seed: number): (n: number) => number {
  let x = (seed * 2654435761 + 1) >>> 0 || 1;
  return (n) => {
    x ^= x << 13;
    x >>>= 0;
    x ^= x >>> 17;
    x ^= x << 5;
    x >>>= 0;
    return x % n;
  };
}
