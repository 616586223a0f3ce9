/** Turns bytes from a peer into a message, or into a reason to drop the peer. No other code sees undecoded bytes. */
import { txsMessageBytes } from '../codec/limits.ts';
import {
  decodeBlocksyncMessage,
  decodeConsensusMessage,
  decodeEvidenceMessage,
  decodeTxsMessage,
} from '../codec/messages.ts';
import type { Bytes } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { DEFAULT_MEMPOOL } from '../mempool/config.ts';
import type { Evidence } from '../types/evidence.ts';
import type { BlocksyncMessage, ConsensusMessage } from '../types/messages.ts';
import { CHANNELS, type ChannelId } from './contract.ts';

export type PeerMessage =
  | { readonly channel: 'consensus'; readonly message: ConsensusMessage }
  | { readonly channel: 'mempool'; readonly txs: readonly Bytes[] }
  | { readonly channel: 'evidence'; readonly evidence: readonly Evidence[] }
  | { readonly channel: 'blocksync'; readonly message: BlocksyncMessage };

/** The channel of each consensus message (CometBFT's consensus/reactor.go). */
const CHANNEL_OF: Readonly<Record<ConsensusMessage['kind'], ChannelId>> = {
  newRoundStep: CHANNELS.state,
  newValidBlock: CHANNELS.state,
  hasVote: CHANNELS.state,
  voteSetMaj23: CHANNELS.state,
  proposal: CHANNELS.data,
  proposalPol: CHANNELS.data,
  blockPart: CHANNELS.data,
  vote: CHANNELS.vote,
  voteSetBits: CHANNELS.bits,
};

/** Largest message by channel, in bytes; checked before decoding. The mempool's bound comes from its configuration. */
const BYTES_MAX: ReadonlyMap<ChannelId, number> = new Map([
  [CHANNELS.state, 1_048_576],
  [CHANNELS.data, 1_048_576],
  [CHANNELS.vote, 1_048_576],
  [CHANNELS.bits, 1_048_576],
  [CHANNELS.evidence, 1_048_576],
  [CHANNELS.blocksync, 104_857_605],
]);

/** Largest block sync message other than a block: it holds one or two heights. */
const HEIGHTS_BYTES_MAX = 64;

/** Whether it is a block, judged by its size. Blocks are the largest messages, so unneeded ones are not decoded. */
export const isBlock = (channel: ChannelId, bytes: Bytes): boolean =>
  channel === CHANNELS.blocksync && bytes.length > HEIGHTS_BYTES_MAX;

export const channelOf = (message: ConsensusMessage): ChannelId => CHANNEL_OF[message.kind];

/** Decodes a frame, or says why its sender is to be dropped. The same bytes always give a node the same result. */
export type FrameDecoder = (channel: ChannelId, bytes: Bytes) => Result<PeerMessage, string>;

/** The decoder of a node whose pool takes transactions of up to `txBytesMax` bytes. */
export const frameDecoder =
  (txBytesMax: number): FrameDecoder =>
  (channel, bytes) =>
    decodeWithin(
      channel,
      bytes,
      channel === CHANNELS.mempool ? txsMessageBytes(txBytesMax) : BYTES_MAX.get(channel),
    );

/** The decoder with the default pool configuration. */
export const decodeFrame: FrameDecoder = frameDecoder(DEFAULT_MEMPOOL.txBytesMax);

function decodeWithin(
  channel: ChannelId,
  bytes: Bytes,
  bytesMax: number | undefined,
): Result<PeerMessage, string> {
  if (bytesMax === undefined) return err(`unknown channel 0x${channel.toString(16)}`);
  if (bytes.length > bytesMax) {
    return err(`message of ${bytes.length} bytes on channel 0x${channel.toString(16)}, at most ${bytesMax}`);
  }
  if (channel === CHANNELS.mempool) {
    const decoded = decodeTxsMessage(bytes);
    return decoded.ok ? ok({ channel: 'mempool', txs: decoded.value.txs }) : err(decoded.error.message);
  }
  if (channel === CHANNELS.evidence) {
    const decoded = decodeEvidenceMessage(bytes);
    return decoded.ok ? ok({ channel: 'evidence', evidence: decoded.value }) : err(decoded.error.message);
  }
  if (channel === CHANNELS.blocksync) {
    const decoded = decodeBlocksyncMessage(bytes);
    return decoded.ok ? ok({ channel: 'blocksync', message: decoded.value }) : err(decoded.error.message);
  }
  const decoded = decodeConsensusMessage(bytes);
  if (!decoded.ok) return err(decoded.error.message);
  if (channelOf(decoded.value) !== channel) {
    return err(`${decoded.value.kind} on channel 0x${channel.toString(16)}`);
  }
  return ok({ channel: 'consensus', message: decoded.value });
}
