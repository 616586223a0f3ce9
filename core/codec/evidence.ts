import type { Bytes } from '../lib/bytes.ts';
import { ok, type Result } from '../lib/result.ts';
import type { Commit, Header } from '../types/block.ts';
import type {
  DuplicateVoteEvidence,
  Evidence,
  LightBlock,
  LightClientAttackEvidence,
} from '../types/evidence.ts';
import type { ValidatorSet } from '../types/validator.ts';
import { COMMIT } from './commit.ts';
import { embed, int64, int64Big, repeated } from './fields.ts';
import { HEADER } from './header.ts';
import { EVIDENCE_MAX, VALIDATORS_MAX } from './limits.ts';
import { oneOf } from './oneOf.ts';
import { decode, encode, mapped, table } from './proto.ts';
import { TIMESTAMP } from './time.ts';
import { VALIDATOR, VALIDATOR_SET } from './validator.ts';
import { VOTE } from './vote.ts';
import type { CodecError } from './wire.ts';

interface SignedHeader {
  readonly header: Header;
  readonly commit: Commit;
}
interface LightBlockWire {
  readonly signedHeader: SignedHeader;
  readonly validatorSet: ValidatorSet;
}

const SIGNED_HEADER = table<SignedHeader>('SignedHeader', [
  embed(1, 'header', HEADER),
  embed(2, 'commit', COMMIT),
]);

const LIGHT_BLOCK_WIRE = table<LightBlockWire>('LightBlock', [
  embed(1, 'signedHeader', SIGNED_HEADER),
  embed(2, 'validatorSet', VALIDATOR_SET),
]);

export const LIGHT_BLOCK = mapped(
  LIGHT_BLOCK_WIRE,
  ({ header, commit, validators }: LightBlock): LightBlockWire => ({
    signedHeader: { header, commit },
    validatorSet: validators,
  }),
  ({ signedHeader, validatorSet }): Result<LightBlock, string> =>
    ok({ header: signedHeader.header, commit: signedHeader.commit, validators: validatorSet }),
);

const DUPLICATE_VOTE_EVIDENCE = table<DuplicateVoteEvidence>(
  'DuplicateVoteEvidence',
  [
    embed(1, 'voteA', VOTE),
    embed(2, 'voteB', VOTE),
    int64Big(3, 'totalVotingPower'),
    int64Big(4, 'validatorPower'),
    embed(5, 'timestamp', TIMESTAMP),
  ],
  { kind: 'duplicate-vote' },
);

const LIGHT_CLIENT_ATTACK_EVIDENCE = table<LightClientAttackEvidence>(
  'LightClientAttackEvidence',
  [
    embed(1, 'conflictingBlock', LIGHT_BLOCK),
    int64(2, 'commonHeight'),
    repeated(3, 'byzantineValidators', VALIDATOR, VALIDATORS_MAX),
    int64Big(4, 'totalVotingPower'),
    embed(5, 'timestamp', TIMESTAMP),
  ],
  { kind: 'light-client-attack' },
);

export const EVIDENCE = oneOf<Evidence>('Evidence', [
  [1, 'duplicate-vote', DUPLICATE_VOTE_EVIDENCE],
  [2, 'light-client-attack', LIGHT_CLIENT_ATTACK_EVIDENCE],
]);

export interface EvidenceListWire {
  readonly evidence: readonly Evidence[];
}

export const EVIDENCE_LIST = table<EvidenceListWire>('EvidenceList', [
  repeated(1, 'evidence', EVIDENCE, EVIDENCE_MAX),
]);

/** The oneof wrapper `Evidence`, as used in lists. */
export const encodeEvidence = (evidence: Evidence): Bytes => encode(EVIDENCE, evidence);
export const decodeEvidence = (from: Bytes): Result<Evidence, CodecError> => decode(EVIDENCE, from);

/** The bare message without the wrapper, which evidence hashes cover. */
export const encodeInnerEvidence = (evidence: Evidence): Bytes =>
  evidence.kind === 'duplicate-vote'
    ? encode(DUPLICATE_VOTE_EVIDENCE, evidence)
    : encode(LIGHT_CLIENT_ATTACK_EVIDENCE, evidence);

export const encodeEvidenceList = (evidence: readonly Evidence[]): Bytes =>
  encode(EVIDENCE_LIST, { evidence });

export function decodeEvidenceList(from: Bytes): Result<readonly Evidence[], CodecError> {
  const list = decode(EVIDENCE_LIST, from);
  return list.ok ? ok(list.value.evidence) : list;
}
