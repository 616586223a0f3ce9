import { describe, expect, test } from 'vitest';
import { toyWorld } from './toyWorld.ts';

describe('the simulated world', () => {
  test('waits for clients that an event has answered, also if the event itself returns no promise', async () => {
    const toy = await toyWorld(['a']);
    const { world } = toy;
    let answer = (): void => {};
    const heard: number[] = [];
    const client = new Promise<void>((resolve) => {
      answer = resolve;
    }).then(() => void heard.push(world.now));
    let isAnswered = false;
    world.settle = () => (isAnswered ? client : undefined);
    world.schedule(5_000, () => {
      isAnswered = true;
      answer();
      return undefined;
    });
    world.schedule(6_000, () => undefined);
    await toy.until(10);
    expect(heard).toEqual([5_000]);
  });
});

describe('the simulated network', () => {
  test('connects everyone, and delivers in order within the delay', async () => {
    const toy = await toyWorld(['a', 'b'], { delay: { low: 5_000, high: 90_000, shape: 'uniform' } });
    await toy.until(1_000);
    expect(toy.of('a', 'peerUp b')).toHaveLength(1);
    expect(toy.of('b', 'peerUp a')).toHaveLength(1);
    for (let i = 0; i < 20; i++) toy.world.schedule(1_000_000 + i * 1_000, () => void toy.send('a', 'b', i));
    await toy.until(2_000);
    const got = toy.of('b', 'frame');
    expect(got.map((one) => one.what)).toEqual(Array.from({ length: 20 }, (_, i) => `frame a ${i}`));
    expect((got[0]?.at ?? 0) - 1_000).toBeGreaterThanOrEqual(5);
    expect((got[0]?.at ?? 0) - 1_000).toBeLessThanOrEqual(90);
  });

  test('loses, doubles and reorders frames at the configured rates', async () => {
    const toy = await toyWorld(['a', 'b'], { lossPpm: 200_000, dupPpm: 100_000, reorderPpm: 300_000 });
    await toy.until(1_000);
    for (let i = 0; i < 200; i++)
      toy.world.schedule(1_000_000 + i * 50_000, () => void toy.send('a', 'b', i));
    await toy.until(20_000);
    const got = toy.of('b', 'frame').map((one) => Number(one.what.split(' ')[2]));
    const different = new Set(got).size;
    expect(different).toBeGreaterThan(130);
    expect(different).toBeLessThan(190);
    expect(got.length).toBeGreaterThan(different);
    expect(got).not.toEqual([...got].sort((x, y) => x - y));
  });

  test('a partition swallows frames, both ends notice in time, and the heal connects them anew', async () => {
    const toy = await toyWorld(['a', 'b', 'c']);
    await toy.until(1_000);
    toy.world.network.partition([[0], [1, 2]], false);
    toy.world.schedule(1_500_000, () => void toy.send('a', 'b', 1));
    toy.world.schedule(1_500_000, () => void toy.send('c', 'b', 2));
    await toy.until(15_000);
    expect(toy.of('b', 'frame').map((one) => one.what)).toEqual(['frame c 2']);
    expect(
      toy
        .of('a', 'peerDown')
        .map((one) => one.what)
        .sort(),
    ).toEqual(['peerDown b', 'peerDown c']);
    expect(toy.of('c', 'peerDown').map((one) => one.what)).toEqual(['peerDown a']);
    toy.world.network.heal();
    await toy.until(16_000);
    expect(toy.of('a', 'peerUp')).toHaveLength(4);
    toy.send('a', 'b', 3);
    toy.world.network.flush();
    await toy.until(17_000);
    expect(toy.of('b', 'frame').at(-1)?.what).toBe('frame a 3');
  });

  test('two one-way partitions in opposite directions are noticed like a partition', async () => {
    const toy = await toyWorld(['a', 'b']);
    await toy.until(1_000);
    toy.world.network.partition([[0], [1]], true);
    const end = toy.world.network.partition([[1], [0]], true);
    await toy.until(15_000);
    expect(toy.of('a', 'peerDown b')).toHaveLength(1);
    expect(toy.of('b', 'peerDown a')).toHaveLength(1);
    end?.();
    await toy.until(20_000);
    expect(toy.of('b', 'peerUp')).toHaveLength(1);
    toy.world.network.heal();
    await toy.until(25_000);
    expect(toy.of('b', 'peerUp')).toHaveLength(2);
  });

  test('a one-way partition silences one direction only, unnoticed', async () => {
    const toy = await toyWorld(['a', 'b']);
    await toy.until(1_000);
    toy.world.network.partition([[0], [1]], true);
    toy.world.schedule(1_500_000, () => void toy.send('a', 'b', 1));
    toy.world.schedule(1_500_000, () => void toy.send('b', 'a', 2));
    await toy.until(30_000);
    expect(toy.of('b', 'frame')).toEqual([]);
    expect(toy.of('a', 'frame')).toHaveLength(1);
    expect([...toy.of('a', 'peerDown'), ...toy.of('b', 'peerDown')]).toEqual([]);
  });

  test('frames in flight are lost when the connection breaks', async () => {
    const toy = await toyWorld(['a', 'b'], { delay: { low: 50_000, high: 50_000, shape: 'uniform' } });
    await toy.until(1_000);
    toy.send('a', 'b', 1);
    toy.world.network.flush();
    toy.env.get('b')?.perform({ kind: 'drop', peer: 'a', reason: 'test' });
    await toy.until(30_000);
    expect(toy.of('b', 'frame')).toEqual([]);
    expect(toy.of('a', 'peerDown')).toHaveLength(1);
    expect(toy.of('a', 'peerUp')).toHaveLength(2);
  });
});

