import { entryBytes } from '../codec/writer.ts';
import { assert, present } from '../lib/assert.ts';
import { type Bytes, EMPTY, equalBytes, toHex } from '../lib/bytes.ts';
import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import { type AccountState, EMPTY_CODE_HASH } from '../state/account.ts';
import type { StateDb } from '../state/stateDb.ts';
import { WorldState } from '../state/worldState.ts';
import type { BlockStore } from '../store/blockStore.ts';
import type {
  AppAsk,
  Application,
  BlockContext,
  CheckReply,
  CommitReply,
  FinalizeReply,
  Pause,
} from '../types/app.ts';
import type { Hash, Height } from '../types/ids.ts';
import type { KvOp } from '../types/kvOp.ts';
import { sameMisbehavior } from '../types/misbehavior.ts';
import type { TxResult } from '../types/result.ts';
import { AppView } from './appView.ts';
import { BlockRun, type ChainServices, type SealedBlock } from './blockRun.ts';
import type { ChainHead } from './chainHead.ts';
import { checkCosmosTx } from './cosmos/checkCosmosTx.ts';
import type { DecodedCosmosTx } from './cosmos/decodeCosmosTx.ts';
import { cosmosLane } from './cosmos/lane.ts';
import { simulateCosmosTx } from './cosmos/simulate.ts';
import { type AdmissionError, renderError } from './errors.ts';
import { checkForPool, checkStatic, txCost } from './evm/admission.ts';
import { encodeEthBlock } from './evm/blockCodec.ts';
import { TX_GAS } from './evm/intrinsicGas.ts';
import { nextBaseFee } from './feemarket/baseFee.ts';
import type { DecodedEthTx } from './tx/decodeTx.ts';

type Ask<K extends AppAsk['kind']> = Extract<AppAsk, { kind: K }>;

/** Keeps runs of candidate blocks for the next height: our own proposals, and blocks validated in any round. */
const RUNS_KEPT_MAX = 4;

/** An indexer's writes for the batch that commits the height. */
export type IndexOps = (height: Height, results: FinalizeReply) => readonly KvOp[];

interface KeptRun {
  readonly context: BlockContext;
  readonly txs: readonly Bytes[];
  readonly run: BlockRun;
}

interface Staged {
  readonly hash: Hash;
  readonly height: number;
  readonly block: SealedBlock;
  readonly run: BlockRun;
}

const sameTxs = (a: readonly Bytes[], b: readonly Bytes[]): boolean =>
  a.length === b.length && a.every((tx, i) => equalBytes(tx, b[i] as Bytes));

/** Compares only the fields that execution reads. */
const sameContext = (a: BlockContext, b: BlockContext): boolean =>
  a.height === b.height &&
  a.time.seconds === b.time.seconds &&
  equalBytes(a.proposerAddress, b.proposerAddress) &&
  sameMisbehavior(a.misbehavior, b.misbehavior);

/** The chain's application: Ethereum and Cosmos transactions on authenticated state, one block at a time. */
export class EvmApplication implements Application {
  readonly #services: ChainServices;
  readonly #store: BlockStore;
  readonly #db: StateDb;
  readonly #head: ChainHead;
  readonly #pause: Pause;
  readonly #indexOps: IndexOps | undefined;
  readonly #runsMax: number;
  #runs: KeptRun[] = [];
  #staged: Staged | undefined;

  constructor(parts: {
    readonly services: ChainServices;
    readonly store: BlockStore;
    readonly db: StateDb;
    readonly head: ChainHead;
    readonly pause: Pause;
    readonly indexOps?: IndexOps | undefined;
    readonly sizes?: Sizes | undefined;
  }) {
    this.#services = parts.services;
    this.#store = parts.store;
    this.#db = parts.db;
    this.#head = parts.head;
    this.#pause = parts.pause;
    this.#indexOps = parts.indexOps;
    this.#runsMax = (parts.sizes ?? USUAL_SIZES).kept(RUNS_KEPT_MAX);
  }

