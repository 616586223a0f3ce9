import type { Bytes } from '../lib/bytes.ts';
import { kept } from '../lib/storageFault.ts';
import type { ChainReads } from '../store/chainReads.ts';
import * as keys from '../store/keys.ts';
import type { FinalizeReply } from '../types/app.ts';
import type { Block, BlockMeta, Commit } from '../types/block.ts';
import type { ForkName } from '../types/fork.ts';
import type { Hash, Height } from '../types/ids.ts';
import type { ConsensusParams } from '../types/params.ts';
import type { TxResult } from '../types/result.ts';
import type { ValidatorSet } from '../types/validator.ts';
import type { ChainServices } from './blockRun.ts';
import type { ChainReader, EthBlock, TxLocation, View } from './chain.ts';
import type { ChainHead } from './chainHead.ts';
import { atLeast, nextBaseFee } from './feemarket/baseFee.ts';

/** The chain up to the head's view. Later data stays hidden even if the store already has it. */
export class AppReader implements ChainReader {
  readonly chainId: string;
  readonly evmChainId: bigint;
  readonly fork: ForkName;
  readonly hrp: string;
  readonly denom: string;
  readonly #reads: ChainReads;
  readonly #head: ChainHead;
  readonly #services: ChainServices;

  constructor(chainId: string, reads: ChainReads, head: ChainHead, services: ChainServices) {
    this.chainId = chainId;
    this.evmChainId = services.rules.evmChainId;
    this.fork = services.rules.fork.name;
    this.hrp = services.hrp;
    this.denom = services.denom;
    this.#reads = reads;
    this.#head = head;
    this.#services = services;
  }

  head(): Height {
    return this.#head.view.height;
  }

  base(): Height {
    return this.#reads.base();
  }

  genesisNumber(): number {
    return this.#head.initialHeight - 1;
  }

  latest(): View {
    return this.#head.view;
  }

  view(height: Height): View | undefined {
    return this.#head.viewAt(height);
  }

  ethBlock(height: Height): EthBlock | undefined {
    return this.#head.ethBlock(height);
  }

  heightOfEthHash(hash: Hash): Height | undefined {
    return this.#readable(this.#reads.heightOfEthHash(hash));
  }

  heightOfBlockHash(hash: Hash): Height | undefined {
    return this.#readable(this.#reads.heightOfBlockHash(hash));
  }

  ethTxLocation(ethHash: Hash): TxLocation | undefined {
    const location = this.#reads.ethTxLocation(ethHash);
    return this.#isReadable(location?.height) ? location : undefined;
  }

  txLocation(hash: Hash): TxLocation | undefined {
    const location = this.#reads.txLocation(hash);
    return this.#isReadable(location?.height) ? location : undefined;
  }

  block(height: Height): Block | undefined {
    return this.#kept(height, (at) => this.#reads.loadBlock(at), 'a kept block', keys.metaKey);
  }

  blockMeta(height: Height): BlockMeta | undefined {
    return this.#kept(height, (at) => this.#reads.loadMeta(at), 'the meta of a kept block', keys.metaKey);
  }

  commit(height: Height): Commit | undefined {
    return height < this.head() ? this.#reads.loadCommit(height) : undefined;
  }

  seenCommit(height: Height): Commit | undefined {
    return this.#isReadable(height) ? this.#reads.loadSeenCommit(height) : undefined;
  }

  validators(height: Height): ValidatorSet | undefined {
    return this.#reads.loadValidators(height);
  }

  params(height: Height): ConsensusParams | undefined {
    return this.#reads.loadParams(height);
  }

  results(height: Height): FinalizeReply | undefined {
    return this.#kept(
      height,
      (at) => this.#reads.loadResults(at),
      'the results of a kept block',
      keys.resultsKey,
    );
  }

  txResult(location: TxLocation): TxResult | undefined {
    return this.results(location.height)?.txResults[location.index];
  }

  nextBaseFee(): bigint {
    return nextBaseFee(this.#head.latestEthBlock.header, this.#services.feeMarket);
  }

  leastGasPrice(): bigint {
    return atLeast(this.nextBaseFee(), this.#services.feeMarket.minGasPrice);
  }

  gasLimit(): bigint {
    return this.#services.rules.blockGasLimit;
  }

  /** @throws StorageFault if the store lacks what it must have. */
  #kept<T>(
    height: Height,
    load: (height: Height) => T | undefined,
    what: string,
    key: (height: Height) => Bytes,
  ): T | undefined {
    return this.#isReadable(height) && this.#reads.keeps(height)
      ? kept(load(height), what, key(height))
      : undefined;
  }

  #isReadable(height: Height | undefined): height is Height {
    return height !== undefined && height <= this.head();
  }

  #readable(height: Height | undefined): Height | undefined {
    return this.#isReadable(height) ? height : undefined;
  }
}
