import type { Dice } from './drawn.ts';
import { pick } from './pick.ts';
import { isTolerable, type Powers } from './powers.ts';

/** Sometimes there is a validator without power, which may get some. */
export const drawReserve = ({ choices, rarely }: Dice): Record<string, number> =>
  rarely(choices.stream('reserve'), 8) ? { w0: 0 } : {};

const CHANGED_PARAMS: readonly (readonly [string, readonly (number | string)[]])[] = [
  ['block_bytes', [50_000, 8_000, 200_000]],
  ['evidence_bytes', [1_000, 8_000]],
  ['evidence_blocks', [1, 3, 100]],
  ['evidence_time', ['1s', '4s', '100s']],
  ['app_version', [1, 2]],
];

/** The largest power leaves all others together few turns to propose. */
const POWERS: readonly number[] = [1, 0, 10, 30, 10, 5_000];

interface DrawnUpdate {
  readonly height: number;
  readonly validators?: Powers;
  readonly [param: string]: number | string | Powers | undefined;
}

/** The powers at genesis, and after each update. */
export function stagesOf(genesis: Powers, updates: readonly DrawnUpdate[]): readonly Powers[] {
  const stages = [genesis];
  for (const { validators } of updates) stages.push({ ...(stages.at(-1) as Powers), ...validators });
  return stages;
}

/** Sometimes the application changes powers and parameters. Liars stay below a third. */
export function drawUpdates(
  { choices, rarely, isExtreme }: Dice,
  genesis: Powers,
  liars: readonly string[],
  before: number,
): readonly DrawnUpdate[] {
  const stream = choices.stream('updates');
  if (!('w0' in genesis) && !rarely(stream, 5)) return [];
  const far = choices.stream('extremes/updates');
  let height = before;
  let powers = genesis;
  return Array.from({ length: 1 + stream.choose(4) }, () => {
    height += 1 + stream.choose(3);
    const validators: Record<string, number> = {};
    for (let i = 1 + stream.choose(2); i > 0; i--) {
      const name = pick(stream, Object.keys(powers));
      const usual = pick(stream, POWERS);
      const power = isExtreme && far.choose(3) === 0 ? pick(far, [1, 1_000_000_000]) : usual;
      const after = { ...powers, [name]: power };
      if (name in validators || (power === 0 && powers[name] === 0) || !isTolerable(after, liars)) continue;
      validators[name] = power;
      powers = after;
    }
    const [key, values] = pick(stream, CHANGED_PARAMS);
    const isOfParams = Object.keys(validators).length === 0 || stream.choose(3) === 2;
    return {
      height,
      ...(Object.keys(validators).length === 0 ? {} : { validators }),
      ...(isOfParams ? { [key]: pick(stream, values) } : {}),
    };
  });
}
