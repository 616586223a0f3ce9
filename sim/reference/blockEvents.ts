import type { EthHeader } from '../../core/app/chain.ts';
import { to0xHex } from '../../core/lib/bytes.ts';
import type { AbciEvent } from '../../core/types/result.ts';
import { event } from './result.ts';

/** The events of a block after those of offences: its base fee, its gas, and its bloom unless that is empty. */
export function blockEvents({ baseFeePerGas, gasUsed, number, logsBloom }: EthHeader): readonly AbciEvent[] {
  return [
    event('fee_market', ['base_fee', `${baseFeePerGas}`]),
    event('block_gas', ['height', `${number}`], ['amount', `${gasUsed}`]),
    ...(logsBloom.every((byte) => byte === 0) ? [] : [event('block_bloom', ['bloom', to0xHex(logsBloom)])]),
  ];
}
