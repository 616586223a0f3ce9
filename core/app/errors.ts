import { toEip55 } from '../address/eip55.ts';
import { type Bytes, to0xHex } from '../lib/bytes.ts';
import { type BankError, bankCode, type SdkError, sdkLog } from './sdkErrors.ts';

/** Why a transaction is refused, by the pool or in a block. One union for the whole application. */
export type AdmissionError =
  | { readonly code: 'tx-parse'; readonly message: string }
  | { readonly code: 'tx-structure'; readonly message: string }
  | { readonly code: 'unknown-extension'; readonly typeUrl: string }
  | { readonly code: 'unknown-message'; readonly typeUrl: string }
  | { readonly code: 'missing-extension' }
  | { readonly code: 'fee-mismatch'; readonly have: string; readonly want: string }
  | { readonly code: 'gas-mismatch'; readonly have: bigint; readonly want: bigint }
  | { readonly code: 'sender-mismatch'; readonly have: Bytes; readonly want: Bytes }
  | { readonly code: 'rlp'; readonly message: string }
  | { readonly code: 'tx-too-short' }
  | { readonly code: 'tx-type' }
  | { readonly code: 'oversized'; readonly size: number; readonly limit: number }
  | { readonly code: 'init-code'; readonly size: number; readonly limit: number }
  | { readonly code: 'signature' }
  | { readonly code: 'chain-id'; readonly have: bigint; readonly want: bigint }
  | { readonly code: 'tip-above-cap'; readonly tip: bigint; readonly cap: bigint }
  | { readonly code: 'auth-list-empty' }
  | { readonly code: 'intrinsic-gas'; readonly gas: bigint; readonly needed: bigint }
  | { readonly code: 'floor-gas'; readonly gas: bigint; readonly needed: bigint }
  | { readonly code: 'tx-gas-cap'; readonly gas: bigint; readonly cap: bigint }
  | { readonly code: 'block-gas-limit'; readonly gas: bigint; readonly limit: bigint }
  | { readonly code: 'block-gas-left'; readonly gas: bigint; readonly left: bigint }
  | { readonly code: 'nonce-max'; readonly address: Bytes; readonly nonce: bigint }
  | { readonly code: 'nonce-too-low'; readonly address: Bytes; readonly tx: bigint; readonly state: bigint }
  | { readonly code: 'nonce-too-high'; readonly address: Bytes; readonly tx: bigint; readonly state: bigint }
  | { readonly code: 'sender-not-eoa'; readonly address: Bytes; readonly codeHash: Bytes }
  | { readonly code: 'insufficient-funds'; readonly balance: bigint; readonly cost: bigint }
  | {
      readonly code: 'fee-cap-below-base';
      readonly address: Bytes;
      readonly cap: bigint;
      readonly baseFee: bigint;
    }
  | { readonly code: 'underpriced'; readonly price: bigint; readonly minimum: bigint }
  /** Errors of Cosmos transactions. */
  | SdkError
  | BankError;

export interface RenderedError {
  readonly codespace: string;
  /** Cosmos SDK error code, never 0. */
  readonly code: number;
  /** Cosmos SDK wording. */
  readonly log: string;
  /** geth wording. */
  readonly ethMessage: string;
}

const sdk = (code: number, log: string, ethMessage: string): RenderedError => ({
  codespace: 'sdk',
  code,
  log,
  ethMessage,
});

/** Errors of the envelope around the Ethereum transaction. */
function renderEnvelope(error: AdmissionError): RenderedError | undefined {
  switch (error.code) {
    case 'sdk':
      return sdk(error.sdkCode, sdkLog(error), error.message);
    case 'bank':
      return {
        codespace: 'bank',
        code: bankCode(error),
        log: error.message,
        ethMessage: error.message,
      };
    case 'tx-parse':
      return sdk(2, `${error.message}: tx parse error`, error.message);
    case 'tx-structure':
      return sdk(18, `${error.message}: invalid request`, error.message);
    case 'unknown-extension': {
      const text = `rejecting tx with unsupported extension option: ${error.typeUrl}`;
      return sdk(31, `${text}: unknown extension options`, text);
    }
    case 'unknown-message': {
      const text = `unrecognized message: ${error.typeUrl}`;
      return sdk(6, `${text}: unknown request`, text);
    }
    case 'missing-extension': {
      const text = "MsgEthereumTx needs to be contained within a tx with 'ExtensionOptionsEthereumTx' option";
      return sdk(29, `${text}: invalid type`, text);
    }
    case 'fee-mismatch': {
      const text = `invalid AuthInfo Fee Amount (${error.have} != ${error.want})`;
      return sdk(18, `${text}: invalid request`, text);
    }
    case 'gas-mismatch': {
      const text = `invalid AuthInfo Fee GasLimit (${error.have} != ${error.want})`;
      return sdk(18, `${text}: invalid request`, text);
    }
    case 'sender-mismatch': {
      const text = `signature verification failed: from ${toEip55(error.have)} is not the signer ${toEip55(error.want)}`;
      return sdk(24, `${text}: tx intended signer does not match the given signer`, 'invalid sender');
    }
    default:
      return undefined;
  }
}

