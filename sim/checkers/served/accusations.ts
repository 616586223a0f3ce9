/** Evidence that somebody brings to a node in CometBFT's JSON form. The node's pool here is a stand-in. */
import { toBase64 } from '../../../core/lib/base64.ts';
import { toUpperHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import type { Evidence } from '../../../core/types/evidence.ts';
import type { Vote } from '../../../core/types/vote.ts';
import type { Fields } from '../../clients/answers/answers.ts';
import { comet, fieldsOf, unlike } from '../questions.ts';

const TYPES = { prevote: 1, precommit: 2 } as const;
const TYPE_NAMES = ['prevote', 'precommit'] as const;
const HASH = new Uint8Array(32).fill(0x1e);
const ADDRESS = new Uint8Array(20).fill(0xa1);
const TIME = '2024-02-29T12:00:00.000000005Z';
const [POWER, TOTAL] = ['10', '40'];

/** A vote for the block whose hash consists of this byte. */
const voteFor = (type: number, byte: number): Fields => {
  const hash = toUpperHex(new Uint8Array(32).fill(byte));
  return {
    type,
    height: '7',
    round: 2,
    block_id: { hash, parts: { total: 1, hash } },
    timestamp: TIME,
    validator_address: toUpperHex(ADDRESS),
    validator_index: 3,
    signature: toBase64(new Uint8Array(64).fill(byte)),
  };
};

const evidenceOf = (vote_a: Fields, vote_b: Fields): Fields => ({
  type: 'tendermint/DuplicateVoteEvidence',
  value: { vote_a, vote_b, TotalVotingPower: TOTAL, ValidatorPower: POWER, Timestamp: TIME },
});

const shownVote = (vote: Vote): Fields => ({
  type: TYPES[vote.type],
  height: String(vote.height),
  round: vote.round,
  block_id: {
    hash: toUpperHex(vote.blockId.hash),
    parts: { total: vote.blockId.parts.total, hash: toUpperHex(vote.blockId.parts.hash) },
  },
  timestamp: TIME,
  validator_address: toUpperHex(vote.validatorAddress),
  validator_index: vote.validatorIndex,
  signature: toBase64(vote.signature),
});

const shown = (evidence: Evidence): unknown =>
  evidence.kind === 'duplicate-vote'
    ? evidenceOf(shownVote(evidence.voteA), shownVote(evidence.voteB))
    : evidence.kind;

/** Well-formed evidence reaches the pool as it was sent, and the pool's verdict is told. Nothing else reaches it. */
export async function wrongAccusations(rpc: RpcContext): Promise<string | undefined> {
  for (const type of Object.values(TYPES)) {
    const [first, second] = [voteFor(type, 1), voteFor(type, 2)];
    const good = evidenceOf(first, second);
    const problem =
      (await wrongVerdict(rpc, TYPE_NAMES[type - 1] as string, good)) ??
      (await wrongForms(rpc, [
        ['votes in the wrong order', evidenceOf(second, first)],
        ['one vote twice', evidenceOf(first, first)],
        ['a vote of no type', evidenceOf({ ...first, type: 3 }, { ...second, type: 3 })],
        ['an unsigned vote', evidenceOf(first, { ...second, signature: '' })],
        ['a vote of somebody without an address', evidenceOf({ ...first, validator_address: '' }, second)],
        ['a vote for half a block', evidenceOf(first, halved(second))],
        ['a vote at no height', evidenceOf({ ...first, height: '0' }, second)],
        ['no votes', { ...good, value: {} }],
        ['another kind of thing', { ...good, type: 'tendermint/PubKeyEd25519' }],
      ]));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const halved = (vote: Fields): Fields => ({
  ...vote,
  block_id: { ...fieldsOf(vote, 'block_id'), parts: { total: 0, hash: '' } },
});

/** A context whose evidence ends up in `heard`, and is refused for this reason. */
function withPool(rpc: RpcContext, error?: string) {
  const heard: unknown[] = [];
  const submitEvidence: RpcContext['submitEvidence'] = async (evidence) => {
    heard.push(shown(evidence));
    return { kind: 'evidence', hash: HASH, error };
  };
  return { ctx: { ...rpc, submitEvidence }, heard };
}

async function wrongVerdict(rpc: RpcContext, what: string, good: Fields): Promise<string | undefined> {
  const [taken, refused] = [withPool(rpc), withPool(rpc, 'too old')];
  const told = await comet(taken.ctx, 'broadcast_evidence', { evidence: good });
  const other = await comet(refused.ctx, 'broadcast_evidence', { evidence: good });
  return (
    unlike(`evidence of a second ${what}`, told, { hash: toBase64(HASH) }) ??
    unlike(`what evidence of a second ${what} is`, taken.heard, [good]) ??
    unlike('evidence that is too old', fieldsOf(other, 'refused')['data'], 'failed to add evidence: too old')
  );
}

async function wrongForms(
  rpc: RpcContext,
  forms: readonly (readonly [what: string, evidence: Fields])[],
): Promise<string | undefined> {
  for (const [what, evidence] of forms) {
    const { ctx, heard } = withPool(rpc);
    const told = await comet(ctx, 'broadcast_evidence', { evidence });
    const problem = unlike(`evidence of ${what}`, ['refused' in told, heard.length], [true, 0]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
