import { encode } from '../../codec/proto.ts';
import type { Bytes } from '../../lib/bytes.ts';
import { encodeUtf8 } from '../../lib/utf8.ts';
import type { Fee } from '../tx/tables.ts';
import { type AminoObject, aminoText } from './aminoJson.ts';
import type { CosmosMessage } from './messages.ts';
import { SIGN_DOC } from './tables.ts';

/** What the signature covers besides the transaction itself. */
export interface SignerData {
  readonly chainId: string;
  readonly accountNumber: bigint;
  readonly sequence: bigint;
}

/** Sign bytes of SIGN_MODE_DIRECT. */
export const directSignBytes = (
  tx: { readonly bodyBytes: Bytes; readonly authInfoBytes: Bytes },
  { chainId, accountNumber }: SignerData,
): Bytes =>
  encode(SIGN_DOC, { bodyBytes: tx.bodyBytes, authInfoBytes: tx.authInfoBytes, chainId, accountNumber });

export interface AminoContent {
  readonly messages: readonly Pick<CosmosMessage, 'amino'>[];
  readonly fee: Fee;
  readonly memo: string;
  readonly timeoutHeight: bigint;
}

/** The document of SIGN_MODE_LEGACY_AMINO_JSON; an EIP-712 signature covers the same document as typed data. */
export function aminoDoc(tx: AminoContent, data: SignerData): AminoObject {
  const { amount, gasLimit, payer, granter } = tx.fee;
  return {
    account_number: data.accountNumber.toString(),
    chain_id: data.chainId,
    fee: {
      amount: amount.map((coin) => ({ denom: coin.denom, amount: coin.amount })),
      gas: gasLimit.toString(),
      ...(payer === '' ? {} : { payer }),
      ...(granter === '' ? {} : { granter }),
    },
    memo: tx.memo,
    msgs: tx.messages.map(({ amino }) => amino),
    sequence: data.sequence.toString(),
    ...(tx.timeoutHeight === 0n ? {} : { timeout_height: tx.timeoutHeight.toString() }),
  };
}

export const aminoSignBytes = (tx: AminoContent, data: SignerData): Bytes =>
  encodeUtf8(aminoText(aminoDoc(tx, data)));
