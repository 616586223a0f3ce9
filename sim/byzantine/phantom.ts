import type { BlockId } from '../../core/types/block.ts';
import type { VoteType } from '../../core/types/vote.ts';
import {
  type Accomplice,
  type Behaviour,
  besidePrevotes,
  inventedBlock,
  isValidator,
  UNSIGNED,
} from './behaviour.ts';
import { lastPlaceOf } from './places.ts';

const TYPES: readonly VoteType[] = ['prevote', 'precommit'];
/** How many rounds ahead a peer may open with its votes. */
const ROUNDS_AHEAD = 2;

/** A phantom validator has a valid key but is not in the validator set at the height of its votes. */
export const PHANTOM_VOTES: Behaviour = {
  id: 'B37',
  alias: 'phantom-votes',
  text: 'Votes after it has left the validators, in the place that it had last, each time for two blocks: `what` is round (in the round at hand) or ahead (two rounds on).',
  args: ['what'],
  words: { what: ['round', 'ahead'] },
  create(me) {
    const ahead = me.args.get('what') === 'ahead' ? ROUNDS_AHEAD : 0;
    const { beside } = besidePrevotes(me, (peer, at) => voteAsFormer(me, peer, at.height, at.round + ahead));
    return {
      beside(message, peer) {
        // A node that is still a validator does nothing here, and uses up none of its `times`.
        if (!isValidator(me)) beside?.(message, peer);
      },
    };
  },
};

function voteAsFormer(me: Accomplice, peer: string, height: number, round: number): void {
  const place = lastPlaceOf(me, me.address, height - 1);
  const timestamp = me.chain()?.blockMeta(height - 1)?.header.time;
  if (place === undefined || timestamp === undefined) return;
  const { index: validatorIndex } = place;
  const proposed = me.rs()?.proposal;
  const isProposed = proposed?.height === height && proposed.round === round;
  const first = isProposed ? proposed.blockId : inventedBlock(height, round + 1);
  const vote = (type: VoteType, blockId: BlockId): void => {
    const who = { validatorAddress: me.address, validatorIndex };
    const signed = me.signVote({ type, height, round, blockId, timestamp, ...who, ...UNSIGNED });
    me.send([peer], { kind: 'vote', vote: signed });
  };
  for (const type of TYPES) for (const blockId of [first, inventedBlock(height, round)]) vote(type, blockId);
}
