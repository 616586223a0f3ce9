import { expect, test } from 'vitest';
import { Gate } from '../../../core/lib/gate.ts';

/** Tasks that end when the test says so. */
function world(max: number) {
  const gate = new Gate(max);
  const running: string[] = [];
  const ends = new Map<string, (failure?: Error) => void>();
  const start = (name: string): Promise<string> =>
    gate.run(
      () =>
        new Promise((resolve, reject) => {
          running.push(name);
          ends.set(name, (failure) => {
            running.splice(running.indexOf(name), 1);
            if (failure === undefined) resolve(name);
            else reject(failure);
          });
        }),
    );
  return { running, start, end: (name: string, failure?: Error) => ends.get(name)?.(failure) };
}

test('at most `max` tasks run at once, and the others start in order', async () => {
  const { running, start, end } = world(2);
  const [a, b, c] = ['a', 'b', 'c', 'd'].map(start);
  expect(running).toEqual(['a', 'b']);
  end('b');
  expect(await b).toBe('b');
  expect(running).toEqual(['a', 'c']);
  end('a');
  expect(await a).toBe('a');
  expect(running).toEqual(['c', 'd']);
  end('c');
  expect(await c).toBe('c');
});

test('a task that fails makes room as well', async () => {
  const { running, start, end } = world(1);
  const [a] = [start('a'), start('b')];
  end('a', new Error('no'));
  await expect(a).rejects.toThrow('no');
  expect(running).toEqual(['b']);
});

test('a freed place stays free for a later task', async () => {
  const { running, start, end } = world(1);
  const first = start('a');
  end('a');
  await first;
  start('b');
  start('c');
  expect(running).toEqual(['b']);
});
