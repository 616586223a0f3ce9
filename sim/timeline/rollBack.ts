import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { planRollback } from '../../core/node/rollback.ts';
import type { Process } from '../machine/process.ts';
import type { World } from '../world/world.ts';

/**
 * `orrery rollback` on a stopped node: takes back its newest height. With `isHard` the block goes too, and the log is
 * set aside.
 *
 * @returns False before the first block: there is nothing to take back then, and the command says so.
 */
export function rollBack(world: World, process: Process, suite: CryptoSuite, isHard: boolean): boolean {
  const { kv, log } = process.disk;
  const plan = planRollback(kv, suite, isHard);
  if (!plan.ok) return false;
  if (isHard) {
    log.truncate(log.size);
    process.disk.forgets++;
    process.decided = plan.value.height;
  }
  kv.apply(plan.value.ops);
  world.witness({ kind: 'rolledBack', node: process, isHard });
  return true;
}
