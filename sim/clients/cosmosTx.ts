import { formatAddress } from '../../core/address/kinds.ts';
import { directSignBytes, type SignerData } from '../../core/app/cosmos/signBytes.ts';
import {
  DYNAMIC_FEE,
  MSG_MULTI_SEND,
  MSG_SEND,
  PUB_KEY,
  SIGN_MODE,
  SIGNER_INFO,
} from '../../core/app/cosmos/tables.ts';
import { type Any, AUTH_INFO, type Coin, TX_BODY, TX_RAW } from '../../core/app/tx/tables.ts';
import { TYPE_URL } from '../../core/app/typeUrls.ts';
import { encode } from '../../core/codec/proto.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, concat, EMPTY } from '../../core/lib/bytes.ts';
import type { DevAccount } from '../cluster.ts';

const SEND_GAS = 200_000n;
const GWEI = 10n ** 9n;
/** As wallets do: far above the base fee; what is paid is the base fee and the tip. */
const FEE_CAP = 100n * GWEI;

/** Coins for one receiver. */
export interface Payment {
  readonly to: Bytes;
  readonly amount: bigint;
  /** The chain's own when left out. */
  readonly denom?: string;
}

/** A transaction of bank messages that a client is about to sign. */
export interface BankDraft {
  readonly from: DevAccount;
  /** One message each: a MsgSend for one receiver, else a MsgMultiSend. */
  readonly messages: readonly (readonly Payment[])[];
  readonly gas: bigint;
  readonly fee: bigint;
  /** Pays by the base fee and this for a unit of gas; without it all of the fee. */
  readonly tip: bigint | undefined;
  readonly timeoutHeight?: bigint;
  readonly memo?: string;
  /** The node has to know the key already. */
  readonly isKeyHidden?: boolean;
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

function messageOf(from: string, payments: readonly Payment[], { hrp, denom }: Names): Any {
  const coins = (payment: Payment): readonly Coin[] => [
    { denom: payment.denom ?? denom, amount: payment.amount.toString() },
  ];
  const text = ({ to }: Payment): string => formatAddress('acc', hrp, to);
  const first = present(payments[0], 'a receiver');
  if (payments.length === 1) {
    const send = { fromAddress: from, toAddress: text(first), amount: coins(first) };
    return { typeUrl: TYPE_URL.msgSend, value: encode(MSG_SEND, send) };
  }
  const amount = payments.reduce((sum, one) => sum + one.amount, 0n);
  const inputs = [{ address: from, coins: coins({ ...first, amount }) }];
  const outputs = payments.map((one) => ({ address: text(one), coins: coins(one) }));
  return { typeUrl: TYPE_URL.msgMultiSend, value: encode(MSG_MULTI_SEND, { inputs, outputs }) };
}

/** Signed in SIGN_MODE_DIRECT; with a tip, by the fee market's extension. */
export function bankTx(suite: CryptoSuite, draft: BankDraft, data: SignerData, names: Names): Bytes {
  const { from, gas, tip } = draft;
  const key = suite.secp256k1PublicKey(from.secret, true);
  const signer = encode(SIGNER_INFO, {
    publicKey:
      draft.isKeyHidden === true
        ? undefined
        : { typeUrl: TYPE_URL.ethPubKey, value: encode(PUB_KEY, { key }) },
    modeInfo: { single: { mode: SIGN_MODE.direct }, multi: EMPTY },
    sequence: data.sequence,
  });
  const amount = [{ denom: names.denom, amount: draft.fee.toString() }];
  const sender = formatAddress('acc', names.hrp, from.address);
  const bodyBytes = encode(TX_BODY, {
    messages: draft.messages.map((payments) => messageOf(sender, payments, names)),
    memo: draft.memo ?? '',
    timeoutHeight: draft.timeoutHeight ?? 0n,
    extensionOptions:
      tip === undefined
        ? []
        : [
            {
              typeUrl: TYPE_URL.dynamicFee,
              value: encode(DYNAMIC_FEE, { maxPriorityPrice: tip.toString() }),
            },
          ],
    nonCriticalExtensionOptions: [],
  });
  const authInfoBytes = encode(AUTH_INFO, {
    signerInfos: [signer],
    fee: { amount, gasLimit: gas, payer: '', granter: '' },
    tip: EMPTY,
  });
  const signBytes = directSignBytes({ bodyBytes, authInfoBytes }, data);
  const { rs, recovery } = suite.secp256k1Sign(from.secret, suite.keccak256(signBytes));
  return encode(TX_RAW, { bodyBytes, authInfoBytes, signatures: [concat(rs, new Uint8Array([recovery]))] });
}
