import type { CryptoSuite } from '../crypto/suite.ts';
import { assert, present } from '../lib/assert.ts';
import { type Bytes, compareText, EMPTY, toHex } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { EMPTY_CODE_HASH } from '../state/account.ts';
import type { Sealed } from '../state/seal.ts';
import type { StateDb } from '../state/stateDb.ts';
import { WorldState } from '../state/worldState.ts';
import { BlockWriteSet } from '../state/writeSet.ts';
import { MemoryKv } from '../store/memoryKv.ts';
import type { BlockContext, CommitReply, FinalizeReply } from '../types/app.ts';
import type { Hash } from '../types/ids.ts';
import type { AbciEvent, TxResult } from '../types/result.ts';
import { appHashOf } from './appHash.ts';
import { putSupply, readSupply } from './bank/keeper.ts';
import type { EthBlock, EthHeader, EthLog, EthReceipt, EthTx, Watch } from './chain.ts';
import type { CosmosRules } from './cosmos/checkCosmosTx.ts';
import type { DecodedCosmosTx } from './cosmos/decodeCosmosTx.ts';
import { runCosmosTx } from './cosmos/runCosmosTx.ts';
import { type AdmissionError, renderError } from './errors.ts';
import { blockEvents, type EventNames, ethTxEvents } from './events.ts';
import { beginBlock } from './evidence/beginBlock.ts';
import { type ChainRules, checkForBlock, checkStatic } from './evm/admission.ts';
import { ethBlockSize } from './evm/blockCodec.ts';
import { logsBloom } from './evm/bloom.ts';
import type { BlockEnv } from './evm/engine.ts';
import { type ExecutionRules, executeTx, type TxEffects } from './evm/execute.ts';
import { headerHash } from './evm/header.ts';
import { prevRandaoOf } from './evm/prevRandao.ts';
import { sealHeader } from './evm/sealHeader.ts';
import { writeHistory } from './evm/systemContracts.ts';
import { type FeeMarketParams, nextBaseFee } from './feemarket/baseFee.ts';
import type { TxDecoder } from './tx/decoder.ts';
import type { DecodedEthTx } from './tx/decodeTx.ts';
import { encodeTxData } from './tx/response.ts';

/** What all blocks of a chain share. */
export interface ChainServices extends EventNames {
  /** Bech32 base prefix. */
  readonly hrp: string;
  readonly suite: CryptoSuite;
  readonly decoder: TxDecoder;
  readonly rules: ChainRules;
  readonly execution: ExecutionRules;
  readonly cosmos: CosmosRules;
  readonly feeMarket: FeeMarketParams;
}

/** The height that a block builds on. */
export interface ParentState {
  readonly world: WorldState;
  readonly ethHash: Hash;
  readonly ethHeader: EthHeader;
  /** Ethereum hash of an earlier block; the zero hash if there is none. */
  blockHash(number: number): Hash;
}

/** An executed block after its end. */
export interface SealedBlock {
  readonly reply: FinalizeReply;
  readonly ethBlock: EthBlock;
  /**
   * One entry per consensus transaction: the hash of its Ethereum transaction; undefined if refused or a Cosmos
   * transaction.
   */
  readonly ethHashes: readonly (Hash | undefined)[];
  readonly sealed: Sealed;
}

const NO_BLOOM = new Uint8Array(256);

function layerOver(db: StateDb) {
  const unwritten = new MemoryKv();
  return { unwritten, db: db.over(unwritten) };
}

/**
 * The execution of one block on its frozen parent. Only `extraData` depends on the hash of the consensus block, so a
 * block that this node proposed or validated need not run again when it is decided.
 */
export class BlockRun {
  readonly #services: ChainServices;
  readonly #parent: ParentState;
  readonly #context: BlockContext;
  readonly #env: BlockEnv;
  #writes: BlockWriteSet;
  /** Where `nextRoot` puts what was written, and the database together with that. */
  #layer: { readonly unwritten: MemoryKv; readonly db: StateDb } | undefined;
  /** Events from before the first transaction. */
  readonly #beginEvents: readonly AbciEvent[];
  readonly #results: TxResult[] = [];
  readonly #transactions: EthTx[] = [];
  readonly #receipts: EthReceipt[] = [];
  readonly #ethHashes: (Hash | undefined)[] = [];
  /** Gas of Ethereum and Cosmos transactions. */
  #gasUsed = 0n;
  /** Gas of the Ethereum transactions only: their receipts count it cumulatively. */
  #ethGasUsed = 0n;
  #refusals = 0;
  #logCount = 0;
  #supplyChange = 0n;
  #sealed: Sealed | undefined;
  /** Resets the counters to their values at the mark; undefined without a mark. */
  #counted: (() => void) | undefined;

