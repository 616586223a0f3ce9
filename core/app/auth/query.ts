import { formatAddress } from '../../address/kinds.ts';
import { type Bytes, to0xHex } from '../../lib/bytes.ts';
import type { Address } from '../../types/ids.ts';
import type { View } from '../chain.ts';
import { EMPTY_CODE_HASH } from '../evm/admission.ts';
import { TYPE_URL } from '../typeUrls.ts';

/** The fields of an EthAccount: the auth record joined with the Ethereum account. */
export interface EthAccountQuery {
  readonly typeUrl: string;
  /** Bech32. */
  readonly address: string;
  /** 33 bytes, undefined until the account's first transaction. */
  readonly pubKey: Bytes | undefined;
  readonly pubKeyTypeUrl: string;
  readonly accountNumber: bigint;
  /** The nonce. */
  readonly sequence: bigint;
  /** 0x and 64 lower-case digits. */
  readonly codeHash: string;
}

/** Undefined when the address has no account: it never existed in Ethereum's state. */
export function accountQuery(view: View, address: Address, hrp: string): EthAccountQuery | undefined {
  const record = view.auth(address);
  if (record === undefined) return undefined;
  const account = view.account(address);
  return {
    typeUrl: TYPE_URL.ethAccount,
    address: formatAddress('acc', hrp, address),
    pubKey: record.pubKey,
    pubKeyTypeUrl: TYPE_URL.ethPubKey,
    accountNumber: record.accountNumber,
    sequence: account?.nonce ?? 0n,
    codeHash: to0xHex(account?.codeHash ?? EMPTY_CODE_HASH),
  };
}
