import { CHANNELS } from '../../core/node/contract.ts';
import { decodeFrame, type FrameDecoder } from '../../core/node/ingress.ts';
import { Memo } from '../memo.ts';
import { hashBytes } from '../world/rolling.ts';

/**
 * What everybody hears again and again. Not transactions: each pool holds its own, and checkers tell by identity what was there before.
 * Longer frames are few, and each goes to few.
 */
const REPEATED: readonly number[] = [CHANNELS.state, CHANNELS.vote, CHANNELS.data];
const BYTES_MAX = 4096;

/**
 * Reads equal frames once for the whole cluster: of a hundred validators each hears every vote. What was read is a value
 * that no node changes, so all may hold the same one.
 */
export function decodingOnce(): FrameDecoder {
  const channels = new Map(REPEATED.map((channel) => [channel, new Memo<ReturnType<FrameDecoder>>()]));
  return (channel, bytes) => {
    const memo = bytes.length > BYTES_MAX ? undefined : channels.get(channel);
    if (memo === undefined) return decodeFrame(channel, bytes);
    const key = hashBytes(bytes, channel);
    const known = memo.find(key, bytes);
    if (known !== undefined) return known.answer;
    return memo.add(key, decodeFrame(channel, bytes), bytes);
  };
}
