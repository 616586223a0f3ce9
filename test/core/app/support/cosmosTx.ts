/** Cosmos transactions of the dev accounts, made by our own tables; CosmJS makes them in test/e2e. */
import { formatAddress } from '../../../../core/address/kinds.ts';
import { decodeMessage } from '../../../../core/app/cosmos/messages.ts';
import { aminoSignBytes, directSignBytes, type SignerData } from '../../../../core/app/cosmos/signBytes.ts';
import { MSG_SEND, PUB_KEY, SIGN_MODE, SIGNER_INFO } from '../../../../core/app/cosmos/tables.ts';
import { type Any, AUTH_INFO, type Coin, TX_BODY, TX_RAW } from '../../../../core/app/tx/tables.ts';
import { TYPE_URL } from '../../../../core/app/typeUrls.ts';
import { encode, type Table } from '../../../../core/codec/proto.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { type Bytes, concat, EMPTY, hex } from '../../../../core/lib/bytes.ts';
import { wordy } from '../../../support/wordy.ts';
import { CHAIN_ID, must } from './chain.ts';

/** Secrets of the first well-known dev accounts. */
export const SECRETS = [
  hex('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'),
  hex('59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'),
] as const;

export const bech32 = (address: Bytes): string => formatAddress('acc', 'chain', address);
export const coins = (amount: bigint, denom = 'achain'): readonly Coin[] => [
  { denom, amount: amount.toString() },
];

export const sendMessage = (from: Bytes, to: Bytes, amount: bigint, denom?: string): Any => ({
  typeUrl: TYPE_URL.msgSend,
  value: encode(MSG_SEND, {
    fromAddress: bech32(from),
    toAddress: bech32(to),
    amount: coins(amount, denom),
  }),
});

export interface CosmosFields {
  readonly messages: readonly Any[];
  readonly secret?: Bytes;
  readonly fee?: bigint;
  readonly gas?: bigint;
  readonly memo?: string;
  readonly timeoutHeight?: bigint;
  readonly extensionOptions?: readonly Any[];
  readonly mode?: keyof typeof SIGN_MODE;
  readonly withoutKey?: boolean;
  /** Memo, timeout, payer, granter and sequence written out when they are nothing, as JavaScript's libraries do. */
  readonly isWordy?: boolean;
  /** Instead of `fee`. */
  readonly feeCoins?: readonly Coin[];
  readonly keyUrl?: string;
  readonly data?: Partial<SignerData>;
}

export const GAS = 200_000n;
export const FEE = GAS * 2_000_000_000n;

/** A signed TxRaw. */
export function cosmosTx(fields: CosmosFields): Bytes {
  const { messages, secret = SECRETS[0], fee = FEE, gas = GAS, memo = '', mode = 'direct' } = fields;
  const data = { chainId: CHAIN_ID, accountNumber: 0n, sequence: 0n, ...fields.data };
  const timeoutHeight = fields.timeoutHeight ?? 0n;
  const shaped = <T>(shape: Table<T>): Table<T> => (fields.isWordy === true ? wordy(shape) : shape);
  const key = nobleSuite.secp256k1PublicKey(secret, true);
  const publicKey = { typeUrl: fields.keyUrl ?? TYPE_URL.ethPubKey, value: encode(PUB_KEY, { key }) };
  const signer = encode(shaped(SIGNER_INFO), {
    publicKey: fields.withoutKey === true ? undefined : publicKey,
    modeInfo: { single: { mode: SIGN_MODE[mode] }, multi: EMPTY },
    sequence: data.sequence,
  });
  const amount = fields.feeCoins ?? (fee === 0n ? [] : coins(fee));
  const feeMessage = { amount, gasLimit: gas, payer: '', granter: '' };
  const bodyBytes = encode(shaped(TX_BODY), {
    messages,
    memo,
    timeoutHeight,
    extensionOptions: fields.extensionOptions ?? [],
    nonCriticalExtensionOptions: [],
  });
  const authInfoBytes = encode(shaped(AUTH_INFO), { signerInfos: [signer], fee: feeMessage, tip: EMPTY });
  const content = () => ({
    messages: messages.map((message) => must(decodeMessage(message, 'chain'))),
    fee: feeMessage,
    memo,
    timeoutHeight,
  });
  const signBytes =
    mode === 'direct' ? directSignBytes({ bodyBytes, authInfoBytes }, data) : aminoSignBytes(content(), data);
  const { rs, recovery } = nobleSuite.secp256k1Sign(secret, nobleSuite.keccak256(signBytes));
  const signatures = [concat(rs, new Uint8Array([recovery]))];
  return encode(TX_RAW, { bodyBytes, authInfoBytes, signatures });
}