  constructor(services: ChainServices, parent: ParentState, context: BlockContext) {
    this.#services = services;
    this.#parent = parent;
    this.#context = context;
    this.#writes = new BlockWriteSet(parent.world);
    assert(context.time.seconds >= 0, 'block time before 1970');
    this.#env = {
      number: context.height,
      // Validators have no accounts yet: the proposer's consensus address serves as its account.
      coinbase: context.proposerAddress,
      timestamp: context.time.seconds,
      prevRandao: prevRandaoOf(parent.ethHash, context.height, services.suite),
      gasLimit: services.rules.blockGasLimit,
      baseFee: nextBaseFee(parent.ethHeader, services.feeMarket),
      blockHash: (number) => parent.blockHash(number),
    };
    if (services.rules.fork.prague) writeHistory(this.#writes, context.height - 1, parent.ethHash);
    this.#beginEvents = beginBlock(this.#writes, context, services.hrp);
  }

  get txCount(): number {
    return this.#results.length;
  }

  /**
   * A decided block executes even with refused transactions, but no validator should accept a proposal that has any.
   */
  get hasRefusals(): boolean {
    return this.#refusals > 0;
  }

  /** Nonce and balance, as of now, of each account that spent either in this block; by lower-case hex address. */
  spenders(): CommitReply['spenders'] {
    return this.#writes
      .spenders()
      .map(({ address, nonce, balance }) => ({ address: toHex(address), nonce, balance }))
      .sort((a, b) => compareText(a.address, b.address));
  }

  /** How many Ethereum transactions ran so far. */
  get ethTxCount(): number {
    return this.#transactions.length;
  }

  get gasLeft(): bigint {
    return this.#env.gasLimit - this.#gasUsed;
  }

