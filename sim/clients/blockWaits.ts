import type { Bytes } from '../../core/lib/bytes.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { Aftermath } from '../machine/aftermath.ts';
import type { Process } from '../machine/process.ts';
import type { World } from '../world/world.ts';
import type { ClientCalls } from './calls.ts';
import type { Mouth, Told } from './mouths.ts';

/** Blocks within which a wait must be over that has its own; between a commit and its event the node does other things. */
const BLOCKS = 2;
/** Looks by which an answer may be late. */
const LOOKS = 4;
/** A node has room for a hundred at least, of all kinds. */
const FEW = 50;

interface Wait {
  /** Of the node, in which it began. */
  readonly life: number;
  readonly since: number;
  /** µs. */
  readonly patience: number;
  /** How often the node was looked at since, and ran, with nothing wrong with its drive. */
  looks: number;
}

/** Submissions that are answered when their block is there: each is told of it, or that it has waited for long enough. */
export class BlockWaits {
  readonly #world: World;
  readonly #calls: ClientCalls;
  readonly #node: Process;
  readonly #mouth: Mouth;
  readonly #complain: (text: string) => void;
  readonly #aftermath: Aftermath;
  readonly #open = new Map<string, Wait>();

  constructor(
    world: World,
    calls: ClientCalls,
    node: Process,
    mouth: Mouth,
    complain: (text: string) => void,
  ) {
    this.#world = world;
    this.#aftermath = new Aftermath(world);
    this.#calls = calls;
    this.#node = node;
    this.#mouth = mouth;
    this.#complain = (text) => complain(`who waits for the block of ${text}`);
  }

  /** Returns when the node has begun with it. */
  give(hash: string, raw: Bytes): Promise<void> {
    const { lives: life, clock } = this.#node;
    const patience = clock.timerMicros(this.#mouth.patienceMs);
    const wait = { life, since: this.#world.now, patience, looks: 0 };
    this.#open.set(hash, wait);
    return this.#calls.wait(this.#node, async (rpc) => {
      const told = await this.#mouth.give(rpc, raw);
      this.#open.delete(hash);
      // An answer of a node's last moment is heard when its home is another already.
      const isBeyond = this.#node.disk.isDamaged || this.#node.node?.rpc !== rpc;
      const problem = isBeyond ? undefined : this.#problem(rpc, hash, told, wait);
      if (problem !== undefined) this.#complain(`${hash} ${problem}`);
    });
  }

  /** Nobody waits on when the block is there, or for longer than anybody has to. Every `micros` while the node runs; a broken drive says nothing. */
  look(micros: number): void {
    const chain = this.#node.node?.rpc?.chain;
    // A transaction is not even offered to the pool before what came earlier is in the log, and waits from its verdict on.
    const isHeldUp = this.#aftermath.lasts(this.#node) || this.#node.pace.verdict !== undefined;
    if (chain === undefined || this.#node.disk.isDamaged) return;
    for (const [hash, wait] of this.#open) {
      const height = this.#mouth.placeOf(chain, hash)?.height;
      const isOver = wait.life !== this.#node.lives;
      const isTold = height === undefined || height + BLOCKS > chain.head();
      if (!isHeldUp) wait.looks += 1;
      if (!isOver && isTold && wait.looks <= wait.patience / micros + LOOKS) continue;
      this.#open.delete(hash);
      if (isOver) continue;
      this.#complain(`${hash} is not told ${isTold ? 'that it waits in vain' : `of block ${height}`}`);
    }
  }

  #problem({ chain }: RpcContext, hash: string, told: Told, { since, patience }: Wait): string | undefined {
    const place = this.#mouth.placeOf(chain, hash);
    if (told.kind === 'full')
      return this.#open.size < FEW ? `finds no room, with ${this.#open.size} others` : undefined;
    if (told.kind === 'late') {
      // Its timer is set with the verdict, by a clock that may run faster by then.
      const least = Math.min(patience, this.#node.clock.timerMicros(this.#mouth.patienceMs));
      if (this.#world.now - since < least) return 'is told too soon that it has waited for too long';
      const isThere = place !== undefined && place.height < chain.head();
      return isThere ? `is told of no block, and it is in block ${place.height}` : undefined;
    }
    if (told.kind !== 'block') return undefined;
    if (told.hash !== hash) return `is told of ${told.hash}`;
    if (place === undefined || told.height !== place.height)
      return `is told of block ${told.height}, and it is in block ${place?.height}`;
    const isGood = chain.results(place.height)?.txResults[place.index]?.code === 0;
    return told.isGood === isGood ? undefined : `is told that it is ${isGood ? 'not ' : ''}good`;
  }
}
