import { toHex } from '../../lib/bytes.ts';
import type { LanePosition } from '../../types/app.ts';
import { feeCapOf, type SignerState } from './checkCosmosTx.ts';
import { amountOf } from './coins.ts';
import type { DecodedCosmosTx } from './decodeCosmosTx.ts';

/** The transaction's place in its signer's pool lane: the sequence acts as Ethereum nonce, the fee as gas price. */
export function cosmosLane(tx: DecodedCosmosTx, signer: SignerState, denom: string): LanePosition {
  let cost = tx.feeAmount;
  for (const { total } of tx.messages) cost += amountOf(total, denom);
  const feeCap = feeCapOf(tx);
  return {
    sender: toHex(tx.signer),
    nonce: tx.sequence,
    stateNonce: signer.nonce,
    balance: signer.balance,
    // A transfer that the balance cannot cover fails but still pays its fee, so only the fee must be covered.
    cost: cost > signer.balance ? tx.feeAmount : cost,
    gas: tx.gasLimit,
    feeCap,
    tipCap: tx.tipCap === undefined || tx.tipCap > feeCap ? feeCap : tx.tipCap,
    lastHeight: tx.timeoutHeight === 0n ? undefined : tx.timeoutHeight,
    ethHash: undefined,
  };
}
