import type { CryptoSuite } from '../core/crypto/suite.ts';
import { planRollback } from '../core/node/rollback.ts';
import type { Process } from './process.ts';

/** `orrery rollback` on a stopped node: its newest height is taken back; with `isHard` the block too, and the log set aside. */
export function rollBack(process: Process, suite: CryptoSuite, isHard: boolean): void {
  const { kv, log } = process.disk;
  const plan = planRollback(kv, suite, isHard);
  // Before its first block there is nothing to take back, and the command says so.
  if (!plan.ok) return;
  if (isHard) {
    log.truncate(log.size);
    process.disk.hasForgotten = true;
    process.decided = plan.value.height;
  }
  kv.apply(plan.value.ops);
}
