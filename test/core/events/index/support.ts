/** A chain of results alone: what an index and its searches need of a node. */
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { commitIndexOps } from '../../../../core/events/index/indexer.ts';
import { EventSearch, type SearchReads } from '../../../../core/events/index/search.ts';
import { type Bytes, toHex } from '../../../../core/lib/bytes.ts';
import { MemoryKv } from '../../../../core/store/memoryKv.ts';
import type { FinalizeReply } from '../../../../core/types/app.ts';
import type { AbciEvent, TxResult } from '../../../../core/types/result.ts';

export interface TestTx {
  readonly bytes: Bytes;
  readonly events: readonly AbciEvent[];
}

export interface TestHeight {
  readonly events: readonly AbciEvent[];
  readonly txs: readonly TestTx[];
}

const NONE: Uint8Array = new Uint8Array(0);

const txResult = (events: readonly AbciEvent[]): TxResult => ({
  code: 0,
  data: NONE,
  log: '',
  info: '',
  gasWanted: 0n,
  gasUsed: 0n,
  events,
  codespace: '',
});

export const resultsOf = ({ events, txs }: TestHeight): FinalizeReply => ({
  events,
  txResults: txs.map((tx) => txResult(tx.events)),
  validatorUpdates: [],
  paramUpdates: undefined,
  appHash: NONE,
});

export class IndexedChain implements SearchReads {
  readonly kv = new MemoryKv();
  readonly heights: TestHeight[] = [];
  readonly search = new EventSearch(this.kv, this);
  readonly #locations = new Map<string, { readonly height: number; readonly index: number }>();
  /** What a node without an index does is only this. */
  isIndexing = true;
  lowest = 1;

  commit(height: TestHeight): void {
    this.heights.push(height);
    const at = this.heights.length;
    for (const [index, { bytes }] of height.txs.entries())
      this.#locations.set(toHex(nobleSuite.sha256(bytes)), { height: at, index });
    if (this.isIndexing) this.kv.apply(commitIndexOps(this.kv, at, resultsOf(height)));
  }

  head(): number {
    return this.heights.length;
  }

  base(): number {
    return this.lowest;
  }

  results(height: number): FinalizeReply | undefined {
    const found = this.heights[height - 1];
    return found === undefined || height < this.lowest ? undefined : resultsOf(found);
  }

  txCount(height: number): number {
    return this.heights[height - 1]?.txs.length ?? 0;
  }

  txLocation(hash: Bytes): { readonly height: number; readonly index: number } | undefined {
    return this.#locations.get(toHex(hash));
  }
}
