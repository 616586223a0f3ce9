import type { EthTx } from '../../app/chain.ts';
import { renderError } from '../../app/errors.ts';
import { decodeEthTx, ETH_TX_BYTES_MAX } from '../../app/evm/ethTx.ts';
import { wrapEthTx } from '../../app/tx/wrapEthTx.ts';
import { unreachable } from '../../lib/assert.ts';
import { type Bytes, to0xHex, toHex } from '../../lib/bytes.ts';
import type { MempoolRefusal } from '../../types/submit.ts';
import type { RpcContext } from '../context.ts';
import { serverError } from '../rpcError.ts';
import { callData, type TransactionArgs, toCallArgs, transactionFault } from './callArgs.ts';
import { fillFees } from './feeDefaults.ts';
import type { GasOracle } from './gasOracle.ts';
import { outcomeError } from './revert.ts';
import type { EthServices } from './services.ts';
import { type FilledTx, signTx } from './signTx.ts';

const ZERO_ADDRESS = new Uint8Array(20);
const WEI_PER_CENT_ETHER = 10_000_000_000_000_000n;

/** Ether with two decimals, rounded half up, like geth's fee texts. */
function ether(wei: bigint): string {
  const cents = (wei + WEI_PER_CENT_ETHER / 2n) / WEI_PER_CENT_ETHER;
  return `${cents / 100n}.${(cents % 100n).toString().padStart(2, '0')}`;
}

/**
 * Checks that the RPC makes before the pool: a fee that looks like a typing error, a signature that can be replayed.
 */
export function checkPolicy(ctx: RpcContext, tx: EthTx): void {
  const { txFeeCapWei, allowUnprotectedTxs } = ctx.limits;
  const fee = tx.maxFeePerGas * tx.gasLimit;
  if (txFeeCapWei > 0n && fee > txFeeCapWei) {
    throw serverError(
      `tx fee (${ether(fee)} ether) exceeds the configured cap (${ether(txFeeCapWei)} ether)`,
    );
  }
  if (tx.type === 0 && tx.chainId === undefined && !allowUnprotectedTxs) {
    throw serverError('only replay-protected (EIP-155) transactions allowed over RPC');
  }
}

function refusalMessage(ctx: RpcContext, tx: EthTx, refusal: MempoolRefusal): string {
  switch (refusal.code) {
    case 'in-cache': {
      const next = ctx.chain.latest().account(tx.from)?.nonce ?? 0n;
      if (tx.nonce < next) return `nonce too low: next nonce ${next}, tx nonce ${tx.nonce}`;
      return 'already known';
    }
    case 'full':
      return refusal.isUnderpriced === true ? 'transaction underpriced' : 'txpool is full';
    case 'too-large':
      return `oversized data: transaction size ${tx.raw.length}, limit ${ETH_TX_BYTES_MAX}`;
    case 'beyond-block':
      return `oversized data: transaction size ${refusal.bytes}, limit ${refusal.bytesMax}`;
    case 'replacement-underpriced':
      return 'replacement transaction underpriced';
    case 'lane-full':
    case 'overdraft':
      return refusal.message;
    default:
      return unreachable(refusal);
  }
}

/** eth_sendRawTransaction: decodes, wraps and submits; returns the hash once the pool has accepted it. */
export async function sendRaw(ctx: RpcContext, raw: Bytes): Promise<string> {
  const decoded = decodeEthTx(raw, ctx.suite);
  if (!decoded.ok) throw serverError(renderError(decoded.error).ethMessage);
  const { tx } = decoded.value;
  checkPolicy(ctx, tx);
  const wrapped = ctx.wrapEthTx?.(decoded.value) ?? wrapEthTx(tx, ctx.chain.denom);
  const answer = await ctx.submit(wrapped);
  if (answer.kind === 'refused') throw serverError(refusalMessage(ctx, tx, answer.refusal));
  if (answer.result.kind === 'rejected') throw serverError(answer.result.ethMessage);
  return to0xHex(tx.hash);
}

async function fillGas(ctx: RpcContext, args: TransactionArgs): Promise<bigint> {
  if (args.gas !== undefined) return args.gas;
  const call = toCallArgs(args, undefined);
  const estimate = await ctx.evm.estimateGas(ctx.chain.latest(), call, ctx.limits.gasCap);
  if (estimate.kind === 'gas') return estimate.gas;
  throw outcomeError(estimate);
}

/** geth's setDefaults: fills in nonce, fees and gas where the request omits them. */
export async function fillTx(ctx: RpcContext, args: TransactionArgs, oracle: GasOracle): Promise<FilledTx> {
  const fault = transactionFault(args, ctx.chain.evmChainId);
  if (fault !== undefined) throw serverError(fault);
  const data = callData(args);
  if (args.to === undefined && data.length === 0)
    throw serverError('contract creation without any data provided');
  if (args.authorizationList !== undefined && args.to === undefined)
    throw serverError('authorizationList provided for contract creation, but "to" field is missing');
  const fees = fillFees(ctx, args, oracle, ctx.chain.head());
  return {
    chainId: ctx.chain.evmChainId,
    // The estimate includes the fees, because they decide whether the sender can afford the transaction.
    gas: await fillGas(ctx, { ...args, ...fees }),
    nonce: args.nonce ?? pendingNonce(ctx, args.from ?? ZERO_ADDRESS),
    fees,
    to: args.to,
    value: args.value ?? 0n,
    data,
    accessList: args.accessList,
    authorizationList: args.authorizationList ?? [],
  };
}

/** The secret key of an account that the node signs for. */
export function secretOf(ctx: RpcContext, address: Bytes | undefined): Bytes {
  const secret = address === undefined ? undefined : ctx.keys.secret(address);
  if (secret !== undefined) return secret;
  const isLocked = address !== undefined && ctx.keys.vault?.has(address) === true;
  throw serverError(isLocked ? 'authentication needed: password or unlock' : 'unknown account');
}

/** Like secretOf, but the password opens a locked key. For a key without password it is ignored. */
export function secretUnder(ctx: RpcContext, address: Bytes | undefined, password: string): Bytes {
  const { vault } = ctx.keys;
  if (address === undefined || vault?.has(address) !== true) return secretOf(ctx, address);
  const opened = vault.open(address, password);
  if (!opened.ok) throw serverError(opened.error);
  return opened.value;
}

/** eth_sendTransaction: fills in missing fields, signs with one of the node's keys, submits. */
export async function sendTransaction(
  ctx: RpcContext,
  args: TransactionArgs,
  { oracle, turns }: EthServices,
  secret = secretOf(ctx, args.from),
): Promise<string> {
  const send = async () => sendRaw(ctx, signTx(await fillTx(ctx, args, oracle), secret, ctx.suite));
  return args.nonce !== undefined || args.from === undefined ? send() : turns.run(toHex(args.from), send);
}

/** The next nonce after the sender's executable transactions in the pool. */
export function pendingNonce(ctx: RpcContext, address: Bytes): bigint {
  const state = ctx.chain.latest().account(address)?.nonce ?? 0n;
  const pooled = ctx.pool.pendingNonce(address) ?? 0n;
  return pooled > state ? pooled : state;
}

export const ownAddresses = (ctx: RpcContext): readonly string[] => ctx.keys.addresses.map(to0xHex);
