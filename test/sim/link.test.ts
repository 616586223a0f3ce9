import { expect, test } from 'vitest';
import { CHANNELS, type ChannelId } from '../../core/node/contract.ts';
import { DEFAULT_LINK, type Frame, Link } from '../../sim/network/link.ts';
import { Choices } from '../../sim/world/choices.ts';

const fresh = (): Link => new Link(0, 1, 'link/a>b', DEFAULT_LINK, new Choices({ seed: '1' }));

test('the end of a change takes that change away and no other, whichever ends first', () => {
  const link = fresh();
  const endFirst = link.patch({ lossPpm: 980_000, rate: 5 });
  const endSecond = link.patch({ lossPpm: 350_000 });
  expect(link.faults).toEqual({ ...DEFAULT_LINK, lossPpm: 350_000, rate: 5 });
  endFirst();
  expect(link.faults).toEqual({ ...DEFAULT_LINK, lossPpm: 350_000 });
  endSecond();
  expect(link.faults).toEqual(DEFAULT_LINK);
});

test('two equal changes of a link last until both have ended', () => {
  const link = fresh();
  const patch = { dupPpm: 1 };
  const ends = [link.patch(patch), link.patch(patch)];
  ends[0]?.();
  expect(link.faults.dupPpm).toBe(1);
  ends[1]?.();
  expect(link.faults.dupPpm).toBe(0);
});

test('a change costs the same however many came before it and never ended', () => {
  const link = fresh();
  for (let i = 0; i < 30_000; i++) link.patch({ lossPpm: i });
  expect(link.faults.lossPpm).toBe(29_999);
});

test('a narrow link holds a vote that waits once, and any later one again', () => {
  const link = fresh();
  link.patch({ rate: 10 });
  const frame = (channel: ChannelId, last: number): Frame => ({
    channel,
    bytes: Uint8Array.of(1, last),
    hash: 7,
    sentAt: 0,
  });
  const vote = frame(CHANNELS.vote, 1);
  expect(link.isWaiting(0, vote)).toBe(false);
  link.arrival(0, 10, [vote, frame(CHANNELS.state, 1)]);
  expect(link.isWaiting(999_999, frame(CHANNELS.vote, 1))).toBe(true);
  expect(link.isWaiting(999_999, frame(CHANNELS.vote, 2))).toBe(false);
  expect(link.isWaiting(999_999, frame(CHANNELS.state, 1))).toBe(false);
  expect(link.isWaiting(1_000_000, vote)).toBe(false);
});
