import type { WalCut, WalDamage } from './walRecovery.ts';

export interface WalReport {
  readonly level: 'info' | 'warn';
  readonly text: string;
}

/** One-line messages for the operator about an incomplete log: where, what is lost, what was done. */
export function reportWal({
  damage,
  cut,
}: {
  readonly damage: WalDamage | undefined;
  readonly cut: WalCut | undefined;
}): readonly WalReport[] {
  const reports: WalReport[] = [];
  if (damage !== undefined) {
    const where = `the log is damaged at byte ${damage.offset} of ${damage.path} (${damage.reason})`;
    const text = damage.lossy
      ? `${where}: what follows is not used any more and kept in ${damage.copy}; blocks are not touched, and what ` +
        'the log held of the height in progress is asked of the peers again'
      : `${where}: nothing is lost, as it held only heights whose blocks are stored; it goes with time`;
    reports.push({ level: 'warn', text });
  }
  if (cut !== undefined) {
    const text =
      `the log ended in an unfinished write, as after a power cut: the last ${cut.bytes} bytes, from byte ` +
      `${cut.offset} of ${cut.path} on, were cut off`;
    reports.push({ level: 'info', text });
  }
  return reports;
}
