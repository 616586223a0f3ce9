import { PEX_LIES } from '../scenario/scenario.ts';
import type { Choices } from '../world/choices.ts';
import type { Dice } from './drawn.ts';
import { pick } from './pick.ts';

/** Faults of links during the whole run. No frame of a stream is lost, doubled, overtaken or damaged. */
export function drawNetwork(choices: Choices, isStream: boolean): Readonly<Record<string, string | object>> {
  const stream = choices.stream('network');
  const low = pick(stream, [10, 1, 5, 50]);
  const high = low + pick(stream, [90, 10, 200, 500, 1500]);
  const isOften = choices.choose('network/shape', 8) < 7;
  const delay = isOften ? `${low}ms-${high}ms` : { low: `${low}ms`, high: `${high}ms`, shape: 'exponential' };
  const faults: Record<string, string | object> = { delay };
  const percent = (name: string, values: readonly number[]): void => {
    if (stream.choose(3) === 2 && (name === 'reset' || !isStream)) faults[name] = `${pick(stream, values)}%`;
  };
  percent('loss', [1, 3, 10, 20]);
  percent('dup', [1, 5, 20]);
  percent('reorder', [1, 5, 30]);
  percent('corrupt', [0.1, 1]);
  percent('reset', [0.1, 0.5]);
  if (stream.choose(6) === 5) faults['rate'] = `${pick(stream, [500, 200, 80])}kB/s`;
  return faults;
}

/** Sometimes validators have to discover each other, and some liars lie about addresses too. */
export function drawPeers(
  { choices, rarely }: Dice,
  honest: readonly string[],
  liars: readonly string[],
): { readonly peers?: object } {
  const stream = choices.stream('peers');
  if (!rarely(stream, 12)) return {};
  const role = pick(stream, ['seeds', 'persistent']);
  const lies = liars.flatMap((who) => {
    const own = choices.stream(`peers/${who}`);
    return own.choose(2) === 0 ? [] : [[who, pick(own, PEX_LIES)]];
  });
  return {
    peers: {
      [role]: [pick(stream, honest)],
      ...(lies.length === 0 ? {} : { liars: Object.fromEntries(lies) }),
    },
  };
}

/** Sometimes there is a node without a vote, which is connected with everyone or with one honest validator. */
export function drawNodes(
  { choices, rarely }: Dice,
  honest: readonly string[],
): Readonly<Record<string, { readonly peers?: readonly string[] }>> {
  const stream = choices.stream('nodes');
  if (!rarely(stream, 5)) return {};
  const peers = stream.choose(2) === 0 ? undefined : [pick(stream, honest)];
  const full0 = peers === undefined ? {} : { peers };
  if (!rarely(choices.stream('nodes/more'), 3)) return { full0 };
  // A second one hears of the chain through the first alone.
  return { full0: peers === undefined ? {} : { peers: [...peers, 'full1'] }, full1: { peers: ['full0'] } };
}
