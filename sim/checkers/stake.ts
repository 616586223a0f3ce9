import type { Process } from '../machine/process.ts';
import { totalOf, type VoterSet } from '../schedule.ts';
import type { World } from '../world/world.ts';

/**
 * Power of the Byzantine validators, and of all, in the set that votes from height `from` on. Correct validators whose
 * disks are wiped count among the Byzantine ones as far as they had forgotten their votes at the same time.
 */
export interface Stake {
  readonly from: number;
  readonly faulty: bigint;
  readonly total: bigint;
}

/** The stake of a set of validators. It grows with the run: each wiped disk may add to the faulty power. */
export function stakeOf(world: World, { from, voters }: VoterSet): Stake {
  const powerOf = (forgetful: ReadonlySet<Process>): bigint =>
    totalOf(
      voters.filter(({ name }) => {
        const process = world.process(name);
        return !process.isCorrect || forgetful.has(process);
      }),
    );
  let [faulty, looked] = [powerOf(new Set()), 0];
  return {
    from,
    total: totalOf(voters),
    // Those who have forgotten their votes at one time can contradict them together, as faulty ones do.
    get faulty() {
      for (; looked < world.forgetful.length; looked++) {
        const power = powerOf(world.forgetful[looked] as ReadonlySet<Process>);
        if (power > faulty) faulty = power;
      }
      return faulty;
    },
  };
}
