import { commitHash, dataHash } from '../../core/codec/hashes.ts';
import {
  decodeBlocksyncMessage,
  encodeBlocksyncMessage,
  encodeTxsMessage,
} from '../../core/codec/messages.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import type { Block, Commit } from '../../core/types/block.ts';
import type { BlocksyncMessage, ConsensusMessage } from '../../core/types/messages.ts';
import type { Vote } from '../../core/types/vote.ts';
import {
  type Accomplice,
  type Behaviour,
  besidePrevotes,
  type Hooks,
  inventedBlock,
  isOwnVote,
  type Send,
} from './behaviour.ts';
import { signedLie } from './signedSync.ts';
import { WRONG_FIELDS } from './wrongFields.ts';

const CLAIM_HEIGHTS = 1_000;
const DRIP_MS = 20_000;
/** Blocks that a node requests from one peer at a time (WINDOW_MAX). The next block may come from another peer. */
const WINDOW = 20;

/** Which answers of a kind are lies, counted from 1. For other words every answer is a lie. */
const TURNS: Readonly<Record<string, (said: number) => boolean>> = {
  edge: (said) => said % WINDOW === 0,
  seam: (said) => said % WINDOW === 1,
  sway: (said) => said % 2 === 1,
  dip: (said) => said % 2 === 0,
  floor: (said) => said % 2 === 1,
  gap: (said) => said === 4,
};
/** Lies about the liar's own base and height. All others are about blocks. */
const STATUS_LIES: ReadonlySet<string> = new Set(['height', 'sway', 'dip', 'floor', 'beyond', 'mute']);

/** The answers that a lie of this word changes. */
function changedBy(what: string): readonly BlocksyncMessage['kind'][] {
  if (what === 'silence') return ['blockResponse', 'noBlockResponse'];
  return [STATUS_LIES.has(what) ? 'statusResponse' : 'blockResponse'];
}
const SYNC_LIES = [
  'height',
  'sway',
  'dip',
  'floor',
  'beyond',
  'block',
  'edge',
  'seam',
  'commit',
  'twice',
  'none',
  'silence',
  'mute',
  'drip',
  'greed',
  'gap',
  'signed',
] as const;

export const SYNC_LIAR: Behaviour = {
  id: 'B33',
  alias: 'sync-liar',
  text: 'Lies to those who catch up: `what` is height (claims too much), sway (claims too much every second time), dip (claims one height every second time), floor (claims its newest block alone every second time), beyond (claims nothing but a block that nobody has yet), block (another one), edge (another one at the end of each twenty), seam (a spoiled commit at the beginning of each twenty), commit (a block with a spoiled commit), twice (answers again), none, gap (none at its fourth answer alone), silence, mute (never says how high it is), drip (each answer `ms` late), signed (all who share it have signed block `count` with a wrong `field`, as invalid-block has it) or greed (asks `count` times at once for the first block or one that nobody has, beside its prevotes).',
  args: ['what', 'ms', 'count', 'field'],
  words: { what: SYNC_LIES, field: WRONG_FIELDS },
  effectiveWith: {
    ms: { arg: 'what', words: ['drip'], usual: 'block' },
    count: { arg: 'what', words: ['greed', 'signed'], usual: 'block' },
    field: { arg: 'what', words: ['signed'], usual: 'block' },
  },
  create(me) {
    const what = String(me.args.get('what') ?? 'block');
    if (what === 'greed') return greedy(me);
    const kinds = changedBy(what);
    let said = 0;
    return {
      send(send) {
        if (send.channel !== CHANNELS.blocksync) return [send];
        const decoded = decodeBlocksyncMessage(send.bytes);
        if (!decoded.ok || !kinds.includes(decoded.value.kind)) return [send];
        const { height, round } = me.rs() ?? { height: 0, round: 0 };
        if (!me.isDue(height, round)) return [send];
        if (what === 'silence' || what === 'mute') return [];
        if (what === 'twice') return [send, send];
        if (what === 'drip') {
          me.later(Number(me.args.get('ms') ?? DRIP_MS) * 1_000, () => me.sendBytes(send));
          return [];
        }
        said++;
        const isTurn = (TURNS[what] ?? (() => true))(said);
        return [
          { ...send, bytes: encodeBlocksyncMessage(isTurn ? lie(me, decoded.value, what) : decoded.value) },
        ];
      },
    };
  },
};

