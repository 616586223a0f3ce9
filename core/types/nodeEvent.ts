import type { Bytes } from '../lib/bytes.ts';
import type { FinalizeReply } from './app.ts';
import type { Block, BlockId } from './block.ts';
import type { Evidence } from './evidence.ts';
import type { Hash, Height, Round } from './ids.ts';
import type { ChainState } from './state.ts';
import type { Vote } from './vote.ts';

export type StepName =
  | 'RoundStepNewHeight'
  | 'RoundStepNewRound'
  | 'RoundStepPropose'
  | 'RoundStepPrevote'
  | 'RoundStepPrevoteWait'
  | 'RoundStepPrecommit'
  | 'RoundStepPrecommitWait'
  | 'RoundStepCommit';

export interface RoundStateEvent {
  readonly height: Height;
  readonly round: Round;
  readonly step: StepName;
}

/** What a node publishes to its subscribers. `committed` comes once the batch is durable and the View has advanced. */
export type NodeEvent =
  | {
      readonly kind: 'committed';
      readonly block: Block;
      readonly blockId: BlockId;
      readonly results: FinalizeReply;
      readonly state: ChainState;
    }
  | {
      readonly kind: 'round';
      readonly name:
        | 'NewRoundStep'
        | 'ValidBlock'
        | 'Lock'
        | 'Relock'
        | 'Polka'
        | 'TimeoutPropose'
        | 'TimeoutWait';
      readonly at: RoundStateEvent;
    }
  | {
      readonly kind: 'newRound';
      readonly at: RoundStateEvent;
      readonly proposer: { readonly address: Bytes; readonly index: number };
    }
  | { readonly kind: 'completeProposal'; readonly at: RoundStateEvent; readonly blockId: BlockId }
  | { readonly kind: 'vote'; readonly vote: Vote }
  | { readonly kind: 'newEvidence'; readonly height: Height; readonly evidence: Evidence }
  /** A tx entered the pool's executable part. */
  | { readonly kind: 'pendingTx'; readonly tx: Bytes; readonly ethHash: Hash | undefined }
  /** A line for the operator's log. */
  | { readonly kind: 'note'; readonly level: 'info' | 'warn' | 'error'; readonly text: string };
