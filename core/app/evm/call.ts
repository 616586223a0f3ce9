import { present } from '../../lib/assert.ts';
import type { Bytes } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { StateDb, StateReader } from '../../state/stateDb.ts';
import { WorldState } from '../../state/worldState.ts';
import type { ChainReads } from '../../store/chainReads.ts';
import type { Guard } from '../../types/app.ts';
import type { Hash, Height } from '../../types/ids.ts';
import { BlockRun, type ChainServices, type ParentState } from '../blockRun.ts';
import type { BlockOverrides, CallArgs, CallOptions, CallOutcome, EthHeader, View, Watch } from '../chain.ts';
import type { ChainHead } from '../chainHead.ts';
import { renderError } from '../errors.ts';
import type {
  EvmService,
  PendingBlock,
  PendingSource,
  Simulation,
  SimulationOptions,
} from '../evmService.ts';
import { ExecutionAborted, type GuardFactory } from '../guard.ts';
import { CallRun } from './callRun.ts';
import { DraftView } from './draftView.ts';
import type { BlockEnv } from './engine.ts';
import { estimate, type GasProbe, type Probed } from './estimate.ts';
import { HeldRun, PassedGuard } from './heldRun.ts';
import { MAX_SAFE } from './numbers.ts';
import { contextOf, PendingBlocks } from './pendingBlock.ts';
import { EvmSimulation } from './simulation.ts';
import { REVERTED } from './vmError.ts';

const outcomeOf = ({ result, gasUsed }: Extract<Probed, { kind: 'ran' }>): CallOutcome => {
  if (result.vmError === undefined) return { kind: 'returned', data: result.returnValue, gasUsed };
  if (result.vmError === REVERTED) return { kind: 'reverted', data: result.returnValue, gasUsed };
  return { kind: 'failed', message: result.vmError, gasUsed };
};

/** Block number and time, where they exceed what a `number` holds exactly. */
function beyondNumbers(pretended: BlockOverrides | undefined): NonNullable<BlockEnv['beyond']> {
  const { number = 0n, time = 0n } = pretended ?? {};
  return { ...(number > MAX_SAFE ? { number } : {}), ...(time > MAX_SAFE ? { timestamp: time } : {}) };
}

/** The view's block with the caller's overrides. */
function envOf(header: EthHeader, pretended: BlockOverrides | undefined): Omit<BlockEnv, 'blockHash'> {
  return {
    number: Number(pretended?.number ?? header.number),
    coinbase: pretended?.feeRecipient ?? header.coinbase,
    timestamp: Number(pretended?.time ?? header.timestamp),
    prevRandao: pretended?.prevRandao ?? header.mixHash,
    gasLimit: pretended?.gasLimit ?? header.gasLimit,
    baseFee: pretended?.baseFeePerGas ?? header.baseFeePerGas,
    blobBaseFee: pretended?.blobBaseFee,
    beyond: beyondNumbers(pretended),
  };
}

const NO_OPTIONS: CallOptions = {};

interface Aborted {
  readonly kind: 'aborted';
  readonly message: string;
}

const abortedOutcome = ({ message }: Aborted) =>
  ({ kind: 'refused', message, reason: message, isTimeout: true }) as const;

/** A timeout yields a refusal. With a trace it throws, or a partial trace would be taken for a complete one. */
async function givenUp<T>(running: Promise<T>, { trace }: CallOptions): Promise<T | Aborted> {
  try {
    return await running;
  } catch (error) {
    if (trace !== undefined || !(error instanceof ExecutionAborted)) throw error;
    return { kind: 'aborted', message: error.message };
  }
}

/** Calls, estimates, traces, pending blocks and simulations, on engines of their own beside block execution. */
export class EvmCalls implements EvmService {
  readonly #services: ChainServices;
  readonly #head: ChainHead;
  readonly #db: StateDb;
  readonly #reads: ChainReads;
  readonly #reader: StateReader;
  readonly #pending: PendingBlocks;
  readonly #guard: GuardFactory | undefined;
  /**
   * The run of the last single-transaction trace. A trace takes it out while it runs, so no other request can use it.
   */
  #held: HeldRun | undefined;

