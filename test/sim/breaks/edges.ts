import type { Break } from './broken.ts';

/** Bounds that hold to the last byte, transaction and height, and neither before nor beyond. */
export const EDGES: readonly Break[] = [
  {
    id: 'evidence-told-back',
    file: 'core/evidence/evidenceGossip.ts',
    from: '    if (own !== undefined) this.#peers.find((peer) => peer.id === id)?.sent.set(own, now);\n',
    to: '    if (own === undefined) this.#peers.find((peer) => peer.id === id)?.sent.set(evidence, now);\n',
    found: ['conduct'],
    scenario: 'one-equivocator',
  },
  {
    id: 'evidence-kept-back-at-its-end',
    file: 'core/evidence/pool.ts',
    from: 'return height - 1 - evidenceHeight(evidence) >',
    to: 'return height - evidenceHeight(evidence) >',
    found: ['conduct'],
    scenario: 'evidence-expires',
    isSlow: true,
  },
  {
    id: 'pool-queue-of-one-unbounded',
    file: 'core/mempool/laneRules.ts',
    from: 'if (laneQueued >= laneQueuedMax)',
    to: 'if (laneQueued < 0)',
    found: ['records'],
    scenario: 'pool-attack',
    isSlow: true,
  },
  {
    id: 'pool-queue-one-too-many',
    file: 'core/mempool/laneRules.ts',
    from: 'return queued < queuedMax ?',
    to: 'return queued <= queuedMax ?',
    found: ['records'],
    scenario: 'crowd-in-a-small-pool',
    isSlow: true,
  },
  {
    id: 'cut-off-with-half-the-room',
    file: 'core/rpc/outbox.ts',
    from: '> this.#bytesMax ||',
    to: '> this.#bytesMax / 2 ||',
    found: ['records'],
    scenario: 'four-honest',
  },
  {
    id: 'unread-counted-for-ever',
    file: 'core/rpc/outbox.ts',
    from: '      this.#bytes -= waiting.bytes;\n',
    to: '',
    found: ['records'],
    scenario: 'four-honest',
    isSlow: true,
  },
];
