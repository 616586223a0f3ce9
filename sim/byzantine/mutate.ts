import {
  decodeBlocksyncMessage,
  decodeEvidenceMessage,
  decodeTxsMessage,
  encodeBlocksyncMessage,
  encodeConsensusMessage,
  encodeEvidenceMessage,
  encodeTxsMessage,
} from '../../core/codec/messages.ts';
import { BitSet } from '../../core/lib/bitset.ts';
import { type Bytes, equalBytes, parseHex } from '../../core/lib/bytes.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import { decodePexMessage, encodePexMessage, type PexMessage } from '../../core/p2p/pexMessages.ts';
import type { Evidence } from '../../core/types/evidence.ts';
import type { BlocksyncMessage, ConsensusMessage, TxsMessage } from '../../core/types/messages.ts';
import { readMessage } from '../network/readMessage.ts';
import type { Accomplice, Behaviour, Send } from './behaviour.ts';
import { isProposer } from './blocks.ts';
import { MESSAGE_FIELDS, type MessageKind, MUTATIONS, type Mutation } from './messageFields.ts';

/** Old values remembered per field for `repeat_old`. */
const OLD_MAX = 64;

type Tree = Readonly<Record<string, unknown>>;

/** A decoded message of any channel, and how to encode it again. */
interface Opened {
  readonly kind: MessageKind;
  readonly message: Tree;
  bytes(message: Tree): Bytes;
}

/**
 * Small-scope mutation (ByzzFuzz, OOPSLA'23): changes one field of one message kind to a value near the original. If
 * the message is the node's own vote or proposal, it is signed again. `any` is drawn anew for each message.
 */
export const MUTATE: Behaviour = {
  id: 'mutate',
  alias: 'mutate',
  text: 'Changes one field of what it sends.',
  args: ['message', 'field', 'op', 'value'],
  create(me) {
    const old = new Map<string, unknown[]>();
    return {
      send(send) {
        const opened = open(send);
        const wanted = me.args.get('message');
        if (opened === undefined || (wanted !== 'any' && wanted !== opened.kind)) return [send];
        const { height, round } = me.rs() ?? { height: 0, round: 0 };
        // Asked last: a round in which it sends no such message uses up none of its times.
        if (!me.isDue(height, round)) return [send];
        const field = fieldOf(me, opened.kind);
        const op = me.args.get('op');
        const mutation = op === 'any' ? pick(me, MUTATIONS) : (op as Mutation);
        if (field === undefined) return mutation === 'drop' ? [] : [send];
        return mutated(me, send, opened, field, mutation, old);
      },
    };
  },
};

const pick = <T>(me: Accomplice, list: readonly T[]): T => list[me.choices.choose(list.length)] as T;

function fieldOf(me: Accomplice, kind: MessageKind): string | undefined {
  const field = me.args.get('field');
  return field === 'any' ? pick(me, MESSAGE_FIELDS[kind]) : field === undefined ? undefined : String(field);
}

function mutated(
  me: Accomplice,
  send: Send,
  opened: Opened,
  field: string,
  mutation: Mutation,
  old: Map<string, unknown[]>,
): readonly Send[] {
  const path = field.split('.');
  const before = at(opened.message, path);
  const remembered = old.get(`${opened.kind}.${field}`) ?? [];
  const value =
    mutation === 'repeat_old' && remembered.length > 0
      ? pick(me, remembered)
      : changedValue(before, mutation, me.args.get('value'));
  if (remembered.length < OLD_MAX) old.set(`${opened.kind}.${field}`, [...remembered, before]);
  try {
    const message = signed(me, opened.kind, withValue(opened.message, path, value), field);
    return [{ ...send, bytes: opened.bytes(message) }];
  } catch {
    // The encoder rejects such a value, so nobody can sign or send it.
    return [];
  }
}

