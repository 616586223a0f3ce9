import { decodeTxsMessage } from '../../../core/codec/messages.ts';
import type { CryptoSuite } from '../../../core/crypto/suite.ts';
import { type Bytes, toHex } from '../../../core/lib/bytes.ts';
import { remembered } from '../../remembered.ts';

type Suite = Pick<CryptoSuite, 'sha256'>;

/** A transaction's hash. Cached because a pool keeps the same bytes object and is looked at again and again. */
export const txHashOf = remembered((tx: Bytes, suite: Suite): Bytes => suite.sha256(tx));

/** Hashes of the transactions in a mempool message. Cached because several peers get the same bytes. */
export const txKeysIn = remembered((message: Bytes, suite: Suite): readonly string[] => {
  const decoded = decodeTxsMessage(message);
  return decoded.ok ? decoded.value.txs.map((tx) => toHex(suite.sha256(tx))) : [];
});
