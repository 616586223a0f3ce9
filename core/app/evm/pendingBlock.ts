import type { StateReader } from '../../state/stateDb.ts';
import type { BlockContext } from '../../types/app.ts';
import type { Height } from '../../types/ids.ts';
import { BlockRun, type ChainServices, type SealedBlock } from '../blockRun.ts';
import type { EthBlock } from '../chain.ts';
import type { ChainHead } from '../chainHead.ts';
import type { PendingBlock, PendingSource } from '../evmService.ts';
import { nextBaseFee } from '../feemarket/baseFee.ts';
import { DraftView } from './draftView.ts';

/** Seconds that a draft's time may lag before the draft is rebuilt, as in geth. */
const DRAFT_SECONDS_MAX = 2;
const NO_HASH = new Uint8Array(32);

/** The context of a block that consensus has not proposed. */
export const contextOf = (
  height: Height,
  { seconds, coinbase }: Pick<PendingSource, 'seconds' | 'coinbase'>,
): BlockContext => ({
  height,
  time: { seconds, nanos: 0 },
  proposerAddress: coinbase,
  nextValidatorsHash: NO_HASH,
  lastCommit: { round: 0, votes: [] },
  misbehavior: [],
});

interface Draft {
  readonly head: EthBlock;
  readonly seconds: number;
  readonly run: BlockRun;
  /** Transactions offered so far, whether included or not. */
  txs: PendingSource['txs'];
  made: PendingBlock | undefined;
}

/**
 * The block that this node would propose now, run on the head and never stored. The draft is extended while the pool
 * only appends transactions; otherwise it is rebuilt. Requests that arrive during a build share the next one.
 */
export class PendingBlocks {
  readonly #services: ChainServices;
  readonly #head: ChainHead;
  readonly #reader: StateReader;
  #draft: Draft | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<PendingBlock> | undefined;

  constructor(services: ChainServices, head: ChainHead, reader: StateReader) {
    this.#services = services;
    this.#head = head;
    this.#reader = reader;
  }

  get(source: () => PendingSource): Promise<PendingBlock> {
    this.#next ??= this.#queued(source);
    return this.#next;
  }

  #queued(source: () => PendingSource): Promise<PendingBlock> {
    const made = this.#last.then(() => {
      this.#next = undefined;
      return this.#make(source());
    });
    // The caller sees the failure; the next request starts a new draft.
    this.#last = made.catch(() => {
      this.#draft = undefined;
    });
    return made;
  }

  async #make(source: PendingSource): Promise<PendingBlock> {
    const known = this.#draft;
    const draft = known !== undefined && this.#goesOn(known, source) ? known : this.#begin(source);
    this.#draft = draft;
    const fresh = source.txs.slice(draft.txs.length);
    if (draft.made !== undefined && fresh.length === 0) return draft.made;
    for (const tx of fresh) {
      await draft.run.add(tx);
      await source.pause?.();
    }
    draft.txs = source.txs;
    draft.made = this.#show(draft.run.preview());
    return draft.made;
  }

  #goesOn(draft: Draft, { seconds, txs }: PendingSource): boolean {
    if (draft.head !== this.#head.latestEthBlock || seconds - draft.seconds > DRAFT_SECONDS_MAX) return false;
    return txs.length >= draft.txs.length && draft.txs.every((tx, i) => tx === txs[i]);
  }

  #begin({ seconds, coinbase }: PendingSource): Draft {
    const { view, latestEthBlock: head, initialHeight } = this.#head;
    const parent = {
      world: view.world,
      ethHash: head.hash,
      ethHeader: head.header,
      blockHash: (number: number) => this.#head.ethHashOf(number),
    };
    const height = view.height === 0 ? initialHeight : view.height + 1;
    // Block time never decreases (BFT time), even if this machine's clock is behind.
    const time = Math.max(seconds, head.header.timestamp);
    const run = new BlockRun(this.#services, parent, contextOf(height, { seconds: time, coinbase }));
    return { head, seconds, run, txs: [], made: undefined };
  }

  #show({ ethBlock, sealed }: SealedBlock): PendingBlock {
    const { header } = ethBlock;
    return {
      block: ethBlock,
      view: DraftView.over(this.#reader, sealed, header, this.#services.suite),
      nextBaseFee: nextBaseFee(header, this.#services.feeMarket),
    };
  }
}
