import { type Bytes, equalBytes, hex } from '../../lib/bytes.ts';
import type { EthTx } from '../chain.ts';
import type { AdmissionError } from '../errors.ts';
import { isDelegation } from './delegation.ts';
import type { ForkRules } from './forks.ts';
import { INIT_CODE_BYTES_MAX, intrinsicGas, isInitCodeTooLong, TX_GAS_CAP } from './intrinsicGas.ts';
import { MAX_UINT64 } from './numbers.ts';

/** keccak256 of the empty string: the hash of an account without code. */
export const EMPTY_CODE_HASH: Bytes = hex('c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');

/** The chain's constants that admission uses. */
export interface ChainRules {
  readonly evmChainId: bigint;
  readonly fork: ForkRules;
  /** Gas limit of a block. */
  readonly blockGasLimit: bigint;
  /** Minimum fee cap that the chain accepts, in wei. */
  readonly minGasPrice: bigint;
}

/** The sender's state before the transaction; zeros for an account that does not exist. */
export interface SenderState {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly codeHash: Bytes;
  /** Read only if the code hash is not the empty one. */
  code(): Bytes;
}

/** value + gas × feeCap: what the sender must own (EIP-1559). */
export const txCost = (tx: Pick<EthTx, 'value' | 'gasLimit' | 'maxFeePerGas'>): bigint =>
  tx.value + tx.gasLimit * tx.maxFeePerGas;

/**
 * The checks that need only the transaction and the chain's constants. The decoder has already checked the size limit,
 * bit widths and the signature. An unprotected legacy transaction (no chain id) passes: whether RPC accepts one is the
 * node's policy.
 */
export function checkStatic(tx: EthTx, rules: ChainRules): AdmissionError | undefined {
  if (tx.type === 4 && !rules.fork.prague) return { code: 'tx-type' };
  if (tx.type === 2 && !rules.fork.london) return { code: 'tx-type' };
  if (tx.chainId !== undefined && tx.chainId !== rules.evmChainId) {
    return { code: 'chain-id', have: tx.chainId, want: rules.evmChainId };
  }
  if (tx.type === 4 && tx.authorizationList.length === 0) return { code: 'auth-list-empty' };
  if (isInitCodeTooLong(tx, rules.fork)) {
    return { code: 'init-code', size: tx.data.length, limit: INIT_CODE_BYTES_MAX };
  }
  if (tx.maxPriorityFeePerGas > tx.maxFeePerGas) {
    return { code: 'tip-above-cap', tip: tx.maxPriorityFeePerGas, cap: tx.maxFeePerGas };
  }
  if (tx.maxFeePerGas < rules.minGasPrice) {
    return { code: 'underpriced', price: tx.maxFeePerGas, minimum: rules.minGasPrice };
  }
  return checkGas(tx, rules);
}

function checkGas(tx: EthTx, rules: ChainRules): AdmissionError | undefined {
  const { intrinsic, floor } = intrinsicGas(tx, rules.fork);
  if (tx.gasLimit < intrinsic) return { code: 'intrinsic-gas', gas: tx.gasLimit, needed: intrinsic };
  if (tx.gasLimit < floor) return { code: 'floor-gas', gas: tx.gasLimit, needed: floor };
  if (rules.fork.osaka && tx.gasLimit > TX_GAS_CAP)
    return { code: 'tx-gas-cap', gas: tx.gasLimit, cap: TX_GAS_CAP };
  if (tx.gasLimit > rules.blockGasLimit) {
    return { code: 'block-gas-limit', gas: tx.gasLimit, limit: rules.blockGasLimit };
  }
  return undefined;
}

/** Checks that apply in the pool and in a block alike: nonce not used yet, EOA (EIP-3607, EIP-7702). */
function checkSender(tx: EthTx, sender: SenderState): AdmissionError | undefined {
  if (tx.nonce < sender.nonce) {
    return { code: 'nonce-too-low', address: tx.from, tx: tx.nonce, state: sender.nonce };
  }
  // EIP-2681: the incremented nonce must still fit in 64 bits.
  if (tx.nonce === MAX_UINT64) return { code: 'nonce-max', address: tx.from, nonce: tx.nonce };
  if (!equalBytes(sender.codeHash, EMPTY_CODE_HASH) && !isDelegation(sender.code())) {
    return { code: 'sender-not-eoa', address: tx.from, codeHash: sender.codeHash };
  }
  return undefined;
}

function checkFunds(tx: EthTx, sender: SenderState): AdmissionError | undefined {
  const cost = txCost(tx);
  return sender.balance < cost ? { code: 'insufficient-funds', balance: sender.balance, cost } : undefined;
}

/** For the pool: a future nonce and a fee cap below the base fee are allowed, as the transaction can wait. */
export const checkForPool = (tx: EthTx, sender: SenderState): AdmissionError | undefined =>
  checkSender(tx, sender) ?? checkFunds(tx, sender);

/** For a block: the nonce is the next one and the sender can pay now (geth's `preCheck` and `buyGas`). */
export function checkForBlock(
  tx: EthTx,
  sender: SenderState,
  block: { readonly baseFee: bigint; readonly gasLeft: bigint },
): AdmissionError | undefined {
  if (tx.nonce > sender.nonce) {
    return { code: 'nonce-too-high', address: tx.from, tx: tx.nonce, state: sender.nonce };
  }
  const refused = checkSender(tx, sender);
  if (refused !== undefined) return refused;
  if (tx.maxFeePerGas < block.baseFee) {
    return { code: 'fee-cap-below-base', address: tx.from, cap: tx.maxFeePerGas, baseFee: block.baseFee };
  }
  if (tx.gasLimit > block.gasLeft) return { code: 'block-gas-left', gas: tx.gasLimit, left: block.gasLeft };
  return checkFunds(tx, sender);
}
