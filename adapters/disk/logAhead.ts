import type { LogRecord } from '../../core/node/contract.ts';
import { ChainReads } from '../../core/store/chainReads.ts';
import type { KvStore } from '../../core/store/kv.ts';
import { undoneHeight } from '../../core/store/undo.ts';
import { OperatingError } from '../operatingError.ts';

/**
 * Refuses a WAL that continues above the stored chain: it belongs to another, newer database, and the heights in
 * between are missing. Throws OperatingError.
 */
export function refuseLogAhead(
  kv: KvStore,
  records: readonly LogRecord[],
  initialHeight: number,
  dataDir: string,
): void {
  const first = records[0]?.height;
  // After a rollback the newest block is above the state; it is executed again before the log is read.
  const head = undoneHeight(kv) ?? new ChainReads(kv).head();
  if (first === undefined || first <= Math.max(head + 1, initialHeight)) return;
  throw new OperatingError(
    `the database in ${dataDir} is missing or an old copy: it ends at height ${head}, and the log goes on at ${first}. ` +
      'Restore node.db of the same time as cs.wal. Without it, delete node.db and cs.wal, keep ' +
      'priv_validator_state.json, and let the node fetch the blocks from its peers',
  );
}
