import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { BEHAVIOURS } from '../../../sim/byzantine/registry.ts';
import { runScenario } from '../../../sim/run.ts';
import { drawSwarm } from '../../../sim/swarm/draw.ts';
import { EXTREMES } from '../../../sim/swarm/extremeValues.ts';
import { isSeldom, liesFor } from '../../../sim/swarm/lies.ts';

const SEEDS = 1200;
const texts = Array.from({ length: SEEDS }, (_, i) => drawSwarm(String(i + 1)));
const worlds = texts.map((text) => parse(text) as Record<string, Record<string, unknown>>);

interface Lie {
  readonly who: string;
  readonly behaviour: string;
  readonly args?: { readonly what?: string };
}

const CONTESTED = /timeout_propose: 720ms[\s\S]*delay: 10ms-600ms/;

describe('what the swarm draws', () => {
  test('has each section with every value at its least and greatest, and without it', () => {
    const missing = EXTREMES.flatMap((table) =>
      Object.entries(table).flatMap(([section, keys]) =>
        Object.entries(keys).flatMap(([key, values]) =>
          values
            .filter((value) => value !== null)
            .filter((value) => !worlds.some((world) => world[section]?.[key] === value))
            .map((value) => `${section}.${key}: ${value}`),
        ),
      ),
    );
    expect(missing).toEqual([]);
  });

  test.each([
    ['a chain that begins as late as one may', /initial_height: 1000000000\n/],
    ['one validator with a million times the power of another', /power: 1000000\n[\s\S]*power: 1\n/],
    ['thirteen validators', /v12:/],
    ['a validator without power from the first block on', /v2:\n {4}power: 0\n/],
    ['a node that knows the chain through another alone', /full1:\n {4}peers:\n {6}- full0/],
    ['an answer to a crash', /event: crashed\(/],
    ['something again and again', /every: \d+s/],
    ['a lie to whoever proposes', /to: proposer/],
    ['a lie with a number', /seconds: -3600/],
    ['a single field changed', /field: (?!any)\S+/],
    ['a drive that takes nothing', /sync: 0ms/],
    ['somebody who lies about addresses', /liars:\n/],
    ['a node that takes no caller, or one', /inbound_max: [01]\n/],
    ['a node that calls nobody, or one', /outbound_max: [01]\n/],
    ['seeds that hang up', /seed_mode: true/],
    ['exponential delays', /shape: exponential/],
    ['a chain that makes no empty blocks', /empty_blocks: false/],
    ['a follower of every event', /query: tm\.event EXISTS/],
    ['a wallet at two nodes', /also_at:/],
    ['nodes that wait about as long as messages take', CONTESTED],
  ])('has %s', (_, sign) => {
    expect(texts.some((text) => sign.test(text))).toBe(true);
  });

  test('is small or wide, and rarely both', () => {
    const sizes = worlds.map(({ validators, clients }) => [
      Object.values(validators ?? {}).filter((one) => !('twin_of' in (one as object))).length,
      (clients as unknown as readonly unknown[] | undefined)?.length ?? 0,
    ]) as [number, number][];
    const share = (isSo: (validators: number, clients: number) => boolean): number =>
      sizes.filter(([validators, clients]) => isSo(validators, clients)).length / SEEDS;
    expect(share((validators) => validators <= 4)).toBeGreaterThan(0.6);
    expect(share((validators, clients) => validators > 4 && clients === 0)).toBeGreaterThan(0.1);
    const both = share((validators, clients) => validators > 4 && clients > 2);
    expect(both).toBeGreaterThan(0);
    expect(both).toBeLessThan(0.05);
  });

  const everything = { isSynced: true, isContested: true, leaves: true, votes: true };
  const ofAnyPeer = liesFor({ ...everything, votes: false, leaves: false }).map(({ alias }) => alias);

  test('chooses lies by names that the catalogue has', () => {
    expect(new Set(liesFor(everything))).toEqual(new Set(BEHAVIOURS));
    expect(ofAnyPeer).toHaveLength(9);
    expect(BEHAVIOURS.filter(({ alias }) => isSeldom(alias))).toHaveLength(17);
  });

  test('has each lie, those by votes and blocks only of who is a validator for some time', () => {
    const drawn = new Set<string>();
    for (const { validators = {}, updates = [], byzantine = [] } of worlds) {
      const changes = updates as unknown as readonly { readonly validators?: Record<string, number> }[];
      for (const { who, behaviour } of byzantine as unknown as readonly Lie[]) {
        drawn.add(behaviour);
        const { power } = validators[who] as { readonly power?: number };
        const isEverOne = power !== 0 || changes.some((one) => (one.validators?.[who] ?? 0) > 0);
        if (!isEverOne) expect(ofAnyPeer).toContain(behaviour);
      }
    }
    expect([...drawn].sort()).toEqual(BEHAVIOURS.map(({ alias }) => alias).sort());
  });

  test('has light clients that ask who shows them false blocks', () => {
    const asked = worlds.filter(({ byzantine = [], clients = [] }) =>
      (clients as unknown as readonly { readonly kind: string; readonly at: string }[]).some(
        ({ kind, at }) =>
          kind === 'light' &&
          (byzantine as unknown as readonly Lie[]).some(
            ({ who, args }) => who === at && args?.what?.startsWith('shown'),
          ),
      ),
    );
    expect(asked.length).toBeGreaterThan(5);
  });

  test('has locks that are carried into other rounds', async () => {
    const carried = new Set<string>();
    const trace = (line: string): void => {
      if (!line.includes('"lock"')) return;
      const { at = '', lock = '' } = JSON.parse(line) as { at?: string; lock?: string };
      const [height, round, step] = at.split('/').map(Number);
      if (Number(round) > Number.parseInt(lock, 10) && Number(step) >= 4) carried.add(`${height}/${round}`);
    };
    for (const text of texts.filter((one) => CONTESTED.test(one)).slice(0, 4))
      if (carried.size === 0) await runScenario(text, { crypto: 'keyed-hash', trace, judges: () => false });
    expect(carried.size).toBeGreaterThan(0);
  });
});
