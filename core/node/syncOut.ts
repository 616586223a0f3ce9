import { encodeBlocksyncMessage } from '../codec/messages.ts';
import type { SyncedBlock, SyncOut } from '../sync/contract.ts';
import type { PeerId } from '../types/ids.ts';
import { CHANNELS, type Effect } from './contract.ts';

interface SyncSinks {
  effect(effect: Effect): void;
  drop(peer: PeerId, reason: string): void;
  /** Tells the other machines, before subscribers hear of the block. */
  committed(synced: SyncedBlock): void;
  readonly done: SyncOut['done'];
}

/** Turns what block sync sends into effects of the node. */
export const syncOutOf = ({ effect, drop, committed, done }: SyncSinks): SyncOut => ({
  send: (to, message) =>
    effect({ kind: 'send', to, channel: CHANNELS.blocksync, bytes: encodeBlocksyncMessage(message) }),
  tickAfter: (afterMs) => effect({ kind: 'timer', key: { machine: 'sync', kind: 'tick' }, afterMs }),
  askAfter: (afterMs) => effect({ kind: 'timer', key: { machine: 'sync', kind: 'ask' }, afterMs }),
  drop,
  app: (call, ask) => effect({ kind: 'app', call, ask }),
  committed(synced) {
    const { block, blockId, results, state } = synced;
    effect({ kind: 'turnover', height: state.lastBlockHeight });
    effect({ kind: 'publish', event: { kind: 'committed', block, blockId, results, state } });
    committed(synced);
  },
  done,
  note: (level, text) => effect({ kind: 'publish', event: { kind: 'note', level, text } }),
  halt: (reason) => effect({ kind: 'halt', reason }),
});
