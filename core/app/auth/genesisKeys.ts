import type { CryptoSuite } from '../../crypto/suite.ts';
import { equalBytes, toHex } from '../../lib/bytes.ts';
import type { GenesisAccount } from '../appState.ts';
import { addressOfKey } from '../evm/ethTx.ts';
import type { GenesisError } from '../genesisJson.ts';

/**
 * Finds an account whose public key is not its own: the holder of that key could sign for it, as a transaction may omit
 * its key.
 */
export function wrongGenesisKey(
  accounts: readonly GenesisAccount[],
  suite: Pick<CryptoSuite, 'keccak256' | 'secp256k1Uncompress'>,
): GenesisError | undefined {
  for (const { address, pubKey } of accounts) {
    if (pubKey === undefined) continue;
    const point = suite.secp256k1Uncompress(pubKey);
    if (point !== undefined && equalBytes(addressOfKey(point, suite), address)) continue;
    const message = `account address and pubkey address of 0x${toHex(address)} do not match`;
    return { code: 'genesis', path: 'app_state.auth.accounts', message };
  }
  return undefined;
}
