import type { ChainReader, EthBlock, TxLocation, View } from '../../core/app/chain.ts';
import { type Bytes, EMPTY, equalBytes } from '../../core/lib/bytes.ts';
import * as keys from '../../core/store/keys.ts';
import type { FinalizeReply } from '../../core/types/app.ts';
import type { Block, BlockMeta, Commit } from '../../core/types/block.ts';
import type { ForkName } from '../../core/types/fork.ts';
import type { Hash, Height } from '../../core/types/ids.ts';
import type { ConsensusParams } from '../../core/types/params.ts';
import type { TxResult } from '../../core/types/result.ts';
import type { ValidatorSet } from '../../core/types/validator.ts';
import type { KvDisk } from '../disk/kvDisk.ts';
import type { Process } from '../machine/process.ts';
import type { Reruns } from '../reference/reruns.ts';
import type { Scenario } from '../scenario/scenario.ts';

/** Limits of heights and transactions kept: a long, busy chain would fill the memory. */
const HEIGHTS_MAX = 4_096;
const TXS_MAX = 30_000;

/** A value that was read, the records that it came from, and the disks known to hold the same records. */
interface Known<T> {
  readonly value: T;
  readonly records: readonly (readonly [key: Bytes, record: Bytes])[];
  readonly holders: Set<KvDisk>;
}

/** Blocks read from nodes with a common past. */
class Shelf {
  readonly metas = new Map<Height, Known<BlockMeta>>();
  readonly blocks = new Map<Height, Known<Block>>();
  readonly commits = new Map<Height, Known<Commit>>();
  readonly results = new Map<Height, Known<FinalizeReply>>();
  readonly ethBlocks = new Map<Height, Known<EthBlock>>();
  txsLeft = TXS_MAX;
}

/** Whether the node was there from the start and never restarted. Other nodes got their chain in other ways. */
export const isSteady = ({ timeline }: Scenario, { name, lives }: Process): boolean =>
  lives === 1 && !timeline.some(({ action }) => action.kind === 'addNode' && action.name === name);

/**
 * Chains of nodes after a run, when nothing changes any more. Each block is read once a node, not once a checker, and
 * once for all nodes with a common past that store the same bytes.
 */
export class Past {
  readonly #scenario: Scenario;
  readonly reruns: Reruns;
  readonly #steady = new Shelf();
  readonly #readers = new Map<Process, { readonly chain: ChainReader; readonly past: PastChain }>();

  constructor(scenario: Scenario, reruns: Reruns) {
    this.#scenario = scenario;
    this.reruns = reruns;
  }

  /** A drive that may return stale data must be read each time. */
  of(node: Process, chain: ChainReader): ChainReader {
    if (node.disk.kv.isStale) return chain;
    const known = this.#readers.get(node);
    if (known?.chain === chain) return known.past;
    const shelf = isSteady(this.#scenario, node) ? this.#steady : new Shelf();
    const past = new PastChain(chain, node.disk.kv, shelf);
    this.#readers.set(node, { chain, past });
    return past;
  }
}

class PastChain implements ChainReader {
  readonly chainId: string;
  readonly evmChainId: bigint;
  readonly fork: ForkName;
  readonly hrp: string;
  readonly denom: string;
  readonly #chain: ChainReader;
  readonly #disk: KvDisk;
  readonly #shelf: Shelf;

  constructor(chain: ChainReader, disk: KvDisk, shelf: Shelf) {
    this.chainId = chain.chainId;
    this.evmChainId = chain.evmChainId;
    this.fork = chain.fork;
    this.hrp = chain.hrp;
    this.denom = chain.denom;
    this.#chain = chain;
    this.#disk = disk;
    this.#shelf = shelf;
  }