describe('a simulated process', () => {
  const record = (byte: number) => ({ height: 1, bytes: Uint8Array.of(byte) });

  test('loses records that were not synced, keeps synced ones, and sends nothing after its end', async () => {
    const toy = await toyWorld(['a', 'b']);
    await toy.until(1_000);
    const life = toy.env.get('a');
    let durable = 0;
    life?.append([record(1)], () => durable++);
    await toy.until(1_100);
    expect(durable).toBe(1);
    life?.append([record(2)], () => durable++);
    toy.world.process('a').crash('prefix');
    life?.perform({ kind: 'send', to: ['b'], channel: 0x22, bytes: Uint8Array.of(9) });
    life?.append([record(3)], () => durable++);
    await toy.until(3_000);
    expect(durable).toBe(1);
    expect(toy.of('b', 'frame')).toEqual([]);
    await toy.world.process('a').start();
    const [first, second] = toy.found.get('a') ?? [];
    expect(first).toEqual([]);
    expect(second?.[0]).toEqual(record(1));
    expect(second?.length).toBeLessThanOrEqual(2);
  });

  test('the database handle of an ended life can be neither read nor written', async () => {
    const toy = await toyWorld(['a']);
    await toy.until(10);
    const kv = toy.env.get('a')?.kv;
    toy.world.process('a').crash('none');
    await expect(
      kv?.batch([{ type: 'put', key: Uint8Array.of(1), value: Uint8Array.of(1) }]),
    ).rejects.toThrow('power cut');
    expect(toy.world.process('a').disk.kv.size).toBe(0);
    expect(() => kv?.get(Uint8Array.of(1))).toThrow('power cut');
  });

  test('is down, not halted, if it crashes while it handles an input', async () => {
    const toy = await toyWorld(['a'], {}, '1', ({ kv }) => {
      toy.world.process('a').crash('none');
      kv.get(Uint8Array.of(1));
    });
    await toy.until(10);
    expect(toy.of('a', 'start')).toHaveLength(1);
    expect(toy.world.process('a').state).toBe('down');
  });

  test('what arrives at the moment when it resumes waits behind what it missed', async () => {
    const toy = await toyWorld(['a', 'b'], { delay: { low: 10_000, high: 10_000, shape: 'uniform' } });
    await toy.until(1_000);
    const b = toy.world.process('b');
    b.pause();
    toy.world.schedule(1_100_000, () => void toy.send('a', 'b', 1));
    toy.world.schedule(1_150_000, () => void toy.send('a', 'b', 2));
    toy.world.schedule(1_200_000, () => void b.resume());
    toy.world.schedule(1_190_000, () => void toy.send('a', 'b', 3));
    await toy.until(2_000);
    expect(toy.of('b', 'frame').map(({ at, what }) => [at, what])).toEqual([
      [1_200, 'frame a 1'],
      [1_200, 'frame a 2'],
      [1_200, 'frame a 3'],
    ]);
  });

  test('receives everything in order after a pause', async () => {
    const toy = await toyWorld(['a', 'b']);
    await toy.until(1_000);
    toy.world.process('b').pause();
    for (let i = 0; i < 3; i++) toy.world.schedule(1_100_000 + i * 1_000, () => void toy.send('a', 'b', i));
    await toy.until(5_000);
    expect(toy.of('b', 'frame')).toEqual([]);
    toy.world.process('b').resume();
    await toy.until(5_001);
    expect(toy.of('b', 'frame').map((one) => one.what)).toEqual(['frame a 0', 'frame a 1', 'frame a 2']);
  });

  test('clocks skew, drift and jump without moving anyone else, and timers follow the drift alone', async () => {
    const toy = await toyWorld(['a', 'b']);
    await toy.until(1_000);
    const { clock } = toy.world.process('a');
    clock.skew(toy.world.now, 5_000_000);
    expect(toy.env.get('a')?.now()).toBe(6_000_000);
    clock.jump(toy.world.now, -2_000_000);
    expect(toy.env.get('a')?.now()).toBe(4_000_000);
    clock.drift(toy.world.now, 100_000);
    expect(clock.timerMicros(110)).toBe(100_000);
    await toy.until(2_000);
    expect(toy.env.get('a')?.now()).toBe(4_000_000 + 1_100_000);
    expect(toy.env.get('b')?.now()).toBe(2_000_000);
  });
});
