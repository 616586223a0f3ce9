import type { Cursor } from './cursor.ts';
import { NODES_MAX, newName, nodeNames } from './names.ts';
import type { NodeSpec, TwinsSearch, ValidatorSpec } from './scenario.ts';

const POWER_MAX = 1_000_000_000;
const ROUNDS_MAX = 20;
const SAMPLE_MAX = 1_000_000_000;

export const numbered = (count: number, power: number): readonly ValidatorSpec[] =>
  Array.from({ length: count }, (_, i) => ({ name: `v${i}`, power, twinOf: undefined }));

/** `{count: N, power?: P}`, or names with their powers; `twin_of` stands for a second node with the key of another. */
export function validatorsOf(at: Cursor): readonly ValidatorSpec[] {
  const entries = at.entries('validators: {count, power?} or {NAME: {power? | twin_of?}}');
  if (entries.some(([key]) => key === 'count')) {
    const { count, power } = at.fields(['count', 'power'], 'validators: {count, power?}');
    const size = (count as Cursor).integer('a number of validators', 1, NODES_MAX);
    return numbered(size, power?.integer('a voting power', 1, POWER_MAX) ?? 10);
  }
  if (entries.length === 0) at.fail('expected at least one validator');
  if (entries.length > NODES_MAX) at.fail(`expected at most ${NODES_MAX} validators`);
  const names = entries.map(([name]) => name);
  const specs = entries.map(([name, value]) => validatorOf(name, value, names));
  for (const [i, { twinOf }] of specs.entries()) {
    const original = specs.find((one) => one.name === twinOf);
    if (twinOf !== undefined && original?.twinOf !== undefined)
      entries[i]?.[1].fail(`expected a validator with a key of its own, ${twinOf} is a twin`);
  }
  if (specs.every(({ twinOf }) => twinOf !== undefined)) at.fail('expected at least one validator');
  // Originals first: their places in the genesis do not depend on where twins stand.
  return [
    ...specs.filter((one) => one.twinOf === undefined),
    ...specs.filter((one) => one.twinOf !== undefined),
  ];
}

function validatorOf(name: string, at: Cursor, names: readonly string[]): ValidatorSpec {
  const fields = at.fields(['power', 'twin_of'], 'a validator: {power? | twin_of?}');
  const twinOf = fields.twin_of?.text('the name of a validator');
  if (twinOf !== undefined && (twinOf === name || !names.includes(twinOf)))
    fields.twin_of?.fail(`unknown validator "${twinOf}", expected another of ${names.join(', ')}`);
  if (twinOf !== undefined) fields.power?.fail('expected no power: a twin votes with that of the other');
  const power = fields.power?.integer('a voting power', 1, POWER_MAX) ?? 10;
  return { name: newName(at, name), power: twinOf === undefined ? power : 0, twinOf };
}

/** `{full0: {mode: full, peers: [v0, v1]}}`: nodes that follow the chain and have no vote. */
export function nodesOf(at: Cursor, voters: readonly string[]): readonly NodeSpec[] {
  const entries = at.entries('nodes: {NAME: {mode?, peers?}}');
  if (entries.length + voters.length > NODES_MAX) at.fail(`expected at most ${NODES_MAX} nodes in all`);
  const names = entries.map(([name]) => name);
  return entries.map(([name, value]) => {
    if (voters.includes(name)) value.fail(`expected a name that no validator has, not ${name}`);
    const fields = value.fields(['mode', 'peers'], 'a node: {mode?, peers?}');
    fields.mode?.oneOf(['full'] as const, 'a mode');
    const others = [...voters, ...names.filter((one) => one !== name)];
    const peers = fields.peers === undefined ? undefined : nodeNames(fields.peers, others);
    return { name: newName(value, name), peers };
  });
}

/** `search: {twins: {rounds, partitions?, leaders?}}`. */
export function searchOf(at: Cursor, validators: readonly ValidatorSpec[]): TwinsSearch {
  const { twins } = at.fields(['twins'], 'search: {twins}');
  if (twins === undefined) return at.fail('expected a key twins');
  if (validators.every(({ twinOf }) => twinOf === undefined))
    twins.fail('expected twins among the validators: {NAME: {twin_of: OTHER}}');
  const fields = twins.fields(
    ['rounds', 'partitions', 'leaders'],
    'twins: {rounds, partitions?: all | sample N, leaders?}',
  );
  const partitions = fields.partitions?.text('partitions: all, or sample N') ?? 'all';
  const sample = /^sample (\d{1,9})$/.exec(partitions);
  if (partitions !== 'all' && !(Number(sample?.[1]) >= 1))
    fields.partitions?.fail('expected partitions: all, or sample N');
  return {
    rounds: fields.rounds?.integer('a number of rounds', 1, ROUNDS_MAX) ?? 3,
    sample: sample === null ? undefined : Math.min(SAMPLE_MAX, Number(sample[1])),
    leaders: fields.leaders?.oneOf(['all', 'rotation'] as const, 'leaders') ?? 'all',
  };
}
