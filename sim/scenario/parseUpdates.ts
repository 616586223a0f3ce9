import type { ConsensusParams } from '../../core/types/params.ts';
import type { GenesisSpec, UpdateSpec } from './chainSpecs.ts';
import type { Cursor } from './cursor.ts';
import { choiceOf } from './names.ts';
import { PARAM_KEYS, paramsOf } from './parseGenesis.ts';
import { KEY_TYPES, POWER_MAX } from './parseNodes.ts';
import type { ValidatorSpec } from './scenario.ts';
import { HEIGHT_MAX } from './units.ts';

const KEYS = ['height', 'validators', 'key_types', ...PARAM_KEYS] as const;

/** The section `updates`: what the application returns for blocks, in the order of their heights. */
export function updatesOf(
  at: Cursor,
  { initialHeight, params }: GenesisSpec,
  validators: readonly ValidatorSpec[],
): readonly UpdateSpec[] {
  const powers = new Map(validators.map(({ name, power }) => [name, power]));
  let last = { height: initialHeight - 1, params };
  return at.items('a list of updates').map((item): UpdateSpec => {
    const {
      height: of,
      validators: changes,
      key_types: types,
      ...fields
    } = item.fields(KEYS, `an update: {height, ${KEYS.slice(1).join('?, ')}?}`);
    if (of === undefined) return item.fail('expected a key height');
    const height = of.integer('a height after that of the update before', last.height + 1, HEIGHT_MAX);
    const isOfParams = types !== undefined || Object.values(fields).some((one) => one !== undefined);
    const before = last.params;
    if (changes === undefined && !isOfParams) item.fail('expected validators or a parameter that changes');
    last = { height, params: isOfParams ? withTypes(paramsOf(fields, before), types) : before };
    return {
      height,
      powers: changes === undefined ? new Map() : powersOf(changes, validators, powers, before),
      params: isOfParams ? last.params : undefined,
    };
  });
}

function withTypes(params: ConsensusParams, types: Cursor | undefined): ConsensusParams {
  if (types === undefined) return params;
  const listed = types.items('a list of types of keys').map((one) => one.oneOf(KEY_TYPES, 'a type of keys'));
  if (listed.length === 0) types.fail('expected at least one type of keys');
  return { ...params, validator: { pubKeyTypes: [...new Set(listed)].sort() } };
}

/**
 * `{NAME: power}`. `powers` are those before, and are updated to those after. `params` are those before: a node stops at
 * a validator whose key they do not allow, unless it is removed.
 */
function powersOf(
  at: Cursor,
  validators: readonly ValidatorSpec[],
  powers: Map<string, number>,
  params: ConsensusParams,
): ReadonlyMap<string, number> {
  const entries = at.entries('validators that change: {NAME: power}');
  if (entries.length === 0) at.fail('expected at least one validator that changes');
  const changes = entries.map(([name, value]): readonly [string, number] => {
    const known = validators.find((one) => one.name === name);
    if (known === undefined) value.fail(`unknown validator "${name}"${choiceOf([...powers.keys()])}`);
    if (known?.twinOf !== undefined)
      value.fail(`expected a validator with a key of its own, ${name} is a twin`);
    const power = value.integer('a voting power', 0, POWER_MAX);
    if (power > 0 && !params.validator.pubKeyTypes.includes(known?.keyType ?? 'ed25519'))
      value.fail(`expected 0: the chain does not allow the key of ${name}`);
    if (power === 0 && powers.get(name) === 0) value.fail(`expected a power: ${name} has none to lose`);
    return [name, power];
  });
  for (const [name, power] of changes) powers.set(name, power);
  if ([...powers.values()].every((power) => power === 0)) at.fail('expected at least one validator to stay');
  return new Map(changes);
}
