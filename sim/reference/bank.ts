import { parseAddress } from '../../core/address/kinds.ts';
import type { AuthRecord, ChainReader } from '../../core/app/chain.ts';
import {
  DYNAMIC_FEE,
  MSG_MULTI_SEND,
  MSG_SEND,
  PUB_KEY,
  SIGN_MODE,
  SIGNER_INFO,
  type SignerInfo,
} from '../../core/app/cosmos/tables.ts';
import {
  type Any,
  AUTH_INFO,
  type AuthInfo,
  TX_BODY,
  TX_RAW,
  type TxBody,
} from '../../core/app/tx/tables.ts';
import { TYPE_URL } from '../../core/app/typeUrls.ts';
import { decode, decodeWordy, type Shape } from '../../core/codec/proto.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, toHex } from '../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../core/lib/utf8.ts';
import { withoutIgnored } from './ignored.ts';
import { type SignedFor, type SignedParts, type SignForm, signDigest } from './signDigest.ts';
import type { Name, ReferenceState } from './state.ts';

export interface Coins {
  readonly denom: string;
  readonly amount: string;
}
export interface Send {
  readonly typeUrl: string;
  readonly from: Name;
  /** How many further senders there are, which are not read. */
  readonly others: number;
  readonly to: readonly { readonly name: Name; readonly coins: readonly Coins[] }[];
  readonly coins: readonly Coins[];
  /** All addresses as they are written. */
  readonly texts: readonly string[];
}

/** A transaction of bank messages, decoded. */
export interface BankTx {
  readonly sends: readonly Send[];
  readonly sequence: bigint;
  readonly fee: bigint;
  readonly gasLimit: bigint;
  readonly tip: bigint | undefined;
  readonly timeoutHeight: bigint;
  readonly pubKey: Bytes | undefined;
  readonly signature: Bytes;
  /** The sign modes under which its signature may be valid. */
  readonly forms: readonly SignForm[];
  readonly signed: SignedParts;
  readonly memo: string;
  /** The coins of the fee. */
  readonly feeCoins: readonly Coins[];
  /** A reason for refusal: a part that no transaction here may have or must not lack. */
  readonly surplus: string | undefined;
  readonly size: number;
}

/** The longest memo, in bytes. */
const MEMO_MAX = 256;

/** A block holds something other than a transaction of bank messages. */
export class Unreadable extends Error {}

/** Decodes the parts of a transaction, and notes whether any writes out a default value. */
class Parts {
  isWordy = false;

  read<T>(shape: Shape<T>, bytes: Bytes): T {
    const result = decodeWordy(shape, bytes);
    if (!result.ok) throw new Unreadable(result.error.message);
    this.isWordy ||= !decode(shape, bytes).ok;
    return result.value;
  }
}

function nameOf(text: string, hrp: string): Name {
  const address = parseAddress('acc', text, hrp);
  if (!address.ok) throw new Unreadable(address.error.message);
  return toHex(address.value);
}

export const amountIn = (coins: readonly Coins[], denom: string): bigint =>
  coins.reduce((sum, coin) => sum + (coin.denom === denom ? BigInt(coin.amount) : 0n), 0n);

function sendOf({ typeUrl, value }: Any, hrp: string, parts: Parts): Send {
  if (typeUrl === TYPE_URL.msgSend) {
    const { fromAddress, toAddress, amount } = parts.read(MSG_SEND, value);
    return {
      typeUrl,
      from: nameOf(fromAddress, hrp),
      others: 0,
      to: [{ name: nameOf(toAddress, hrp), coins: amount }],
      coins: amount,
      texts: [fromAddress, toAddress],
    };
  }
  if (typeUrl !== TYPE_URL.msgMultiSend) throw new Unreadable(typeUrl);
  const { inputs, outputs } = parts.read(MSG_MULTI_SEND, value);
  const input = present(inputs[0], 'a sender');
  const to = outputs.map(({ address, coins }) => ({ name: nameOf(address, hrp), coins }));
  const texts = [...inputs, ...outputs].map(({ address }) => address);
  const from = nameOf(input.address, hrp);
  return { typeUrl, from, others: inputs.length - 1, to, coins: input.coins, texts };
}

