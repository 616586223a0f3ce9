import type { Bytes } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { BlockWriteSet } from '../../state/writeSet.ts';
import type { AddressTexts } from '../addressTexts.ts';
import { readAuth } from '../auth/keeper.ts';
import type { AdmissionError } from '../errors.ts';
import { type CosmosRules, checkCosmosTx } from './checkCosmosTx.ts';
import type { DecodedCosmosTx } from './decodeCosmosTx.ts';
import { type CosmosEffects, executeCosmosTx } from './executeCosmosTx.ts';

/** The block that carries the transaction. */
export interface CosmosBlock {
  readonly number: number;
  readonly baseFee: bigint;
  readonly coinbase: Bytes;
  readonly gasLeft: bigint;
  readonly collectBaseFee: boolean;
}

/** Checks and runs a transaction on a block's writes. A refused transaction has no effect. */
export function runCosmosTx(
  writes: BlockWriteSet,
  tx: DecodedCosmosTx,
  rules: CosmosRules,
  texts: AddressTexts,
  block: CosmosBlock,
): Result<CosmosEffects, AdmissionError> {
  const text = (address: Bytes): string => texts.bech32(address);
  const account = writes.account(tx.signer);
  const signer = {
    nonce: account?.nonce ?? 0n,
    balance: account?.balance ?? 0n,
    auth: readAuth(writes, tx.signer),
  };
  const { baseFee, coinbase, gasLeft, collectBaseFee } = block;
  const refused = checkCosmosTx(tx, signer, rules, {
    height: block.number,
    baseFee,
    gasLeft,
    isPool: false,
    text,
  });
  if (refused !== undefined) return err(refused);
  const { denom, txByteGas } = rules;
  const on = { denom, txByteGas, baseFee, coinbase, collectBaseFee, text, isMetered: true };
  return ok(executeCosmosTx(writes, tx, on));
}
