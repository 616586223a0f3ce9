import { sha256 } from '../../core/crypto/hash.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { encodeUtf8 } from '../../core/lib/utf8.ts';
import { signTx } from '../../core/rpc/eth/signTx.ts';
import { drawnFrom } from './target.ts';

const SENDERS = 16;

/** Signed transactions of several types: damaged ones are then close to valid ones. */
export const signedEthTx = drawnFrom(4 * SENDERS, (i) => {
  const secret = sha256(encodeUtf8(`sender ${i % SENDERS}`));
  const hash = sha256(secret);
  const to = i % 8 < 4 ? undefined : hash.slice(0, 20);
  const accessList = [{ address: hash.slice(12), storageKeys: [secret] }];
  const fees = i % 4 < 2 ? { gasPrice: 10n ** 9n } : { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n };
  return signTx(
    {
      ...{ chainId: 9000n, nonce: BigInt(i), gas: 21_000n, to, value: BigInt(i) ** 9n, data: hash, fees },
      accessList: i % 4 === 0 ? undefined : i % 4 === 2 ? [] : accessList,
      authorizationList: [],
    },
    secret,
    nobleSuite,
  );
});
