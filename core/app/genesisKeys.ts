/** Public keys that genesis gives its accounts (the SDK's BaseAccount.Validate). */
import type { CryptoSuite } from '../crypto/suite.ts';
import { equalBytes, toHex } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { AppState } from './appState.ts';
import { addressOfKey } from './evm/ethTx.ts';
import type { GenesisError } from './genesisJson.ts';

/** The state, unless an account's key is another's: whoever holds that could spend from the account. */
export function checkGenesisKeys(
  state: AppState,
  suite: Pick<CryptoSuite, 'secp256k1Uncompress' | 'keccak256'>,
): Result<AppState, GenesisError> {
  for (const { address, pubKey } of state.accounts) {
    if (pubKey === undefined) continue;
    const point = suite.secp256k1Uncompress(pubKey);
    if (point === undefined || !equalBytes(addressOfKey(point, suite), address)) {
      const message = `the public key of account 0x${toHex(address)} is not its own`;
      return err({ code: 'genesis', path: 'app_state.auth.accounts', message });
    }
  }
  return ok(state);
}
