import type { Bytes } from '../../core/lib/bytes.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { Aftermath } from '../machine/aftermath.ts';
import type { Process } from '../machine/process.ts';
import type { World } from '../world/world.ts';
import type { ClientCalls } from './calls.ts';
import type { Mouth, Told } from './mouths.ts';
import { hasRoom } from './places.ts';

/**
 * Blocks within which a wait has to end whose transaction is in a block. The node has other work between commit and
 * event.
 */
const BLOCKS = 2;
/** How many looks an answer may be late. */
const LOOKS = 4;

interface Wait {
  /** The life of the node in which the wait began. */
  readonly life: number;
  readonly since: number;
  /** µs. */
  readonly patience: number;
  /** Looks since then at which the node ran, was not held up and had a healthy disk. */
  looks: number;
}

/**
 * Submissions that a node answers when their block is there. Each must be told of its block, or that it waited long
 * enough.
 */
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

  /** Resolves when the node has begun with it. */
  give(hash: string, raw: Bytes): Promise<void> {
    const { lives: life, clock } = this.#node;
    const patience = clock.timerMicros(this.#mouth.patienceMs);
    const wait = { life, since: this.#world.now, patience, looks: 0 };
    this.#open.set(hash, wait);
    this.#node.seated.add(wait);
    return this.#calls.wait(this.#node, async (rpc) => {
      const told = await this.#mouth.give(rpc, raw);
      this.#end(hash, wait);
      // A node may answer in its last moment: the client hears it when another instance runs already.
      const isBeyond = this.#node.disk.isDamaged || this.#node.node?.rpc !== rpc;
      const problem = isBeyond ? undefined : this.#problem(rpc, hash, told, wait);
      if (problem !== undefined) this.#complain(`${hash} ${problem}`);
    });
  }

  /**
   * Complains of waits that outlast their block or their patience. Called every `micros` while the node runs; not with
   * a damaged disk.
   */
  look(micros: number): void {
    const chain = this.#node.node?.rpc?.chain;
    const { verdict, sync } = this.#node.pace;
    // The node offers a transaction to the pool after earlier inputs are in the log, and starts the wait at the
    // verdict, which comes after earlier inputs as well.
    const isHeldUp = this.#aftermath.lasts(this.#node) || verdict !== undefined || sync !== undefined;
    if (chain === undefined || this.#node.disk.isDamaged) return;
    for (const [hash, wait] of this.#open) {
      const height = this.#mouth.placeOf(chain, hash)?.height;
      const isOver = wait.life !== this.#node.lives;
      const isTold = height === undefined || height + BLOCKS > chain.head();
      if (!isHeldUp) wait.looks += 1;
      if (!isOver && isTold && wait.looks <= wait.patience / micros + LOOKS) continue;
      this.#end(hash, wait);
      if (isOver) continue;
      this.#complain(`${hash} is not told ${isTold ? 'that it waits in vain' : `of block ${height}`}`);
    }
  }

  #end(hash: string, wait: Wait): void {
    this.#open.delete(hash);
    this.#node.seated.delete(wait);
  }

  #problem({ chain }: RpcContext, hash: string, told: Told, { since, patience }: Wait): string | undefined {
    const place = this.#mouth.placeOf(chain, hash);
    if (told.kind === 'full')
      return hasRoom(this.#node) ? `finds no room, with ${this.#node.seated.size} others` : undefined;
    if (told.kind === 'late') {
      // The timer starts with the verdict, when the node's clock may already run faster.
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
