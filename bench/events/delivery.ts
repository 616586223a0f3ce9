import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Print } from '../figure.ts';
import type { Order, Told } from './clients.ts';
import { type Devnet, devnet, Load } from './load.ts';
import { byRecipient, percentile } from './queries.ts';

const SECONDS = 8;

const answerOf = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve) => child.once('message', (message) => resolve(message as T)));

interface Measured {
  readonly told: Told;
  readonly seconds: number;
  readonly cpuMicros: number;
  readonly blockMs: number;
  readonly delays: readonly number[];
  readonly bytesEach: number;
}

/** One round of load with these clients at the far end. */
async function round(node: Devnet, load: Load, order: Omit<Order, 'url'>): Promise<Measured> {
  const child = fork(new URL('./clients.js', import.meta.url), { serialization: 'advanced' });
  const rssBefore = process.memoryUsage().rss;
  child.send({ ...order, url: node.ws } satisfies Order);
  await answerOf(child);
  const rss = process.memoryUsage().rss - rssBefore;
  const raws = await load.signed(load.rate * SECONDS);
  child.send('reset');
  await answerOf(child);
  node.toldAt.clear();
  const cpu = process.cpuUsage();
  const started = performance.now();
  await load.send(raws);
  const used = process.cpuUsage(cpu);
  const seconds = (performance.now() - started) / 1000;
  const heights = [...node.toldAt.values()];
  // What was under way when the load ended is still to arrive.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  child.send('report');
  const told = await answerOf<Told>(child);
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
  const delays = told.sample.flatMap(([height, at]) => {
    const since = node.toldAt.get(height);
    return since === undefined ? [] : [at - since];
  });
  return {
    told,
    seconds,
    cpuMicros: used.user + used.system,
    blockMs: ((heights.at(-1) ?? 0) - (heights[0] ?? 0)) / Math.max(1, heights.length - 1),
    delays,
    bytesEach: rss / Math.max(1, order.clients.length),
  };
}

function report(print: Print, name: string, measured: Measured, quiet: Measured): void {
  const { told, seconds, cpuMicros, blockMs, delays, bytesEach } = measured;
  const figure = (metric: string, value: number, unit: string): void =>
    print({ bench: 'events', metric: `${name}: ${metric}`, value, unit });
  figure('delivered', told.events / seconds, 'events/s');
  figure('delay p99', percentile(delays, 0.99), 'ms');
  figure('delay p50', percentile(delays, 0.5), 'ms');
  figure('CPU', Math.max(0, cpuMicros - quiet.cpuMicros) / Math.max(1, told.events), 'µs/event');
  figure('bytes', told.bytes / Math.max(1, told.events), 'bytes/event');
  figure('memory', bytesEach, 'bytes/client');
  figure('cut off', told.closed, 'clients');
  print({
    bench: 'events',
    metric: `${name}: block time`,
    value: blockMs,
    unit: 'ms',
    vs: 'no subscribers',
    ratio: blockMs / quiet.blockMs,
  });
}

export async function delivery(print: Print, rate: number, only: string | undefined): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'orrery-bench-'));
  const node = await devnet(home);
  try {
    const load = new Load(node.rpc, rate);
    const same = (count: number, text: string) => Array.from({ length: count }, () => [text]);
    await round(node, load, { clients: [], slow: 0 });
    // Each beside a quiet round of its own: a machine that others use changes its mind within minutes.
    const measure = async (name: string, order: Omit<Order, 'url'>): Promise<void> => {
      if (only !== undefined && only !== name) return;
      const quiet = await round(node, load, { clients: [], slow: 0 });
      print({ bench: 'events', metric: `before ${name}: block time`, value: quiet.blockMs, unit: 'ms' });
      report(print, name, await round(node, load, order), quiet);
    };
    await measure('1000 × NewBlockHeader', { clients: same(1000, "tm.event='NewBlockHeader'"), slow: 0 });
    await measure('10000 recipients, 50 slow', {
      clients: Array.from({ length: 1000 }, (_, i) =>
        Array.from({ length: 10 }, (__, j) => byRecipient(i * 10 + j)),
      ),
      slow: 50,
    });
    await measure('100 × Tx', { clients: same(100, "tm.event='Tx'"), slow: 0 });
    await measure('1000 × Tx', { clients: same(1000, "tm.event='Tx'"), slow: 0 });
  } finally {
    await node.stop();
    rmSync(home, { recursive: true, force: true });
  }
}
