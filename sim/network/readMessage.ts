import { decodeConsensusMessage } from '../../core/codec/messages.ts';
import { remembered } from '../remembered.ts';

/** What a frame of consensus says: one array goes to many, and many judges look at it. */
export const readMessage = remembered(decodeConsensusMessage);
