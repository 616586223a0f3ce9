/**
 * Evidence in blocks as CometBFT's RPC and the SDK's API show it. Of light client attacks only the kind and the power
 * are checked: they only occur where a third of the power is faulty, and then answers are not judged.
 */
import { toBase64 } from '../../../core/lib/base64.ts';
import { type Bytes, toUpperHex } from '../../../core/lib/bytes.ts';
import type { Evidence } from '../../../core/types/evidence.ts';
import type { Vote } from '../../../core/types/vote.ts';
import type { Fields } from '../../clients/answers/answers.ts';
import { fieldsOf, listOf, unlike } from '../questions.ts';

interface Form {
  readonly kindOf: (told: Fields) => unknown;
  readonly valueOf: (told: Fields) => Fields;
  readonly kinds: Readonly<Record<Evidence['kind'], string>>;
  readonly types: Readonly<Record<Vote['type'], unknown>>;
  readonly hashText: (bytes: Bytes) => string | null;
  readonly addressText: (bytes: Bytes) => string;
  /** Name of the field with the total voting power. */
  readonly total: string;
}

/** tendermint.types.Evidence, a oneof. */
const SDK: Form = {
  kindOf: (told) => Object.keys(told)[0],
  valueOf: (told) => (Object.values(told)[0] ?? {}) as Fields,
  kinds: {
    'duplicate-vote': 'duplicate_vote_evidence',
    'light-client-attack': 'light_client_attack_evidence',
  },
  types: { prevote: 'SIGNED_MSG_TYPE_PREVOTE', precommit: 'SIGNED_MSG_TYPE_PRECOMMIT' },
  hashText: (bytes) => (bytes.length === 0 ? null : toBase64(bytes)),
  addressText: toBase64,
  total: 'total_voting_power',
};

/** CometBFT's JSON names the type beside the value. */
const ENGINE: Form = {
  kindOf: (told) => told['type'],
  valueOf: (told) => fieldsOf(told, 'value'),
  kinds: {
    'duplicate-vote': 'tendermint/DuplicateVoteEvidence',
    'light-client-attack': 'tendermint/LightClientAttackEvidence',
  },
  types: { prevote: 1, precommit: 2 },
  hashText: toUpperHex,
  addressText: toUpperHex,
  total: 'TotalVotingPower',
};

const shownVote = (form: Form, vote: Vote): readonly unknown[] => [
  form.types[vote.type],
  String(vote.height),
  vote.round,
  form.hashText(vote.blockId.hash),
  form.addressText(vote.validatorAddress),
  vote.validatorIndex,
  toBase64(vote.signature),
];

const toldVote = (vote: Fields): readonly unknown[] => [
  vote['type'],
  vote['height'],
  vote['round'],
  fieldsOf(vote, 'block_id')['hash'],
  vote['validator_address'],
  vote['validator_index'],
  vote['signature'],
];

const shown = (form: Form, evidence: Evidence): readonly unknown[] => [
  form.kinds[evidence.kind],
  String(evidence.totalVotingPower),
  ...(evidence.kind === 'duplicate-vote'
    ? [shownVote(form, evidence.voteA), shownVote(form, evidence.voteB)]
    : []),
];

function told(form: Form, { kind }: Evidence, answer: Fields): readonly unknown[] {
  const value = form.valueOf(answer);
  const votes = kind === 'duplicate-vote' ? ['vote_a', 'vote_b'] : [];
  return [form.kindOf(answer), value[form.total], ...votes.map((name) => toldVote(fieldsOf(value, name)))];
}

const wrongIn =
  (form: Form) =>
  (what: string, block: Fields, evidence: readonly Evidence[]): string | undefined => {
    const list = listOf(fieldsOf(block, 'evidence'), 'evidence');
    return (
      unlike(`how much evidence is in ${what}`, list.length, evidence.length) ??
      unlike(
        `the evidence in ${what}`,
        evidence.map((one, i) => told(form, one, list[i] ?? {})),
        evidence.map((one) => shown(form, one)),
      )
    );
  };

/** `block`: the block as it was shown, with its evidence. */
export const wrongSdkEvidence = wrongIn(SDK);
export const wrongEngineEvidence = wrongIn(ENGINE);