/** One more request than a node answers in a burst. */
const GREED = 201;

const greedy = (me: Accomplice): Hooks =>
  besidePrevotes(me, (peer, { height }) => {
    const count = Math.min(1_000, Number(me.args.get('count') ?? GREED));
    for (let i = 0; i < count; i++) {
      const wanted = i % 2 === 0 ? 1 : height + CLAIM_HEIGHTS;
      const bytes = encodeBlocksyncMessage({ kind: 'blockRequest', height: wanted });
      me.sendBytes({ kind: 'send', to: [peer], channel: CHANNELS.blocksync, bytes });
    }
  });

function lie(me: Accomplice, message: BlocksyncMessage, what: string): BlocksyncMessage {
  if (message.kind === 'statusResponse' && (what === 'height' || what === 'sway'))
    return { ...message, height: message.height + CLAIM_HEIGHTS };
  if (message.kind === 'statusResponse' && what === 'dip') return { ...message, height: message.base };
  if (message.kind === 'statusResponse' && what === 'floor') return { ...message, base: message.height };
  if (message.kind === 'statusResponse' && what === 'beyond') {
    const height = message.height + CLAIM_HEIGHTS;
    return { ...message, base: height, height };
  }
  if (message.kind !== 'blockResponse') return message;
  if (what === 'none' || what === 'gap')
    return { kind: 'noBlockResponse', height: message.block.header.height };
  if (what === 'block' || what === 'edge') return { kind: 'blockResponse', block: otherBlock(message.block) };
  if (what === 'commit' || what === 'seam')
    return { kind: 'blockResponse', block: spoiledCommit(message.block) };
  if (what === 'signed') return { kind: 'blockResponse', block: signedLie(me, message.block) };
  return message;
}

const otherBlock = (block: Block): Block => {
  const txs = [...block.txs, Uint8Array.of(1, 2, 3)];
  return { ...block, txs, header: { ...block.header, dataHash: dataHash(txs) } };
};

/** Spoils the last commit, which then no longer proves the block below. The block itself is still consistent. */
function spoiledCommit(block: Block): Block {
  const lastCommit: Commit = {
    ...block.lastCommit,
    signatures: block.lastCommit.signatures.map((one) => ({
      ...one,
      signature: one.signature.map((byte, i) => (i === 5 ? byte ^ 1 : byte)),
    })),
  };
  return { ...block, lastCommit, header: { ...block.header, lastCommitHash: commitHash(lastCommit) } };
}

/** Sends each peer the transactions of `make` beside its prevotes. */
function flooding(me: Accomplice, make: () => readonly Bytes[]): Hooks {
  let made: { readonly key: string; readonly txs: readonly Bytes[] } | undefined;
  return besidePrevotes(me, (peer, { height, round }) => {
    const key = `${height}/${round}`;
    // One flood per round: the whole audience gets the same transactions.
    if (made?.key !== key) made = { key, txs: make() };
    for (const tx of made.txs) me.sendBytes(txSend(peer, tx));
  });
}

const txSend = (peer: string, tx: Bytes): Send => ({
  kind: 'send',
  to: [peer],
  channel: CHANNELS.mempool,
  bytes: encodeTxsMessage({ txs: [tx] }),
});

const POOL_ATTACKS = ['holes', 'storm', 'garbage', 'nesting', 'poison', 'used'] as const;
const FLOOD = 32;
const NESTED_DEPTH = 2_000;
/** Bytes of the RLP header of a list below 64 KiB. */
const HEAD_MAX = 3;
const POISON_GAS = 100_000n;
/** JUMPDEST GAS SLOAD POP PUSH1 0 JUMP: reads a new storage slot in each turn until the gas is used up. */
const ENDLESS_LOOP: Bytes = Uint8Array.of(0x5b, 0x5a, 0x54, 0x50, 0x60, 0x00, 0x56);
const SINK: Bytes = new Uint8Array(20).fill(0x77);

