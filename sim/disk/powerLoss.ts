import type { Bytes } from '../../core/lib/bytes.ts';
import type { ChoiceStream } from '../world/choices.ts';

/**
 * What a crash does to bytes written but not yet synced:
 * - `none`: only the process died, the page cache lives on, all bytes stay;
 * - `prefix`: power failed, a prefix of any length reached the platter;
 * - `hostile`: power failed, each 512-byte block reached it or did not (zeros then), and the file ends anywhere.
 */
export type PowerLoss = 'none' | 'prefix' | 'hostile';
export const POWER_LOSSES: readonly PowerLoss[] = ['none', 'prefix', 'hostile'];

const BLOCK_BYTES = 512;

/** The unsynced bytes that are found after the crash. */
export function survivors(pending: Bytes, loss: PowerLoss, choices: ChoiceStream): Bytes {
  if (loss === 'none' || pending.length === 0) return pending;
  const lost = choices.choose(pending.length + 1);
  const kept = pending.slice(0, pending.length - lost);
  if (loss === 'prefix') return kept;
  for (let at = 0; at < kept.length; at += BLOCK_BYTES) {
    if (choices.choose(2) === 1) kept.fill(0, at, Math.min(at + BLOCK_BYTES, kept.length));
  }
  return kept;
}
