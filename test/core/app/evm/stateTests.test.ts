import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Fixture, fixturesOf } from '../../../../bench/stateTests/fixture.ts';
import { StateTestRunner } from '../../../../bench/stateTests/runFixture.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';

const folder = fileURLToPath(new URL('../../../vectors/ethereum-tests/GeneralStateTests/', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .sort();
const runner = new StateTestRunner(nobleSuite);

test.each(files)(
  "%s of Ethereum's state tests leads to the roots and logs that all clients agree on",
  async (name) => {
    for (const [, fixture] of fixturesOf(readFileSync(`${folder}${name}`, 'utf8'))) {
      const verdicts = await runner.run(fixture);
      expect(verdicts.length).toBeGreaterThan(0);
      for (const { name: which, verdict } of verdicts) expect(verdict, which).toEqual({ kind: 'passed' });
    }
  },
);

const example = (): Fixture =>
  (fixturesOf(readFileSync(`${folder}stExample/eip1559.json`, 'utf8'))[0] as [string, Fixture])[1];

test('the runner sees a wrong root, a wrong log and a missing refusal', async () => {
  const fixture = example();
  const [post] = fixture.post.Cancun ?? [];
  if (post === undefined) throw new Error('the example has a case');
  const zero = `0x${'0'.repeat(64)}`;
  const wrong = [{ hash: zero }, { logs: zero }, { expectException: 'TransactionException.SENDER_NOT_EOA' }];
  for (const change of wrong) {
    const verdicts = await runner.run({ ...fixture, post: { Cancun: [{ ...post, ...change }] } });
    expect(verdicts.map(({ verdict }) => verdict.kind)).toEqual(['failed']);
  }
});

test('a fork that genesis cannot choose is skipped with the reason', async () => {
  const fixture = example();
  const verdicts = await runner.run({ ...fixture, post: { Istanbul: fixture.post.Cancun ?? [] } });
  expect(verdicts[0]?.verdict).toEqual({ kind: 'skipped', reason: 'rules of Istanbul are not offered' });
});
