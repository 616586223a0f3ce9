import { expect, test } from 'vitest';
import { ExecutionAborted, TimeGuard } from '../../../core/app/guard.ts';

/** A guard whose clock stands still but for the test. */
function guardOf(timeoutMs: number) {
  const clock = { now: 7_000_000, pauses: 0 };
  const pause = async (): Promise<void> => {
    clock.pauses++;
    clock.now += 1_000_000;
  };
  const guard = new TimeGuard({ now: () => clock.now, pause, timeoutMs });
  /** As many ticks as it takes to look at the clock once. */
  const look = async (): Promise<void> => {
    for (let i = 0; i < 64; i++) await guard.tick();
  };
  return { clock, look };
}

test('an execution pauses when it has run for five milliseconds, and no more often', async () => {
  const { clock, look } = guardOf(60_000);
  await look();
  clock.now += 4_999;
  await look();
  expect(clock.pauses).toBe(0);
  clock.now += 1;
  await look();
  expect(clock.pauses).toBe(1);
  await look();
  expect(clock.pauses).toBe(1);
  clock.now += 5_000;
  await look();
  expect(clock.pauses).toBe(2);
});

test('the time counts from its beginning, pauses included', async () => {
  const { clock, look } = guardOf(5_000);
  for (let second = 1; second <= 4; second++) {
    clock.now += 5_000;
    await look();
    expect(clock.pauses).toBe(second);
  }
  clock.now += 979_999;
  await look();
  await expect(look()).rejects.toThrow(new ExecutionAborted('execution aborted (timeout = 5s)'));
});

test.each([
  [1, '1ms'],
  [250, '250ms'],
  [1_500, '1.5s'],
  [60_000, '1m0s'],
  [90_000, '1m30s'],
  [3_600_000, '1h0m0s'],
])('a limit of %i ms is told as Go prints it', async (ms, text) => {
  const { clock, look } = guardOf(ms);
  clock.now += ms * 1000;
  await expect(look()).rejects.toThrow(`execution aborted (timeout = ${text})`);
});

test('without a limit it goes on for ever', async () => {
  const { clock, look } = guardOf(0);
  clock.now += 1_000_000_000_000;
  await look();
  expect(clock.pauses).toBe(1);
});

test('a clock that is set back keeps an execution neither from pausing nor from its end', async () => {
  const { clock, look } = guardOf(5_000);
  clock.now += 2_000;
  await look();
  clock.now -= 3_600_000_000;
  await look();
  clock.now += 3_000;
  await look();
  expect(clock.pauses).toBe(1);
  clock.now += 4_000_000;
  await expect(look()).rejects.toThrow(ExecutionAborted);
});
