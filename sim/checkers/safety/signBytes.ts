import { type Bytes, equalBytes } from '../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import type { SignAsk } from '../../../core/node/contract.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';

/** SignedMsgType of CometBFT. */
const KINDS = { prevote: 1n, precommit: 2n, proposal: 32n } as const;

/** Tags (field number and wire type in one byte) of CanonicalVote and CanonicalProposal. */
const KIND = 0x08;
const HEIGHT = 0x11;
const ROUND = 0x19;
const POL = 0x20;
const tagsOf = (blockId: number, time: number, chainId: number, ...others: readonly number[]) => ({
  blockId,
  time,
  chainId,
  all: [KIND, HEIGHT, ROUND, blockId, time, chainId, ...others],
});
const VOTE = tagsOf(0x22, 0x2a, 0x32);
const PROPOSAL = tagsOf(0x2a, 0x32, 0x3a, POL);

const HASH_BYTES = 32;
const NANOS = 1_000_000_000n;

/**
 * A correct node signs exactly the bytes of CometBFT's canonical form, read here without core's codec. A field left out
 * could be changed by anybody, and a signature that does not name its chain would be valid on every other chain.
 */
export function signBytes({ cluster, fail }: CheckerContext): Checker {
  const name = 'conduct';
  const chainId = encodeUtf8(cluster.genesis.chainId);
  return {
    name,
    ...hearing(['signed'], (fact) => {
      if (!fact.node.isCorrect) return;
      const { node, ask } = fact;
      const problem = problemOf(ask, chainId) ?? polkaProblem(ask, node.node?.rs());
      if (problem !== undefined)
        fail(name, `${node.name} signs a ${ask.kind} at ${ask.height}/${ask.round} ${problem}`);
    }),
  };
}

function problemOf({ kind, height, round, bytes }: SignAsk, chainId: Bytes): string | undefined {
  const tags = kind === 'proposal' ? PROPOSAL : VOTE;
  const inner = delimited(bytes);
  const said = inner && fieldsOf(inner);
  if (said === undefined) return 'that is no canonical message';
  if (said.get(KIND) !== KINDS[kind]) return 'of another kind';
  if (said.get(HEIGHT) !== BigInt(height)) return 'for another height';
  if ((said.get(ROUND) ?? 0n) !== BigInt(round)) return 'for another round';
  const chain = said.get(tags.chainId);
  if (!(chain instanceof Uint8Array && equalBytes(chain, chainId))) return 'for another chain';
  if (!isTime(said.get(tags.time))) return 'without a time';
  const blockId = said.get(tags.blockId);
  // Without a block id, a vote is for nil, but a proposal is for nothing.
  if (blockId === undefined ? kind === 'proposal' : !isBlockId(blockId)) return 'without a whole block id';
  for (const tag of said.keys()) if (!tags.all.includes(tag)) return 'with a field too many';
  return undefined;
}

/**
 * A proposal must name the round of its valid value's polka, or -1 (L15 to L19): anybody may change what is not signed.
 */
function polkaProblem(
  { kind, height, round, bytes }: SignAsk,
  rs: RoundState | undefined,
): string | undefined {
  if (kind !== 'proposal') return undefined;
  const said = fieldsOf(delimited(bytes) ?? bytes)?.get(POL) ?? 0n;
  if (typeof said !== 'bigint') return 'with a polka that is no round';
  const polka = BigInt.asIntN(64, said);
  if (polka < -1n || polka >= BigInt(round)) return `for a polka of round ${polka}`;
  // The valid value of this very round came after the proposal.
  const isAsked = rs?.height === height && rs.round === round && rs.validRound < round;
  return isAsked && polka !== BigInt(rs.validRound)
    ? `for a polka of round ${polka}, with a valid value of round ${rs.validRound}`
    : undefined;
}

type Value = bigint | Bytes;
type Fields = ReadonlyMap<number, Value>;

const isHash = (value: Value | undefined): boolean =>
  value instanceof Uint8Array && value.length === HASH_BYTES;

/** Fields of an embedded message. */
const within = (value: Value | undefined): Fields | undefined =>
  value instanceof Uint8Array ? fieldsOf(value) : undefined;

/** Seconds and nanoseconds that are zero are left out. */
function isTime(value: Value | undefined): boolean {
  const time = within(value);
  const [seconds, nanos] = [time?.get(0x08) ?? 0n, time?.get(0x10) ?? 0n];
  return time !== undefined && typeof seconds === 'bigint' && typeof nanos === 'bigint' && nanos < NANOS;
}

function isBlockId(value: Value): boolean {
  const id = within(value);
  const parts = within(id?.get(0x12));
  return isHash(id?.get(0x0a)) && typeof parts?.get(0x08) === 'bigint' && isHash(parts.get(0x12));
}

/** A varint and the position after it; undefined when the bytes end first. */
function varintAt(bytes: Bytes, start: number): readonly [bigint, number] | undefined {
  const first = bytes[start];
  if (first === undefined) return undefined;
  if (first < 128) return [BigInt(first), start + 1];
  let value = 0n;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    value |= BigInt(byte & 127) << BigInt(7 * (at - start));
    if (byte < 128) return [value, at + 1];
  }
  return undefined;
}

/** The content of a length-delimited message; undefined unless it fills the bytes. */
function delimited(bytes: Bytes): Bytes | undefined {
  const length = varintAt(bytes, 0);
  if (length === undefined) return undefined;
  const inner = bytes.subarray(length[1]);
  return BigInt(inner.length) === length[0] ? inner : undefined;
}

/** Undefined unless canonical: fields at most once each, in order, and none that is zero. */
function fieldsOf(bytes: Bytes): Fields | undefined {
  const fields = new Map<number, Value>();
  let last = 0;
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] ?? 0;
    const read = valueAt(bytes, at + 1, tag & 7);
    if (read === undefined || read[0] === 0n || tag >> 3 <= last) return undefined;
    fields.set(tag, read[0]);
    [last, at] = [tag >> 3, read[1]];
  }
  return fields;
}

function valueAt(bytes: Bytes, start: number, wire: number): readonly [Value, number] | undefined {
  if (wire === 1) {
    if (start + 8 > bytes.length) return undefined;
    return [new DataView(bytes.buffer, bytes.byteOffset).getBigInt64(start, true), start + 8];
  }
  const number = varintAt(bytes, start);
  if (number === undefined || wire === 0) return number;
  const end = number[1] + Number(number[0]);
  return wire === 2 && end <= bytes.length ? [bytes.subarray(number[1], end), end] : undefined;
}
