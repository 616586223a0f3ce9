import type { ExecResult } from '@ethereumjs/evm';
import { Address as EvmAddress } from '@ethereumjs/util';
import type { CryptoSuite } from '../../crypto/suite.ts';
import { AssertionError } from '../../lib/assert.ts';
import { type Bytes, EMPTY, hex, toHex } from '../../lib/bytes.ts';
import type { BlockWriteSet } from '../../state/writeSet.ts';
import type { Guard } from '../../types/app.ts';
import type { Address } from '../../types/ids.ts';
import type { TraceHooks } from '../../types/trace.ts';
import type { AccessListItem, Authorization } from '../chain.ts';
import { ExecutionAborted } from '../guard.ts';
import { authorityOf, delegationTo, isDelegation } from './delegation.ts';
import { type BlockEnv, type EnginePool, type EvmEngine, evmBlockOf } from './engine.ts';
import { AUTHORIZATION_REFUND } from './intrinsicGas.ts';
import type { Precompiles } from './precompiles.ts';
import { LoggedState, type TouchLog } from './touchLog.ts';
import { listen } from './trace.ts';
import { gethVmError } from './vmError.ts';

/** A call or creation, after the gas was bought and the nonce incremented. */
export interface Message {
  readonly from: Address;
  readonly to: Address | undefined;
  readonly value: bigint;
  readonly data: Bytes;
  /** Gas left after the intrinsic gas. */
  readonly gas: bigint;
  readonly gasPrice: bigint;
  readonly accessList: readonly AccessListItem[];
  readonly authorizationList: readonly Authorization[];
}

export interface RawLog {
  readonly address: Address;
  readonly topics: readonly Bytes[];
  readonly data: Bytes;
}

export interface MessageResult {
  /** Without intrinsic gas, before refunds. */
  readonly gasUsed: bigint;
  readonly refund: bigint;
  readonly returnValue: Bytes;
  readonly logs: readonly RawLog[];
  /** geth's wording; undefined on success. */
  readonly vmError: string | undefined;
}

export interface MessageContext {
  readonly writes: BlockWriteSet;
  readonly log: TouchLog;
  readonly env: BlockEnv;
  readonly engines: EnginePool;
  readonly evmChainId: bigint;
  readonly suite: CryptoSuite;
  /** Hooks that watch the execution; consensus runs blocks without. */
  readonly trace?: TraceHooks | undefined;
  /** Set when the execution is for a reader. */
  readonly guard?: Guard | undefined;
  /** Replaces the fork's precompiles when a caller moved or overrode some. */
  readonly precompiles?: Precompiles | undefined;
}

const ZERO_ADDRESS_HEX = '0'.repeat(40);

/** Marks as warm what EIP-2929, EIP-2930 and EIP-3651 say is warm before the first instruction. */
function warmUp(engine: EvmEngine, context: MessageContext, message: Message): void {
  const { journal } = engine.evm;
  // The fork's own addresses, even if the caller moved some precompiles.
  for (const address of context.engines.precompiles.keys()) journal.addAlwaysWarmAddress(address);
  journal.addAlwaysWarmAddress(toHex(message.from));
  if (message.to !== undefined) journal.addAlwaysWarmAddress(toHex(message.to));
  if (context.engines.common.isActivatedEIP(3651)) journal.addAlwaysWarmAddress(toHex(context.env.coinbase));
  for (const item of message.accessList) {
    const address = toHex(item.address);
    journal.addAlwaysWarmAddress(address);
    for (const key of item.storageKeys) journal.addAlwaysWarmSlot(address, toHex(key));
  }
}

