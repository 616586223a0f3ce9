import { placesOf, VARIED } from '../search/vary.ts';
import type { Cursor } from './cursor.ts';
import type { Scenario, SwarmSearch, TwinsSearch, ValidatorSpec } from './scenario.ts';

const ROUNDS_MAX = 20;
const SAMPLE_MAX = 1_000_000_000;
const DEPTH_MAX = 100;
const RUNS_MAX = 100_000_000;

/** `search: {twins | pct | swarm}`: what the commands of these names try with this scenario. */
export function searchOf(
  at: Cursor | undefined,
  validators: readonly ValidatorSpec[],
  timeline: Cursor | undefined,
): Pick<Scenario, 'twins' | 'pct' | 'swarm'> {
  if (at === undefined) return { twins: undefined };
  const fields = at.fields(['twins', 'pct', 'swarm'], 'search: {twins | pct | swarm}');
  if (Object.keys(fields).length === 0) return at.fail('expected a key twins, pct or swarm');
  return {
    twins: fields.twins === undefined ? undefined : twinsOf(fields.twins, validators),
    ...(fields.pct === undefined ? {} : { pct: pctOf(fields.pct) }),
    ...(fields.swarm === undefined ? {} : { swarm: swarmOf(fields.swarm, timeline?.plain) }),
  };
}

/** `{rounds, pairs?, partitions?, leaders?}`. */
function twinsOf(at: Cursor, validators: readonly ValidatorSpec[]): TwinsSearch {
  if (validators.every(({ twinOf }) => twinOf === undefined))
    at.fail('expected twins among the validators: {NAME: {twin_of: OTHER}}');
  const { rounds, pairs, leaders, ...fields } = at.fields(
    ['pairs', 'rounds', 'partitions', 'leaders'],
    'twins: {rounds, pairs?, partitions?: all | sample N, leaders?}',
  );
  if (pairs !== undefined) checkPairs(pairs, validators);
  const partitions = fields.partitions?.text('partitions: all, or sample N') ?? 'all';
  const sample = /^sample (\d{1,9})$/.exec(partitions);
  if (partitions !== 'all' && !(Number(sample?.[1]) >= 1))
    fields.partitions?.fail('expected partitions: all, or sample N');
  return {
    rounds: rounds?.integer('a number of rounds', 1, ROUNDS_MAX) ?? 3,
    sample: sample === null ? undefined : Math.min(SAMPLE_MAX, Number(sample[1])),
    leaders: leaders?.oneOf(['all', 'rotation'] as const, 'leaders') ?? 'all',
  };
}

/** `pairs: [[d, d2]]` repeats who shares a key. It has to name all twins, and nobody else. */
function checkPairs(at: Cursor, validators: readonly ValidatorSpec[]): void {
  const twins = validators.filter(({ twinOf }) => twinOf !== undefined);
  const named = at.items('a list of pairs, such as [[d, d2]]').map((pair) => {
    const [first, second, ...more] = pair.items('a pair of names').map((one) => one.text('a name'));
    const twin = twins.find(
      ({ name, twinOf }) => (name === second && twinOf === first) || (name === first && twinOf === second),
    );
    if (twin === undefined || more.length > 0)
      return pair.fail('expected two names, one of them with twin_of the other');
    return twin.name;
  });
  const missing = twins.find(({ name }) => !named.includes(name));
  if (missing !== undefined) at.fail(`expected the pair of ${missing.twinOf} and ${missing.name} too`);
}

function pctOf(at: Cursor): NonNullable<Scenario['pct']> {
  const fields = at.fields(['depth', 'runs'], 'pct: {depth, runs?}');
  if (fields.depth === undefined) return at.fail('expected a key depth');
  return {
    depth: fields.depth.integer('a number of orderings', 1, DEPTH_MAX),
    runs: fields.runs?.integer('a number of schedules', 1, RUNS_MAX),
  };
}

function swarmOf(at: Cursor, timeline: unknown): SwarmSearch {
  const fields = at.fields(['runs', 'vary'], 'swarm: {runs, vary?}');
  if (fields.runs === undefined) return at.fail('expected a key runs');
  const vary = (fields.vary?.items('a list of keys to vary') ?? []).map((item) => {
    const text = item.text('a key to vary');
    const key = text.split('.').at(-1) ?? '';
    if (!VARIED.includes(key) || text.split('.').length > 2)
      item.fail(`expected KEY or ACTION.KEY with a key of ${VARIED.join(', ')}`);
    if (placesOf(timeline, text).length === 0)
      item.fail(`expected what the timeline has: no entry of it has ${text}, so nothing would vary`);
    return text;
  });
  return { runs: fields.runs.integer('a number of runs', 1, RUNS_MAX), vary };
}
