import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LevelStore } from '../../adapters/disk/level.ts';
import { typedEvent } from '../../core/events/eventTable.ts';
import { commitIndexOps } from '../../core/events/index/indexer.ts';
import { EventSearch } from '../../core/events/index/search.ts';
import type { FinalizeReply } from '../../core/types/app.ts';
import type { Print } from '../figure.ts';
import { percentile, query, recipient } from './queries.ts';

const TXS_INDEXED = 1_000_000;
const TXS_PER_HEIGHT = 1000;
const RARE_EVERY = 10_000;
const NONE = new Uint8Array(0);

function resultsOf(height: number): FinalizeReply {
  const txResults = Array.from({ length: TXS_PER_HEIGHT }, (_, i) => {
    const at = (height - 1) * TXS_PER_HEIGHT + i;
    const to = at % RARE_EVERY === 0 ? recipient(0) : recipient(1 + (at % 50_000));
    const event = typedEvent('ethereum', [
      ['sender', recipient(at % 10)],
      ['recipient', to],
      ['amount', '1'],
    ]);
    const events = [event, typedEvent('message', [['module', 'evm']])];
    return { code: 0, data: NONE, log: '', info: '', gasWanted: 0n, gasUsed: 0n, events, codespace: '' };
  });
  return { txResults, events: [], validatorUpdates: [], paramUpdates: undefined, appHash: NONE };
}

export async function searching(print: Print): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'orrery-bench-'));
  const kv = await LevelStore.open(join(home, 'db'), home);
  try {
    const heights = TXS_INDEXED / TXS_PER_HEIGHT;
    const started = performance.now();
    for (let height = 1; height <= heights; height++)
      await kv.batch(commitIndexOps(kv, height, resultsOf(height)));
    const indexed = ((performance.now() - started) * 1000) / TXS_INDEXED;
    print({ bench: 'events', metric: 'index, 4 attributes a transaction', value: indexed, unit: 'µs/tx' });
    const search = new EventSearch(kv, {
      head: () => heights,
      base: () => 1,
      results: resultsOf,
      txCount: () => TXS_PER_HEIGHT,
      txLocation: () => undefined,
    });
    const wanted = query(`ethereum.recipient='${recipient(0)}'`);
    const both = query(`message.module='evm' AND ethereum.recipient='${recipient(7)}'`);
    const paired = query(`ethereum.sender='${recipient(0)}' AND ethereum.recipient='${recipient(0)}'`);
    for (const [name, each] of [
      ['rare recipient', wanted],
      ['rare recipient and common sender', paired],
      ['rare and common, no event has both', both],
    ] as const) {
      const times: number[] = [];
      for (let i = 0; i < 200; i++) {
        const from = performance.now();
        const found = await search.txs(each);
        if (!found.ok) throw new Error(found.error.message);
        times.push(performance.now() - from);
      }
      print({
        bench: 'events',
        metric: `search p99, 10^6 txs, ${name}`,
        value: percentile(times, 0.99),
        unit: 'ms',
      });
    }
  } finally {
    await kv.close();
    rmSync(home, { recursive: true, force: true });
  }
}
