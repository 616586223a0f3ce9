import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventHub } from '../../../../core/events/hub.ts';
import { to0xHex } from '../../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../../core/rpc/context.ts';
import { EthFilters } from '../../../../core/rpc/eth/filters.ts';

const FILTERS_MAX = 4;
const TIMEOUT_SECONDS = 300;
/** Hashes that one filter may leave unread. */
const WAITING_MAX = 32_768;

/** Filters, a hub that pending transactions are told on, and a clock. */
class Desk {
  readonly hub = new EventHub();
  seconds = 1000;
  told = 0;
  #ids = 0;
  readonly filters = new EthFilters({
    hub: this.hub,
    limits: { filtersMax: FILTERS_MAX, filterTimeoutMs: TIMEOUT_SECONDS * 1000 },
    now: () => this.seconds * 1_000_000,
    randomId: () => Uint8Array.of(++this.#ids >> 8, this.#ids),
    chain: { head: () => 1, base: () => 1, latest: () => ({ height: 1 }) },
    suite: { keccak256: (message: Uint8Array) => message },
  } as unknown as RpcContext);

  tell(count: number): void {
    for (let i = 0; i < count; i++)
      this.hub.publish({ kind: 'pendingTx', tx: new Uint8Array(), ethHash: hashOf(this.told++) });
  }
}

const hashOf = (n: number): Uint8Array => Uint8Array.of(n >> 16, n >> 8, n);
const hexOf = (n: number): string => to0xHex(hashOf(n));

const wrong = (run: () => unknown): string | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('filters of pending transactions', () => {
  const ACTIONS = fc.oneof(
    fc.record({ do: fc.constant('install' as const) }),
    fc.record({ do: fc.constantFrom('poll' as const, 'uninstall' as const), at: fc.nat(6) }),
    fc.record({ do: fc.constant('tell' as const), count: fc.constantFrom(1, 2, 16_000, 32_767, 32_768) }),
    fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(1, 100, 299, 300, 301, -50) }),
  );

  test('are told all since they were last asked, once and in order, until too many wait or nobody asks', () => {
    fc.assert(
      fc.property(fc.array(ACTIONS, { maxLength: 30 }), (actions) => {
        const desk = new Desk();
        const model: { id: string; next: number; usedAt: number }[] = [];
        const isThere = (one: (typeof model)[0] | undefined): boolean =>
          one !== undefined &&
          desk.told - one.next <= WAITING_MAX &&
          desk.seconds - one.usedAt <= TIMEOUT_SECONDS;
        for (const action of actions) {
          if (action.do === 'tell') desk.tell(action.count);
          else if (action.do === 'wait') desk.seconds += action.seconds;
          else if (action.do === 'install') {
            const problem = wrong(() =>
              model.push({ id: desk.filters.installPending(false), next: desk.told, usedAt: desk.seconds }),
            );
            if (problem !== undefined) expect(model.length).toBeGreaterThanOrEqual(FILTERS_MAX);
            expect(model.filter(isThere).length).toBeLessThanOrEqual(FILTERS_MAX);
          } else {
            const one = model[action.at];
            const id = one?.id ?? '0x1234';
            const isKnown = isThere(one);
            if (action.do === 'uninstall') expect(desk.filters.uninstall(id)).toBe(isKnown);
            else if (!isKnown) expect(wrong(() => desk.filters.changes(id))).toBe('filter not found');
            else if (one !== undefined) {
              const due = Array.from({ length: desk.told - one.next }, (_, i) => hexOf(one.next + i));
              expect(desk.filters.changes(id)).toEqual(due);
              [one.next, one.usedAt] = [desk.told, desk.seconds];
            }
            if (one !== undefined && (action.do === 'uninstall' || !isKnown)) one.usedAt = -1e9;
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('stop listening with the last of them, whatever ends it', () => {
    const desk = new Desk();
    const [first, second] = [desk.filters.installPending(false), desk.filters.installPending(true)];
    expect(desk.hub.size).toBe(1);
    desk.filters.uninstall(first);
    expect(desk.hub.size).toBe(1);
    desk.seconds += 301;
    expect(desk.filters.uninstall(second)).toBe(false);
    expect(desk.hub.size).toBe(0);
    const third = desk.filters.installPending(false);
    desk.tell(WAITING_MAX + 1);
    expect(wrong(() => desk.filters.changes(third))).toBe('filter not found');
    expect(desk.hub.size).toBe(0);
  });

  test('of one that came when the last one had expired are those since then', () => {
    const desk = new Desk();
    desk.filters.installPending(false);
    desk.tell(3);
    desk.seconds += 301;
    const id = desk.filters.installPending(false);
    desk.tell(1);
    expect(desk.filters.changes(id)).toEqual([hexOf(3)]);
  });

  test('that have expired make room for new ones', () => {
    const desk = new Desk();
    for (let i = 0; i < FILTERS_MAX; i++) desk.filters.installPending(false);
    expect(wrong(() => desk.filters.installPending(false))).toMatch('max limit of 4 reached');
    desk.seconds += 301;
    expect(desk.filters.installPending(false)).toMatch(/^0x/);
  });
});

test('an unused filter expires in time even if the clock is set back', () => {
  const desk = new Desk();
  const lost = desk.filters.installPending(false);
  desk.seconds -= 3_600;
  const used = desk.filters.installPending(false);
  desk.seconds += TIMEOUT_SECONDS;
  expect(desk.filters.changes(used)).toEqual([]);
  desk.seconds += 1;
  expect(wrong(() => desk.filters.changes(lost))).toBe('filter not found');
  expect(desk.filters.changes(used)).toEqual([]);
});

test('log filters hold at most 250000 addresses and topics together, and an uninstalled filter frees its share', () => {
  const desk = new Desk();
  const topics = Array.from({ length: 3 }, () => Array.from({ length: 50_000 }, () => new Uint8Array(32)));
  const filter = { addresses: [], topics, blockHash: undefined, from: undefined, to: undefined };
  const first = desk.filters.installLogs(filter);
  expect(wrong(() => desk.filters.installLogs(filter))).toMatch('250000 addresses and topics');
  expect(desk.filters.uninstall(first)).toBe(true);
  desk.filters.installLogs(filter);
});
