/** chain.types.v1.EthAccount: one account as the Cosmos side sees it (reference §1.1, §1.7). */
import { formatAddress } from '../../address/kinds.ts';
import type { View } from '../../app/chain.ts';
import { PUB_KEY } from '../../app/cosmos/tables.ts';
import type { Any } from '../../app/tx/tables.ts';
import { TYPE_URL } from '../../app/typeUrls.ts';
import { decode, encode } from '../../codec/proto.ts';
import { keccak256 } from '../../crypto/hash.ts';
import { type Bytes, EMPTY, to0xHex } from '../../lib/bytes.ts';
import type { Result } from '../../lib/result.ts';
import { ETH_ACCOUNT, type EthAccount } from './accountTables.ts';

/** Hash of no code: what an account without a contract has. */
const EMPTY_CODE_HASH = keccak256(EMPTY);

/** The account of an address at a view, undefined when neither world knows it: sequence is the Ethereum nonce. */
export function ethAccountOf(view: View, address: Bytes, hrp: string): EthAccount | undefined {
  const state = view.account(address);
  const auth = view.auth(address);
  if (state === undefined && auth === undefined) return undefined;
  const key = auth?.pubKey;
  const pubKey =
    key === undefined ? undefined : { typeUrl: TYPE_URL.ethPubKey, value: encode(PUB_KEY, { key }) };
  return {
    baseAccount: {
      address: formatAddress('acc', hrp, address),
      pubKey,
      accountNumber: auth?.accountNumber ?? 0n,
      sequence: state?.nonce ?? 0n,
    },
    codeHash: to0xHex(state?.codeHash ?? EMPTY_CODE_HASH),
  };
}

export const ethAccountAny = (account: EthAccount): Any => ({
  typeUrl: TYPE_URL.ethAccount,
  value: encode(ETH_ACCOUNT, account),
});

export const decodeEthAccount = (value: Bytes): Result<EthAccount, unknown> => decode(ETH_ACCOUNT, value);