  constructor(parts: {
    readonly services: ChainServices;
    readonly head: ChainHead;
    readonly db: StateDb;
    readonly reads: ChainReads;
    readonly reader: StateReader;
    /** Limits the time of each request; without it there is no limit. */
    readonly guard?: GuardFactory | undefined;
  }) {
    this.#services = parts.services;
    this.#head = parts.head;
    this.#db = parts.db;
    this.#reads = parts.reads;
    this.#reader = parts.reader;
    this.#guard = parts.guard;
    this.#pending = new PendingBlocks(parts.services, parts.head, parts.reader);
  }

  pending(source: () => PendingSource): Promise<PendingBlock> {
    return this.#pending.get(source);
  }

  /** The block whose state the view is, and that state. */
  #at(view: View): { readonly header: EthHeader; readonly world: WorldState } {
    if (view instanceof DraftView) return view;
    const { header } = present(this.#head.ethBlock(view.height), 'a view has an Ethereum block');
    return { header, world: WorldState.open(this.#db, view) };
  }

  #run(view: View, args: CallArgs, options: CallOptions): CallRun {
    const { header, world } = this.#at(view);
    const env: BlockEnv = {
      ...envOf(header, options.block),
      blockHash: (number) => this.#head.ethHashOf(number),
    };
    return new CallRun(this.#services, env, world, args, options, options.guard ?? this.#guard?.());
  }

  simulate(view: View, options: SimulationOptions): Simulation {
    const chainHash = (number: number) => this.#head.ethHashOf(number);
    return new EvmSimulation(this.#guarded(), this.#at(view), chainHash, options);
  }

  /** The services for one request, with its own guard. */
  #guarded(guard = this.#guard?.()): ChainServices {
    if (guard === undefined) return this.#services;
    return { ...this.#services, execution: { ...this.#services.execution, guard } };
  }

  guard(): Guard | undefined {
    return this.#guard?.();
  }

  isPrecompile(addressHex: string): boolean {
    return this.#services.execution.engines.isPrecompile(addressHex);
  }

  /** The parent that a block of that height runs on; undefined when the parent's state is not kept. */
  #parentOf(height: Height): ParentState | undefined {
    const parentHeight = height === this.#head.initialHeight ? 0 : height - 1;
    const parent = this.#head.ethBlock(parentHeight);
    const view = this.#head.viewAt(parentHeight);
    if (parent === undefined || view === undefined) return undefined;
    return {
      world: view.world,
      ethHash: parent.hash,
      ethHeader: parent.header,
      blockHash: (number) => this.#head.ethHashOf(number),
    };
  }

  /** A committed block, ready to run again from before its first transaction. */
  #again(
    height: Height,
    services = this.#guarded(),
  ): { readonly run: BlockRun; readonly txs: readonly Bytes[] } | undefined {
    const block = height > this.#head.view.height ? undefined : this.#reads.loadBlock(height);
    const parent = this.#parentOf(height);
    if (block === undefined || parent === undefined) return undefined;
    const { time, proposerAddress, nextValidatorsHash } = block.header;
    const lastCommit = { round: 0, votes: [] };
    const context = { height, time, proposerAddress, nextValidatorsHash, lastCommit, misbehavior: [] };
    return { run: new BlockRun(services, parent, context), txs: block.txs };
  }

  async replay(height: Height, watch: Watch, ethCount = Number.MAX_SAFE_INTEGER): Promise<boolean> {
    const again = this.#again(height);
    for (const tx of again?.txs ?? []) {
      if ((again?.run.ethTxCount ?? 0) >= ethCount) break;
      await again?.run.addDecided(tx, watch);
    }
    return again !== undefined;
  }

  async replayOne(height: Height, ethIndex: number, watch: Watch): Promise<boolean> {
    const guard = this.#guard?.();
    const held = this.#heldFor(height, ethIndex) ?? this.#newlyHeld(height, guard && new PassedGuard(guard));
    if (held === undefined) return false;
    if (held.guard !== undefined && guard !== undefined) held.guard.now = guard;
    await held.runThrough(ethIndex, watch);
    this.#held = held;
    return true;
  }

  #heldFor(height: Height, ethIndex: number): HeldRun | undefined {
    const held = this.#held;
    this.#held = undefined;
    const isKept = height <= this.#head.view.height && this.#reads.keeps(height);
    if (held?.height !== height || !held.reaches(ethIndex) || !isKept) return undefined;
    return this.#parentOf(height) === undefined ? undefined : held;
  }

