import type { Decode, Shape } from '../../codec/proto.ts';
import type { CryptoSuite } from '../../crypto/suite.ts';
import { type Bytes, equalBytes } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Address } from '../../types/ids.ts';
import type { AdmissionError } from '../errors.ts';
import { addressOfKey } from '../evm/ethTx.ts';
import { type SdkCode, type SdkError, sdkError } from '../sdkErrors.ts';
import type { AuthInfo, Fee, TxBody, TxRaw } from '../tx/tables.ts';
import { ETH_PUB_KEY_URLS, TYPE_URL } from '../typeUrls.ts';
import { amountOf, coinsProblem, coinsText } from './coins.ts';
import { type CosmosMessage, decodeMessage, signerOf } from './messages.ts';
import { DYNAMIC_FEE, PUB_KEY, SIGN_MODE, SIGNER_INFO, type SignerInfo } from './tables.ts';

/** A Cosmos transaction that passed all stateless checks. */
export interface DecodedCosmosTx {
  readonly kind: 'cosmos';
  /** sha256 of the TxRaw bytes. */
  readonly hash: Bytes;
  readonly messages: readonly CosmosMessage[];
  readonly signer: Address;
  /** 33 bytes; undefined when the transaction omits the key and relies on the one that the account has. */
  readonly pubKey: Bytes | undefined;
  readonly mode: keyof typeof SIGN_MODE;
  readonly sequence: bigint;
  /** r ‖ s, 64 bytes. */
  readonly signature: Bytes;
  readonly fee: Fee;
  /** The part of the fee in the native denom. */
  readonly feeAmount: bigint;
  readonly gasLimit: bigint;
  /** Set by the dynamic fee extension; without it, the whole fee is charged. */
  readonly tipCap: bigint | undefined;
  readonly memo: string;
  /** 0: no timeout. */
  readonly timeoutHeight: bigint;
  readonly bodyBytes: Bytes;
  readonly authInfoBytes: Bytes;
  /** Bytes of the TxRaw. */
  readonly size: number;
  /**
   * Has extension options, unknown fields or an encoding that amino JSON cannot express. Only SIGN_MODE_DIRECT can sign
   * it.
   */
  readonly isBeyondAmino: boolean;
}

/** The chain's Bech32 prefix and native denom. */
export interface CosmosNames {
  readonly hrp: string;
  readonly denom: string;
}

type Checked<T> = Result<T, AdmissionError>;

const fail = (sdkCode: SdkCode, message: string): { readonly ok: false; readonly error: SdkError } =>
  err(sdkError(sdkCode, message));

function parsed<T>(shape: Shape<T>, bytes: Bytes, read: Decode): Checked<T> {
  const result = read(shape, bytes);
  return result.ok ? result : err({ code: 'tx-parse', message: result.error.message });
}

function tipCapOf(body: TxBody, read: Decode): Checked<bigint | undefined> {
  const [option, ...more] = body.extensionOptions;
  if (option === undefined) return ok(undefined);
  if (more.length > 0) return fail(18, 'more than one extension option');
  if (option.typeUrl !== TYPE_URL.dynamicFee) {
    return err({ code: 'unknown-extension', typeUrl: option.typeUrl });
  }
  const decoded = parsed(DYNAMIC_FEE, option.value, read);
  if (!decoded.ok) return decoded;
  const text = decoded.value.maxPriorityPrice;
  if (!/^(0|[1-9][0-9]{0,77})$/.test(text)) return fail(18, `invalid max_priority_price "${text}"`);
  return ok(BigInt(text));
}

function messagesOf(body: TxBody, hrp: string, read: Decode): Checked<readonly CosmosMessage[]> {
  if (body.messages.length === 0) return fail(18, 'must contain at least one message');
  const messages: CosmosMessage[] = [];
  for (const any of body.messages) {
    const message = decodeMessage(any, hrp, read);
    if (!message.ok) return message;
    messages.push(message.value);
  }
  return ok(messages);
}

/** The fee. Only the signer can pay it. */
function feeOf(info: AuthInfo, payer: string): Checked<Fee> {
  const { fee } = info;
  if (info.tip.length > 0) return fail(37, 'tips are not supported');
  if (fee === undefined) return fail(18, 'AuthInfo Fee should not be nil');
  if (fee.granter !== '') return fail(37, 'fee grants are not supported');
  if (fee.payer !== '' && fee.payer !== payer) return fail(37, 'a fee payer other than the signer');
  if (fee.gasLimit > 0x7fff_ffff_ffff_ffffn) return fail(18, `invalid gas supplied; ${fee.gasLimit} > max`);
  // Zero-amount coins count as no fee: simulating clients name the denom with amount 0, and chains without a base fee
  // allow it.
  const isNothing = fee.amount.every(({ amount }) => amount === '0');
  const problem = isNothing ? undefined : coinsProblem(fee.amount);
  return problem === undefined
    ? ok(fee)
    : fail(13, `invalid fee provided: ${coinsText(fee.amount)}: ${problem}`);
}