/** Stateless errors of the Ethereum transaction itself, in geth's words. */
function renderStatic(error: AdmissionError): RenderedError | undefined {
  const invalid = (text: string): RenderedError => sdk(18, `${text}: invalid request`, text);
  const outOfGas = (text: string): RenderedError => sdk(11, `${text}: out of gas`, text);
  switch (error.code) {
    case 'rlp':
      return sdk(2, `${error.message}: tx parse error`, error.message);
    case 'tx-too-short':
      return sdk(2, 'typed transaction too short: tx parse error', 'typed transaction too short');
    case 'tx-type':
      return invalid('transaction type not supported');
    case 'oversized':
      return invalid(`oversized data: transaction size ${error.size}, limit ${error.limit}`);
    case 'init-code':
      return invalid(`max initcode size exceeded: code size ${error.size}, limit ${error.limit}`);
    case 'signature': {
      const text = 'invalid transaction v, r, s values';
      const log = `signature verification failed: ${text}: tx intended signer does not match the given signer`;
      return sdk(24, log, `invalid sender: ${text}`);
    }
    case 'chain-id': {
      const text = `incorrect chain-id; expected ${error.want}, got ${error.have}`;
      const eth = `invalid sender: invalid chain id for signer: have ${error.have} want ${error.want}`;
      return sdk(28, `${text}: invalid chain-id`, eth);
    }
    case 'tip-above-cap':
      return invalid('max priority fee per gas higher than max fee per gas');
    case 'auth-list-empty':
      return invalid('set code tx must have at least one authorization tuple');
    case 'intrinsic-gas':
      return outOfGas(`intrinsic gas too low: gas ${error.gas}, minimum needed ${error.needed}`);
    case 'floor-gas':
      return outOfGas(
        `insufficient gas for floor data gas cost: gas ${error.gas}, minimum needed ${error.needed}`,
      );
    case 'tx-gas-cap':
      return outOfGas(`transaction gas limit too high (cap: ${error.cap}, tx: ${error.gas})`);
    case 'block-gas-limit': {
      const log = `tx gas (${error.gas}) exceeds block gas limit (${error.limit}): out of gas`;
      return sdk(11, log, 'exceeds block gas limit');
    }
    default:
      return undefined;
  }
}

/** Errors that depend on the state or on the block, in geth's words. */
function renderStateful(error: AdmissionError): RenderedError {
  switch (error.code) {
    case 'block-gas-left': {
      const log = `out of gas in location: block gas meter; gasWanted: ${error.gas}, gasLeft: ${error.left}: out of gas`;
      return sdk(11, log, 'gas limit reached');
    }
    case 'nonce-max': {
      const text = `nonce has max value: address ${toEip55(error.address)}, nonce: ${error.nonce}`;
      return sdk(3, `${text}: invalid sequence`, text);
    }
    case 'nonce-too-low': {
      const log = `invalid nonce; got ${error.tx}, expected ${error.state}: invalid sequence`;
      return sdk(3, log, `nonce too low: next nonce ${error.state}, tx nonce ${error.tx}`);
    }
    case 'nonce-too-high': {
      const log = `invalid nonce; got ${error.tx}, expected ${error.state}: invalid sequence`;
      const eth = `nonce too high: address ${toEip55(error.address)}, tx: ${error.tx} state: ${error.state}`;
      return sdk(3, log, eth);
    }
    case 'sender-not-eoa': {
      const text = `sender not an eoa: address ${toEip55(error.address)}, codehash: ${to0xHex(error.codeHash)}`;
      return sdk(29, `the sender is not EOA: address ${toEip55(error.address)}: invalid type`, text);
    }
    case 'insufficient-funds': {
      const { balance, cost } = error;
      const log = `failed to check sender balance: sender balance < tx cost (${balance} < ${cost}): insufficient funds`;
      const eth = `insufficient funds for gas * price + value: balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`;
      return sdk(5, log, eth);
    }
    case 'fee-cap-below-base': {
      const { cap, baseFee } = error;
      const log = `max fee per gas less than block base fee (${cap} < ${baseFee}): insufficient fee`;
      const eth = `max fee per gas less than block base fee: address ${toEip55(error.address)}, maxFeePerGas: ${cap}, baseFee: ${baseFee}`;
      return sdk(13, log, eth);
    }
    case 'underpriced': {
      const { price, minimum } = error;
      const log = `provided fee < minimum global fee (${price} < ${minimum}). Please increase the priority tip (for EIP-1559 txs) or the gas prices (for access list or legacy txs): insufficient fee`;
      const eth = `transaction underpriced: gas fee cap ${price}, minimum needed ${minimum}`;
      return sdk(13, log, eth);
    }
    default:
      return sdk(1, `unexpected error ${error.code}`, error.code);
  }
}

export const renderError = (error: AdmissionError): RenderedError =>
  renderEnvelope(error) ?? renderStatic(error) ?? renderStateful(error);
