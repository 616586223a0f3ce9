import { expect, test } from 'vitest';
import { StopSignals } from '../../../adapters/cli/stopSignals.ts';

test('a signal delivered twice asks once, and one that comes later does not wait', () => {
  const told: string[] = [];
  let now = 5;
  const signals = new StopSignals({
    stop: () => told.push('stop'),
    hurry: () => told.push('hurry'),
    now: () => now,
  });
  signals.listen();
  expect(signals.isAsked).toBe(false);
  process.emit('SIGTERM');
  process.emit('SIGTERM');
  now += 999;
  process.emit('SIGINT');
  expect([signals.isAsked, told]).toEqual([true, ['stop']]);
  now += 1;
  process.emit('SIGINT');
  expect(told).toEqual(['stop', 'hurry']);
  signals.unlisten();
  expect(process.listeners('SIGINT')).not.toContain(signals.ask);
});