export const POOL_ATTACK: Behaviour = {
  id: 'B35',
  alias: 'pool-attack',
  text: 'Attacks the pool: `what` is holes (nonces with gaps), storm (replacements), garbage, nesting (deep lists), poison (burns all its gas) or used (what stands in the last blocks); `count` a round.',
  args: ['what', 'count'],
  words: { what: POOL_ATTACKS },
  create(me) {
    const what = String(me.args.get('what') ?? 'holes');
    const count = Math.min(1_000, Number(me.args.get('count') ?? FLOOD));
    if (what === 'used') return flooding(me, () => usedTxs(me, count));
    return flooding(me, () => Array.from({ length: count }, (_, i) => attackTx(me, what, i)));
  },
};

/** The newest transactions that are already in blocks. */
function usedTxs(me: Accomplice, count: number): readonly Bytes[] {
  const chain = me.chain();
  if (chain === undefined) return [];
  const txs: Bytes[] = [];
  for (let height = chain.head(); height >= Math.max(1, chain.base()) && txs.length < count; height--)
    txs.push(...(chain.block(height)?.txs ?? []));
  return txs.slice(0, count);
}

function attackTx(me: Accomplice, what: string, i: number): Bytes {
  switch (what) {
    case 'storm':
      return me.signTx({ nonce: me.nonce(), tipGwei: 1 + i, to: SINK });
    case 'garbage':
      return Uint8Array.from({ length: 1 + me.choices.choose(200) }, () => me.choices.choose(256));
    case 'nesting':
      return me.wrapTx(nested(NESTED_DEPTH + i));
    case 'poison':
      return me.signTx({ nonce: me.nonce() + i, gas: POISON_GAS, to: undefined, data: ENDLESS_LOOP });
    default:
      return me.signTx({ nonce: me.nonce() + 2 + 2 * i, to: SINK });
  }
}

/** An EIP-1559 envelope of nested lists: 0xc1 is a list with one empty list in it, and so on outwards. */
function nested(depth: number): Bytes {
  const bytes = new Uint8Array(1 + HEAD_MAX * (depth + 1));
  let start = bytes.length;
  for (let level = 0; level <= depth; level++) {
    const size = bytes.length - start;
    if (size >= 56) bytes[--start] = size & 255;
    if (size >= 256) bytes[--start] = size >> 8;
    bytes[--start] = size < 56 ? 0xc0 + size : size < 256 ? 0xf8 : 0xf9;
  }
  bytes[--start] = 2;
  return bytes.subarray(start);
}

export const ECLIPSE: Behaviour = {
  id: 'B38',
  alias: 'eclipse',
  text: 'Passes nothing of the others on to the audience: only its own lies, votes in everyone’s name and a claim to be far ahead.',
  args: [],
  create: (me) => ({
    message(message) {
      const { height, round } = me.rs() ?? { height: 0, round: 0 };
      if (!me.isDue(height, round)) return [message];
      if (message.kind === 'newRoundStep') return [{ ...message, height: message.height + CLAIM_HEIGHTS }];
      return isOwnVote(me, message) ? forgedVotes(me, message.vote) : [];
    },
    send(send) {
      const { height, round } = me.rs() ?? { height: 0, round: 0 };
      const isConsensus = send.channel >= CHANNELS.state && send.channel <= CHANNELS.bits;
      return isConsensus || !me.isDue(height, round) ? [send] : [];
    },
  }),
};

/** A "quorum" for an invented value: a vote of each validator, all signed with this node's key. */
function forgedVotes(me: Accomplice, vote: Vote): readonly ConsensusMessage[] {
  const blockId = inventedBlock(vote.height, vote.round);
  const validators = me.rs()?.validators.validators ?? [];
  return validators.map(({ address }, i) => ({
    kind: 'vote',
    vote: me.signVote({ ...vote, blockId, validatorAddress: address, validatorIndex: i }),
  }));
}
