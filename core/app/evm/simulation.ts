import { toEip55 } from '../../address/eip55.ts';
import { assert, present } from '../../lib/assert.ts';
import { EMPTY } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { StateDb } from '../../state/stateDb.ts';
import { WorldState } from '../../state/worldState.ts';
import { BlockWriteSet } from '../../state/writeSet.ts';
import { MemoryKv } from '../../store/memoryKv.ts';
import type { Address, Hash } from '../../types/ids.ts';
import type { TraceHooks } from '../../types/trace.ts';
import { FEE_COLLECTOR_ADDRESS } from '../auth/keeper.ts';
import type { ChainServices } from '../blockRun.ts';
import type { EthBlock, EthHeader, EthReceipt, EthTx } from '../chain.ts';
import type {
  SimulatedBlock,
  SimulatedCall,
  SimulatedResult,
  Simulation,
  SimulationOptions,
  SimulationRefusal,
} from '../evmService.ts';
import { nextBaseFee } from '../feemarket/baseFee.ts';
import { ethBlockSize } from './blockCodec.ts';
import { logsBloom, mergeBloom } from './bloom.ts';
import type { BlockEnv } from './engine.ts';
import { chargedGas } from './execute.ts';
import { headerHash, wholeHeader, ZERO_HASH } from './header.ts';
import { INIT_CODE_BYTES_MAX, intrinsicGas, isInitCodeTooLong } from './intrinsicGas.ts';
import { runMessage } from './message.ts';
import { MAX_UINT64 } from './numbers.ts';
import { orderedTrieRoot } from './orderedTrie.ts';
import { applyOverrides, NO_OVERRIDES, precompilesUnder } from './overrides.ts';
import type { Precompiles } from './precompiles.ts';
import { encodeReceipt } from './receipt.ts';
import { writeHistory } from './systemContracts.ts';
import { TouchLog } from './touchLog.ts';

/** The block that is being simulated. */
interface Open {
  readonly env: BlockEnv;
  readonly precompiles: Precompiles;
  readonly receipts: Omit<EthReceipt, 'type'>[];
  gasUsed: bigint;
}

interface Price {
  readonly feeCap: bigint;
  readonly tipCap: bigint;
  /** Price per gas unit that the sender pays. */
  readonly price: bigint;
  /** Without a price and without validation, gas is free whatever the base fee. */
  readonly isFree: boolean;
}

const refuse = (
  code: SimulationRefusal['code'],
  message: string,
): { readonly ok: false; readonly error: SimulationRefusal } => err({ code, message });

/**
 * eth_simulateV1, after go-ethereum's internal/ethapi/simulate.go: calls in a chain of simulated blocks, each with its
 * own overrides of header and state.
 */
export class EvmSimulation implements Simulation {
  readonly #services: ChainServices;
  readonly #options: SimulationOptions;
  /** The states of the blocks that have ended. Each block adds only what it changed. */
  readonly #unwritten = new MemoryKv();
  readonly #db: StateDb;
  #writes: BlockWriteSet;
  readonly #chainHash: (number: number) => Hash;
  readonly #hashes = new Map<number, Hash>();
  #parent: EthHeader;
  #parentHash: Hash;
  #open: Open | undefined;

  constructor(
    services: ChainServices,
    base: { readonly header: EthHeader; readonly world: WorldState },
    chainHash: (number: number) => Hash,
    options: SimulationOptions,
  ) {
    this.#services = services;
    this.#options = options;
    this.#chainHash = chainHash;
    this.#db = base.world.db.over(this.#unwritten);
    this.#writes = new BlockWriteSet(base.world);
    this.#parent = base.header;
    this.#parentHash = this.#hashOf(base.header);
    this.#hashes.set(base.header.number, this.#parentHash);
  }

  get parent(): EthHeader {
    return this.#parent;
  }

  #hashOf(header: EthHeader): Hash {
    return headerHash(header, (message) => this.#services.suite.keccak256(message));
  }

  #opened(): Open {
    return present(this.#open, 'calls stand in a block');
  }