  /** Runs the transaction, or refuses it without any effect. */
  async add(txBytes: Bytes, watch?: Watch): Promise<Result<void, AdmissionError>> {
    const decoded = this.#services.decoder.decode(txBytes);
    if (!decoded.ok) return decoded;
    if (decoded.value.kind === 'cosmos') return this.#addCosmos(decoded.value);
    const refused = this.#check(decoded.value.tx);
    if (refused !== undefined) return err(refused);
    const { execution } = this.#services;
    const trace = watch?.(decoded.value.tx, this.#transactions.length);
    const effects = await executeTx(this.#writes, this.#env, decoded.value, execution, trace);
    this.#record(decoded.value, effects);
    return ok(undefined);
  }

  /** Like `add`, but a refusal becomes a failed result: a decided block may contain refused transactions. */
  async addDecided(txBytes: Bytes, watch?: Watch): Promise<void> {
    const added = await this.add(txBytes, watch);
    if (added.ok) return;
    const { code, codespace, log } = renderError(added.error);
    const none = { data: EMPTY, info: '', gasWanted: 0n, gasUsed: 0n, events: [] };
    this.#results.push({ ...none, code, codespace, log });
    this.#ethHashes.push(undefined);
    this.#refusals++;
  }

  /** Sets a mark. Later transactions can be undone with `takeBack` until `keep`. */
  mark(): void {
    assert(this.#counted === undefined, 'one mark at a time');
    const [txs, ethTxs, refusals, logs] = [
      this.#results.length,
      this.#transactions.length,
      this.#refusals,
      this.#logCount,
    ];
    const [gas, ethGas, supply] = [this.#gasUsed, this.#ethGasUsed, this.#supplyChange];
    this.#writes.checkpoint();
    this.#counted = () => {
      this.#results.length = txs;
      this.#ethHashes.length = txs;
      this.#transactions.length = ethTxs;
      this.#receipts.length = ethTxs;
      this.#refusals = refusals;
      this.#logCount = logs;
      this.#gasUsed = gas;
      this.#ethGasUsed = ethGas;
      this.#supplyChange = supply;
    };
  }

  keep(): void {
    this.#writes.commit();
    this.#counted = undefined;
  }

  takeBack(): void {
    this.#writes.revert();
    present(this.#counted, 'a mark')();
    this.#counted = undefined;
  }

  #addCosmos(tx: DecodedCosmosTx): Result<void, AdmissionError> {
    const { cosmos, texts, execution } = this.#services;
    const { collectBaseFee } = execution;
    const block = { ...this.#env, gasLeft: this.gasLeft, collectBaseFee };
    const ran = runCosmosTx(this.#writes, tx, cosmos, texts, block);
    if (!ran.ok) return ran;
    const { result, supplyChange } = ran.value;
    this.#gasUsed += result.gasUsed < tx.gasLimit ? result.gasUsed : tx.gasLimit;
    this.#supplyChange += supplyChange;
    this.#results.push(result);
    this.#ethHashes.push(undefined);
    return ok(undefined);
  }

  #check(tx: EthTx): AdmissionError | undefined {
    const refused = checkStatic(tx, this.#services.rules);
    if (refused !== undefined) return refused;
    const account = this.#writes.account(tx.from);
    const sender = {
      nonce: account?.nonce ?? 0n,
      balance: account?.balance ?? 0n,
      codeHash: account?.codeHash ?? EMPTY_CODE_HASH,
      code: () => this.#writes.code(tx.from),
    };
    return checkForBlock(tx, sender, { baseFee: this.#env.baseFee, gasLeft: this.gasLeft });
  }

  #record(decoded: DecodedEthTx, effects: TxEffects): void {
    const { tx, hash } = decoded;
    const { keccak256 } = this.#services.suite;
    const ethIndex = this.#transactions.length;
    const height = this.#context.height;
    const logs: readonly EthLog[] = effects.logs.map(({ address, topics, data }, i) => ({
      address,
      topics,
      data,
      logIndex: this.#logCount + i,
    }));
    this.#logCount += logs.length;
    this.#gasUsed += effects.gasUsed;
    this.#ethGasUsed += effects.gasUsed;
    this.#supplyChange += effects.supplyChange;
    const { status, gasUsed, effectiveGasPrice, vmError, contractAddress } = effects;
    this.#transactions.push(tx);
    this.#ethHashes.push(tx.hash);
    this.#receipts.push({
      type: tx.type,
      status,
      cumulativeGasUsed: this.#ethGasUsed,
      gasUsed,
      effectiveGasPrice,
      logsBloom: logs.length === 0 ? NO_BLOOM : logsBloom(logs, (item) => keccak256(item)),
      logs,
      contractAddress,
    });
    const facts = { tx, hash, height, ethIndex, gasUsed, effectiveGasPrice, logs, vmError, contractAddress };
    this.#results.push({
      code: 0,
      codespace: '',
      log: '',
      info: '',
      gasWanted: tx.gasLimit,
      gasUsed,
      events: ethTxEvents(facts, this.#services),
      data: encodeTxData({
        hash: tx.hash,
        logs,
        ret: effects.returnValue,
        vmError,
        gasUsed,
        height,
        txIndex: ethIndex,
      }),
    });
  }

  /**
   * The state root as of now. What was written so far becomes the state that later transactions build on, so that each
   * root costs only what is new since the last one. The block can no longer be sealed.
   */
  nextRoot(): Hash {
    this.#layer ??= layerOver(this.#parent.world.db);
    const { unwritten, db } = this.#layer;
    const sealed = this.#writes.seal();
    unwritten.apply(sealed.ops);
    this.#writes = new BlockWriteSet(WorldState.open(db, sealed));
    return sealed.stateRoot;
  }

  /** Computes the new roots and subtracts burned coins from the supply. No transaction can be added afterwards. */
  #end(): Sealed {
    if (this.#sealed !== undefined) return this.#sealed;
    this.#settleSupply();
    this.#sealed = this.#writes.seal();
    return this.#sealed;
  }

  #settleSupply(): void {
    if (this.#supplyChange === 0n) return;
    const { denom } = this.#services;
    assert(this.#supplyChange < 0n, 'execution never mints');
    putSupply(this.#writes, denom, readSupply(this.#writes, denom) + this.#supplyChange);
  }

  /** Ends the block. `consensusHash` is the hash of the consensus block that carries it. */
  seal(consensusHash: Hash): SealedBlock {
    return this.#block(this.#end(), consensusHash);
  }

  /** The block as it would be if it ended now, without a consensus hash. More transactions can be added afterwards. */
  preview(): SealedBlock {
    this.#writes.checkpoint();
    this.#settleSupply();
    const sealed = this.#writes.rootsNow();
    this.#writes.revert();
    return this.#block(sealed, EMPTY);
  }

  #block(sealed: Sealed, consensusHash: Hash): SealedBlock {
    assert(this.#layer === undefined, 'the last writes are those of the whole block');
    const keccak256 = (message: Bytes): Hash => this.#services.suite.keccak256(message);
    const transactions = [...this.#transactions];
    const receipts = [...this.#receipts];
    const outcome = {
      parentHash: this.#parent.ethHash,
      stateRoot: sealed.stateRoot,
      transactions,
      receipts,
      gasUsed: this.#gasUsed,
      extraData: consensusHash,
    };
    const header = sealHeader(this.#env, outcome, keccak256);
    const hash = headerHash(header, keccak256);
    const size = ethBlockSize(header, transactions);
    const ethBlock: EthBlock = { hash, header, transactions, receipts, size };
    const reply: FinalizeReply = {
      txResults: this.#results,
      events: [
        ...this.#beginEvents,
        ...blockEvents({
          baseFee: header.baseFeePerGas,
          gasUsed: this.#gasUsed,
          height: this.#context.height,
          bloom: this.#logCount > 0 ? header.logsBloom : undefined,
        }),
      ],
      validatorUpdates: [],
      paramUpdates: undefined,
      appHash: appHashOf(hash, sealed.modulesRoot),
    };
    return { reply, ethBlock, ethHashes: this.#ethHashes, sealed };
  }
}
