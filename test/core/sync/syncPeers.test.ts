import { expect, test } from 'vitest';
import { holdsPower } from '../../../core/sync/power.ts';
import { claims, leastBusy, SyncPeers, WINDOW_MAX } from '../../../core/sync/syncPeers.ts';
import { testNet } from '../consensus/harness/net.ts';

function peersOf(claimed: Readonly<Record<string, readonly [base: number, height: number]>>): SyncPeers {
  const peers = new SyncPeers();
  for (const [id, [base, height]] of Object.entries(claimed)) {
    peers.add(id, 0);
    const peer = peers.find(id);
    if (peer !== undefined) peer.claim = { base, height };
  }
  return peers;
}

test('the target is the highest claim of the peers that have the next block', () => {
  const peers = peersOf({ b: [5, 9], a: [6, 20] });
  expect([4, 5, 6].map((next) => peers.heightMax(next))).toEqual([0, 9, 20]);
  expect(peers.ids).toEqual(['a', 'b']);
  const [a] = peers.all;
  if (a === undefined) throw new Error('a peer');
  expect([5, 6, 20, 21].map((height) => claims(a, height))).toEqual([false, true, true, false]);
});

test('a peer that was given up gets a window of one, and its claim counts only if no other peer has the block', () => {
  const peers = peersOf({ a: [1, 50] });
  expect(peers.find('a')?.window).toBe(WINDOW_MAX);
  peers.giveUp('a');
  expect(peers.ids).toEqual([]);
  expect(peers.add('a', 1)).toBe(true);
  const again = peers.find('a');
  expect(again).toMatchObject({ window: 1, onProbation: true, claim: undefined });
  if (again !== undefined) again.claim = { base: 1, height: 50 };
  expect(peers.heightMax(1)).toBe(50);
  peers.add('b', 1);
  const other = peers.find('b');
  if (other !== undefined) other.claim = { base: 1, height: 7 };
  expect(peers.heightMax(1)).toBe(7);
  again?.asked.set(3, 0);
  expect(peers.able(3).map(({ id }) => id)).toEqual(['b']);
  expect(leastBusy(peers.all)?.id).toBe('b');
});

test('a banned peer is refused for a minute, unless 1024 later bans push it out', () => {
  const peers = new SyncPeers();
  for (let n = 0; n < 1024; n++) peers.ban(`liar ${n}`, 0);
  expect([peers.add('liar 0', 0), peers.add('liar 1023', 59_999_999)]).toEqual([false, false]);
  expect(peers.add('liar 1023', 60_000_000)).toBe(true);
  expect(peers.find('liar 1023')).toMatchObject({ window: 1, onProbation: true });
  peers.ban('one more', 0);
  expect([peers.add('liar 0', 0), peers.add('liar 1', 0), peers.add('one more', 0)]).toEqual([
    true,
    false,
    false,
  ]);
});

test('banning a banned peer again moves it to the end of the list and pushes nobody out', () => {
  const peers = new SyncPeers();
  for (let n = 0; n < 1024; n++) peers.ban(`liar ${n}`, 0);
  peers.ban('liar 1', 0);
  expect(peers.add('liar 0', 0)).toBe(false);
  for (let n = 1024; n < 1026; n++) peers.ban(`liar ${n}`, 0);
  expect([0, 1, 2, 3].map((n) => peers.add(`liar ${n}`, 0))).toEqual([true, false, true, false]);
});

test('a banned peer that is still connected is used again after its minute', () => {
  const peers = new SyncPeers();
  for (const id of ['b', 'a', 'gone']) {
    peers.ban(id, 1_000_000);
    peers.add(id, 2_000_000);
  }
  peers.remove('gone');
  peers.forgive(60_999_999);
  expect(peers.ids).toEqual([]);
  peers.forgive(61_000_000);
  expect(peers.ids).toEqual(['a', 'b']);
});

test('holdsPower is true from exactly 1/fraction of the power on', () => {
  const { state, keys } = testNet([10n, 20n, 30n]);
  const [first] = state.validators.validators;
  const powerOf = (i: number) => state.validators.validators[i];
  expect(first?.power).toBe(30n);
  const holds = (i: number, fraction: bigint): boolean => holdsPower(state, powerOf(i)?.address, fraction);
  expect([holds(0, 2n), holds(0, 1n), holds(1, 3n), holds(1, 2n), holds(2, 6n), holds(2, 5n)]).toEqual([
    true,
    false,
    true,
    false,
    true,
    false,
  ]);
  expect(holdsPower(state, undefined, 99n)).toBe(false);
  expect(holdsPower(state, new Uint8Array(20), 99n)).toBe(false);
  expect(keys).toHaveLength(3);
});
