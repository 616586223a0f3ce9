import { rootOfProof } from '../../core/crypto/merkle.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import type { Part, Proof } from '../../core/types/block.ts';
import type { Proposal } from '../../core/types/vote.ts';
import type { Accomplice, Behaviour, Hooks } from './behaviour.ts';
import {
  blockOfOtherSecond,
  cutShort,
  isProposer,
  otherValidBlock,
  replacingBlock,
  replacingProposal,
  withoutEvidence,
} from './blocks.ts';
import { spoiled, WRONG_FIELDS } from './wrongFields.ts';

/** Changes fields of the node's own proposals and signs them again. */
function changingProposal(me: Accomplice, change: (proposal: Proposal) => Proposal): Hooks {
  return {
    message(message) {
      if (message.kind !== 'proposal' || !isMine(me, message.proposal)) return [message];
      return [{ kind: 'proposal', proposal: me.signProposal(change(message.proposal)) }];
    },
  };
}

function isMine(me: Accomplice, proposal: Proposal): boolean {
  const rs = me.rs();
  if (rs === undefined || rs.height !== proposal.height || rs.round !== proposal.round) return false;
  return isProposer(me, rs) && me.isDue(proposal.height, proposal.round);
}

export const TWO_PROPOSALS: Behaviour = {
  id: 'B01',
  alias: 'two-proposals',
  text: 'Proposes one block to the audience and another to the rest; with `what: time` one of the same transactions in another second, as often as the last commit gives such a one, with `what: evidence` the same without the evidence in it.',
  args: ['what'],
  words: { what: ['time', 'evidence'] },
  create: (me) =>
    replacingBlock(me, (rs, block) => {
      if (me.args.get('what') === 'evidence') return withoutEvidence(block);
      return me.args.get('what') === 'time' ? blockOfOtherSecond(rs, block) : otherValidBlock(me, rs, block);
    }),
};

export const LOCK_BREAKER: Behaviour = {
  id: 'B06',
  alias: 'lock-breaker',
  text: 'Proposes a fresh block, without proof of lock, although it holds a valid one.',
  args: [],
  create(me) {
    const fresh = replacingBlock(me, (rs, block) =>
      rs.validRound >= 0 ? otherValidBlock(me, rs, block) : undefined,
    );
    return {
      message: (message, peer) =>
        (fresh.message?.(message, peer) ?? [message]).map((one) =>
          one.kind === 'proposal' && one !== message
            ? { kind: 'proposal', proposal: me.signProposal({ ...one.proposal, polRound: -1 }) }
            : one,
        ),
    };
  },
};

export const LYING_POL: Behaviour = {
  id: 'B07',
  alias: 'lying-pol',
  text: 'Claims a proof of lock from the round before that does not exist.',
  args: [],
  create: (me) => changingProposal(me, (proposal) => ({ ...proposal, polRound: proposal.round - 1 })),
};

export const BAD_POL_ROUND: Behaviour = {
  id: 'B09',
  alias: 'bad-pol-round',
  text: 'Names a later round as proof of lock, or its own with `round: same`, or one below -1 with `round: below`.',
  args: ['round'],
  words: { round: ['below', 'same'] },
  create: (me) =>
    changingProposal(me, (proposal) => ({
      ...proposal,
      polRound: badPolRound(me.args.get('round'), proposal.round),
    })),
};

function badPolRound(word: unknown, round: number): number {
  if (word === 'below') return -2;
  return word === 'same' ? round : round + 1;
}

export const INVALID_BLOCK: Behaviour = {
  id: 'B10',
  alias: 'invalid-block',
  text: `Proposes a block with one wrong header field: \`field\` is ${WRONG_FIELDS.join(', ')}; with other_proposer it names another validator, and is valid.`,
  args: ['field'],
  words: { field: WRONG_FIELDS },
  create: (me) => replacingBlock(me, (_, block) => spoiled(me, block)),
};

export const WITHHELD_PARTS: Behaviour = {
  id: 'B12',
  alias: 'withheld-parts',
  text: 'Proposes, but keeps the parts of the block from the audience.',
  args: [],
  create: (me) => ({
    message: (message) =>
      message.kind === 'blockPart' &&
      isOwnRound(me, message.height) &&
      me.isDue(message.height, message.round)
        ? []
        : [message],
  }),
};

const isOwnRound = (me: Accomplice, height: number): boolean => {
  const rs = me.rs();
  return rs !== undefined && rs.height === height && isProposer(me, rs);
};

export const CORRUPT_PARTS: Behaviour = {
  id: 'B13',
  alias: 'corrupt-parts',
  text: 'Sends damaged parts: `what` is bytes, index, surplus (the damaged one first, then the true one), total (a proof for a set of another size, which leads to the same root where it can) or short (its own blocks in pieces of another length).',
  args: ['what'],
  words: { what: ['bytes', 'index', 'surplus', 'total', 'short'] },
  create(me) {
    const what = me.args.get('what') ?? 'bytes';
    if (what === 'short') return replacingProposal(me, (_, block) => cutShort(block));
    return {
      message: (message) =>
        message.kind === 'blockPart' && me.isDue(message.height, message.round)
          ? damagedParts(message.part, String(what)).map((part) => ({ ...message, part }))
          : [message],
    };
  },
};

function damagedParts(part: Part, what: string): readonly Part[] {
  const bytes = part.bytes.slice();
  bytes[0] = (bytes[0] ?? 0) ^ 0xff;
  switch (what) {
    case 'index':
      return [{ ...part, index: part.index + 1 }];
    case 'surplus':
      return [{ ...part, bytes }, part];
    case 'total':
      return [{ ...part, proof: ofAnotherTotal(part.proof) }];
    default:
      return [{ ...part, bytes }];
  }
}

/**
 * The next larger total with which the proof still leads to its root; total + 1 if there is none up to twice the total.
 */
function ofAnotherTotal(proof: Proof): Proof {
  const root = rootOfProof(proof);
  for (let total = proof.total + 1; total <= 2 * proof.total; total++) {
    const other = rootOfProof({ ...proof, total });
    if (root !== undefined && other !== undefined && equalBytes(root, other)) return { ...proof, total };
  }
  return { ...proof, total: proof.total + 1 };
}

export const OVERSIZE_PARTS: Behaviour = {
  id: 'B14',
  alias: 'oversize-total',
  text: 'Proposes a part set of `total` parts, far more than a block may have.',
  args: ['total'],
  create: (me) =>
    changingProposal(me, (proposal) => {
      const total = Number(me.args.get('total') ?? 4_000_000_000);
      return { ...proposal, blockId: { ...proposal.blockId, parts: { ...proposal.blockId.parts, total } } };
    }),
};