const FORMS: ReadonlyMap<number | undefined, readonly SignForm[]> = new Map([
  [SIGN_MODE.direct, ['direct', 'typed']],
  [SIGN_MODE.aminoJson, ['amino', 'typed']],
]);

/** Checks the parts that must be there exactly once, and those that must be absent. */
function surplusOf(
  { signerInfos, fee, tip }: AuthInfo,
  signatures: readonly Bytes[],
  sender: string | undefined,
): string | undefined {
  const [signature] = signatures;
  if (signerInfos.length !== 1 || signatures.length !== 1) return 'has not one signer';
  if (fee === undefined || tip.length > 0) return 'has no fee, or something for the proposer';
  if ((fee.payer !== '' && fee.payer !== sender) || fee.granter !== '') return 'lets another pay its fee';
  const [length, recovery] = [signature?.length, signature?.[64] ?? 0];
  return (length === 64 || length === 65) && recovery <= 1 ? undefined : 'has an odd signature';
}

/** The type of Ethereum keys as this chain and its relatives name it, because some wallets know no other name. */
const KEY_NAME =
  /^\/((chain|cosmos\.evm|ethermint)\.crypto\.v1|injective\.crypto\.v1beta1)\.ethsecp256k1\.PubKey$/;

/** There is at most one extension option, and only one kind of key. */
function beside({ extensionOptions }: TxBody, { modeInfo, publicKey }: SignerInfo): string | undefined {
  if (publicKey !== undefined && !KEY_NAME.test(publicKey.typeUrl)) return 'shows a key of another kind';
  if (extensionOptions.length > 1) return 'has more than one option';
  if (extensionOptions.some(({ typeUrl }) => typeUrl !== TYPE_URL.dynamicFee)) return 'has an unknown option';
  return (modeInfo?.multi.length ?? 0) > 0 ? 'is of a key of many' : undefined;
}

const isOfBytes = (form: SignForm): boolean => form === 'direct';

export function readBankTx(bytes: Bytes, { hrp, denom }: ChainReader): BankTx {
  const parts = new Parts();
  const raw = parts.read(TX_RAW, bytes);
  if (parts.isWordy) throw new Unreadable('a default is written out around the parts');
  const known = withoutIgnored(raw.bodyBytes);
  const [body, info] = [parts.read(TX_BODY, known), parts.read(AUTH_INFO, raw.authInfoBytes)];
  const signer = parts.read(SIGNER_INFO, present(info.signerInfos[0], 'a signer'));
  const option = body.extensionOptions[0];
  const tip =
    option === undefined ? undefined : BigInt(parts.read(DYNAMIC_FEE, option.value).maxPriorityPrice);
  const sends = body.messages.map((message) => sendOf(message, hrp, parts));
  const pubKey = signer.publicKey === undefined ? undefined : parts.read(PUB_KEY, signer.publicKey.value).key;
  const forms = FORMS.get(signer.modeInfo?.single?.mode) ?? [];
  return {
    sends,
    sequence: signer.sequence,
    fee: amountIn(info.fee?.amount ?? [], denom),
    gasLimit: info.fee?.gasLimit ?? 0n,
    tip,
    timeoutHeight: body.timeoutHeight,
    pubKey,
    signature: present(raw.signatures[0], 'a signature').slice(0, 64),
    // An amino or typed document does not cover how the bytes are written, so anybody could write them differently.
    forms: parts.isWordy || known.length < raw.bodyBytes.length ? forms.filter(isOfBytes) : forms,
    signed: raw,
    memo: body.memo,
    feeCoins: info.fee?.amount ?? [],
    surplus: surplusOf(info, raw.signatures, sends[0]?.texts[0]) ?? beside(body, signer),
    size: bytes.length,
  };
}

/** Gas for its bytes, its signature and its fee. */
export const anteGas = ({ size }: Pick<BankTx, 'size'>): bigint => 10n * BigInt(size) + 26_000n;

