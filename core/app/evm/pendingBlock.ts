import { StateDb, type StateReader } from '../../state/stateDb.ts';
import { WorldState } from '../../state/worldState.ts';
import { MemoryKv } from '../../store/memoryKv.ts';
import { AppView } from '../appView.ts';
import { BlockRun, type ChainServices, type SealedBlock } from '../blockRun.ts';
import type { EthBlock, EthHeader, PendingBlock, PendingSource } from '../chain.ts';
import type { ChainHead } from '../chainHead.ts';
import { nextBaseFee } from '../feemarket/baseFee.ts';

/** A draft's clock may lag so far behind before it is made anew, in seconds (geth's pending block does the same). */
const DRAFT_SECONDS_MAX = 2;
/** Plain transfers between two pauses; anything that ran code pauses at once. */
const PLAIN_TXS_PER_PAUSE = 16;
/** Caches of a state that lives for one block. */
const DRAFT_CACHES = { nodesMax: 1 << 10, codesMax: 64, keyHashesMax: 1 << 10 };

const NO_HASH = new Uint8Array(32);

/** The state after a block that is not committed; calls on it run in that block. */
export class PendingView extends AppView {
  readonly header: EthHeader;

  constructor(world: WorldState, header: EthHeader) {
    super(header.number, world);
    this.header = header;
  }
}

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
    for (const [index, tx] of fresh.entries()) {
      const added = await draft.run.add(tx);
      const isPlain = !added.ok || added.value.isPlain;
      if (!isPlain || index % PLAIN_TXS_PER_PAUSE === PLAIN_TXS_PER_PAUSE - 1) await source.pause?.();
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
    const run = new BlockRun(this.#services, parent, {
      height: view.height === 0 ? initialHeight : view.height + 1,
      // Block time never falls (BFT time), whatever this machine's clock says.
      time: { seconds: Math.max(seconds, head.header.timestamp), nanos: 0 },
      proposerAddress: coinbase,
      nextValidatorsHash: NO_HASH,
      lastCommit: { round: 0, votes: [] },
      misbehavior: [],
    });
    return { head, seconds, run, txs: [], made: undefined };
  }

  #show({ ethBlock, sealed }: SealedBlock): PendingBlock {
    const over = new MemoryKv();
    over.apply(sealed.ops);
    const reader = { get: (key: Uint8Array) => over.get(key) ?? this.#reader.get(key) };
    const db = new StateDb(reader, this.#services.suite.keccak256, DRAFT_CACHES);
    const { header } = ethBlock;
    return {
      block: ethBlock,
      view: new PendingView(WorldState.open(db, sealed), header),
      nextBaseFee: nextBaseFee(header, this.#services.feeMarket),
    };
  }
}
