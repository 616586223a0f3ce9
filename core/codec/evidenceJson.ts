/** Evidence as users send it: CometBFT's JSON form, with either spelling of the member names used in 0.38. */
import { EMPTY } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { DuplicateVoteEvidence, Evidence, LightClientAttackEvidence } from '../types/evidence.ts';
import type { Vote } from '../types/vote.ts';
import { JsonReader } from './jsonReader.ts';
import {
  blockIdFromJson,
  bounded,
  INT32_MAX,
  lightBlockFromJson,
  validatorFromJson,
} from './lightBlockJson.ts';
import { SIGNATURE_BYTES_MAX, VALIDATORS_MAX } from './limits.ts';

const DUPLICATE_VOTE = 'tendermint/DuplicateVoteEvidence';

const LIGHT_CLIENT_ATTACK = 'tendermint/LightClientAttackEvidence';

/** A member by its Go name or, if that is absent, by its snake_case name. */
type Members = (pascal: string, snake: string) => unknown;

/** An error names the member that is wrong. */
export function evidenceFromJson(value: unknown): Result<Evidence, string> {
  const reader = new JsonReader();
  const outer = reader.object(value, 'evidence');
  const type = outer['type'];
  if (reader.problem === undefined && type !== DUPLICATE_VOTE && type !== LIGHT_CLIENT_ATTACK) {
    return err(`evidence.type: expected ${DUPLICATE_VOTE} or ${LIGHT_CLIENT_ATTACK}`);
  }
  const body = reader.object(outer['value'], 'evidence.value');
  const member: Members = (pascal, snake) => body[pascal] ?? body[snake];
  const evidence = type === LIGHT_CLIENT_ATTACK ? attackOf(reader, member) : doubleVoteOf(reader, member);
  return reader.problem === undefined ? ok(evidence) : err(reader.problem.message);
}

const doubleVoteOf = (reader: JsonReader, member: Members): DuplicateVoteEvidence => ({
  kind: 'duplicate-vote',
  voteA: voteOf(reader, member('vote_a', 'vote_a'), 'vote_a'),
  voteB: voteOf(reader, member('vote_b', 'vote_b'), 'vote_b'),
  totalVotingPower: reader.big(member('TotalVotingPower', 'total_voting_power'), 'TotalVotingPower'),
  validatorPower: reader.big(member('ValidatorPower', 'validator_power'), 'ValidatorPower'),
  timestamp: reader.time(member('Timestamp', 'timestamp'), 'Timestamp'),
});

function attackOf(reader: JsonReader, member: Members): LightClientAttackEvidence {
  const accused = member('ByzantineValidators', 'byzantine_validators');
  const list = reader.list(accused, 'ByzantineValidators', VALIDATORS_MAX);
  return {
    kind: 'light-client-attack',
    conflictingBlock: lightBlockFromJson(
      reader,
      member('ConflictingBlock', 'conflicting_block'),
      'ConflictingBlock',
    ),
    commonHeight: bounded(reader, member('CommonHeight', 'common_height'), 'CommonHeight'),
    byzantineValidators: list.map((one, i) => validatorFromJson(reader, one, `ByzantineValidators[${i}]`)),
    totalVotingPower: reader.big(member('TotalVotingPower', 'total_voting_power'), 'TotalVotingPower'),
    timestamp: reader.time(member('Timestamp', 'timestamp'), 'Timestamp'),
  };
}

function voteOf(reader: JsonReader, value: unknown, field: string): Vote {
  const json = reader.object(value, field);
  const at = (name: string): string => `${field}.${name}`;
  if (json['type'] !== 1 && json['type'] !== 2) reader.fail(at('type'), '1 or 2');
  return {
    type: json['type'] === 1 ? 'prevote' : 'precommit',
    height: bounded(reader, json['height'], at('height')),
    round: bounded(reader, json['round'], at('round'), INT32_MAX),
    blockId: blockIdFromJson(reader, json['block_id'], at('block_id')),
    timestamp: reader.time(json['timestamp'], at('timestamp')),
    validatorAddress: reader.hex(json['validator_address'], at('validator_address')),
    validatorIndex: bounded(reader, json['validator_index'], at('validator_index'), INT32_MAX),
    signature: reader.base64(json['signature'], at('signature'), SIGNATURE_BYTES_MAX),
    extension: EMPTY,
    extensionSignature: EMPTY,
  };
}
