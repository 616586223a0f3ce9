import type { Bytes } from '../../core/lib/bytes.ts';
import { CHANNELS, type ChannelId } from '../../core/node/contract.ts';
import { decodeFrame, type FrameDecoder } from '../../core/node/ingress.ts';
import { Memo } from '../memo.ts';
import { hashBytes } from '../world/rolling.ts';

/**
 * Channels whose messages all nodes hear again and again. Not that of transactions: each pool holds its own object, and
 * checkers tell by its identity what was there before. Longer frames are rare, and each goes to few nodes.
 */
const REPEATED: readonly number[] = [CHANNELS.state, CHANNELS.vote, CHANNELS.data];
const BYTES_MAX = 4096;

/** A frame that goes to many nodes is one array. The last frame of each place is kept, so no bytes are compared. */
const PLACES = 1024;

interface Seen {
  readonly bytes: Bytes;
  readonly channel: ChannelId;
  readonly answer: ReturnType<FrameDecoder>;
}

/**
 * Decodes equal frames once for the whole cluster: each of a hundred validators hears every vote. No node changes the
 * decoded value, so all nodes can hold the same one.
 */
export function decodingOnce(): FrameDecoder {
  const channels = new Map(REPEATED.map((channel) => [channel, new Memo<ReturnType<FrameDecoder>>()]));
  const seen = new Array<Seen | undefined>(PLACES).fill(undefined);
  const equalOnce: FrameDecoder = (channel, bytes) => {
    const memo = bytes.length > BYTES_MAX ? undefined : channels.get(channel);
    if (memo === undefined) return decodeFrame(channel, bytes);
    const key = hashBytes(bytes, channel);
    const known = memo.find(key, bytes);
    if (known !== undefined) return known.answer;
    return memo.add(key, decodeFrame(channel, bytes), bytes);
  };
  return (channel, bytes) => {
    if (!REPEATED.includes(channel)) return decodeFrame(channel, bytes);
    const place = placeOf(bytes);
    const last = seen[place];
    if (last !== undefined && last.bytes === bytes && last.channel === channel) return last.answer;
    const answer = equalOnce(channel, bytes);
    seen[place] = { bytes, channel, answer };
    return answer;
  };
}

/** Frames differ at their end, by a signature or an index. */
const placeOf = (bytes: Bytes): number => {
  const end = bytes.length;
  const [last = 0, before = 0] = [bytes[end - 1], bytes[end - 2]];
  return (last ^ (before << 5)) % PLACES;
};
