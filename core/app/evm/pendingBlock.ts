import type { StateReader } from '../../state/stateDb.ts';
import type { BlockContext } from '../../types/app.ts';
import type { Height } from '../../types/ids.ts';
import { BlockRun, type ChainServices, type SealedBlock } from '../blockRun.ts';
import type { EthBlock } from '../chain.ts';
import type { ChainHead } from '../chainHead.ts';
import type { PendingBlock, PendingSource } from '../evmService.ts';
import { nextBaseFee } from '../feemarket/baseFee.ts';
import { DraftView } from './draftView.ts';

/** A draft's clock may lag so far behind before it is made anew, in seconds (geth's pending block does the same). */
const DRAFT_SECONDS_MAX = 2;
const NO_HASH = new Uint8Array(32);

/** The context of a block that consensus has not seen. */
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
  /** What was offered so far, taken or not. */
  txs: PendingSource['txs'];
  made: PendingBlock | undefined;
}

/**
 * The block that this node would propose now, run on the head and never stored. A draft grows with the pool as long
 * as what came is offered last; otherwise it is made anew. Requests that come while one is being made share the next.
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
    // Whoever asked hears of a failure; whoever comes next starts afresh.
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
    // Block time never falls (BFT time), whatever this machine's clock says.
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
