import type { Break } from './broken.ts';

/** What lies beyond a page, a turn, a burst or a full memo. */
export const NARROW: readonly Break[] = [
  {
    id: 'turn-loses-one',
    file: 'core/p2p/relayLine.ts',
    from: 'return queue.slice(i);',
    to: 'return queue.slice(i + 1);',
    found: ['conduct'],
    scenario: 'little-at-once',
    isSlow: true,
  },
  {
    id: 'log-page-is-the-last',
    file: 'core/events/index/logHeights.ts',
    from: 'this.#last = rows.length < this.#rows ? to : (this.#heights.at(-1) as Height);',
    to: 'this.#last = to;',
    found: ['records'],
    scenario: 'little-at-once',
    isSlow: true,
  },
  {
    id: 'burst-loses-one',
    file: 'core/node/driver.ts',
    from: 'return waiting.length <= this.#burstMax ? waiting : waiting.slice(0, this.#burstMax);',
    to: 'return waiting.length <= this.#burstMax ? waiting : waiting.slice(0, this.#burstMax - 1);',
    found: ['no_crash'],
    scenario: 'little-at-once',
    isSlow: true,
  },
  {
    id: 'paced-and-forgotten',
    file: 'core/rpc/outbox.ts',
    from: `    if (this.#out.buffered() < SOCKET_BYTES_MAX) this.#pacer.later(this);
    return true;`,
    to: '    return true;',
    found: ['records'],
    scenario: 'little-at-once',
    isSlow: true,
  },
  {
    id: 'height-of-a-memo-unchecked',
    file: 'core/store/recentHeights.ts',
    from: '    if (slot?.height === height) return slot.value;',
    to: '    if (slot !== undefined) return slot.value;',
    found: ['no_crash', 'records', 'validity'],
    scenario: 'little-at-once',
    isSlow: true,
  },
];
