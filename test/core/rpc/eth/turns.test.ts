import { expect, test } from 'vitest';
import { Turns } from '../../../../core/rpc/eth/turns.ts';

/** A task that ends when it is told to, and notes when it begins. */
function task(name: string, begun: string[]) {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = async (): Promise<string> => {
    begun.push(name);
    await ended;
    return name;
  };
  return { run, end: () => end() };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('tasks of one name run one after another, whenever they came', async () => {
  const turns = new Turns();
  const begun: string[] = [];
  const [first, second, third] = [task('first', begun), task('second', begun), task('third', begun)];
  const done = [turns.run('alice', first.run), turns.run('alice', second.run)];
  await settle();
  expect(begun).toEqual(['first']);
  first.end();
  await settle();
  // The first is over, the second is not.
  done.push(turns.run('alice', third.run));
  await settle();
  expect(begun).toEqual(['first', 'second']);
  second.end();
  third.end();
  expect(await Promise.all(done)).toEqual(['first', 'second', 'third']);
});

test('another name does not wait, and a failure is no obstacle', async () => {
  const turns = new Turns();
  const begun: string[] = [];
  const slow = task('slow', begun);
  const waits = turns.run('alice', slow.run);
  expect(await turns.run('bob', async () => 7)).toBe(7);
  const fails = turns.run('alice', () => Promise.reject(new Error('no')));
  const after = turns.run('alice', async () => 8);
  slow.end();
  expect(await waits).toBe('slow');
  await expect(fails).rejects.toThrow('no');
  expect(await after).toBe(8);
});
