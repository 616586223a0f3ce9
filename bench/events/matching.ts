import { SubscriptionIndex } from '../../core/events/subscriptions.ts';
import type { Print } from '../figure.ts';
import { byRecipient, query, recipient } from './queries.ts';

/** Microseconds to find the subscribers of one event among so many queries. */
export function matching(print: Print): void {
  let smallest: number | undefined;
  for (const count of [10, 100, 1000, 10_000]) {
    const index = new SubscriptionIndex<number>();
    for (let i = 0; i < count; i++) index.add(query(byRecipient(i)), i);
    const keys = Array.from(
      { length: 512 },
      (_, i) =>
        new Map([
          ['tm.event', ['Tx']],
          ['ethereum.recipient', [recipient(i % count)]],
          ['ethereum.sender', [recipient(1)]],
          ['message.module', ['evm']],
          ['tx.height', ['5']],
        ]),
    );
    let rounds = 0;
    const started = performance.now();
    while (performance.now() - started < 300) {
      for (const each of keys) index.matching(each);
      rounds += keys.length;
    }
    const micros = ((performance.now() - started) * 1000) / rounds;
    smallest ??= micros;
    print({
      bench: 'events',
      metric: `match, ${count} recipients`,
      value: micros,
      unit: 'µs/event',
      vs: '10 recipients',
      ratio: micros / smallest,
    });
  }
}
