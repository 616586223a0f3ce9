import { present } from '../../lib/assert.ts';
import type { StateDb, StateReader } from '../../state/stateDb.ts';
import { WorldState } from '../../state/worldState.ts';
import type { ChainReads } from '../../store/chainReads.ts';
import type { Height } from '../../types/ids.ts';
import { BlockRun, type ChainServices } from '../blockRun.ts';
import type {
  BlockOverrides,
  CallArgs,
  CallOptions,
  CallOutcome,
  EthHeader,
  EvmService,
  PendingBlock,
  PendingSource,
  Simulation,
  SimulationOptions,
  View,
  Watch,
} from '../chain.ts';
import type { ChainHead } from '../chainHead.ts';
import { CallRun } from './callRun.ts';
import type { BlockEnv } from './engine.ts';
import { estimate, type GasProbe, type Probed } from './estimate.ts';
import { PendingBlocks, PendingView } from './pendingBlock.ts';
import { EvmSimulation } from './simulation.ts';
import { REVERTED } from './vmError.ts';

const outcomeOf = ({ result, gasUsed }: Extract<Probed, { kind: 'ran' }>): CallOutcome => {
  if (result.vmError === undefined) return { kind: 'returned', data: result.returnValue, gasUsed };
  if (result.vmError === REVERTED) return { kind: 'reverted', data: result.returnValue, gasUsed };
  return { kind: 'failed', message: result.vmError, gasUsed };
};

/** The block of the view, with what the caller pretends of it. */
function envOf(header: EthHeader, pretended: BlockOverrides | undefined): Omit<BlockEnv, 'blockHash'> {
  return {
    number: Number(pretended?.number ?? header.number),
    coinbase: pretended?.feeRecipient ?? header.coinbase,
    timestamp: Number(pretended?.time ?? header.timestamp),
    prevRandao: pretended?.prevRandao ?? header.mixHash,
    gasLimit: pretended?.gasLimit ?? header.gasLimit,
    baseFee: pretended?.baseFeePerGas ?? header.baseFeePerGas,
    blobBaseFee: pretended?.blobBaseFee,
  };
}

const NO_OPTIONS: CallOptions = {};

/** eth_call and eth_estimateGas. Reads run beside block execution on engines of their own. */
export class EvmCalls implements EvmService {
  readonly #services: ChainServices;
  readonly #head: ChainHead;
  readonly #db: StateDb;
  readonly #reads: ChainReads;
  readonly #pending: PendingBlocks;

  constructor(parts: {
    readonly services: ChainServices;
    readonly head: ChainHead;
    readonly db: StateDb;
    readonly reads: ChainReads;
    readonly reader: StateReader;
  }) {
    this.#services = parts.services;
    this.#head = parts.head;
    this.#db = parts.db;
    this.#reads = parts.reads;
    this.#pending = new PendingBlocks(parts.services, parts.head, parts.reader);
  }

  pending(source: () => PendingSource): Promise<PendingBlock> {
    return this.#pending.get(source);
  }

  /** The block that a view is the state of, and that state. */
  #at(view: View): { readonly header: EthHeader; readonly world: WorldState } {
    if (view instanceof PendingView) return view;
    const { header } = present(this.#head.ethBlock(view.height), 'a view has an Ethereum block');
    return { header, world: WorldState.open(this.#db, view) };
  }

  #run(view: View, args: CallArgs, options: CallOptions): CallRun {
    const { header, world } = this.#at(view);
    const env: BlockEnv = {
      ...envOf(header, options.block),
      blockHash: (number) => this.#head.ethHashOf(number),
    };
    return new CallRun(this.#services, env, world, args, options);
  }

  simulate(view: View, options: SimulationOptions): Simulation {
    const chainHash = (number: number) => this.#head.ethHashOf(number);
    return new EvmSimulation(this.#services, this.#at(view), chainHash, options);
  }

  isPrecompile(addressHex: string): boolean {
    return this.#services.execution.engines.isPrecompile(addressHex);
  }

  async replay(height: Height, watch: Watch, ethCount = Number.MAX_SAFE_INTEGER): Promise<boolean> {
    const parentHeight = height === this.#head.initialHeight ? 0 : height - 1;
    const block = height > this.#head.view.height ? undefined : this.#reads.loadBlock(height);
    const parent = this.#head.ethBlock(parentHeight);
    const view = this.#head.viewAt(parentHeight);
    if (block === undefined || parent === undefined || view === undefined) return false;
    const { time, proposerAddress, nextValidatorsHash } = block.header;
    const lastCommit = { round: 0, votes: [] };
    const run = new BlockRun(
      this.#services,
      {
        world: view.world,
        ethHash: parent.hash,
        ethHeader: parent.header,
        blockHash: (number) => this.#head.ethHashOf(number),
      },
      { height, time, proposerAddress, nextValidatorsHash, lastCommit, misbehavior: [] },
    );
    for (const tx of block.txs) {
      if (run.ethTxCount >= ethCount) break;
      await run.addDecided(tx, watch);
    }
    return true;
  }

  async call(view: View, args: CallArgs, options: CallOptions = NO_OPTIONS): Promise<CallOutcome> {
    const gas = args.gas ?? this.#services.rules.blockGasLimit;
    const probed = await this.#run(view, args, options).run(gas);
    if (probed.kind === 'ran') return outcomeOf(probed);
    return { kind: 'refused', message: `err: ${probed.message} (supplied gas ${gas})` };
  }

  async estimateGas(view: View, args: CallArgs, gasCap: bigint, options: CallOptions = NO_OPTIONS) {
    const run = this.#run(view, args, options);
    const { rules } = this.#services;
    const probe: GasProbe = {
      run: (gas) => run.run(gas),
      isTransfer: () => run.isTransfer(),
      balance: run.balance(),
      feeCap: run.feeCap,
      value: args.value,
    };
    const found = await estimate(probe, {
      asked: args.gas,
      blockGasLimit: rules.blockGasLimit,
      gasCap,
      rules: rules.fork,
    });
    if (found.kind !== 'failed') return found;
    const outcome = outcomeOf(found.probed);
    return outcome.kind === 'returned' ? { kind: 'gas' as const, gas: outcome.gasUsed } : outcome;
  }
}
