import type { Bytes } from '../lib/bytes.ts';
import type { Sizes } from '../lib/sizes.ts';
import type { BlockReader } from '../types/blockReader.ts';
import type { Address, Height, Millis, PeerId } from '../types/ids.ts';
import type { ConsensusMessage } from '../types/messages.ts';
import type { RoundState } from '../types/roundState.ts';

/** Receives gossip's effects. The node turns them into contract effects. */
export interface GossipOut {
  send(to: readonly PeerId[], message: ConsensusMessage, bytes: Bytes): void;
  tickAfter(ms: Millis): void;
}

export interface GossipOptions {
  readonly blocks: BlockReader;
  readonly rs: RoundState;
  readonly initialHeight: Height;
  /** Our validator address. Our own votes and proposals are sent at once, others' only to peers still lacking them. */
  readonly self: Address | undefined;
  readonly sizes?: Sizes;
}