function open(send: Send): Opened | undefined {
  if (send.channel >= CHANNELS.state && send.channel <= CHANNELS.bits) {
    const decoded = readMessage(send.bytes);
    if (!decoded.ok) return undefined;
    const bytes = (message: Tree): Bytes => encodeConsensusMessage(message as unknown as ConsensusMessage);
    return { kind: decoded.value.kind, message: decoded.value as unknown as Tree, bytes };
  }
  if (send.channel === CHANNELS.blocksync) {
    const decoded = decodeBlocksyncMessage(send.bytes);
    if (!decoded.ok || decoded.value.kind === 'statusRequest') return undefined;
    const bytes = (message: Tree): Bytes => encodeBlocksyncMessage(message as unknown as BlocksyncMessage);
    return { kind: decoded.value.kind, message: decoded.value as unknown as Tree, bytes };
  }
  if (send.channel === CHANNELS.evidence) {
    const decoded = decodeEvidenceMessage(send.bytes);
    if (!decoded.ok) return undefined;
    const bytes = (message: Tree): Bytes => encodeEvidenceMessage(message['evidence'] as readonly Evidence[]);
    return { kind: 'evidence', message: { evidence: decoded.value }, bytes };
  }
  if (send.channel === CHANNELS.pex) {
    const decoded = decodePexMessage(send.bytes);
    if (!decoded.ok || decoded.value.kind !== 'addresses') return undefined;
    const bytes = (message: Tree): Bytes => encodePexMessage(message as unknown as PexMessage);
    return { kind: 'addresses', message: decoded.value as unknown as Tree, bytes };
  }
  if (send.channel !== CHANNELS.mempool) return undefined;
  const decoded = decodeTxsMessage(send.bytes);
  if (!decoded.ok) return undefined;
  const bytes = (message: Tree): Bytes => encodeTxsMessage(message as unknown as TxsMessage);
  return { kind: 'txs', message: decoded.value as unknown as Tree, bytes };
}

/** Signs the node's own votes and proposals again. A mutated signature stays as it is. */
function signed(me: Accomplice, kind: MessageKind, message: Tree, field: string): Tree {
  const whole = message as unknown as ConsensusMessage;
  if (field.endsWith('ignature')) return message;
  if (kind === 'vote' && whole.kind === 'vote') {
    const isOwn = field === 'vote.validatorAddress' || equalBytes(whole.vote.validatorAddress, me.address);
    return isOwn ? { ...message, vote: me.signVote(whole.vote) } : message;
  }
  const rs = me.rs();
  if (whole.kind !== 'proposal' || rs === undefined || !isProposer(me, rs)) return message;
  return { ...message, proposal: me.signProposal(whole.proposal) };
}

const at = (tree: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Tree | undefined)?.[key], tree);

function withValue(tree: Tree, [key, ...rest]: readonly string[], value: unknown): Tree {
  if (key === undefined) return tree;
  if (Array.isArray(tree)) {
    const changed = (one: unknown): unknown =>
      rest.length === 0 ? value : withValue(one as Tree, rest, value);
    return tree.map((one: unknown, i) => (String(i) === key ? changed(one) : one)) as unknown as Tree;
  }
  return { ...tree, [key]: rest.length === 0 ? value : withValue(tree[key] as Tree, rest, value) };
}

function changedValue(value: unknown, op: Mutation, wanted: string | number | boolean | undefined): unknown {
  if (op === 'set') return setTo(value, wanted);
  if (typeof value === 'bigint') return op === 'drop' ? 0n : op === 'dec' ? value - 1n : value + 1n;
  if (typeof value === 'number') return op === 'drop' ? 0 : op === 'dec' ? value - 1 : value + 1;
  if (typeof value === 'boolean') return !value;
  if (value === 'prevote') return 'precommit';
  if (value === 'precommit') return 'prevote';
  if (typeof value === 'string') return op === 'drop' ? '' : `${value}x`;
  if (value instanceof Uint8Array) return changedBytes(value, op);
  if (value instanceof BitSet) return changedBits(value, op);
  return Array.isArray(value) ? changedList(value, op) : value;
}

function setTo(value: unknown, wanted: string | number | boolean | undefined): unknown {
  if (typeof value === 'bigint' && typeof wanted === 'number') return BigInt(wanted);
  if (!(value instanceof Uint8Array)) return wanted;
  const bytes = typeof wanted === 'string' ? parseHex(wanted) : undefined;
  return bytes?.ok === true ? bytes.value : value;
}

function changedBytes(value: Bytes, op: Mutation): Bytes {
  const copy = value.slice();
  if (op === 'drop') return new Uint8Array(0);
  if (op === 'swap') {
    [copy[0], copy[1]] = [value[1] ?? 0, value[0] ?? 0];
    return copy.subarray(0, value.length);
  }
  const last = copy.length - 1;
  if (last >= 0) copy[last] = (copy[last] as number) + (op === 'dec' ? -1 : 1);
  return copy;
}

function changedBits(value: BitSet, op: Mutation): BitSet {
  if (op === 'drop') return new BitSet(value.size);
  if (op === 'inc') return new BitSet(value.size + 1);
  const copy = value.clone();
  for (let i = 0; i < value.size; i++) {
    if (value.has(i)) copy.remove(i);
    else copy.add(i);
  }
  return copy;
}

function changedList(value: readonly unknown[], op: Mutation): readonly unknown[] {
  const [first, second, ...rest] = value;
  if (op === 'drop') return [];
  if (op === 'dec') return value.slice(0, -1);
  if (op === 'swap') return value.length < 2 ? value : [second, first, ...rest];
  return value.length === 0 ? value : [...value, first];
}
