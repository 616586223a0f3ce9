import { bytesToBigint } from '../../core/app/evm/numbers.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { type Bytes, concat, EMPTY } from '../../core/lib/bytes.ts';
import { EVM_CHAIN_ID } from '../cluster.ts';
import { list, number, text } from '../reference/rlp.ts';
import type { Draft } from './script.ts';

/** Envelopes that no library of wallets makes: for any chain, and of the type that authorizes without authorizations. */
export type Odd = 'of no chain' | 'without authorizations';

export function oddTx(odd: Odd, draft: Draft, suite: CryptoSuite): Bytes {
  const { nonce, tip, feeCap, gas, to, value, data } = draft;
  const call = [number(gas), text(to ?? EMPTY), number(value), text(data)];
  const isOld = odd === 'of no chain';
  const fields = isOld
    ? [number(BigInt(nonce)), number(feeCap), ...call]
    : [number(EVM_CHAIN_ID), number(BigInt(nonce)), number(tip), number(feeCap), ...call, list([]), list([])];
  const type = isOld ? EMPTY : Uint8Array.of(4);
  const { rs, recovery } = suite.secp256k1Sign(
    draft.from.secret,
    suite.keccak256(concat(type, list(fields))),
  );
  const [r, s] = [bytesToBigint(rs.subarray(0, 32)), bytesToBigint(rs.subarray(32))];
  return concat(type, list([...fields, number(BigInt(recovery + (isOld ? 27 : 0))), number(r), number(s)]));
}
