import type { GenesisSpec, UpdateSpec } from './chainSpecs.ts';
import type { Cursor } from './cursor.ts';
import { choiceOf } from './names.ts';
import { PARAM_KEYS, paramsOf } from './parseGenesis.ts';
import { POWER_MAX } from './parseNodes.ts';
import type { ValidatorSpec } from './scenario.ts';
import { HEIGHT_MAX } from './units.ts';

const KEYS = ['height', 'validators', ...PARAM_KEYS] as const;

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
      ...fields
    } = item.fields(KEYS, `an update: {height, validators?, ${PARAM_KEYS.join('?, ')}?}`);
    if (of === undefined) return item.fail('expected a key height');
    const height = of.integer('a height after that of the update before', last.height + 1, HEIGHT_MAX);
    const isOfParams = Object.values(fields).some((one) => one !== undefined);
    if (changes === undefined && !isOfParams) item.fail('expected validators or a parameter that changes');
    last = { height, params: isOfParams ? paramsOf(fields, last.params) : last.params };
    return {
      height,
      powers: changes === undefined ? new Map() : powersOf(changes, validators, powers),
      params: isOfParams ? last.params : undefined,
    };
  });
}

/** `{NAME: power}`. `powers` are those before, and are updated to those after. */
function powersOf(
  at: Cursor,
  validators: readonly ValidatorSpec[],
  powers: Map<string, number>,
): ReadonlyMap<string, number> {
  const entries = at.entries('validators that change: {NAME: power}');
  if (entries.length === 0) at.fail('expected at least one validator that changes');
  const changes = entries.map(([name, value]): readonly [string, number] => {
    const known = validators.find((one) => one.name === name);
    if (known === undefined) value.fail(`unknown validator "${name}", ${choiceOf([...powers.keys()])}`);
    if (known?.twinOf !== undefined)
      value.fail(`expected a validator with a key of its own, ${name} is a twin`);
    const power = value.integer('a voting power', 0, POWER_MAX);
    if (power === 0 && powers.get(name) === 0) value.fail(`expected a power: ${name} has none to lose`);
    return [name, power];
  });
  for (const [name, power] of changes) powers.set(name, power);
  if ([...powers.values()].every((power) => power === 0)) at.fail('expected at least one validator to stay');
  return new Map(changes);
}
