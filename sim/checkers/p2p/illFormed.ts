import type { Bytes } from '../../../core/lib/bytes.ts';
import { countVarints, type ProtoField, protoFields } from '../../reference/protoFields.ts';
import { remembered } from '../../remembered.ts';

const HASH_BYTES = 32;
const PART_BYTES = 65_536n;
const AUNTS_MAX = 100;
const STEPS = 8n;
const SIGNATURE_BYTES_MAX = 96;
const ADDRESS_BYTES = 20;

/** One message of a consensus channel, read by field numbers of cometbft.consensus.v1. */
export class WireMessage {
  readonly #fields: readonly ProtoField[];

  constructor(fields: readonly ProtoField[]) {
    this.#fields = fields;
  }

  number(field: number): bigint {
    return this.#fields.find((one) => one.number === field)?.value ?? 0n;
  }

  bytes(field: number): Bytes {
    return this.#fields.find((one) => one.number === field)?.bytes ?? new Uint8Array(0);
  }

  count(field: number): number {
    return this.#fields.filter((one) => one.number === field).length;
  }

  all(field: number): readonly Bytes[] {
    return this.#fields.filter((one) => one.number === field).map(({ bytes }) => bytes);
  }

  /** The message in the field, or an empty one if the bytes do not parse. Refusing those is the decoder's task. */
  inner(field: number): WireMessage {
    return new WireMessage(protoFields(this.bytes(field)) ?? []);
  }
}

interface Kind {
  readonly name: string;
  readonly channel: number;
  problem(said: WireMessage, initialHeight: bigint): string | undefined;
}

const place = (said: WireMessage): string | undefined =>
  said.number(1) < 0n || said.number(2) < 0n ? 'a negative height or round' : undefined;

const bits = (array: WireMessage): string | undefined =>
  BigInt(countVarints(array.bytes(2)) ?? -1) === (array.number(1) + 63n) / 64n
    ? undefined
    : 'bits that are not as many as it says';

/** The block id is nil, or it has both hashes and a count of parts. */
function blockId(id: WireMessage, mayBeNil: boolean): string | undefined {
  const parts = id.inner(2);
  const lengths = [id.bytes(1).length, parts.bytes(2).length];
  const isWhole = lengths.every((length) => length === HASH_BYTES) && parts.number(1) > 0n;
  const isNil = lengths.every((length) => length === 0) && parts.number(1) === 0n;
  return isWhole || (mayBeNil && isNil) ? undefined : 'a block id that is neither nil nor whole';
}

const signature = (bytes: Bytes): string | undefined =>
  bytes.length > 0 && bytes.length <= SIGNATURE_BYTES_MAX ? undefined : 'no signature';

function newRoundStep(said: WireMessage, initialHeight: bigint): string | undefined {
  const [height, step, lastCommitRound] = [said.number(1), said.number(3), said.number(5)];
  if (step < 1n || step > STEPS) return `step ${step}`;
  if (height < initialHeight) return 'a height before the first';
  const isFitting = height === initialHeight ? lastCommitRound === -1n : lastCommitRound >= 0n;
  return isFitting ? place(said) : `round ${lastCommitRound} of the last commit at height ${height}`;
}

function newValidBlock(said: WireMessage): string | undefined {
  const [total, size] = [said.inner(3).number(1), said.inner(4).number(1)];
  return total === size && size > 0n
    ? (place(said) ?? bits(said.inner(4)))
    : `${size} bits for ${total} parts`;
}

function proposal(said: WireMessage): string | undefined {
  const body = said.inner(1);
  if (body.number(2) < 0n || body.number(3) < 0n || body.number(4) < -1n)
    return 'a negative height, round or round of a polka';
  return blockId(body.inner(5), false) ?? signature(body.bytes(7));
}

function blockPart(said: WireMessage): string | undefined {
  const part = said.inner(3);
  const proof = part.inner(3);
  const [index, total] = [part.number(1), proof.number(1)];
  if (index !== proof.number(2)) return `part ${index} with the proof of part ${proof.number(2)}`;
  const length = BigInt(part.bytes(2).length);
  if (length > PART_BYTES || (index + 1n < total && length !== PART_BYTES))
    return `a part of ${length} bytes`;
  if (total < 0n || proof.bytes(3).length !== HASH_BYTES) return 'a proof of nothing';
  const aunts = proof.all(4);
  const isProof = aunts.length <= AUNTS_MAX && aunts.every((aunt) => aunt.length === HASH_BYTES);
  return isProof ? place(said) : 'a proof of other hashes';
}

