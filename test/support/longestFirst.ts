import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, longest first; started late, one of them would run on alone. */
const LONG = [
  'test/sim/tools/breaks.test.ts',
  'test/sim/run.test.ts',
  'test/e2e/networkChaos.test.ts',
  'test/e2e/kill.test.ts',
  'test/adapters/fuzz/codecs.test.ts',
  'test/e2e/networkHostile.test.ts',
  'test/e2e/resume.test.ts',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const place = LONG.findIndex((file) => moduleId.replaceAll('\\', '/').endsWith(file));
  return place < 0 ? LONG.length : place;
};

/** The same order on every machine, whatever earlier runs took. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}
