import { entryBytes } from '../codec/writer.ts';
import type { Lane, PoolTx } from './lane.ts';

export interface ReapLimits {
  /** Most bytes of all txs, each with its protobuf overhead in the block's Data message. */
  readonly bytesMax: number;
  /** Gas limit of the block. Actual use is not known yet, so a tx's own limit only has to fit an empty block. */
  readonly gasMax: bigint;
  /** Base fee of the next block. Txs that cannot pay it wait. */
  readonly baseFee: bigint;
}

/**
 * The least gas of an Ethereum transaction (yellow paper, G_transaction). As many are offered as could fit if they used
 * no more; the application takes those that do fit.
 */
const TX_GAS_MIN = 21_000n;

/** Bytes that a tx takes in a block. */
export const wireBytes = (tx: PoolTx): number => entryBytes(tx.bytes.length);

/** What the proposer earns per gas; negative if the tx cannot pay the base fee. */
export const tipOf = (tx: PoolTx, baseFee: bigint): bigint => {
  const room = tx.lane.feeCap - baseFee;
  return room < tx.lane.tipCap ? room : tx.lane.tipCap;
};

interface Head {
  readonly tx: PoolTx;
  readonly tip: bigint;
  readonly rest: readonly PoolTx[];
  readonly index: number;
}

const before = (a: Head, b: Head): boolean =>
  a.tip > b.tip || (a.tip === b.tip && a.tx.sequence < b.tx.sequence);

/** A binary heap of lane heads, best first. */
class HeadHeap {
  readonly #heads: Head[] = [];

  push(head: Head): void {
    const heads = this.#heads;
    let at = heads.push(head) - 1;
    while (at > 0) {
      const up = (at - 1) >>> 1;
      if (!before(heads[at] as Head, heads[up] as Head)) return;
      [heads[at], heads[up]] = [heads[up] as Head, heads[at] as Head];
      at = up;
    }
  }

  pop(): Head | undefined {
    const heads = this.#heads;
    const top = heads[0];
    const last = heads.pop();
    if (top === undefined || last === undefined || heads.length === 0) return top;
    heads[0] = last;
    let at = 0;
    for (;;) {
      let best = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heads.length && before(heads[child] as Head, heads[best] as Head)) best = child;
      }
      if (best === at) return top;
      [heads[at], heads[best]] = [heads[best] as Head, heads[at] as Head];
      at = best;
    }
  }
}

/**
 * Best tip first across senders, nonce order within one. A tx that does not fit ends its lane for this block, so that
 * no nonce gap is proposed.
 */
export function reap(lanes: Iterable<Lane>, limits: ReapLimits): readonly PoolTx[] {
  const heap = new HeadHeap();
  const enter = (rest: readonly PoolTx[], index: number): void => {
    const tx = rest[index];
    if (tx === undefined || tx.lane.feeCap < limits.baseFee) return;
    heap.push({ tx, tip: tipOf(tx, limits.baseFee), rest, index });
  };
  for (const lane of lanes) enter(lane.txs.slice(0, lane.executable), 0);
  const chosen: PoolTx[] = [];
  let bytes = 0;
  let gas = 0n;
  for (let head = heap.pop(); head !== undefined; head = heap.pop()) {
    const size = wireBytes(head.tx);
    const fits = bytes + size <= limits.bytesMax && head.tx.lane.gas <= limits.gasMax;
    if (!fits || gas + TX_GAS_MIN > limits.gasMax) continue;
    bytes += size;
    gas += TX_GAS_MIN;
    chosen.push(head.tx);
    enter(head.rest, head.index + 1);
  }
  return chosen;
}
