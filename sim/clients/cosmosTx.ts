import { formatAddress } from '../../core/address/kinds.ts';
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
  type Coin,
  TX_BODY,
  TX_RAW,
  type TxBody,
} from '../../core/app/tx/tables.ts';
import { TYPE_URL } from '../../core/app/typeUrls.ts';
import { encode } from '../../core/codec/proto.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { assert, present } from '../../core/lib/assert.ts';
import { type Bytes, compareText, concat, EMPTY } from '../../core/lib/bytes.ts';
import type { DevAccount } from '../cluster.ts';
import { type SignedFor, type SignForm, signDigest } from '../reference/signDigest.ts';

const SEND_GAS = 200_000n;
const GWEI = 10n ** 9n;
/** As wallets set it, far above the base fee: the sender pays the base fee and the tip only. */
const FEE_CAP = 100n * GWEI;

/** Coins for one receiver. */
export interface Payment {
  readonly to: Bytes;
  readonly amount: bigint;
  /** The chain's own when left out. */
  readonly denom?: string;
  /** It moves the same amount of this denomination too. */
  readonly alsoDenom?: string;
}

/** A transaction of bank messages that a client is about to sign. */
export interface BankDraft {
  readonly from: DevAccount;
  /** One message per list: a MsgSend for one receiver, a MsgMultiSend for several. */
  readonly messages: readonly (readonly Payment[])[];
  readonly gas: bigint;
  readonly fee: bigint;
  /** With a tip, each unit of gas costs the base fee and the tip. Without it the sender pays all of `fee`. */
  readonly tip: bigint | undefined;
  readonly timeoutHeight?: bigint;
  readonly memo?: string;
  /** The public key is left out, so the node has to know it already. */
  readonly isKeyHidden?: boolean;
  /** In which form it is signed; `direct` when left out. */
  readonly form?: SignForm;
  /** The sign mode that it names, where that is not the usual one. */
  readonly mode?: number;
  /** Names the sender as payer of the fee, which is the default anyway. */
  readonly isPayerNamed?: boolean;
  /** Non-critical fields that no node knows, appended to the body. */
  readonly ignorable?: Bytes;
  /** The signature has no recovery id. */
  readonly isShort?: boolean;
  /** The type URL of the public key, where it is not the usual one. */
  readonly keyUrl?: string;
  /** Makes the transaction invalid for every node. */
  readonly lie?: Lie;
}

export interface Lie {
  /** The account whose coins it takes, with the key and signature of `from`. */
  readonly of?: Bytes;
  /** The account of which a second message takes a coin. */
  readonly alsoOf?: Bytes;
  /** The second input of a MsgMultiSend. The first input already has the whole sum. */
  readonly input?: Bytes;
  /** By how much the input of a MsgMultiSend is above the sum of its outputs. */
  readonly surplus?: bigint;
  /** Replaces the coins that a MsgMultiSend takes, and not those that it gives. */
  readonly taken?: (coins: readonly Coin[]) => readonly Coin[];
  readonly payer?: Bytes;
  /** Replaces the coins of a payment. */
  readonly coins?: (coin: Coin) => readonly Coin[];
  /** Replaces the text of a receiver's address. */
  readonly named?: (receiver: string) => string;
  readonly granter?: Bytes;
  /** These three change parts before they are signed. */
  readonly body?: (body: TxBody) => TxBody;
  readonly info?: (info: AuthInfo) => AuthInfo;
  readonly signer?: (signer: SignerInfo) => SignerInfo;
  /** The signed text has no timeout height. */
  readonly isTimeUnsigned?: boolean;
  readonly recovery?: number;
  readonly isSpoiled?: boolean;
  readonly isUnsigned?: boolean;
  /** The non-critical extension options cannot be decoded. */
  readonly isGarbled?: boolean;
  /** Bytes appended to the body after it was signed. */
  readonly behind?: Bytes;
  /** Signed instead of the chain's own ids. */
  readonly chainId?: string;
  readonly evmChainId?: bigint;
}

export const plainSend = (from: DevAccount, to: Bytes, amount: bigint): BankDraft => ({
  from,
  messages: [[{ to, amount }]],
  gas: SEND_GAS,
  fee: SEND_GAS * FEE_CAP,
  tip: GWEI,
});

interface Names {
  readonly hrp: string;
  readonly denom: string;
}

/** Writes the messages of one draft. */
class Messages {
  readonly #names: Names;
  readonly #lie: Lie;

  constructor(names: Names, lie: Lie) {
    this.#names = names;
    this.#lie = lie;
  }