  async checkTx(tx: Bytes, _recheck: boolean): Promise<CheckReply> {
    const decoded = this.#services.decoder.decode(tx);
    if (!decoded.ok) return rejected(decoded.error, 0n);
    return decoded.value.kind === 'cosmos'
      ? this.#checkCosmos(decoded.value)
      : this.#checkEthereum(decoded.value);
  }

  /** What a Cosmos transaction would do on the latest state. A refused transaction yields a failed result. */
  simulate(tx: Bytes): TxResult {
    const simulated = simulateCosmosTx(this.#services, this.#head.view.world, tx);
    if (simulated.ok) return simulated.value;
    const { code, codespace, log } = renderError(simulated.error);
    return { code, codespace, log, data: EMPTY, info: '', gasWanted: 0n, gasUsed: 0n, events: [] };
  }

  #checkCosmos(tx: DecodedCosmosTx): CheckReply {
    const { cosmos, texts, feeMarket } = this.#services;
    const { view, latestEthBlock } = this.#head;
    const account = view.account(tx.signer);
    const signer = {
      nonce: account?.nonce ?? 0n,
      balance: account?.balance ?? 0n,
      auth: view.auth(tx.signer),
    };
    const refused = checkCosmosTx(tx, signer, cosmos, {
      // Not `view.height + 1`: genesis has view height 0, whatever its Ethereum block number.
      height: latestEthBlock.header.number + 1,
      baseFee: nextBaseFee(latestEthBlock.header, feeMarket),
      gasLeft: cosmos.blockGasLimit,
      isPool: true,
      text: (address) => texts.bech32(address),
    });
    if (refused !== undefined) return rejected(refused, tx.gasLimit);
    return {
      kind: 'accepted',
      lane: { ...cosmosLane(tx, signer, cosmos.denom), isDelegated: hasCode(account) },
      gasWanted: tx.gasLimit,
      events: [],
    };
  }

  #checkEthereum({ tx }: DecodedEthTx): CheckReply {
    const view = this.#head.view;
    const account = view.account(tx.from);
    const sender = {
      nonce: account?.nonce ?? 0n,
      balance: account?.balance ?? 0n,
      codeHash: account?.codeHash ?? EMPTY_CODE_HASH,
      code: () => view.code(tx.from),
    };
    const refused = checkStatic(tx, this.#services.rules) ?? checkForPool(tx, sender);
    if (refused !== undefined) return rejected(refused, tx.gasLimit);
    const lane = {
      sender: toHex(tx.from),
      nonce: tx.nonce,
      stateNonce: sender.nonce,
      balance: sender.balance,
      cost: txCost(tx),
      gas: tx.gasLimit,
      feeCap: tx.maxFeePerGas,
      tipCap: tx.maxPriorityFeePerGas,
      isDelegated: hasCode(account),
      ethHash: tx.hash,
    };
    return { kind: 'accepted', lane, gasWanted: tx.gasLimit, events: [] };
  }

  #newRun(context: BlockContext): BlockRun {
    const { view, latestEthBlock } = this.#head;
    assert(view.height === 0 || context.height === view.height + 1, 'a block is run on its parent');
    const parent = {
      world: view.world,
      ethHash: latestEthBlock.hash,
      ethHeader: latestEthBlock.header,
      blockHash: (number: number) => this.#head.ethHashOf(number),
    };
    return new BlockRun(this.#services, parent, context);
  }