  block(height: Height): Block | undefined {
    const read = () => this.#chain.block(height);
    return this.#known(this.#shelf.blocks, height, read, ({ txs }) => {
      const { total } = this.blockMeta(height)?.blockId.parts ?? { total: 0 };
      this.#shelf.txsLeft -= txs.length;
      return [keys.metaKey(height), ...Array.from({ length: total }, (_, i) => keys.partKey(height, i))];
    });
  }

  blockMeta(height: Height): BlockMeta | undefined {
    const read = () => this.#chain.blockMeta(height);
    return this.#known(this.#shelf.metas, height, read, () => [keys.metaKey(height)]);
  }

  /** Undefined for the head: the next block will carry that commit. */
  commit(height: Height): Commit | undefined {
    if (height >= this.head()) return undefined;
    const read = () => this.#chain.commit(height);
    return this.#known(this.#shelf.commits, height, read, () => [keys.commitKey(height)]);
  }

  results(height: Height): FinalizeReply | undefined {
    const read = () => this.#chain.results(height);
    return this.#known(this.#shelf.results, height, read, ({ txResults }) => {
      this.#shelf.txsLeft -= txResults.length;
      return [keys.resultsKey(height)];
    });
  }

  ethBlock(height: Height): EthBlock | undefined {
    const read = () => this.#chain.ethBlock(height);
    return this.#known(this.#shelf.ethBlocks, height, read, ({ transactions }) => {
      this.#shelf.txsLeft -= transactions.length;
      return [keys.ethRecordKey(height)];
    });
  }

  #known<T>(
    shelf: Map<Height, Known<T>>,
    height: Height,
    read: () => T | undefined,
    keysOf: (value: T) => readonly Bytes[],
  ): T | undefined {
    if (height < this.base() || height > this.head()) return read();
    const known = shelf.get(height);
    if (known !== undefined && this.#holds(known)) return known.value;
    const value = read();
    if (value === undefined || known !== undefined) return value;
    if (shelf.size >= HEIGHTS_MAX || this.#shelf.txsLeft <= 0) return value;
    const records: (readonly [Bytes, Bytes])[] = [];
    for (const key of keysOf(value)) {
      const record = this.#disk.get(key);
      if (record === undefined) return value;
      records.push([key, record]);
    }
    shelf.set(height, { value, records, holders: new Set([this.#disk]) });
    return value;
  }

  #holds({ records, holders }: Known<unknown>): boolean {
    if (holders.has(this.#disk)) return true;
    const isSame = records.every(([key, record]) => equalBytes(this.#disk.get(key) ?? EMPTY, record));
    if (isSame) holders.add(this.#disk);
    return isSame;
  }

  head(): Height {
    return this.#chain.head();
  }

  base(): Height {
    return this.#chain.base();
  }

  genesisNumber(): number {
    return this.#chain.genesisNumber();
  }

  latest(): View {
    return this.#chain.latest();
  }

  view(height: Height): View | undefined {
    return this.#chain.view(height);
  }

  heightOfEthHash(hash: Hash): Height | undefined {
    return this.#chain.heightOfEthHash(hash);
  }

  heightOfBlockHash(hash: Hash): Height | undefined {
    return this.#chain.heightOfBlockHash(hash);
  }

  ethTxLocation(hash: Hash): TxLocation | undefined {
    return this.#chain.ethTxLocation(hash);
  }

  txLocation(hash: Hash): TxLocation | undefined {
    return this.#chain.txLocation(hash);
  }

  seenCommit(height: Height): Commit | undefined {
    return this.#chain.seenCommit(height);
  }

  validators(height: Height): ValidatorSet | undefined {
    return this.#chain.validators(height);
  }

  params(height: Height): ConsensusParams | undefined {
    return this.#chain.params(height);
  }

  txResult({ height, index }: TxLocation): TxResult | undefined {
    return this.results(height)?.txResults[index];
  }

  nextBaseFee(): bigint {
    return this.#chain.nextBaseFee();
  }

  leastGasPrice(): bigint {
    return this.#chain.leastGasPrice();
  }

  gasLimit(): bigint {
    return this.#chain.gasLimit();
  }
}