/** Why a block may not hold the transaction; undefined when it may. */
export function bankRefusal(
  tx: BankTx,
  state: ReferenceState,
  auth: AuthRecord | undefined,
  place: {
    readonly height: number;
    readonly baseFee: bigint;
    readonly minGasPrice: bigint;
    readonly gasLeft: bigint;
    readonly chainId: string;
    readonly evmChainId: bigint;
  },
  suite: CryptoSuite,
): string | undefined {
  const from = present(tx.sends[0], 'a message').from;
  const { nonce, balance } = state.account(from);
  const key = tx.pubKey ?? auth?.pubKey;
  const { chainId, evmChainId } = place;
  const data = { chainId, evmChainId, accountNumber: auth?.accountNumber ?? 0n, sequence: tx.sequence };
  const rules: readonly (readonly [boolean, string])[] = [
    [tx.sequence === nonce, `has sequence ${tx.sequence}, not ${nonce}`],
    [tx.timeoutHeight === 0n || tx.timeoutHeight >= BigInt(place.height), 'is too late'],
    [balance >= charged(tx, place.baseFee), `pays a fee of more than ${balance}`],
    [tx.fee >= place.baseFee * tx.gasLimit, 'pays less than the base fee'],
    [tx.fee >= place.minGasPrice * tx.gasLimit, 'pays less than the least price'],
    [tx.gasLimit <= place.gasLeft, `wants ${tx.gasLimit} gas of ${place.gasLeft}`],
    [tx.gasLimit >= anteGas(tx), 'has too little gas'],
    [tx.sends.every((send) => send.from === from && send.others === 0), 'has two senders'],
    [tx.sends.every(isEven), 'pays out another sum than it takes'],
    [[tx.feeCoins, ...tx.sends.flatMap(coinsIn)].every(isInOrder), 'has coins out of order'],
    [tx.sends.flatMap(coinsIn).flat().every(isSome), 'moves coins of nothing'],
    [tx.sends.flatMap(coinsIn).flat().every(isPlain), 'writes coins as nobody does'],
    [tx.sends.flatMap(({ texts }) => texts).every(isQuiet), 'names somebody in capitals'],
    [encodeUtf8(tx.memo).length <= MEMO_MAX, 'has too long a memo'],
    [tx.pubKey === undefined || keyName(tx.pubKey, suite) === from, 'shows the key of another'],
    [
      auth !== undefined && key !== undefined && isSigned(tx, key, data, suite),
      'is not signed by its sender',
    ],
  ];
  return tx.surplus ?? rules.find(([holds]) => !holds)?.[1];
}

function isSigned(tx: BankTx, key: Bytes, data: SignedFor, suite: CryptoSuite): boolean {
  const keccak = (message: Bytes): Bytes => suite.keccak256(message);
  return tx.forms.some((form) => {
    const digest = signDigest(form, tx.signed, data, keccak);
    return digest !== undefined && suite.secp256k1Verify(key, digest, tx.signature);
  });
}

/** The account of a key: the last 20 bytes of the hash of its point. */
function keyName(key: Bytes, suite: CryptoSuite): Name | undefined {
  const point = suite.secp256k1Uncompress(key);
  return point === undefined ? undefined : toHex(suite.keccak256(point.slice(1)).slice(12));
}

const coinsIn = ({ coins, to }: Send): readonly (readonly Coins[])[] => [
  coins,
  ...to.map((one) => one.coins),
];

/** Sorted by denom, none twice. */
const isInOrder = (coins: readonly Coins[]): boolean =>
  coins.every(({ denom }, i) => i === 0 || (coins[i - 1]?.denom ?? '') < denom);

const isSome = ({ amount }: Coins): boolean => BigInt(amount) > 0n;
/** Digits without a leading zero that fit into a word, and a valid denom. */
const isPlain = ({ denom, amount }: Coins): boolean =>
  /^[1-9][0-9]*$/.test(amount) &&
  BigInt(amount) < 2n ** 256n &&
  /^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/.test(denom);
const isQuiet = (text: string): boolean => text === text.toLowerCase();

/** For each denom, outputs and inputs add up to the same sum. */
function isEven({ coins, to }: Send): boolean {
  const out = to.flatMap((one) => one.coins);
  const denoms = new Set([...coins, ...out].map(({ denom }) => denom));
  return [...denoms].every((denom) => amountIn(coins, denom) === amountIn(out, denom));
}

export function charged({ tip, fee, gasLimit }: BankTx, baseFee: bigint): bigint {
  const byTip = tip === undefined ? fee : gasLimit * (baseFee + tip);
  return byTip < fee ? byTip : fee;
}