  #keep(context: BlockContext, txs: readonly Bytes[], run: BlockRun): void {
    this.#runs = [{ context, txs, run }, ...this.#runs].slice(0, this.#runsMax);
  }

  #keptRun(context: BlockContext, txs: readonly Bytes[]): BlockRun | undefined {
    return this.#runs.find((kept) => sameContext(kept.context, context) && sameTxs(kept.txs, txs))?.run;
  }

  /** Selects the transactions that execute in the given order and fit. The others are left for later blocks. */
  async propose(ask: Ask<'propose'>): Promise<readonly Bytes[]> {
    // False times in precommits can lead to a time that no block may carry, and the EVM knows no seconds below zero.
    if (ask.context.time.seconds < 0) return [];
    const run = this.#newRun(ask.context);
    const included: Bytes[] = [];
    let bytesLeft = ask.maxBytes;
    for (const tx of ask.txs) {
      const size = entryBytes(tx.length);
      if (size > bytesLeft) continue;
      if (run.gasLeft < TX_GAS) break;
      const added = await run.add(tx);
      if (!added.ok) continue;
      included.push(tx);
      bytesLeft -= size;
      await this.#pause();
    }
    this.#keep(ask.context, included, run);
    return included;
  }

  /** Rejects a block exactly when execution would refuse one of its transactions. */
  async validate(ask: Ask<'validate'>): Promise<{ readonly accept: boolean; readonly reason: string }> {
    if (this.#keptRun(ask.context, ask.txs)?.hasRefusals === false) return { accept: true, reason: '' };
    const run = this.#newRun(ask.context);
    for (const [index, tx] of ask.txs.entries()) {
      const added = await run.add(tx);
      if (!added.ok) return { accept: false, reason: `tx ${index}: ${renderError(added.error).log}` };
      await this.#pause();
    }
    this.#keep(ask.context, ask.txs, run);
    return { accept: true, reason: '' };
  }

  async finalize(ask: Ask<'finalize'>): Promise<FinalizeReply> {
    let run = this.#keptRun(ask.context, ask.txs);
    if (run === undefined) {
      run = this.#newRun(ask.context);
      for (const tx of ask.txs) {
        await run.addDecided(tx);
        await this.#pause();
      }
      this.#keep(ask.context, ask.txs, run);
    }
    assert(run.txCount === ask.txs.length, 'one result a tx');
    const block = run.seal(ask.hash);
    this.#staged = { hash: ask.hash, height: ask.context.height, block, run };
    return block.reply;
  }

  /**
   * One atomic batch: state, block, indices, and last the head pointer. The view advances only after the batch is
   * stored.
   */
  async commit(ask: Ask<'commit'>): Promise<CommitReply> {
    const staged = present(this.#staged, 'commit follows finalize');
    const { ethBlock, ethHashes, sealed } = staged.block;
    const height = ask.block.header.height;
    assert(staged.height === height, 'the committed height is the finalized one');
    assert(equalBytes(staged.hash, ask.blockId.hash), 'the committed block is the finalized one');
    const { stateRoot, modulesRoot, ops } = sealed;
    const eth = { hash: ethBlock.hash, record: encodeEthBlock(ethBlock), txHashes: ethHashes };
    const { block, blockId, parts, seenCommit, state, results } = ask;
    const roots = { stateRoot, modulesRoot };
    const indexOps = this.#indexOps?.(height, results) ?? [];
    const stateOps = [...ops, ...(ask.extraOps ?? []), ...indexOps];
    await this.#store.commit({ block, blockId, parts, seenCommit, state, results, roots, eth }, stateOps);
    this.#staged = undefined;
    this.#runs = [];
    this.#head.advance(new AppView(height, WorldState.open(this.#db, roots)), ethBlock);
    return {
      height,
      spenders: staged.run.spenders(),
      nextBaseFee: nextBaseFee(ethBlock.header, this.#services.feeMarket),
      gasLimit: this.#services.rules.blockGasLimit,
    };
  }
}

/**
 * Whether a sender has code. That code is an EIP-7702 delegation: admission refuses any other code, and contracts have
 * no key.
 */
const hasCode = (account: AccountState | undefined): boolean =>
  account !== undefined && !equalBytes(account.codeHash, EMPTY_CODE_HASH);

function rejected(error: AdmissionError, gasWanted: bigint): CheckReply {
  return { kind: 'rejected', ...renderError(error), gasWanted, gasUsed: 0n };
}
