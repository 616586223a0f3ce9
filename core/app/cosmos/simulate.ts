import type { Bytes } from '../../lib/bytes.ts';
import { ok, type Result } from '../../lib/result.ts';
import type { WorldState } from '../../state/worldState.ts';
import { BlockWriteSet } from '../../state/writeSet.ts';
import type { TxResult } from '../../types/result.ts';
import { readAuth } from '../auth/keeper.ts';
import type { ChainServices } from '../blockRun.ts';
import type { AdmissionError } from '../errors.ts';
import { sdkError } from '../sdkErrors.ts';
import { decodeTx } from '../tx/decodeTx.ts';
import { executeCosmosTx } from './executeCosmosTx.ts';

/** Bytes that the signature will add to an unsigned transaction. */
const SIGNATURE_BYTES = 67;

/**
 * Runs a Cosmos transaction without changing the state. Fee, signature and gas limit are not checked, but the sequence
 * must be the next one. The gas used is what execution would charge.
 */
export function simulateCosmosTx(
  services: ChainServices,
  world: WorldState,
  txBytes: Bytes,
): Result<TxResult, AdmissionError> {
  const { suite, denom, hrp, texts } = services;
  const decoded = decodeTx(txBytes, suite, denom, { hrp, isSimulation: true });
  if (!decoded.ok) return decoded;
  if (decoded.value.kind !== 'cosmos') {
    return { ok: false, error: sdkError(18, 'an Ethereum transaction is estimated by eth_estimateGas') };
  }
  const tx = decoded.value;
  const writes = new BlockWriteSet(world);
  const nonce = writes.account(tx.signer)?.nonce ?? 0n;
  if (readAuth(writes, tx.signer) === undefined) {
    return { ok: false, error: sdkError(9, `fee payer address: ${texts.bech32(tx.signer)} does not exist`) };
  }
  if (tx.sequence !== nonce) {
    const text = `account sequence mismatch, expected ${nonce}, got ${tx.sequence}`;
    return { ok: false, error: sdkError(32, text) };
  }
  const free = { ...tx, feeAmount: 0n, tipCap: undefined, size: tx.size + SIGNATURE_BYTES };
  const { result } = executeCosmosTx(writes, free, {
    denom,
    txByteGas: services.cosmos.txByteGas,
    baseFee: 0n,
    coinbase: new Uint8Array(20),
    collectBaseFee: false,
    text: (address) => texts.bech32(address),
    isMetered: false,
  });
  return ok(result);
}
