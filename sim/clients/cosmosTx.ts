import { formatAddress } from '../../core/address/kinds.ts';
import { directSignBytes, type SignerData } from '../../core/app/cosmos/signBytes.ts';
import { DYNAMIC_FEE, MSG_SEND, PUB_KEY, SIGN_MODE, SIGNER_INFO } from '../../core/app/cosmos/tables.ts';
import { AUTH_INFO, TX_BODY, TX_RAW } from '../../core/app/tx/tables.ts';
import { TYPE_URL } from '../../core/app/typeUrls.ts';
import { encode } from '../../core/codec/proto.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { type Bytes, concat, EMPTY } from '../../core/lib/bytes.ts';
import type { DevAccount } from '../cluster.ts';

export const SEND_GAS = 200_000n;
const GWEI = 10n ** 9n;
/** As wallets do: far above the base fee; what is paid is the base fee and the tip. */
const FEE_CAP = 100n * GWEI;

export interface BankSend {
  readonly from: DevAccount;
  readonly to: Bytes;
  readonly amount: bigint;
}

/** A signed bank.MsgSend in SIGN_MODE_DIRECT, with the fee market's extension: base fee and one gwei of tip. */
export function bankTx(
  suite: CryptoSuite,
  { from, to, amount }: BankSend,
  data: SignerData,
  { hrp, denom }: { readonly hrp: string; readonly denom: string },
): Bytes {
  const coins = (value: bigint) => [{ denom, amount: value.toString() }];
  const message = encode(MSG_SEND, {
    fromAddress: formatAddress('acc', hrp, from.address),
    toAddress: formatAddress('acc', hrp, to),
    amount: coins(amount),
  });
  const key = suite.secp256k1PublicKey(from.secret, true);
  const signer = encode(SIGNER_INFO, {
    publicKey: { typeUrl: TYPE_URL.ethPubKey, value: encode(PUB_KEY, { key }) },
    modeInfo: { single: { mode: SIGN_MODE.direct }, multi: EMPTY },
    sequence: data.sequence,
  });
  const fee = { amount: coins(SEND_GAS * FEE_CAP), gasLimit: SEND_GAS, payer: '', granter: '' };
  const tip = encode(DYNAMIC_FEE, { maxPriorityPrice: GWEI.toString() });
  const bodyBytes = encode(TX_BODY, {
    messages: [{ typeUrl: TYPE_URL.msgSend, value: message }],
    memo: '',
    timeoutHeight: 0n,
    extensionOptions: [{ typeUrl: TYPE_URL.dynamicFee, value: tip }],
    nonCriticalExtensionOptions: [],
  });
  const authInfoBytes = encode(AUTH_INFO, { signerInfos: [signer], fee, tip: EMPTY });
  const signBytes = directSignBytes({ bodyBytes, authInfoBytes }, data);
  const { rs, recovery } = suite.secp256k1Sign(from.secret, suite.keccak256(signBytes));
  return encode(TX_RAW, { bodyBytes, authInfoBytes, signatures: [concat(rs, new Uint8Array([recovery]))] });
}
