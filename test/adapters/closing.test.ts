import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Closing } from '../../adapters/closing.ts';

test('parts are closed in the reverse order of their opening, each when the one before is done, and once', async () => {
  const told: string[] = [];
  const closing = new Closing();
  for (const [name, turns] of [
    ['store', 1],
    ['log', 1],
    ['servers', 5],
    ['network', 2],
  ] as const)
    closing.add(async () => {
      told.push(`${name}…`);
      for (let i = 0; i < turns; i++) await setImmediate();
      told.push(name);
    });
  await Promise.all([closing.close(), closing.close()]);
  const once = ['network…', 'network', 'servers…', 'servers', 'log…', 'log', 'store…', 'store'];
  expect(told).toEqual(once);
  await closing.close();
  expect(told).toEqual(once);
});

test('an error while closing is thrown after the other parts are closed', async () => {
  const told: string[] = [];
  const closing = new Closing();
  closing.add(async () => void told.push('store'));
  closing.add(() => Promise.reject(new Error('log')));
  closing.add(() => {
    throw new Error('servers');
  });
  await expect(closing.close()).rejects.toThrow('servers');
  expect(told).toEqual(['store']);
});