/** EIP-7702: sets the valid delegations and skips the others. Returns the refund. */
function applyAuthorizations(engine: EvmEngine, context: MessageContext, message: Message): bigint {
  const { writes } = context;
  let refund = 0n;
  for (const authorization of message.authorizationList) {
    const authority = authorityOf(authorization, context.evmChainId, context.suite);
    if (authority === undefined) continue;
    engine.evm.journal.addAlwaysWarmAddress(toHex(authority));
    const account = writes.account(authority);
    const code = writes.code(authority);
    if (code.length > 0 && !isDelegation(code)) continue;
    if ((account?.nonce ?? 0n) !== authorization.nonce) continue;
    if (account !== undefined) refund += AUTHORIZATION_REFUND;
    context.log.touch(authority);
    const clears = toHex(authorization.address) === ZERO_ADDRESS_HEX;
    writes.putAccount(authority, { nonce: authorization.nonce + 1n });
    writes.putCode(authority, clears ? EMPTY : delegationTo(authorization.address));
  }
  return refund;
}

/** Deletes self-destructed contracts: since EIP-6780 only those created in the same transaction. */
function removeDestroyed(context: MessageContext, result: ExecResult): void {
  const onlyCreated = context.engines.common.isActivatedEIP(6780);
  for (const address of result.selfdestruct?.keys() ?? []) {
    if (onlyCreated && result.createdAddresses?.has(address) !== true) continue;
    const bytes = hex(address);
    context.log.touch(bytes);
    context.writes.deleteAccount(bytes);
  }
}

/** Whether this is an exceptional halt that the library threw instead of returning it. */
const isVmError = (error: unknown): error is { readonly error: string } =>
  typeof error === 'object' && error !== null && (error as { errorType?: unknown }).errorType === 'EVMError';

/**
 * Whether an error is a fault of this node (broken invariant, storage, exhausted stack or memory), which must stop it,
 * or an aborted execution, which its caller must hear of. Anything else that the library throws follows from the data
 * and is the same on every node: the transaction pays all its gas and changes nothing.
 */
const isFault = (error: unknown): boolean =>
  error instanceof AssertionError || error instanceof RangeError || error instanceof ExecutionAborted;

const failed = (gas: bigint, refund: bigint, vmError: string): MessageResult => ({
  gasUsed: gas,
  refund,
  returnValue: EMPTY,
  logs: [],
  vmError,
});

function resultOf(result: ExecResult, refund: bigint): MessageResult {
  const halt = result.exceptionError?.error;
  return {
    gasUsed: result.executionGasUsed,
    refund: refund + (halt === undefined ? (result.gasRefund ?? 0n) : 0n),
    returnValue: result.returnValue,
    logs: (result.logs ?? []).map(([address, topics, data]) => ({ address, topics, data })),
    vmError: halt === undefined ? undefined : gethVmError(halt, result.runState),
  };
}

/** Runs the message on the write set. The caller must have incremented the sender's nonce, and settles the gas. */
export async function runMessage(context: MessageContext, message: Message): Promise<MessageResult> {
  const { writes } = context;
  const state = new LoggedState(writes, context.log);
  const engine = await context.engines.borrow(state, context.env, context.precompiles, context.guard);
  warmUp(engine, context, message);
  const refund = applyAuthorizations(engine, context, message);
  const depth = writes.depth;
  const unlisten = context.trace && listen(engine.evm, context.trace, writes, refund);
  try {
    const { execResult } = await engine.evm.runCall({
      block: evmBlockOf(context.env),
      gasPrice: message.gasPrice,
      origin: new EvmAddress(message.from),
      caller: new EvmAddress(message.from),
      gasLimit: message.gas,
      ...(message.to === undefined ? {} : { to: new EvmAddress(message.to) }),
      value: message.value,
      data: message.data,
      skipNonceIncrement: true,
    });
    unlisten?.();
    context.engines.giveBack(engine);
    removeDestroyed(context, execResult);
    return resultOf(execResult, refund);
  } catch (error) {
    if (isFault(error)) throw error;
    while (writes.depth > depth) writes.revert();
    const vmError = isVmError(error) ? gethVmError(error.error, undefined) : 'internal error';
    return failed(message.gas, refund, vmError);
  }
}
