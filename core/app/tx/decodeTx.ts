import { formatAddress } from '../../address/kinds.ts';
import { type Decode, decode, decodeWordy, type Shape } from '../../codec/proto.ts';
import type { CryptoSuite } from '../../crypto/suite.ts';
import { type Bytes, equalBytes } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { DEFAULT_HRP } from '../appState.ts';
import type { EthTx, SignedEthTx } from '../chain.ts';
import { type CosmosNames, type DecodedCosmosTx, decodeCosmosTx } from '../cosmos/decodeCosmosTx.ts';
import { withoutNonCritical } from '../cosmos/unknownFields.ts';
import type { AdmissionError } from '../errors.ts';
import { decodeEthTx } from '../evm/ethTx.ts';
import { TYPE_URL } from '../typeUrls.ts';
import {
  type Any,
  AUTH_INFO,
  type AuthInfo,
  type Coin,
  MSG_ETHEREUM_TX,
  TX_BODY,
  TX_RAW,
  TX_RAW_BYTES_MAX,
  type TxBody,
  type TxRaw,
} from './tables.ts';
import { ethTxFee } from './wrapEthTx.ts';

/** An Ethereum transaction and its consensus wrapping, after all stateless checks. */
export interface DecodedEthTx {
  readonly kind: 'ethereum';
  /** sha256 of the TxRaw bytes. */
  readonly hash: Bytes;
  readonly tx: EthTx;
  /** 33-byte compressed key of the signer. */
  readonly pubKey: Bytes;
}

/** A consensus transaction after all stateless checks. */
export type DecodedTx = DecodedEthTx | DecodedCosmosTx;

type Checked<T> = Result<T, AdmissionError>;

const structure = (message: string): { readonly ok: false; readonly error: AdmissionError } =>
  err({ code: 'tx-structure', message });

function parsed<T>(shape: Shape<T>, bytes: Bytes, read: Decode = decode): Checked<T> {
  const result = read(shape, bytes);
  return result.ok ? result : err({ code: 'tx-parse', message: result.error.message });
}

/** Whether an extension option marks the body as the wrapping of an Ethereum transaction. */
const isEthereum = (body: TxBody): boolean =>
  body.extensionOptions.some(({ typeUrl }) => typeUrl === TYPE_URL.extensionEthereumTx);

