import { decodeConsensusMessage } from '../../core/codec/messages.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import type { ConsensusMessage } from '../../core/types/messages.ts';
import { remembered } from '../remembered.ts';
import { TAG } from './words.ts';

/** What a frame of consensus says: one array goes to many, and many judges look at it. */
export const readMessage = remembered(decodeConsensusMessage);

/** The same of a message of one of these kinds, undefined of any other, which is not even decoded. */
export function messageOf<K extends ConsensusMessage['kind']>(
  bytes: Bytes,
  kinds: readonly K[],
): Extract<ConsensusMessage, { kind: K }> | undefined {
  if (!kinds.some((kind) => TAG[kind] === bytes[0])) return undefined;
  const decoded = readMessage(bytes);
  return decoded.ok ? (decoded.value as Extract<ConsensusMessage, { kind: K }>) : undefined;
}