function vote(said: WireMessage): string | undefined {
  const body = said.inner(1);
  if (body.number(2) < 1n || body.number(3) < 0n || body.number(7) < 0n)
    return 'a vote of no height, round or place';
  if (body.bytes(6).length !== ADDRESS_BYTES) return 'a vote of nobody';
  return blockId(body.inner(4), true) ?? signature(body.bytes(8));
}

const STATE = 0x20;
const DATA = 0x21;
const BLOCKS = 0x40;

/** In the order of their field numbers, from 1. */
const KINDS: readonly Kind[] = [
  { name: 'NewRoundStep', channel: STATE, problem: newRoundStep },
  { name: 'NewValidBlock', channel: STATE, problem: newValidBlock },
  { name: 'Proposal', channel: DATA, problem: proposal },
  { name: 'ProposalPOL', channel: DATA, problem: (said) => place(said) ?? bits(said.inner(3)) },
  { name: 'BlockPart', channel: DATA, problem: blockPart },
  { name: 'Vote', channel: 0x22, problem: vote },
  {
    name: 'HasVote',
    channel: STATE,
    problem: (said) => (said.number(4) < 0n ? 'a vote of no place' : place(said)),
  },
  { name: 'VoteSetMaj23', channel: STATE, problem: (said) => place(said) ?? blockId(said.inner(4), true) },
  {
    name: 'VoteSetBits',
    channel: 0x23,
    problem: (said) => place(said) ?? blockId(said.inner(4), true) ?? bits(said.inner(5)),
  },
];

const negative = (said: WireMessage): string | undefined =>
  said.number(1) < 0n ? 'a negative height' : undefined;

/** Messages of cometbft.blocksync.v1. The block in a BlockResponse is judged where it is stored. */
const BLOCK_KINDS: readonly Kind[] = [
  { name: 'BlockRequest', channel: BLOCKS, problem: negative },
  { name: 'NoBlockResponse', channel: BLOCKS, problem: negative },
  { name: 'BlockResponse', channel: BLOCKS, problem: () => undefined },
  { name: 'StatusRequest', channel: BLOCKS, problem: () => undefined },
  {
    name: 'StatusResponse',
    channel: BLOCKS,
    problem: (said) =>
      said.number(2) < 0n || said.number(1) < said.number(2)
        ? `blocks from ${said.number(2)} to ${said.number(1)}`
        : undefined,
  },
];

/** Whether messages of this channel are judged here. */
export const isJudged = (channel: number): boolean =>
  channel === BLOCKS || (channel >= STATE && channel <= 0x23);

/**
 * The one message of a frame, with its field number. Undefined if it does not parse; refusing it is the decoder's task.
 */
export function wireMessageIn(
  frame: Bytes,
): { readonly number: number; readonly said: WireMessage } | undefined {
  const outer = protoFields(frame);
  const [only] = outer ?? [];
  const fields = only && protoFields(only.bytes);
  if (only === undefined || fields === undefined) return undefined;
  return { number: only.number, said: new WireMessage(fields) };
}

/**
 * What no honest node sends on a consensus or block sync channel, whatever it knows (CometBFT ValidateBasic, spec p2p).
 * Undefined if nothing is wrong.
 */
export function illFormed(channel: number, frame: Bytes, initialHeight: number): string | undefined {
  const found = channel === BLOCKS ? judgedOfBlocks(frame) : judged(frame, initialHeight);
  if (found === undefined) return 'what is no message';
  const { kind, problem } = found;
  if (kind.channel !== channel) return `a ${kind.name} on channel 0x${channel.toString(16)}`;
  return problem === undefined ? undefined : `a ${kind.name} with ${problem}`;
}

/** Many nodes hear the same frame. */
const judged = remembered((frame: Bytes, initialHeight: number) => judgedBy(KINDS, frame, initialHeight));
const judgedOfBlocks = remembered((frame: Bytes) => judgedBy(BLOCK_KINDS, frame, 0));

function judgedBy(kinds: readonly Kind[], frame: Bytes, initialHeight: number) {
  const outer = protoFields(frame);
  const [only] = outer ?? [];
  const kind = only && kinds[only.number - 1];
  const fields = only && protoFields(only.bytes);
  if (outer?.length !== 1 || kind === undefined || fields === undefined) return undefined;
  return { kind, problem: kind.problem(new WireMessage(fields), BigInt(initialHeight)) };
}