/** The Ethereum message that the body wraps: one extension option, one message, and nothing else. */
function checkBody(body: TxBody): Checked<Bytes> {
  const extension = body.extensionOptions[0] as Any;
  const [message] = body.messages;
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

/** Compares coin by coin: different lists can have the same text, as `1` of `2x` and `12` of `x` do. */
const isSameFee = (a: readonly Coin[], b: readonly Coin[]): boolean =>
  a.length === b.length &&
  a.every(({ denom, amount }, i) => denom === b[i]?.denom && amount === b[i]?.amount);

function checkAuthInfo(info: AuthInfo, tx: EthTx, denom: string): AdmissionError | undefined {
  const refuse = (message: string): AdmissionError => ({ code: 'tx-structure', message });
  if (info.signerInfos.length > 0) return refuse('for eth tx AuthInfo SignerInfos should be empty');
  if (info.tip.length > 0) return refuse('for eth tx AuthInfo Tip should be empty');
  if (info.fee === undefined) return refuse('for eth tx AuthInfo Fee should not be nil');
  if (info.fee.payer !== '' || info.fee.granter !== '') {
    return refuse('for eth tx AuthInfo Fee payer and granter should be empty');
  }
  const fee = ethTxFee(tx, denom);
  if (!isSameFee(info.fee.amount, fee))
    return { code: 'fee-mismatch', have: coinsText(info.fee.amount), want: coinsText(fee) };
  if (info.fee.gasLimit !== tx.gasLimit) {
    return { code: 'gas-mismatch', have: info.fee.gasLimit, want: tx.gasLimit };
  }
  return undefined;
}

interface OpenedBody {
  readonly body: TxBody;
  readonly hasUnknownFields: boolean;
}

/** Decodes the body. Unknown non-critical fields are dropped first. */
function openBody(bodyBytes: Bytes, body: Checked<TxBody>, read: Decode): Checked<OpenedBody> {
  if (body.ok) return ok({ body: body.value, hasUnknownFields: false });
  const known = withoutNonCritical(bodyBytes);
  if (known === undefined || known.length === bodyBytes.length) return body;
  const rest = parsed(TX_BODY, known, read);
  if (!rest.ok || isEthereum(rest.value)) return body;
  return ok({ body: rest.value, hasUnknownFields: true });
}

/** How a transaction is to be read. */
export interface DecodeOptions {
  /** The chain's account prefix. */
  readonly hrp?: string;
  /** sha256 of the bytes, if the caller already has it. */
  readonly hash?: Bytes;
  /** Ignores signature, key and sign mode of a Cosmos transaction. */
  readonly isSimulation?: boolean;
}

export type DecodeTx = typeof decodeTx;

/**
 * Decodes a TxRaw to an Ethereum transaction with its recovered sender, or to the messages of a Cosmos transaction.
 * Pure.
 */
export function decodeTx(
  txBytes: Bytes,
  suite: CryptoSuite,
  denom: string,
  { hrp = DEFAULT_HRP, hash, isSimulation = false }: DecodeOptions = {},
): Checked<DecodedTx> {
  if (txBytes.length > TX_RAW_BYTES_MAX) {
    return err({ code: 'oversized', size: txBytes.length, limit: TX_RAW_BYTES_MAX });
  }
  const raw = parsed(TX_RAW, txBytes);
  if (!raw.ok) return raw;
  const body = parsed(TX_BODY, raw.value.bodyBytes);
  const bytes = { hash: hash ?? suite.sha256(txBytes), size: txBytes.length };
  if (body.ok && isEthereum(body.value)) {
    const signed = decodeWrapped(raw.value, body.value, suite, denom);
    return signed.ok ? ok({ kind: 'ethereum', hash: bytes.hash, ...signed.value }) : signed;
  }
  const context = { names: { hrp, denom }, suite, isSimulation };
  const plain = decodeCosmos(raw.value, body, bytes, { ...context, read: decode });
  if (plain.ok || !isUnread(plain.error)) return plain;
  const wordyBody = parsed(TX_BODY, raw.value.bodyBytes, decodeWordy);
  if (wordyBody.ok && isEthereum(wordyBody.value)) return plain;
  const wordy = decodeCosmos(raw.value, wordyBody, bytes, { ...context, read: decodeWordy });
  if (!wordy.ok) return wordy;
  // Only a signature over the bytes fixes their encoding; with a signed document, anyone could re-encode the
  // transaction.
  return wordy.value.mode === 'direct' ? ok({ ...wordy.value, isBeyondAmino: true }) : plain;
}

/** Whether the transaction fails because of its encoding. */
const isUnread = (error: AdmissionError): boolean =>
  error.code === 'tx-parse' || (error.code === 'sdk' && error.sdkCode === 2);

interface CosmosContext {
  readonly names: CosmosNames;
  readonly suite: CryptoSuite;
  readonly isSimulation: boolean;
  readonly read: Decode;
}

function decodeCosmos(
  raw: TxRaw,
  knownBody: Checked<TxBody>,
  bytes: { readonly hash: Bytes; readonly size: number },
  { names, suite, isSimulation, read }: CosmosContext,
): Checked<DecodedCosmosTx> {
  const opened = openBody(raw.bodyBytes, knownBody, read);
  if (!opened.ok) return opened;
  const { body } = opened.value;
  if (body.messages.some(({ typeUrl }) => typeUrl === TYPE_URL.msgEthereumTx)) {
    const [extension] = body.extensionOptions;
    return err(
      extension === undefined
        ? { code: 'missing-extension' }
        : { code: 'unknown-extension', typeUrl: extension.typeUrl },
    );
  }
  const info = parsed(AUTH_INFO, raw.authInfoBytes, read);
  if (!info.ok) return info;
  const parts = { raw, info: info.value, ...opened.value };
  const spelled = { ...names, text: (address: Bytes) => formatAddress('acc', names.hrp, address) };
  return decodeCosmosTx(parts, bytes, spelled, { read, suite }, isSimulation);
}

function decodeWrapped(raw: TxRaw, body: TxBody, suite: CryptoSuite, denom: string): Checked<SignedEthTx> {
  const messageBytes = checkBody(body);
  if (!messageBytes.ok) return messageBytes;
  if (raw.signatures.length > 0) return structure('for eth tx Signatures should be empty');
  const message = parsed(MSG_ETHEREUM_TX, messageBytes.value);
  if (!message.ok) return message;
  const info = parsed(AUTH_INFO, raw.authInfoBytes);
  if (!info.ok) return info;
  const signed = decodeEthTx(message.value.raw, suite);
  if (!signed.ok) return signed;
  const { tx } = signed.value;
  if (!equalBytes(message.value.from, tx.from)) {
    return err({ code: 'sender-mismatch', have: message.value.from, want: tx.from });
  }
  const refused = checkAuthInfo(info.value, tx, denom);
  return refused === undefined ? signed : err(refused);
}
