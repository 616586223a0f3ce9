import type { EthHeader } from '../../core/app/chain.ts';
import { to0xHex } from '../../core/lib/bytes.ts';
import type { AbciEvent } from '../../core/types/result.ts';
import { event } from './result.ts';

/** What a block tells of itself after what it tells of offences: its base fee, its gas, and its bloom where something is in it. */
export function blockEvents({ baseFeePerGas, gasUsed, number, logsBloom }: EthHeader): readonly AbciEvent[] {
  return [
    event('fee_market', ['base_fee', `${baseFeePerGas}`]),
    event('block_gas', ['height', `${number}`], ['amount', `${gasUsed}`]),
    ...(logsBloom.every((byte) => byte === 0) ? [] : [event('block_bloom', ['bloom', to0xHex(logsBloom)])]),
  ];
}
