import { decodeConsensusMessage } from '../../core/codec/messages.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import type { ConsensusMessage } from '../../core/types/messages.ts';
import { remembered } from '../remembered.ts';
import { TAG } from './frameKinds.ts';

/** Decodes a consensus frame. Remembered by its array, which goes to many nodes and is read by many checkers. */
export const readMessage = remembered(decodeConsensusMessage);

/** The same for messages of these kinds. For any other kind undefined, without decoding it. */
export function messageOf<K extends ConsensusMessage['kind']>(
  bytes: Bytes,
  kinds: readonly K[],
): Extract<ConsensusMessage, { kind: K }> | undefined {
  if (!kinds.some((kind) => TAG[kind] === bytes[0])) return undefined;
  const decoded = readMessage(bytes);
  return decoded.ok ? (decoded.value as Extract<ConsensusMessage, { kind: K }>) : undefined;
}
