import { toEip55 } from '../../address/eip55.ts';
import { toHex } from '../../lib/bytes.ts';
import type { WorldState } from '../../state/worldState.ts';
import { BlockWriteSet } from '../../state/writeSet.ts';
import type { Guard } from '../../types/app.ts';
import type { Address } from '../../types/ids.ts';
import type { TraceHooks, TxStart } from '../../types/trace.ts';
import type { ChainServices } from '../blockRun.ts';
import type { CallArgs, CallOptions } from '../chain.ts';
import { authorityOf } from './delegation.ts';
import type { BlockEnv } from './engine.ts';
import type { Probed } from './estimate.ts';
import { chargedGas, contractAddressOf } from './execute.ts';
import { INIT_CODE_BYTES_MAX, intrinsicGas, isInitCodeTooLong } from './intrinsicGas.ts';
import { type MessageResult, runMessage } from './message.ts';
import { applyOverrides, NO_OVERRIDES, type Overrides, precompilesUnder } from './overrides.ts';
import type { Precompiles } from './precompiles.ts';
import { TouchLog } from './touchLog.ts';

const ZERO_ADDRESS: Address = new Uint8Array(20);

interface Fees {
  readonly feeCap: bigint;
  readonly tipCap: bigint;
}

/** geth's CallDefaults: absent fees are 0, and without any price gas is free. */
function feesOf(args: CallArgs): Fees {
  if (args.gasPrice !== undefined) return { feeCap: args.gasPrice, tipCap: args.gasPrice };
  return { feeCap: args.maxFeePerGas ?? 0n, tipCap: args.maxPriorityFeePerGas ?? 0n };
}

/** One call on a write set that is discarded afterwards. */
export class CallRun {
  readonly #services: ChainServices;
  readonly #env: BlockEnv;
  readonly #world: WorldState;
  readonly #args: CallArgs;
  readonly #overrides: Overrides;
  readonly #precompiles: Precompiles;
  readonly #trace: TraceHooks | undefined;
  readonly #guard: Guard | undefined;
  readonly #fees: Fees;
  readonly #from: Address;

  constructor(
    services: ChainServices,
    env: BlockEnv,
    world: WorldState,
    args: CallArgs,
    options: CallOptions,
    guard: Guard | undefined,
  ) {
    this.#services = services;
    this.#fees = feesOf(args);
    // A call without a price sees base fee 0, or contracts that compare both would fail. This holds even if the caller
    // overrides the base fee, as in geth.
    const free = this.#fees.feeCap === 0n;
    this.#env = { ...env, ...(free ? { baseFee: 0n } : {}) };
    this.#world = world;
    this.#args = args;
    this.#overrides = options.state ?? NO_OVERRIDES;
    this.#precompiles = precompilesUnder(services.execution.engines.precompiles, this.#overrides);
    this.#trace = options.trace;
    this.#guard = guard;
    this.#from = args.from ?? ZERO_ADDRESS;
  }

