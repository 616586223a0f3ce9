import { describe, expect, test } from 'vitest';
import { canonicalVoteBytes, proposalSignBytes, voteSignBytes } from '../../../core/codec/signBytes.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { hex, toHex } from '../../../core/lib/bytes.ts';
import { type Any, blockIdOf, cases, time, vectors } from './vectors.ts';

const file = vectors('cometbft/sign-bytes.json');
const timestampOf = (json: Any) => ({ seconds: Number(json.seconds), nanos: json.nanos });

describe('canonical sign bytes', () => {
  test.each(cases(file.votes, (one) => one.name))('of the vote %s', (_name, vote: Any) => {
    const content = {
      height: Number(vote.height),
      round: vote.round,
      blockId: blockIdOf(vote.block_id),
      timestamp: timestampOf(vote.timestamp),
    };
    const bytes = canonicalVoteBytes({ ...content, chainId: vote.chain_id, type: vote.type });
    expect(toHex(bytes)).toBe(vote.sign_bytes);
    if (vote.type === 0) return;
    const type = vote.type === 1 ? 'prevote' : 'precommit';
    expect(toHex(voteSignBytes(vote.chain_id, { ...content, type }))).toBe(vote.sign_bytes);
  });

  test.each(cases(file.proposals, (one) => one.name))('of the proposal %s', (_name, proposal: Any) => {
    const bytes = proposalSignBytes(proposal.chain_id, {
      height: Number(proposal.height),
      round: proposal.round,
      polRound: proposal.pol_round,
      blockId: blockIdOf(proposal.block_id),
      timestamp: timestampOf(proposal.timestamp),
    });
    expect(toHex(bytes)).toBe(proposal.sign_bytes);
  });

  test.each(cases(file.real_chain_precommits, (one) => one.height))(
    'of the real precommit of height %s verify',
    (_height, one: Any) => {
      const bytes = voteSignBytes(one.chain_id, {
        type: 'precommit',
        height: Number(one.height),
        round: one.round,
        blockId: blockIdOf(one.block_id),
        timestamp: time(one.timestamp),
      });
      expect(toHex(bytes)).toBe(one.sign_bytes);
      expect(nobleSuite.ed25519Verify(hex(one.pub_key_ed25519), bytes, hex(one.signature))).toBe(
        one.verifies,
      );
      bytes[5] = (bytes[5] as number) ^ 1;
      expect(nobleSuite.ed25519Verify(hex(one.pub_key_ed25519), bytes, hex(one.signature))).toBe(false);
    },
  );
});
