import type { Break } from './broken.ts';

/** Breaks of the stream between two nodes: who may be at its other end, and how much may wait or come at once. */
export const WIRES: readonly Break[] = [
  {
    id: 'peer-of-a-network-that-begins-alike',
    file: 'core/p2p/nodeInfo.ts',
    from: 'if (peer.network !== self.network)',
    to: 'if (!peer.network.startsWith(self.network))',
    found: ['conduct'],
    scenario: 'four-honest',
    seed: 3,
    isSlow: true,
  },
  {
    id: 'bytes-wait-after-they-have-left',
    file: 'core/p2p/channels.ts',
    from: "if (packet?.kind === 'message') this.#queuedBytes -= packet.data.length;",
    to: "if (packet?.kind === 'message' && packet.eof) this.#queuedBytes -= packet.data.length;",
    found: ['conduct'],
    scenario: 'four-honest',
    seed: 2,
    isSlow: true,
  },
  {
    id: 'largest-transaction-a-fault',
    file: 'core/node/ingress.ts',
    from: 'txsMessageBytes(txBytesMax)',
    to: 'txBytesMax',
    found: ['conduct'],
    scenario: 'four-honest',
    seed: 2,
    isSlow: true,
  },
];