  #writes(): BlockWriteSet {
    const writes = new BlockWriteSet(this.#world);
    applyOverrides(writes, this.#overrides);
    writes.beginTx();
    return writes;
  }

  balance(): bigint {
    return this.#writes().account(this.#from)?.balance ?? 0n;
  }

  get feeCap(): bigint {
    return this.#fees.feeCap;
  }

  /** Whether the call is a plain value transfer to an account without code. */
  isTransfer(): boolean {
    const { to, data, authorizationList } = this.#args;
    if (to === undefined || data.length > 0 || authorizationList.length > 0) return false;
    return this.#writes().code(to).length === 0 && !this.#precompiles.has(toHex(to));
  }

  /** Refusals with the texts of geth's preCheck and buyGas. */
  #refusal(writes: BlockWriteSet, gas: bigint): string | undefined {
    const { feeCap, tipCap } = this.#fees;
    const who = `address ${toEip55(this.#from)}`;
    if (tipCap > feeCap) {
      return `max priority fee per gas higher than max fee per gas: ${who}, maxPriorityFeePerGas: ${tipCap}, maxFeePerGas: ${feeCap}`;
    }
    if (feeCap > 0n && feeCap < this.#env.baseFee) {
      return `max fee per gas less than block base fee: ${who}, maxFeePerGas: ${feeCap}, baseFee: ${this.#env.baseFee}`;
    }
    if (this.#args.isSetCode === true && this.#args.authorizationList.length === 0)
      return `EIP-7702 transaction with empty auth list (sender ${toEip55(this.#from)})`;
    const have = writes.account(this.#from)?.balance ?? 0n;
    const want = gas * feeCap + this.#args.value;
    if (have < want) return `insufficient funds for gas * price + value: ${who} have ${have} want ${want}`;
    if (!isInitCodeTooLong(this.#args, this.#services.rules.fork)) return undefined;
    return `max initcode size exceeded: code size ${this.#args.data.length} limit ${INIT_CODE_BYTES_MAX}`;
  }

  async run(gas: bigint): Promise<Probed> {
    const writes = this.#writes();
    const refused = this.#refusal(writes, gas);
    if (refused !== undefined) return { kind: 'refused', message: refused };
    const { intrinsic, floor } = intrinsicGas(this.#args, this.#services.rules.fork);
    if (gas < intrinsic)
      return { kind: 'too-little', message: `intrinsic gas too low: have ${gas}, want ${intrinsic}` };
    if (gas < floor) {
      return {
        kind: 'too-little',
        message: `insufficient gas for floor data gas cost: have ${gas}, want ${floor}`,
      };
    }
    this.#trace?.start?.(this.#start(writes, gas), writes, this.#env);
    const result = await this.#message(writes, gas, gas - intrinsic);
    const used = intrinsic + result.gasUsed;
    const gasUsed = chargedGas(used, result.refund, floor, this.#services.rules.fork);
    const { vmError, returnValue } = result;
    this.#trace?.end?.({ gasUsed, vmError, returnValue }, writes);
    return {
      kind: 'ran',
      result,
      gasUsed,
      gasPeak: used > floor ? used : floor,
    };
  }

  #start(writes: BlockWriteSet, gasLimit: bigint): TxStart {
    const { to, authorizationList } = this.#args;
    const { evmChainId, suite } = this.#services.execution;
    const nonce = writes.account(this.#from)?.nonce ?? 0n;
    const authorities = authorizationList.map((item) => authorityOf(item, evmChainId, suite));
    return {
      from: this.#from,
      to: to ?? contractAddressOf(this.#from, nonce, suite),
      isCreate: to === undefined,
      gasLimit,
      coinbase: this.#env.coinbase,
      authorities: authorities.filter((address) => address !== undefined),
    };
  }

  #message(writes: BlockWriteSet, gas: bigint, gasLeft: bigint): Promise<MessageResult> {
    const { feeCap, tipCap } = this.#fees;
    const { baseFee } = this.#env;
    const gasPrice = feeCap === 0n ? 0n : baseFee + tipCap < feeCap ? baseFee + tipCap : feeCap;
    const account = writes.account(this.#from);
    const balance = (account?.balance ?? 0n) - gas * gasPrice;
    writes.putAccount(this.#from, { balance, nonce: (account?.nonce ?? 0n) + 1n });
    const { engines, evmChainId, suite } = this.#services.execution;
    const log = new TouchLog(writes);
    const { to, value, data, accessList, authorizationList } = this.#args;
    const message = {
      from: this.#from,
      to,
      value,
      data,
      accessList,
      authorizationList,
      gas: gasLeft,
      gasPrice,
    };
    const [trace, precompiles, guard] = [this.#trace, this.#precompiles, this.#guard];
    return runMessage(
      { writes, log, env: this.#env, engines, evmChainId, suite, trace, precompiles, guard },
      message,
    );
  }
}
