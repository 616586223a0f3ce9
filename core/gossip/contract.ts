import type { Bytes } from '../lib/bytes.ts';
import type { Sizes } from '../lib/sizes.ts';
import type { BlockReader } from '../types/blockReader.ts';
import type { Address, Height, Millis, PeerId } from '../types/ids.ts';
import type { ConsensusMessage } from '../types/messages.ts';
import type { RoundState } from '../types/roundState.ts';

/** Where gossip puts its effects; the node turns them into contract effects. */
export interface GossipOut {
  send(to: readonly PeerId[], message: ConsensusMessage, bytes: Bytes): void;
  tickAfter(ms: Millis): void;
}

export interface GossipOptions {
  readonly blocks: BlockReader;
  readonly rs: RoundState;
  readonly initialHeight: Height;
  /** Our validator address; its votes and proposals leave at once, others' only where a peer still lacks them. */
  readonly self: Address | undefined;
  readonly sizes?: Sizes;
}
