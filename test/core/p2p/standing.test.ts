import { describe, expect, test } from 'vitest';
import { BACKOFF_MS_MAX, DialPlan } from '../../../core/p2p/dialPlan.ts';
import { Links, oldestOfBusiest } from '../../../core/p2p/links.ts';
import { BAN_MS_MAX, Standings } from '../../../core/p2p/standing.ts';

const SECOND = 1_000_000;
const ADDRESS = { id: 'aa', host: 'h', port: 1 };

describe('a ban', () => {
  const minutesOf = (standings: Standings, now: number): number =>
    ((standings.banOf(now, 'p')?.until ?? now) - now) / (60 * SECOND);

  test('is twice as long as the one before, up to a day', () => {
    const standings = new Standings();
    const minutes: number[] = [];
    let now = 0;
    for (let times = 1; times <= 9; times++) {
      for (let fault = 0; fault < 3; fault++) standings.fault(now, 'p', 'odd', 40, BAN_MS_MAX);
      minutes.push(minutesOf(standings, now));
      now = standings.banOf(now, 'p')?.until ?? now;
    }
    expect(minutes).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 1440]);
  });

  test('comes with the fault that brings the score to zero; each minute restores one point', () => {
    const standings = new Standings();
    const faultAt = (minute: number) => standings.fault(minute * 60 * SECOND, 'p', 'odd', 40, BAN_MS_MAX);
    const scores = [0, 10, 20].map((minute) => {
      const ban = faultAt(minute);
      return ban?.times ?? standings.score(minute * 60 * SECOND, 'p');
    });
    expect(scores).toEqual([60, 30, 1]);
  });

  test('of an earlier run is restored for at most a day, and counts for the length of the next ban', () => {
    const standings = new Standings();
    const ban = { peer: 'p', reason: 'odd', until: 30 * 86_400 * SECOND, times: 2 };
    standings.restore(SECOND, ban);
    expect(minutesOf(standings, SECOND)).toBe(1440);
    const later = 2 * 86_400 * SECOND;
    expect(standings.bans(later)).toEqual([]);
    for (let fault = 0; fault < 3; fault++) standings.fault(later, 'p', 'odd', 40, BAN_MS_MAX);
    expect(standings.banOf(later, 'p')?.times).toBe(3);
    expect(minutesOf(standings, later)).toBe(40);
    standings.restore(SECOND, { ...ban, peer: 'q', until: SECOND });
    expect(standings.banOf(0, 'q')).toBeUndefined();
  });
});

describe('peers that are remembered', () => {
  const full = (): Standings => {
    const standings = new Standings();
    for (let n = 0; n < 1024; n++) standings.ban(0, `peer ${n}`, 'odd', 60_000);
    return standings;
  };
  const isBanned = (standings: Standings, ...peers: readonly string[]): readonly boolean[] =>
    peers.map((peer) => standings.banOf(0, peer) !== undefined);

  test('are limited to 1024: one more pushes out the first', () => {
    const standings = full();
    standings.ban(0, 'peer 0', 'odd', 60_000);
    expect(isBanned(standings, 'peer 0', 'peer 1')).toEqual([true, true]);
    standings.ban(0, 'one more', 'odd', 60_000);
    expect(isBanned(standings, 'peer 0', 'peer 1', 'one more')).toEqual([false, true, true]);
  });

  test('are not pushed out by a restored ban, but a restored ban of a known peer counts', () => {
    const standings = full();
    const ban = { reason: 'odd', until: SECOND, times: 1 };
    for (const peer of ['one more', 'peer 1']) standings.restore(0, { ...ban, peer });
    expect(isBanned(standings, 'peer 0', 'one more')).toEqual([true, false]);
    expect(standings.banOf(0, 'peer 1')?.until).toBe(SECOND);
  });
});

describe('the plan to dial', () => {
  const planOf = (backoffMsMax?: number): DialPlan => new DialPlan([ADDRESS], () => 0, backoffMsMax);
  const waitOf = (plan: DialPlan, now: number): number => ((plan.nextAt(() => true) ?? 0) - now) / SECOND;

  test('doubles its wait after each failure, and starts over after a connection of ten seconds', () => {
    const plan = planOf();
    const waits: number[] = [];
    for (const up of [0, 0, 0, 9_999_999, 10 * SECOND, 0]) {
      plan.onEnd(0, 'aa', up);
      waits.push(waitOf(plan, 0));
    }
    expect(waits).toEqual([0.5, 1, 2, 4, 0.25, 0.5]);
  });

  test('waits between half of its longest wait and all of it', () => {
    for (const [plan, bound] of [
      [planOf(), BACKOFF_MS_MAX],
      [planOf(3000), 3000],
    ] as const) {
      for (let i = 0; i < 40; i++) plan.onEnd(0, 'aa', 0);
      expect(waitOf(plan, 0)).toBe(bound / 2000);
    }
  });

  test('notBefore postpones a dial and never advances it', () => {
    const plan = planOf();
    plan.onEnd(0, 'aa', 0);
    plan.notBefore('aa', 60 * SECOND);
    expect(waitOf(plan, 0)).toBe(60);
    plan.notBefore('aa', 1);
    expect(waitOf(plan, 0)).toBe(60);
    expect([59, 60].map((seconds) => plan.due(seconds * SECOND, () => true).length)).toEqual([0, 1]);
    expect(plan.due(60 * SECOND, () => false)).toEqual([]);
  });
});

describe('links', () => {
  const info = { id: 'aa' } as never;

  test('count a peer as busy while it is dialled or connected', () => {
    const links = new Links();
    const dial = links.open(1, 'outbound', 'h', ADDRESS);
    expect([links.isBusyWith('aa'), links.isBusyWith('bb')]).toEqual([true, false]);
    links.remove(dial);
    expect(links.isBusyWith('aa')).toBe(false);
    const call = links.open(5, 'inbound', 'h', undefined);
    expect(links.arriving()).toEqual([call]);
    links.setUp(7, call, 'aa', info);
    expect([links.isBusyWith('aa'), call.upAt, call.heardAt, links.arriving().length]).toEqual([
      true,
      7,
      7,
      0,
    ]);
    const second = links.open(8, 'inbound', 'h', undefined);
    links.setUp(9, second, 'aa', info);
    expect([links.remove(call), links.remove(call), links.of('aa')]).toEqual([true, false, second]);
  });

  test('oldestOfBusiest picks the oldest link of the IP with the most links', () => {
    const links = new Links();
    const open = [
      [1, 'lone'],
      [4, 'many'],
      [3, 'many'],
      [3, 'many'],
      [2, 'two'],
      [2, 'two'],
    ].map(([now, ip]) => links.open(now as number, 'inbound', ip as string, undefined));
    expect(oldestOfBusiest(open)).toBe(open[2]);
    expect(oldestOfBusiest(open.toReversed())).toBe(open[2]);
  });
});
