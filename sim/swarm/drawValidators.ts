import type { Choices } from '../world/choices.ts';
import type { Dice } from './drawn.ts';
import { pick } from './pick.ts';
import { isTolerable, type Powers, powerOf } from './powers.ts';

/** Powers that are far apart, at their least or greatest, or all with one validator. */
const FAR_POWERS: readonly (readonly number[])[] = [
  [1],
  [1, 1],
  [1_000_000_000],
  [1_000_000_000, 1_000_000_000],
  [1_000_000, 1],
  [1_000_000, 1, 1, 1],
  [1_000_000_000, 1_000_000_000, 1_000_000_000, 1_000_000_000],
  [1, 1, 1_000_000, 1_000_000, 1_000_000],
  [10, 0, 0],
  [1, 1, 1, 0, 0],
  [1, 2, 4, 8, 16, 32],
  [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
];

/** Powers by name: v0 and so on. */
export function drawPowers({ choices, isExtreme, scale }: Dice): Record<string, number> {
  const far = choices.stream('extremes/powers');
  if (isExtreme && far.choose(3) === 0) {
    const powers = pick(
      far,
      FAR_POWERS.filter(({ length }) => length <= scale.validatorsMax),
    );
    return Object.fromEntries(powers.map((power, i) => [`v${i}`, power]));
  }
  const stream = choices.stream('validators');
  const count = pick(stream, scale.validators);
  const isEqual = stream.choose(3) < 2;
  const powers: Record<string, number> = {};
  for (let i = 0; i < count; i++) powers[`v${i}`] = isEqual ? 10 : 1 + stream.choose(20);
  return powers;
}

/** Random liars with less than a third of the power, and sometimes none. */
export function drawLiars(choices: Choices, powers: Powers): readonly string[] {
  const stream = choices.stream('liars');
  if (stream.choose(3) === 0) return [];
  const left = Object.keys(powers);
  const liars: string[] = [];
  while (left.length > 0) {
    const name = left.splice(stream.choose(left.length), 1)[0] as string;
    if (!isTolerable(powers, [...liars, name])) continue;
    liars.push(name);
    if (stream.choose(2) === 0) break;
  }
  return liars.sort();
}

/** Rarely the liars have a third or more of the power, and less than two: then only their guilt can be shown. */
export function drawCartel(
  { choices, rarely }: Dice,
  powers: Powers,
  liars: readonly string[],
): readonly string[] {
  const stream = choices.stream('cartel');
  if (!rarely(stream, 16)) return liars;
  const total = powerOf(powers, Object.keys(powers));
  const all = [...liars];
  for (const name of Object.keys(powers)) {
    if (!isTolerable(powers, all)) break;
    if (!all.includes(name) && 3 * powerOf(powers, [...all, name]) < 2 * total) all.push(name);
  }
  return all.sort();
}

/** Sometimes two nodes use a liar's key. */
export function drawTwins(
  { choices, rarely }: Dice,
  liars: readonly string[],
): Readonly<Record<string, object>> {
  const stream = choices.stream('twins');
  const liar = liars[0];
  return liar === undefined || !rarely(stream, 5) ? {} : { [`${liar}b`]: { twin_of: liar } };
}

/**
 * Validators with their powers. Sometimes they have keys of two types, or disks, signers and applications that take no
 * time or long.
 */
export function drawMachines(dice: Dice, powers: Powers): Readonly<Record<string, object>> {
  const drive = halfOf(dice, 'drives', 6);
  const key = halfOf(dice, 'keys', 10);
  const late = halfOf(dice, 'late', 6);
  const far = halfOf(dice, 'far', 10);
  const entries = Object.entries(powers).map(([name, power]) => {
    const store = {
      ...drive('sync', ['0ms', '1us', '5ms-40ms', '30ms-60ms']),
      ...late('batch', ['1us', '1ms-50ms', '10ms-300ms']),
      ...far('sign', ['1us', '1ms-20ms', '10ms-150ms']),
    };
    const app = {
      ...late('verdict', ['1us', '5ms-100ms', '10ms-1s']),
      ...far('answer', ['1us', '1ms-20ms', '10ms-100ms']),
    };
    const fields = Object.entries({ store, app }).filter(([, own]) => Object.keys(own).length > 0);
    return [name, { power, ...key('key_type', ['secp256k1']), ...Object.fromEntries(fields) }];
  });
  return Object.fromEntries(entries);
}

/** In one world of `oneIn`, half of the settings asked for get one of the values. */
function halfOf({ choices, rarely }: Dice, label: string, oneIn: number) {
  const stream = choices.stream(label);
  const isDrawn = rarely(stream, oneIn);
  return (what: string, values: readonly string[]): Readonly<Record<string, string>> =>
    isDrawn && stream.choose(2) === 0 ? { [what]: pick(stream, values) } : {};
}
