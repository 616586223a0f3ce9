import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkForBlock, checkStatic, EMPTY_CODE_HASH } from '../../../../core/app/evm/admission.ts';
import { decodeEthTx } from '../../../../core/app/evm/ethTx.ts';
import { forkRules } from '../../../../core/app/evm/forks.ts';
import { intrinsicGas } from '../../../../core/app/evm/intrinsicGas.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { hex, to0xHex } from '../../../../core/lib/bytes.ts';
import type { ForkName } from '../../../../core/types/fork.ts';

/** ethereum/tests TransactionTests, each under the newest fork that its file names. */
interface Vector {
  readonly name: string;
  readonly fork: string;
  readonly txbytes: string;
  readonly exception?: string;
  readonly hash: string;
  readonly sender: string;
  readonly intrinsicGas: string;
}
const vectors: readonly Vector[] = JSON.parse(
  readFileSync('test/vectors/ethereum-tests/TransactionTests/transactions.json', 'utf8'),
);

/** The sender can pay the value, and gas as far as an account can own its price; the block has room. */
function judge({ fork, txbytes }: Vector) {
  const rules = {
    evmChainId: 1n,
    fork: forkRules(fork.toLowerCase() as ForkName),
    blockGasLimit: 2n ** 64n,
    minGasPrice: 0n,
  };
  const decoded = decodeEthTx(hex(txbytes.slice(2)), nobleSuite);
  if (!decoded.ok) return { refusal: decoded.error.code };
  const { tx } = decoded.value;
  const sender = {
    nonce: tx.nonce,
    balance: 2n ** 256n - 1n + tx.value,
    codeHash: EMPTY_CODE_HASH,
    code: () => hex(''),
  };
  const refusal =
    checkStatic(tx, rules) ?? checkForBlock(tx, sender, { baseFee: 0n, gasLeft: rules.blockGasLimit });
  if (refusal !== undefined) return { refusal: refusal.code };
  return { tx, intrinsic: intrinsicGas(tx, rules.fork).intrinsic };
}

test.each(vectors.filter(({ exception }) => exception !== undefined))(
  '$name is refused ($exception)',
  (vector) => {
    expect(judge(vector).refusal).toEqual(expect.any(String));
  },
);

test.each(vectors.filter(({ exception }) => exception === undefined))('$name is taken', (vector) => {
  const { tx, intrinsic, refusal } = judge(vector);
  expect(refusal).toBeUndefined();
  expect(to0xHex(tx?.hash ?? hex(''))).toBe(vector.hash);
  expect(to0xHex(tx?.from ?? hex(''))).toBe(vector.sender);
  expect(intrinsic).toBe(BigInt(vector.intrinsicGas));
});
