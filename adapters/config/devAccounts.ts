import { ethAddress } from '../../core/crypto/addresses.ts';
import { deriveSecret, ethHdPath, mnemonicToSeed } from '../../core/crypto/hd.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import type { UnlockedKey } from '../nodeOptions.ts';

/** As anvil and hardhat have it, so that their examples work. Everybody knows these keys. */
export const DEV_MNEMONIC = 'test test test test test test test test test test test junk';
export const DEV_ACCOUNTS = 10;
/** 10000 coins of 18 decimals each. */
export const DEV_BALANCE = 10_000n * 10n ** 18n;

/** Keys m/44'/60'/0'/0/0 … 9 of the mnemonic. */
export function devAccounts(): readonly UnlockedKey[] {
  const seed = mnemonicToSeed(DEV_MNEMONIC);
  return Array.from({ length: DEV_ACCOUNTS }, (_, index) => {
    const derived = deriveSecret(seed, ethHdPath(0, index));
    if (!derived.ok) throw new TypeError(derived.error.message);
    const secret = derived.value;
    return { secret, address: ethAddress(nobleSuite.secp256k1PublicKey(secret, false)) };
  });
}