  #newlyHeld(height: Height, guard: PassedGuard | undefined): HeldRun | undefined {
    const again = this.#again(height, this.#guarded(guard));
    return again && new HeldRun(height, again.run, again.txs, guard);
  }

  async stateWithin(height: Height, ethIndex: number): Promise<View | undefined> {
    const again = this.#again(height);
    if (again === undefined) return undefined;
    for (const tx of again.txs.slice(0, this.#placeOf(height, ethIndex))) await again.run.addDecided(tx);
    const { sealed, ethBlock } = again.run.preview();
    return DraftView.over(this.#reader, sealed, ethBlock.header, this.#services.suite);
  }

  /**
   * How many transactions of either kind precede an Ethereum transaction in its block; undefined if it does not exist.
   */
  #placeOf(height: Height, ethIndex: number): number | undefined {
    const tx = this.#head.ethBlock(height)?.transactions[ethIndex];
    return tx && this.#reads.ethTxLocation(tx.hash)?.index;
  }

  async rootsWithin(height: Height): Promise<readonly Hash[] | undefined> {
    const guard = this.#guard?.();
    const again = this.#again(height, this.#guarded(guard));
    if (again === undefined) return undefined;
    const roots: Hash[] = [];
    for (const tx of again.txs) {
      const before = again.run.ethTxCount;
      await again.run.addDecided(tx);
      if (again.run.ethTxCount > before) roots.push(again.run.nextRoot());
      await guard?.look();
    }
    return roots;
  }

  async runOn(parentHeight: Height, source: PendingSource, watch: Watch): Promise<Result<void, string>> {
    const height = parentHeight === 0 ? this.#head.initialHeight : parentHeight + 1;
    const parent = this.#parentOf(height);
    if (parent === undefined) return err('state of the parent block is not available');
    const run = new BlockRun(this.#guarded(), parent, contextOf(height, source));
    for (const tx of source.txs) {
      const added = await run.add(tx, watch);
      if (!added.ok) return err(renderError(added.error).ethMessage);
      await source.pause?.();
    }
    return ok(undefined);
  }

  async call(view: View, args: CallArgs, options: CallOptions = NO_OPTIONS): Promise<CallOutcome> {
    const gas = args.gas ?? this.#services.rules.blockGasLimit;
    const probed = await givenUp(this.#run(view, args, options).run(gas), options);
    if (probed.kind === 'aborted') return abortedOutcome(probed);
    if (probed.kind === 'ran') return outcomeOf(probed);
    const reason = probed.message;
    return { kind: 'refused', reason, message: `err: ${reason} (supplied gas ${gas})` };
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
    const found = await givenUp(
      estimate(probe, {
        asked: args.gas,
        blockGasLimit: rules.blockGasLimit,
        gasCap,
        rules: rules.fork,
      }),
      options,
    );
    if (found.kind === 'aborted') return abortedOutcome(found);
    if (found.kind === 'refused') return { ...found, reason: found.message };
    if (found.kind === 'gas') return found;
    const outcome = outcomeOf(found.probed);
    return outcome.kind === 'returned' ? { kind: 'gas' as const, gas: outcome.gasUsed } : outcome;
  }
}