  text(address: Bytes): string {
    return formatAddress('acc', this.#names.hrp, address);
  }

  all({ from, messages }: BankDraft): readonly Any[] {
    const { of, alsoOf } = this.#lie;
    const list = messages.map((payments) => this.#message(of ?? from.address, payments));
    return alsoOf === undefined ? list : [...list, this.#message(alsoOf, [{ to: from.address, amount: 1n }])];
  }

  #coins({ amount, denom = this.#names.denom, alsoDenom }: Payment): readonly Coin[] {
    const coin = { denom, amount: amount.toString() };
    const coins = alsoDenom === undefined ? [coin] : [coin, { ...coin, denom: alsoDenom }];
    return this.#lie.coins?.(coin) ?? coins.sort((a, b) => compareText(a.denom, b.denom));
  }

  #receiver({ to }: Payment): string {
    const text = this.text(to);
    return this.#lie.named?.(text) ?? text;
  }

  #message(from: Bytes, payments: readonly Payment[]): Any {
    const first = present(payments[0], 'a receiver');
    const fromAddress = this.text(from);
    if (payments.length === 1) {
      const send = { fromAddress, toAddress: this.#receiver(first), amount: this.#coins(first) };
      return { typeUrl: TYPE_URL.msgSend, value: encode(MSG_SEND, send) };
    }
    const { surplus, input, taken } = this.#lie;
    const amount = payments.reduce((sum, one) => sum + one.amount, surplus ?? 0n);
    const coins = this.#coins({ ...first, amount });
    const inputs = [{ address: fromAddress, coins: taken?.(coins) ?? coins }];
    if (input !== undefined) inputs.push({ address: this.text(input), coins: this.#coins(first) });
    const outputs = payments.map((one) => ({ address: this.#receiver(one), coins: this.#coins(one) }));
    return { typeUrl: TYPE_URL.msgMultiSend, value: encode(MSG_MULTI_SEND, { inputs, outputs }) };
  }
}

/** Field 2047 (non_critical_extension_options) of a body, with bytes that are no message. */
const GARBLED = Uint8Array.of(0xfa, 0x7f, 1, 0xff);

/** The fee market's extension. */
export const tipOption = (maxPriorityPrice: string): Any => ({
  typeUrl: TYPE_URL.dynamicFee,
  value: encode(DYNAMIC_FEE, { maxPriorityPrice }),
});

function bodyOf(draft: BankDraft, messages: Messages): Bytes {
  const { tip, lie } = draft;
  const body: TxBody = {
    messages: messages.all(draft),
    memo: draft.memo ?? '',
    timeoutHeight: draft.timeoutHeight ?? 0n,
    extensionOptions: tip === undefined ? [] : [tipOption(tip.toString())],
    nonCriticalExtensionOptions: [],
  };
  const bytes = concat(encode(TX_BODY, lie?.body?.(body) ?? body), draft.ignorable ?? EMPTY);
  return lie?.isGarbled === true ? concat(bytes, GARBLED) : bytes;
}

/** A transaction signed with the key of `from`. A tip is set by the fee market's extension. */
export function bankTx(suite: CryptoSuite, draft: BankDraft, data: SignedFor, names: Names): Bytes {
  const { from, gas, form = 'direct', lie = {} } = draft;
  const messages = new Messages(names, lie);
  const bodyBytes = bodyOf(draft, messages);
  const key = suite.secp256k1PublicKey(from.secret, true);
  const signer: SignerInfo = {
    publicKey:
      draft.isKeyHidden === true
        ? undefined
        : { typeUrl: draft.keyUrl ?? TYPE_URL.ethPubKey, value: encode(PUB_KEY, { key }) },
    modeInfo: {
      single: { mode: draft.mode ?? (form === 'direct' ? SIGN_MODE.direct : SIGN_MODE.aminoJson) },
      multi: EMPTY,
    },
    sequence: data.sequence,
  };
  const amount = [{ denom: names.denom, amount: draft.fee.toString() }];
  const payer = lie.payer ?? (draft.isPayerNamed === true ? from.address : undefined);
  const granter = lie.granter === undefined ? '' : messages.text(lie.granter);
  const info: AuthInfo = {
    signerInfos: [encode(SIGNER_INFO, lie.signer?.(signer) ?? signer)],
    fee: { amount, gasLimit: gas, payer: payer === undefined ? '' : messages.text(payer), granter },
    tip: EMPTY,
  };
  const authInfoBytes = encode(AUTH_INFO, lie.info?.(info) ?? info);
  const { chainId, evmChainId } = { ...data, ...lie };
  const keccak = (message: Bytes): Bytes => suite.keccak256(message);
  // The other forms cannot express a tip, so no node may believe one that comes with them.
  const unsaid = lie.isTimeUnsigned === true ? { tip: undefined, timeoutHeight: 0n } : { tip: undefined };
  const shown = form === 'direct' ? bodyBytes : bodyOf({ ...draft, ...unsaid }, messages);
  const parts = { bodyBytes: shown, authInfoBytes };
  const digest = signDigest(form, parts, { ...data, chainId, evmChainId }, keccak);
  assert(digest !== undefined, 'nothing that this form can say');
  const { rs, recovery } = suite.secp256k1Sign(from.secret, digest);
  const signature =
    draft.isShort === true ? rs.slice() : concat(rs, new Uint8Array([lie.recovery ?? recovery]));
  if (lie.isSpoiled === true) signature[0] = (signature[0] ?? 0) ^ 1;
  return encode(TX_RAW, {
    bodyBytes: concat(bodyBytes, lie.behind ?? EMPTY),
    authInfoBytes,
    signatures: lie.isUnsigned === true ? [] : [signature],
  });
}
