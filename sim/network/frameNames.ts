import { decodeConsensusMessage } from '../../core/codec/messages.ts';
import { toHex } from '../../core/lib/bytes.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import type { BlockId } from '../../core/types/block.ts';
import type { ConsensusMessage } from '../../core/types/messages.ts';
import type { Frame } from './link.ts';

const OTHERS: ReadonlyMap<number, string> = new Map([
  [CHANNELS.mempool, 'txs'],
  [CHANNELS.evidence, 'evidence'],
  [CHANNELS.blocksync, 'blocksync'],
  [CHANNELS.pex, 'pex'],
]);

const valueName = ({ hash }: BlockId): string => (hash.length === 0 ? 'nil' : toHex(hash.subarray(0, 4)));

/** A frame in words, for traces: `prevote 3/0 #1 5e1f00aa`. */
export function nameFrame(frame: Frame): string {
  const other = OTHERS.get(frame.channel);
  if (other !== undefined) return `${other} ${frame.bytes.length}`;
  const decoded = decodeConsensusMessage(frame.bytes);
  return decoded.ok ? messageName(decoded.value) : `undecodable ${frame.bytes.length}`;
}

function messageName(message: ConsensusMessage): string {
  switch (message.kind) {
    case 'vote': {
      const { type, height, round, validatorIndex, blockId } = message.vote;
      return `${type} ${height}/${round} #${validatorIndex} ${valueName(blockId)}`;
    }
    case 'proposal': {
      const { height, round, polRound, blockId } = message.proposal;
      return `proposal ${height}/${round} pol ${polRound} ${valueName(blockId)}`;
    }
    case 'blockPart':
      return `part ${message.height}/${message.round} ${message.part.index}`;
    case 'newRoundStep':
      return `step ${message.height}/${message.round}/${message.step}`;
    case 'hasVote':
      return `hasVote ${message.type} ${message.height}/${message.round} #${message.index}`;
    default:
      return `${message.kind} ${message.height}`;
  }
}
