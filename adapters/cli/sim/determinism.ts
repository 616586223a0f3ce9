import type { CryptoSuite } from '../../../core/crypto/suite.ts';
import { compareRuns } from '../../../sim/replay/compare.ts';
import type { World } from '../world.ts';
import { EXIT_BROKEN, refuseFile } from './scenarioFile.ts';
import type { Source } from './source.ts';

/** Two runs of one seed, compared happening by happening; prints the first that differs. */
export async function checkDeterminism(
  { name, text, seed }: Source,
  suite: CryptoSuite,
  world: World,
): Promise<void> {
  const result = await compareRuns(text, { seed, suite });
  if (!result.ok) return refuseFile(world, name, result.error);
  const { digest, lines, parted } = result.value;
  if (parted === undefined) {
    world.out(`deterministic: ${lines} happenings equal in both runs\ndigest: ${digest}\n`);
    return;
  }
  const before = parted.before.map((line) => `  both:   ${line}\n`).join('');
  world.out(
    `the two runs part:\n${before}  first:  ${parted.first ?? 'has ended'}\n  second: ${parted.second ?? 'has ended'}\n`,
  );
  world.exitCode = EXIT_BROKEN;
}