function signerInfoOf(info: AuthInfo, read: Decode): Checked<SignerInfo> {
  if (info.signerInfos.length !== 1) {
    return fail(4, `wrong number of signers; expected 1, got ${info.signerInfos.length}`);
  }
  return parsed(SIGNER_INFO, info.signerInfos[0] as Bytes, read);
}

function modeOf({ modeInfo }: SignerInfo): Checked<DecodedCosmosTx['mode']> {
  if (modeInfo === undefined) return fail(18, 'signer without mode info');
  if (modeInfo.multi.length > 0 || modeInfo.single === undefined) {
    return fail(37, 'multisig keys are not supported');
  }
  const { mode } = modeInfo.single;
  if (mode === SIGN_MODE.direct) return ok('direct');
  return mode === SIGN_MODE.aminoJson ? ok('aminoJson') : fail(37, `sign mode ${mode} is not supported`);
}

interface Reading {
  readonly read: Decode;
  readonly suite: Pick<CryptoSuite, 'secp256k1Uncompress' | 'keccak256'>;
}

/** There is one signer, so the key is that of signer info 0. */
function pubKeyOf(
  { publicKey }: SignerInfo,
  signer: Address,
  signerText: string,
  { read, suite }: Reading,
): Checked<Bytes | undefined> {
  if (publicKey === undefined) return ok(undefined);
  if (!ETH_PUB_KEY_URLS.has(publicKey.typeUrl)) {
    return fail(8, `unrecognized public key type: ${publicKey.typeUrl}`);
  }
  const decoded = parsed(PUB_KEY, publicKey.value, read);
  if (!decoded.ok) return decoded;
  const { key } = decoded.value;
  if (key.length !== 33) return fail(8, `invalid pubkey size, expected 33, got ${key.length}`);
  const point = suite.secp256k1Uncompress(key);
  if (point === undefined) return fail(8, 'not a point of secp256k1');
  if (!equalBytes(addressOfKey(point, suite), signer)) {
    return fail(8, `pubKey does not match signer address ${signerText} with signer index: 0`);
  }
  return ok(key);
}

function signatureOf(raw: TxRaw): Checked<Bytes> {
  const [signature] = raw.signatures;
  if (signature === undefined) return fail(15, 'no signatures supplied');
  if (raw.signatures.length > 1) {
    return fail(4, `wrong number of signers; expected 1, got ${raw.signatures.length}`);
  }
  if (signature.length === 64) return ok(signature);
  // The recovery id is not signed. Other values than 0 and 1 are refused, or a transaction could have many hashes.
  if (signature.length === 65 && (signature[64] as number) <= 1) return ok(signature.slice(0, 64));
  return fail(4, 'signature verification failed: expected r, s and an optional recovery id of 0 or 1');
}

/** A TxRaw with its parts decoded. */
export interface CosmosParts {
  readonly raw: TxRaw;
  readonly body: TxBody;
  readonly info: AuthInfo;
  /** The body had unknown non-critical fields, which were dropped. */
  readonly hasUnknownFields: boolean;
}

/** `text` renders an address. Pure: the result depends only on the bytes and the chain's names. */
export function decodeCosmosTx(
  parts: CosmosParts,
  bytes: { readonly hash: Bytes; readonly size: number },
  names: CosmosNames & { readonly text: (address: Address) => string },
  reading: Reading,
  isSimulation = false,
): Checked<DecodedCosmosTx> {
  const { raw, body, info, hasUnknownFields } = parts;
  const { read } = reading;
  const tipCap = tipCapOf(body, read);
  if (!tipCap.ok) return tipCap;
  const messages = messagesOf(body, names.hrp, read);
  if (!messages.ok) return messages;
  const signer = signerOf(messages.value);
  if (!signer.ok) return signer;
  const signerText = names.text(signer.value);
  const fee = feeOf(info, signerText);
  if (!fee.ok) return fee;
  const signature = isSimulation ? ok(new Uint8Array(64)) : signatureOf(raw);
  if (!signature.ok) return signature;
  const signerInfo = signerInfoOf(info, read);
  if (!signerInfo.ok) return signerInfo;
  const mode = isSimulation ? ok('direct' as const) : modeOf(signerInfo.value);
  if (!mode.ok) return mode;
  // A simulating client may not know its key: CosmJS sends a key of another type, and the SDK ignores the key as well.
  const pubKey = isSimulation ? ok(undefined) : pubKeyOf(signerInfo.value, signer.value, signerText, reading);
  if (!pubKey.ok) return pubKey;
  const feeAmount = amountOf(fee.value.amount, names.denom);
  return ok({
    kind: 'cosmos',
    ...bytes,
    messages: messages.value,
    signer: signer.value,
    pubKey: pubKey.value,
    mode: mode.value,
    sequence: signerInfo.value.sequence,
    signature: signature.value,
    fee: fee.value,
    feeAmount,
    gasLimit: fee.value.gasLimit,
    tipCap: tipCap.value,
    memo: body.memo,
    timeoutHeight: body.timeoutHeight,
    bodyBytes: raw.bodyBytes,
    authInfoBytes: raw.authInfoBytes,
    isBeyondAmino:
      hasUnknownFields || body.extensionOptions.length > 0 || body.nonCriticalExtensionOptions.length > 0,
  });
}