  begin({ number, timestamp, header = {}, state = NO_OVERRIDES }: SimulatedBlock): void {
    assert(this.#open === undefined, 'one block at a time');
    const parent = this.#parent;
    const { validation } = this.#options;
    const { rules, feeMarket, execution } = this.#services;
    const env: BlockEnv = {
      number,
      timestamp,
      coinbase: header.feeRecipient ?? parent.coinbase,
      prevRandao: header.prevRandao ?? ZERO_HASH,
      gasLimit: header.gasLimit ?? parent.gasLimit,
      baseFee: header.baseFeePerGas ?? (validation ? nextBaseFee(parent, feeMarket) : 0n),
      blobBaseFee: header.blobBaseFee,
      blockHash: (at) => this.#hashes.get(at) ?? this.#chainHash(at),
    };
    const writes = this.#writes;
    writes.beginTx();
    applyOverrides(writes, state);
    if (rules.fork.prague) writeHistory(writes, parent.number, this.#parentHash);
    const precompiles = precompilesUnder(execution.engines.precompiles, state);
    this.#open = { env, precompiles, receipts: [], gasUsed: 0n };
  }

  nonceOf(address: Address): bigint {
    return this.#writes.account(address)?.nonce ?? 0n;
  }

  get gasLimit(): bigint {
    return this.#opened().env.gasLimit;
  }

  get gasUsed(): bigint {
    return this.#opened().gasUsed;
  }

  #priceOf(call: SimulatedCall): Price {
    const feeCap = call.gasPrice ?? call.maxFeePerGas ?? 0n;
    const tipCap = call.gasPrice ?? call.maxPriorityFeePerGas ?? 0n;
    const none = feeCap === 0n && tipCap === 0n;
    const wanted = tipCap + this.#opened().env.baseFee;
    const price = none ? 0n : wanted < feeCap ? wanted : feeCap;
    return { feeCap, tipCap, price, isFree: none && !this.#options.validation };
  }

  /** geth's preCheck and buyGas. Nonces are checked only under validation; a sender with code is never refused. */
  #refusal(call: SimulatedCall, { feeCap, tipCap, isFree }: Price): Result<void, SimulationRefusal> {
    const { from, gas, value, nonce } = call;
    const who = `address ${toEip55(from)}`;
    const account = this.#writes.account(from);
    const next = account?.nonce ?? 0n;
    if (this.#options.validation) {
      if (next < nonce)
        return refuse('nonce-too-high', `nonce too high: ${who}, tx: ${nonce} state: ${next}`);
      if (next > nonce) return refuse('nonce-too-low', `nonce too low: ${who}, tx: ${nonce} state: ${next}`);
    }
    // Without validation the nonce wraps around, but a creation still needs a valid nonce for its address.
    if (next === MAX_UINT64 && (this.#options.validation || call.to === undefined))
      return refuse('other', `nonce has max value: ${who}, nonce: ${next}`);
    const { baseFee } = this.#opened().env;
    if (!isFree && tipCap > feeCap) {
      const fees = `maxPriorityFeePerGas: ${tipCap}, maxFeePerGas: ${feeCap}`;
      return refuse('fees', `max priority fee per gas higher than max fee per gas: ${who}, ${fees}`);
    }
    if (!isFree && feeCap < baseFee) {
      const fees = `maxFeePerGas: ${feeCap}, baseFee: ${baseFee}`;
      return refuse('fee-cap-too-low', `max fee per gas less than block base fee: ${who}, ${fees}`);
    }
    if (call.isSetCode === true && call.authorizationList.length === 0)
      return refuse('other', `EIP-7702 transaction with empty auth list (sender ${toEip55(from)})`);
    const have = account?.balance ?? 0n;
    const want = gas * feeCap + value;
    if (have >= want) return ok(undefined);
    return refuse('funds', `insufficient funds for gas * price + value: ${who} have ${have} want ${want}`);
  }

  async run(call: SimulatedCall, trace?: TraceHooks): Promise<Result<SimulatedResult, SimulationRefusal>> {
    const price = this.#priceOf(call);
    const refused = this.#refusal(call, price);
    if (!refused.ok) return refused;
    const { gas, data } = call;
    const { intrinsic, floor } = intrinsicGas(call, this.#services.rules.fork);
    if (gas < intrinsic) return refuse('intrinsic', `intrinsic gas too low: have ${gas}, want ${intrinsic}`);
    if (gas < floor)
      return refuse('intrinsic', `insufficient gas for floor data gas cost: have ${gas}, want ${floor}`);
    if (isInitCodeTooLong(call, this.#services.rules.fork)) {
      const sizes = `code size ${data.length} limit ${INIT_CODE_BYTES_MAX}`;
      return refuse('init-code', `max initcode size exceeded: ${sizes}`);
    }
    return ok(await this.#execute(call, price, { intrinsic, floor }, trace));
  }

  async #execute(
    call: SimulatedCall,
    { price, isFree }: Price,
    { intrinsic, floor }: { readonly intrinsic: bigint; readonly floor: bigint },
    trace: TraceHooks | undefined,
  ): Promise<SimulatedResult> {
    const writes = this.#writes;
    const { env, precompiles } = this.#opened();
    const { engines, evmChainId, suite, collectBaseFee, guard } = this.#services.execution;
    writes.beginTx();
    const add = (address: Address, amount: bigint): void =>
      // Overridden balances may be so high that a sum overflows; it wraps around as in geth.
      writes.putAccount(address, {
        balance: BigInt.asUintN(256, (writes.account(address)?.balance ?? 0n) + amount),
      });
    add(call.from, -call.gas * price);
    writes.putAccount(call.from, { nonce: BigInt.asUintN(64, this.nonceOf(call.from) + 1n) });
    const result = await runMessage(
      { writes, log: new TouchLog(writes), env, engines, evmChainId, suite, trace, precompiles, guard },
      { ...call, gas: call.gas - intrinsic, gasPrice: price },
    );
    const used = intrinsic + result.gasUsed;
    const gasUsed = chargedGas(used, result.refund, floor, this.#services.rules.fork);
    add(call.from, (call.gas - gasUsed) * price);
    if (!isFree) {
      add(env.coinbase, gasUsed * (price - env.baseFee));
      if (collectBaseFee) add(FEE_COLLECTOR_ADDRESS, gasUsed * env.baseFee);
    }
    writes.removeEmptyTouched();
    trace?.end?.({ gasUsed, vmError: result.vmError, returnValue: result.returnValue }, writes);
    this.#record(result.vmError === undefined ? 1 : 0, gasUsed, price, result.logs);
    return { ...result, gasUsed, gasPeak: used > floor ? used : floor };
  }

  #record(status: 0 | 1, gasUsed: bigint, price: bigint, raw: SimulatedResult['logs']): void {
    const open = this.#opened();
    const { keccak256 } = this.#services.suite;
    const before = open.receipts.reduce((sum, { logs }) => sum + logs.length, 0);
    const logs = raw.map((log, i) => ({ ...log, logIndex: before + i }));
    open.gasUsed += gasUsed;
    open.receipts.push({
      status,
      gasUsed,
      cumulativeGasUsed: open.gasUsed,
      effectiveGasPrice: price,
      logs,
      logsBloom: logsBloom(logs, (item) => keccak256(item)),
      contractAddress: undefined,
    });
  }

  end(transactions: readonly EthTx[]): EthBlock {
    const { env, receipts: parts, gasUsed } = this.#opened();
    assert(parts.length === transactions.length, 'one transaction a call');
    const keccak256 = (message: Uint8Array): Hash => this.#services.suite.keccak256(message);
    const sealed = this.#writes.seal();
    const receipts = parts.map((part, i): EthReceipt => ({ ...part, type: (transactions[i] as EthTx).type }));
    const bloom = new Uint8Array(256);
    for (const receipt of receipts) mergeBloom(bloom, receipt.logsBloom);
    const header = wholeHeader({
      parentHash: this.#parentHash,
      coinbase: env.coinbase,
      stateRoot: sealed.stateRoot,
      transactionsRoot: orderedTrieRoot(
        transactions.map(({ raw }) => raw),
        keccak256,
      ),
      receiptsRoot: orderedTrieRoot(receipts.map(encodeReceipt), keccak256),
      logsBloom: bloom,
      number: env.number,
      gasLimit: env.gasLimit,
      gasUsed,
      timestamp: env.timestamp,
      extraData: EMPTY,
      mixHash: env.prevRandao,
      baseFeePerGas: env.baseFee,
    });
    const hash = this.#hashOf(header);
    this.#parent = header;
    this.#parentHash = hash;
    this.#hashes.set(header.number, hash);
    this.#open = undefined;
    this.#unwritten.apply(sealed.ops);
    this.#writes = new BlockWriteSet(WorldState.open(this.#db, sealed));
    return { hash, header, transactions, receipts, size: ethBlockSize(header, transactions) };
  }
}
