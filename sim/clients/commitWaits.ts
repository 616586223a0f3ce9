import { toBase64 } from '../../core/lib/base64.ts';
import { type Bytes, hex } from '../../core/lib/bytes.ts';
import { handleCometPost } from '../../core/rpc/comet/http.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import type { Process } from '../machine/process.ts';
import type { World } from '../world/world.ts';
import type { ClientCalls } from './calls.ts';

/** As `timeout_broadcast_tx_commit` has it. */
const PATIENCE_MS = 10_000;
/** Blocks within which a wait must be over that has its own; between a commit and its event the node does other things. */
const BLOCKS = 2;
const LOOKS = 4;
/** A node has room for a hundred, of all kinds. */
const FEW = 50;

interface Answer {
  readonly result?: {
    readonly check_tx: { readonly code: number };
    readonly tx_result: { readonly code: number };
    readonly hash: string;
    readonly height: string;
  };
  readonly error?: { readonly data?: string };
}

interface Wait {
  /** Of the node, in which it began. */
  readonly life: number;
  /** How often the node was looked at since, and ran. */
  looks: number;
}

/** Submissions by `broadcast_tx_commit`: each is told of its block when that is there, or that it has waited for long enough. */
export class CommitWaits {
  readonly #world: World;
  readonly #calls: ClientCalls;
  readonly #node: Process;
  readonly #complain: (text: string) => void;
  readonly #open = new Map<string, Wait>();

  constructor(world: World, calls: ClientCalls, node: Process, complain: (text: string) => void) {
    this.#world = world;
    this.#calls = calls;
    this.#node = node;
    this.#complain = complain;
  }

  /** Returns when the node has begun with it. */
  give(hash: string, raw: Bytes): Promise<void> {
    const since = this.#world.now;
    this.#open.set(hash, { life: this.#node.lives, looks: 0 });
    return this.#calls.wait(this.#node, async (rpc) => {
      const params = { tx: toBase64(raw) };
      const asked = { jsonrpc: '2.0', id: 1, method: 'broadcast_tx_commit', params };
      const { body } = await handleCometPost(rpc, JSON.stringify(asked));
      this.#open.delete(hash);
      const problem = this.#problem(rpc, hash, JSON.parse(String(body)) as Answer, since);
      if (problem !== undefined) this.#complain(`who waits for the block of ${hash} ${problem}`);
    });
  }

  /** Nobody waits on when the block is there, or for longer than anybody has to. Every `micros` while the node runs. */
  look({ chain }: RpcContext, micros: number): void {
    const looksMax = this.#node.clock.timerMicros(PATIENCE_MS) / micros + LOOKS;
    for (const [hash, wait] of this.#open) {
      const height = chain.txLocation(hex(hash))?.height;
      const isOver = wait.life !== this.#node.lives;
      const isTold = height === undefined || height + BLOCKS > chain.head();
      if (!isOver && isTold && ++wait.looks <= looksMax) continue;
      this.#open.delete(hash);
      if (isOver) continue;
      const what = isTold ? 'that it waits in vain' : `of block ${height}`;
      this.#complain(`who waits for the block of ${hash} is not told ${what}`);
    }
  }

  #problem({ chain }: RpcContext, hash: string, answer: Answer, since: number): string | undefined {
    const { result, error } = answer;
    const place = chain.txLocation(hex(hash));
    if (result === undefined) {
      if (error?.data?.startsWith('max_subscription_clients') === true && this.#open.size < FEW)
        return `finds no room, with ${this.#open.size} others`;
      const isLate = error?.data?.startsWith('timed out') === true;
      if (isLate && this.#world.now - since < this.#node.clock.timerMicros(PATIENCE_MS))
        return 'is told too soon that it has waited for too long';
      return isLate && place !== undefined && place.height < chain.head()
        ? `is told of no block, and it is in block ${place.height}`
        : undefined;
    }
    if (result.hash !== hash) return `is told of ${result.hash}`;
    if (result.check_tx.code !== 0)
      return result.height === '0' ? undefined : `is told of block ${result.height}, and of a refusal`;
    if (Number(result.height) !== place?.height)
      return `is told of block ${result.height}, and it is in block ${place?.height}`;
    const kept = chain.results(place.height)?.txResults[place.index]?.code;
    return result.tx_result.code === kept
      ? undefined
      : `is told of code ${result.tx_result.code}, not ${kept}`;
  }
}
