import type { Bytes } from '../../lib/bytes.ts';
import { encodeUtf8 } from '../../lib/utf8.ts';
import type { AuthRecord } from '../chain.ts';
import type { AdmissionError } from '../errors.ts';
import { MAX_UINT64 } from '../evm/numbers.ts';
import { sdkError } from '../sdkErrors.ts';
import type { DecodedCosmosTx } from './decodeCosmosTx.ts';
import { anteGas } from './gas.ts';
import type { SignatureCheck } from './verify.ts';

/** The signer's state before the transaction. */
export interface SignerState {
  readonly nonce: bigint;
  readonly balance: bigint;
  /** undefined: the account never existed. */
  readonly auth: AuthRecord | undefined;
}

/** The chain's constants that the checks of a Cosmos transaction use. */
export interface CosmosRules {
  readonly denom: string;
  readonly blockGasLimit: bigint;
  /** Minimum price of a gas unit, in wei. */
  readonly minGasPrice: bigint;
  readonly memoBytesMax: number;
  readonly txByteGas: bigint;
  readonly signatures: SignatureCheck;
}

/** Where the transaction would run: in the pool or in a block. */
export interface CosmosPlace {
  /** Height of the block that would carry the transaction. */
  readonly height: number;
  readonly baseFee: bigint;
  readonly gasLeft: bigint;
  /** In the pool, a sequence above the next one is allowed: it waits for the earlier ones. */
  readonly isPool: boolean;
  readonly text: (address: Bytes) => string;
}

/** The highest price per gas unit that the fee covers. */
export const feeCapOf = (tx: Pick<DecodedCosmosTx, 'feeAmount' | 'gasLimit'>): bigint =>
  tx.gasLimit === 0n ? 0n : tx.feeAmount / tx.gasLimit;

/** The amount charged: the whole fee, or the EIP-1559 price if the transaction names a tip. */
export function chargedFee(tx: DecodedCosmosTx, baseFee: bigint): bigint {
  if (tx.tipCap === undefined) return tx.feeAmount;
  const byTip = tx.gasLimit * (baseFee + tx.tipCap);
  return byTip < tx.feeAmount ? byTip : tx.feeAmount;
}

const refuse = (...args: Parameters<typeof sdkError>): AdmissionError => sdkError(...args);

function checkStatic(
  tx: DecodedCosmosTx,
  rules: CosmosRules,
  place: CosmosPlace,
): AdmissionError | undefined {
  if (tx.timeoutHeight !== 0n && BigInt(place.height) > tx.timeoutHeight) {
    return refuse(30, `block height: ${place.height}, timeout height: ${tx.timeoutHeight}`);
  }
  // Bytes, like Go's len(): a multi-byte character counts once per byte.
  const characters = encodeUtf8(tx.memo).length;
  if (characters > rules.memoBytesMax) {
    return refuse(
      12,
      `maximum number of characters is ${rules.memoBytesMax} but received ${characters} characters`,
    );
  }
  if (tx.gasLimit === 0n) return refuse(41, 'must provide positive gas');
  return checkPrice(tx, rules, place) ?? checkGas(tx, rules, place);
}

function checkPrice(tx: DecodedCosmosTx, rules: CosmosRules, place: CosmosPlace): AdmissionError | undefined {
  const { denom, minGasPrice } = rules;
  const required = (price: bigint): string =>
    `got: ${tx.feeAmount}${denom} required: ${price * tx.gasLimit}${denom}`;
  if (tx.feeAmount < minGasPrice * tx.gasLimit) {
    const hint = 'Please retry using a higher gas price or a higher fee';
    return refuse(13, `gas prices too low, ${required(minGasPrice)}. ${hint}`);
  }
  return tx.feeAmount < place.baseFee * tx.gasLimit
    ? refuse(13, `insufficient fees; ${required(place.baseFee)}`)
    : undefined;
}

function checkGas(tx: DecodedCosmosTx, rules: CosmosRules, place: CosmosPlace): AdmissionError | undefined {
  const needed = anteGas(tx, rules.txByteGas);
  if (tx.gasLimit < needed) {
    return refuse(11, `out of gas in location: ante; gasWanted: ${tx.gasLimit}, gasUsed: ${needed}`);
  }
  if (tx.gasLimit > rules.blockGasLimit) {
    return refuse(41, `tx gas limit ${tx.gasLimit} exceeds block max gas ${rules.blockGasLimit}`);
  }
  return tx.gasLimit > place.gasLeft
    ? { code: 'block-gas-left', gas: tx.gasLimit, left: place.gasLeft }
    : undefined;
}

function checkSigner(
  tx: DecodedCosmosTx,
  signer: SignerState,
  rules: CosmosRules,
  place: CosmosPlace,
): AdmissionError | undefined {
  const { auth, balance, nonce } = signer;
  const { denom, signatures } = rules;
  if (auth === undefined) return refuse(9, `fee payer address: ${place.text(tx.signer)} does not exist`);
  const fee = chargedFee(tx, place.baseFee);
  if (balance < fee) {
    return refuse(5, `spendable balance ${balance}${denom} is smaller than ${fee}${denom}`);
  }
  const pubKey = tx.pubKey ?? auth.pubKey;
  if (pubKey === undefined) return refuse(8, 'pubkey on account is not set');
  if (tx.sequence < nonce || (!place.isPool && tx.sequence > nonce)) {
    return refuse(32, `account sequence mismatch, expected ${nonce}, got ${tx.sequence}`);
  }
  if (tx.sequence === MAX_UINT64) return { code: 'nonce-max', address: tx.signer, nonce: tx.sequence };
  if (signatures.accepts(tx, pubKey, auth.accountNumber)) return undefined;
  const data = `account number (${auth.accountNumber}), sequence (${tx.sequence}) and chain-id (${signatures.chainId})`;
  return refuse(
    4,
    `signature verification failed; please verify ${data}: unable to verify single signer signature`,
  );
}

/** All checks that a Cosmos transaction must pass before it runs, in the order of the SDK's ante handlers. */
export const checkCosmosTx = (
  tx: DecodedCosmosTx,
  signer: SignerState,
  rules: CosmosRules,
  place: CosmosPlace,
): AdmissionError | undefined => checkStatic(tx, rules, place) ?? checkSigner(tx, signer, rules, place);
