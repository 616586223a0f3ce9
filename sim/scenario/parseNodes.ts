import type { Delay } from '../network/delay.ts';
import type { Cursor } from './cursor.ts';
import { NODES_MAX, newName, newNodeName, nodeNames } from './names.ts';
import type { NodeSpec, Pace, ValidatorSpec } from './scenario.ts';
import { delay } from './units.ts';

export const POWER_MAX = 1_000_000_000;

export const numbered = (count: number, power: number): readonly ValidatorSpec[] =>
  Array.from({ length: count }, (_, i) => ({ name: `v${i}`, power, twinOf: undefined }));

/** `{count: N, power?: P}`, or names with their powers. `twin_of` makes a second node with the key of another. */
export function validatorsOf(at: Cursor): readonly ValidatorSpec[] {
  const entries = at.entries('validators: {count, power?} or {NAME: {power? | twin_of?}}');
  if (entries.some(([key]) => key === 'count')) {
    const { count, power } = at.fields(['count', 'power'], 'validators: {count, power?}');
    const size = (count as Cursor).integer('a number of validators', 1, NODES_MAX);
    const common = at.common(['power'], 'defaults of numbered validators: {power?}');
    return numbered(size, (power ?? common.power)?.integer('a voting power', 1, POWER_MAX) ?? 10);
  }
  if (entries.length === 0) at.fail('expected at least one validator');
  if (entries.length > NODES_MAX) at.fail(`expected at most ${NODES_MAX} validators`);
  const names = entries.map(([name]) => name);
  const specs = entries.map(([name, value]) => validatorOf(name, value, names));
  for (const region of new Set(specs.flatMap((one) => (one.region === undefined ? [] : [one.region]))))
    at.names.groups.set(
      region,
      specs.flatMap((one) => (one.region === region ? [one.name] : [])),
    );
  for (const [i, { twinOf }] of specs.entries()) {
    const original = specs.find((one) => one.name === twinOf);
    if (twinOf !== undefined && original?.twinOf !== undefined)
      entries[i]?.[1].fail(`expected a validator with a key of its own, ${twinOf} is a twin`);
    const { name, key } = specs[i] as ValidatorSpec;
    const same = specs.find((one) => one.name !== name && one.twinOf === undefined && keyText(one) === key);
    if (key !== undefined && same !== undefined)
      entries[i]?.[1].fail(`expected a key of its own: ${same.name} has it; twin_of stands for a shared key`);
  }
  if (specs.every(({ power }) => power === 0)) at.fail('expected at least one validator with power');
  // Originals first, so that their order in genesis does not depend on where twins stand.
  return [
    ...specs.filter((one) => one.twinOf === undefined),
    ...specs.filter((one) => one.twinOf !== undefined),
  ];
}

const keyText = ({ key, name }: ValidatorSpec): string => key ?? name;
export const KEY_TYPES = ['ed25519', 'secp256k1'] as const;
const VALIDATOR_KEYS = ['power', 'twin_of', 'key', 'key_type', 'region', 'store', 'app'] as const;

function validatorOf(name: string, at: Cursor, names: readonly string[]): ValidatorSpec {
  const { power, key, key_type, region, store, app, ...fields } = at.fields(
    VALIDATOR_KEYS,
    'a validator: {power? | twin_of?, key?, key_type?, region?, store?, app?}',
  );
  const twinOf = fields.twin_of?.text('the name of a validator');
  if (twinOf === name) fields.twin_of?.fail('expected another validator: nobody is a twin of itself');
  if (twinOf !== undefined && !names.includes(twinOf))
    fields.twin_of?.fail(`unknown validator "${twinOf}", expected another of ${names.join(', ')}`);
  if (twinOf !== undefined && at.says('power'))
    power?.fail('expected no power: a twin votes with that of the other');
  if (twinOf !== undefined) key?.fail('expected no key: a twin has that of the other');
  if (twinOf !== undefined) key_type?.fail('expected no key_type: a twin has the key of the other');
  const keyType = key_type?.oneOf(KEY_TYPES, 'a type of keys');
  const pace = paceOf(store, app);
  return {
    name: newNodeName(at, name),
    power: twinOf === undefined ? (power?.integer('a voting power', 0, POWER_MAX) ?? 10) : 0,
    twinOf,
    ...(key === undefined ? {} : { key: key.text('a text that the key follows from') }),
    ...(keyType === undefined ? {} : { keyType }),
    ...(region === undefined ? {} : { region: newName(region, region.text('the name of a region')) }),
    ...(pace === undefined ? {} : { pace }),
  };
}

function paceOf(store: Cursor | undefined, app: Cursor | undefined): Pace | undefined {
  if (store === undefined && app === undefined) return undefined;
  const { sync, batch, sign } =
    store?.fields(
      ['sync', 'batch', 'sign'],
      'store: {sync?, batch?, sign?}: how long a sync, a batch and a signature take',
    ) ?? {};
  const { verdict, answer } =
    app?.fields(['verdict', 'answer'], 'app: {verdict?, answer?}: how long a verdict and an answer take') ??
    {};
  const timeOf = (at: Cursor | undefined): Delay | undefined => (at === undefined ? undefined : delay(at));
  return {
    sync: timeOf(sync),
    batch: timeOf(batch),
    sign: timeOf(sign),
    verdict: timeOf(verdict),
    answer: timeOf(answer),
  };
}

/** `{full0: {mode: full, peers: [v0, v1]}}`: nodes that follow the chain and have no vote. */
export function nodesOf(at: Cursor, voters: readonly string[]): readonly NodeSpec[] {
  const entries = at.entries('nodes: {NAME: {mode?, peers?}}');
  if (entries.length + voters.length > NODES_MAX) at.fail(`expected at most ${NODES_MAX} nodes in all`);
  const names = entries.map(([name]) => name);
  const nodes = entries.map(([name, value]) => {
    if (voters.includes(name)) value.fail(`expected a name that no validator has, not ${name}`);
    const fields = value.fields(['mode', 'peers'], 'a node: {mode?, peers?}');
    fields.mode?.oneOf(['full'] as const, 'a mode');
    const peers = fields.peers === undefined ? undefined : nodeNames(fields.peers, [...voters, ...names]);
    if (peers?.includes(name) === true) fields.peers?.fail(`expected others than ${name} itself`);
    return { name: newNodeName(value, name), peers };
  });
  for (const [i, { name, peers }] of nodes.entries()) {
    const deaf = nodes.find((one) => peers?.includes(one.name) && one.peers?.includes(name) === false);
    if (deaf !== undefined)
      entries[i]?.[1].fail(
        `expected ${name} among the peers of ${deaf.name}, which has no others than it names`,
      );
  }
  return nodes;
}
