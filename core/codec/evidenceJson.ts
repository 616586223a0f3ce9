/** Evidence as users send it: CometBFT's JSON form, with the member names of either line of 0.38. */
import { EMPTY } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { BlockId } from '../types/block.ts';
import type { DuplicateVoteEvidence } from '../types/evidence.ts';
import type { Vote } from '../types/vote.ts';
import { JsonReader } from './jsonReader.ts';
import { SIGNATURE_BYTES_MAX } from './limits.ts';

const DUPLICATE_VOTE = 'tendermint/DuplicateVoteEvidence';

/** Errors name the member. Light client attacks are not read: this node does not judge them. */
export function evidenceFromJson(value: unknown): Result<DuplicateVoteEvidence, string> {
  const reader = new JsonReader();
  const outer = reader.object(value, 'evidence');
  if (reader.problem === undefined && outer['type'] !== DUPLICATE_VOTE) {
    return err(`evidence.type: expected ${DUPLICATE_VOTE}`);
  }
  const body = reader.object(outer['value'], 'evidence.value');
  const member = (pascal: string, snake: string): unknown => body[pascal] ?? body[snake];
  const evidence: DuplicateVoteEvidence = {
    kind: 'duplicate-vote',
    voteA: voteOf(reader, body['vote_a'], 'vote_a'),
    voteB: voteOf(reader, body['vote_b'], 'vote_b'),
    totalVotingPower: reader.big(member('TotalVotingPower', 'total_voting_power'), 'TotalVotingPower'),
    validatorPower: reader.big(member('ValidatorPower', 'validator_power'), 'ValidatorPower'),
    timestamp: reader.time(member('Timestamp', 'timestamp'), 'Timestamp'),
  };
  return reader.problem === undefined ? ok(evidence) : err(reader.problem.message);
}

function voteOf(reader: JsonReader, value: unknown, field: string): Vote {
  const json = reader.object(value, field);
  const at = (name: string): string => `${field}.${name}`;
  if (json['type'] !== 1 && json['type'] !== 2) reader.fail(at('type'), '1 or 2');
  return {
    type: json['type'] === 1 ? 'prevote' : 'precommit',
    height: reader.integer(json['height'], at('height')),
    round: reader.integer(json['round'], at('round')),
    blockId: blockIdOf(reader, json['block_id'], at('block_id')),
    timestamp: reader.time(json['timestamp'], at('timestamp')),
    validatorAddress: reader.hex(json['validator_address'], at('validator_address')),
    validatorIndex: reader.integer(json['validator_index'], at('validator_index')),
    signature: reader.base64(json['signature'], at('signature'), SIGNATURE_BYTES_MAX),
    extension: EMPTY,
    extensionSignature: EMPTY,
  };
}

function blockIdOf(reader: JsonReader, value: unknown, field: string): BlockId {
  const json = reader.object(value, field);
  const parts = reader.object(json['parts'], `${field}.parts`);
  return {
    hash: reader.hex(json['hash'], `${field}.hash`),
    parts: {
      total: reader.integer(parts['total'], `${field}.parts.total`),
      hash: reader.hex(parts['hash'], `${field}.parts.hash`),
    },
  };
}
