/** chain.types.v1.EthAccount: an account as the Cosmos APIs return it. */
import { formatAddress } from '../../address/kinds.ts';
import type { View } from '../../app/chain.ts';
import { PUB_KEY } from '../../app/cosmos/tables.ts';
import type { Any } from '../../app/tx/tables.ts';
import { TYPE_URL } from '../../app/typeUrls.ts';
import { encode } from '../../codec/proto.ts';
import { keccak256 } from '../../crypto/hash.ts';
import { type Bytes, EMPTY, to0xHex } from '../../lib/bytes.ts';
import { ETH_ACCOUNT, type EthAccount } from './accountTables.ts';

/** Code hash of an account without code. */
const EMPTY_CODE_HASH = keccak256(EMPTY);

/**
 * The account at a view; undefined if neither the state trie nor the auth module has it. Its sequence is the Ethereum
 * nonce.
 */
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
