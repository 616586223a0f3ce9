import type { ExecResult } from '@ethereumjs/evm';
import { Address as EvmAddress } from '@ethereumjs/util';
import type { CryptoSuite } from '../../crypto/suite.ts';
import { AssertionError } from '../../lib/assert.ts';
import { type Bytes, EMPTY, hex, toHex } from '../../lib/bytes.ts';
import type { BlockWriteSet } from '../../state/writeSet.ts';
import type { Address } from '../../types/ids.ts';
import type { TraceHooks } from '../../types/trace.ts';
import type { AccessListItem, Authorization } from '../chain.ts';
import { ExecutionAborted, type Guard } from '../guard.ts';
import { authorityOf, delegationTo, isDelegation } from './delegation.ts';
import { type BlockEnv, type EnginePool, type EvmEngine, evmBlockOf, type Precompiles } from './engine.ts';
import { AUTHORIZATION_REFUND } from './intrinsicGas.ts';
import { LoggedState, type TouchLog } from './touchLog.ts';
import { listen } from './trace.ts';
import { gethVmError } from './vmError.ts';

/** A call or creation after the gas was bought and the nonce raised. */
export interface Message {
  readonly from: Address;
  readonly to: Address | undefined;
  readonly value: bigint;
  readonly data: Bytes;
  /** What is left after the intrinsic gas. */
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
  /** Who watches; blocks are run unwatched. */
  readonly trace?: TraceHooks | undefined;
  /** Of what runs for a reader. */
  readonly guard?: Guard | undefined;
  /** Other ones than the fork's: of a question that moved some. */
  readonly precompiles?: Precompiles | undefined;
}

const ZERO_ADDRESS_HEX = '0'.repeat(40);

/** EIP-2929, EIP-2930, EIP-3651: what is warm before the first instruction. */
function warmUp(engine: EvmEngine, context: MessageContext, message: Message): void {
  const { journal } = engine.evm;
  // The fork's own, wherever a question moved them.
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

/** EIP-7702: sets the delegations that are valid and skips the others; answers with the refund. */
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

/** Since EIP-6780 only contracts created in the same transaction disappear. */
function removeDestroyed(context: MessageContext, result: ExecResult): void {
  const onlyCreated = context.engines.common.isActivatedEIP(6780);
  for (const address of result.selfdestruct?.keys() ?? []) {
    if (onlyCreated && result.createdAddresses?.has(address) !== true) continue;
    const bytes = hex(address);
    context.log.touch(bytes);
    context.writes.deleteAccount(bytes);
  }
}

/** True for a halt of the EVM that left the library as an exception. */
const isVmError = (error: unknown): error is { readonly error: string } =>
  typeof error === 'object' && error !== null && (error as { errorType?: unknown }).errorType === 'EVMError';

/**
 * A fault of ours (broken invariant, storage, exhausted stack or memory) must stop the node, and who asked hears of an
 * execution that was given up. Anything else that the
 * library throws is its answer to the data, the same on every node: it costs the sender all gas and changes nothing.
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

/** Runs the message on the write set. The caller has raised the sender's nonce and settles the gas. */
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
