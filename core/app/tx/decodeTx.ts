import type { Shape } from '../../codec/proto.ts';
import { decode } from '../../codec/proto.ts';
import type { CryptoSuite } from '../../crypto/suite.ts';
import { type Bytes, equalBytes } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { EthTx } from '../chain.ts';
import type { AdmissionError } from '../errors.ts';
import { decodeEthTx } from '../evm/ethTx.ts';
import { TYPE_URL } from '../typeUrls.ts';
import {
  AUTH_INFO,
  type AuthInfo,
  type Coin,
  MSG_ETHEREUM_TX,
  TX_BODY,
  TX_RAW,
  TX_RAW_BYTES_MAX,
  type TxBody,
} from './tables.ts';
import { ethTxFee } from './wrapEthTx.ts';

/** A consensus transaction after every check that needs no state. */
export interface DecodedTx {
  readonly kind: 'ethereum';
  /** sha256 of the TxRaw bytes. */
  readonly hash: Bytes;
  readonly tx: EthTx;
  /** 33-byte compressed key of the signer. */
  readonly pubKey: Bytes;
}

type Checked<T> = Result<T, AdmissionError>;

const structure = (message: string): { readonly ok: false; readonly error: AdmissionError } =>
  err({ code: 'tx-structure', message });

function parsed<T>(shape: Shape<T>, bytes: Bytes): Checked<T> {
  const result = decode(shape, bytes);
  return result.ok ? result : err({ code: 'tx-parse', message: result.error.message });
}

/** Reference §5.2 row 0 and the routing rules below it. */
function checkBody(body: TxBody): Checked<Bytes> {
  const extension = body.extensionOptions[0];
  const [message] = body.messages;
  if (extension === undefined) {
    if (message === undefined) return structure('must contain at least one message');
    if (message.typeUrl === TYPE_URL.msgEthereumTx) return err({ code: 'missing-extension' });
    return err({ code: 'unknown-message', typeUrl: message.typeUrl });
  }
  for (const option of body.extensionOptions) {
    if (option.typeUrl !== TYPE_URL.extensionEthereumTx) {
      return err({ code: 'unknown-extension', typeUrl: option.typeUrl });
    }
  }
  if (body.extensionOptions.length !== 1)
    return structure('for eth tx length of ExtensionOptions should be 1');
  if (extension.value.length > 0) return structure('for eth tx ExtensionOptions value should be empty');
  if (body.memo !== '' || body.timeoutHeight !== 0n || body.nonCriticalExtensionOptions.length > 0) {
    return structure('for eth tx body Memo TimeoutHeight NonCriticalExtensionOptions should be empty');
  }
  if (message === undefined || body.messages.length !== 1) {
    return structure(`expected 1 message, got ${body.messages.length}`);
  }
  if (message.typeUrl !== TYPE_URL.msgEthereumTx)
    return err({ code: 'unknown-message', typeUrl: message.typeUrl });
  return ok(message.value);
}

const coinsText = (coins: readonly Coin[]): string => coins.map((coin) => coin.amount + coin.denom).join(',');

function checkAuthInfo(info: AuthInfo, tx: EthTx, denom: string): AdmissionError | undefined {
  const refuse = (message: string): AdmissionError => ({ code: 'tx-structure', message });
  if (info.signerInfos.length > 0) return refuse('for eth tx AuthInfo SignerInfos should be empty');
  if (info.tip.length > 0) return refuse('for eth tx AuthInfo Tip should be empty');
  if (info.fee === undefined) return refuse('for eth tx AuthInfo Fee should not be nil');
  if (info.fee.payer !== '' || info.fee.granter !== '') {
    return refuse('for eth tx AuthInfo Fee payer and granter should be empty');
  }
  const have = coinsText(info.fee.amount);
  const want = coinsText(ethTxFee(tx, denom));
  if (have !== want || info.fee.amount.length > 1) return { code: 'fee-mismatch', have, want };
  if (info.fee.gasLimit !== tx.gasLimit) {
    return { code: 'gas-mismatch', have: info.fee.gasLimit, want: tx.gasLimit };
  }
  return undefined;
}

/** Decodes a TxRaw down to the recovered Ethereum transaction. Pure: a function of the bytes and the denom. */
export function decodeTx(txBytes: Bytes, suite: CryptoSuite, denom: string): Checked<DecodedTx> {
  if (txBytes.length > TX_RAW_BYTES_MAX) {
    return err({ code: 'oversized', size: txBytes.length, limit: TX_RAW_BYTES_MAX });
  }
  const raw = parsed(TX_RAW, txBytes);
  if (!raw.ok) return raw;
  const body = parsed(TX_BODY, raw.value.bodyBytes);
  if (!body.ok) return body;
  const messageBytes = checkBody(body.value);
  if (!messageBytes.ok) return messageBytes;
  if (raw.value.signatures.length > 0) return structure('for eth tx Signatures should be empty');
  const message = parsed(MSG_ETHEREUM_TX, messageBytes.value);
  if (!message.ok) return message;
  const info = parsed(AUTH_INFO, raw.value.authInfoBytes);
  if (!info.ok) return info;
  const signed = decodeEthTx(message.value.raw, suite);
  if (!signed.ok) return signed;
  const { tx, pubKey } = signed.value;
  if (!equalBytes(message.value.from, tx.from)) {
    return err({ code: 'sender-mismatch', have: message.value.from, want: tx.from });
  }
  const refused = checkAuthInfo(info.value, tx, denom);
  if (refused !== undefined) return err(refused);
  return ok({ kind: 'ethereum', hash: suite.sha256(txBytes), tx, pubKey });
}
