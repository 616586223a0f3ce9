import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { encodeEvidence } from '../../../../core/codec/evidence.ts';
import { evidenceFromJson } from '../../../../core/codec/evidenceJson.ts';
import { evidenceJson } from '../../../../core/codec/json.ts';
import { present } from '../../../../core/lib/assert.ts';
import { hex, toHex } from '../../../../core/lib/bytes.ts';
import { handleCometPost } from '../../../../core/rpc/comet/http.ts';
import type { RpcContext } from '../../../../core/rpc/context.ts';
import { runSyncing } from '../../node/syncingNodes.ts';

// biome-ignore lint/suspicious/noExplicitAny: replies are read by tests that state their shape.
type Loose = any;

const vector: Loose = JSON.parse(
  readFileSync(new URL('../../../vectors/cometbft/evidence.json', import.meta.url), 'utf8'),
).duplicate_vote;

const SCENARIO = `
# Correct nodes that make a few blocks.
name: looked-into
validators: {count: 4}
until: {height: 3}
`;

let ctx: RpcContext;
beforeAll(async () => {
  const { lives } = await runSyncing(SCENARIO, [10, 10, 10, 10]);
  ctx = present(lives[0], 'a node').node.rpc;
});

async function post(method: string, params: unknown = {}, asked = ctx): Promise<Loose> {
  const answer = await handleCometPost(asked, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return JSON.parse(answer.body);
}

describe('looking into consensus', () => {
  test("consensus_state shows height, round, step, hashes and votes in CometBFT's form", async () => {
    const { round_state: state } = (await post('consensus_state')).result;
    expect(Object.keys(state)).toEqual([
      'height/round/step',
      'start_time',
      'proposal_block_hash',
      'locked_block_hash',
      'valid_block_hash',
      'height_vote_set',
      'proposer',
    ]);
    expect(state['height/round/step']).toMatch(/^4\/0\/\d$/);
    expect(state.height_vote_set[0].prevotes).toHaveLength(4);
    expect(state.height_vote_set[0].prevotes_bit_array).toMatch(/^BA\{4:[x_]{4}\} \d+\/40 = \d\.\d\d$/);
    expect(state.proposer.address).toMatch(/^[0-9A-F]{40}$/);
  });

  test('dump_consensus_state adds the last commit with its votes and a row for each peer', async () => {
    const { round_state: state, peers } = (await post('dump_consensus_state')).result;
    expect(state.height).toBe('4');
    expect(state.validators.validators).toHaveLength(4);
    expect(state.last_validators.validators).toHaveLength(4);
    expect([state.locked_round, state.locked_block, state.locked_block_parts]).toEqual([-1, null, null]);
    const votes = state.last_commit.votes.filter((text: string) => text !== 'nil-Vote');
    expect(votes.length).toBeGreaterThanOrEqual(3);
    for (const text of votes) {
      expect(text).toMatch(
        /^Vote\{\d:[0-9A-F]{12} 3\/00\/SIGNED_MSG_TYPE_PRECOMMIT\(Precommit\) [0-9A-F]{12} [0-9A-F]{12} 0{12} @ 20\d\d-\S+Z\}$/,
      );
    }
    expect(peers.map(({ node_address }: Loose) => node_address)).toEqual(['v1', 'v2', 'v3']);
    for (const { peer_state: peer } of peers) {
      const round = peer.round_state;
      expect(Number(round.height)).toBeGreaterThanOrEqual(3);
      expect(round.start_time).toMatch(/^2026-01-01T00:00:/);
      expect([round.proposal_pol_round, round.proposal_pol]).toEqual([-1, null]);
      expect([round.catchup_commit_round, round.catchup_commit]).toEqual([-1, null]);
      expect(Number(peer.stats.votes)).toBeGreaterThan(0);
    }
    // Each block came from somebody.
    const parts = peers.map((one: Loose) => Number(one.peer_state.stats.block_parts));
    expect(parts.reduce((sum: number, count: number) => sum + count)).toBeGreaterThan(0);
  });

  test.each([true, false])(
    'dump_consensus_state tells whether the wait for precommits began: %s',
    async (precommitTimer) => {
      const reader = present(ctx.consensus, 'a running machine');
      const { roundState } = reader;
      const waiting = new Proxy(roundState, {
        get: (state, name) => {
          if (name === 'held') return { ...state.held, precommitTimer };
          const value: unknown = Reflect.get(state, name);
          return typeof value === 'function' ? value.bind(state) : value;
        },
      });
      const consensus = { ...reader, roundState: waiting };
      const { round_state: state } = (await post('dump_consensus_state', {}, { ...ctx, consensus })).result;
      expect(state.triggered_timeout_precommit).toBe(precommitTimer);
    },
  );

  test('unconfirmed_txs lists what waits, and its limit is that of a page', async () => {
    const { result } = await post('unconfirmed_txs', { limit: '5' });
    expect(result).toEqual({ n_txs: '0', total: '0', total_bytes: '0', txs: [] });
  });
});

describe('broadcast_evidence', () => {
  test('reads both spellings of the member names into the very bytes of the vector', () => {
    for (const value of [vector.json, JSON.parse(JSON.stringify(evidenceJson(decoded()))).value]) {
      const read = evidenceFromJson({ type: 'tendermint/DuplicateVoteEvidence', value });
      expect(read.ok && toHex(encodeEvidence(read.value))).toContain(toHex(hex(vector.proto)));
    }
  });

  const decoded = () => {
    const read = evidenceFromJson({ type: 'tendermint/DuplicateVoteEvidence', value: vector.json });
    if (!read.ok) throw new Error(read.error);
    return read.value;
  };

  test('names the reason for refused evidence', async () => {
    const error = async (evidence: unknown): Promise<string> =>
      (await post('broadcast_evidence', { evidence })).error.data;
    expect(await error(null)).toBe('no evidence was provided');
    expect(await error({ type: 'x', value: {} })).toMatch('evidence.type');
    expect(await error({ type: 'tendermint/DuplicateVoteEvidence', value: {} })).toMatch('vote_a');
  });

  test('enters the node like any other input and answers with the pool’s verdict', async () => {
    let asked = 0;
    const real = ctx;
    ctx = {
      ...real,
      submitEvidence: async (evidence) => {
        asked++;
        expect(toHex(encodeEvidence(evidence))).toContain(toHex(hex(vector.proto)));
        return { kind: 'evidence', hash: Uint8Array.of(1, 2, 3), error: undefined };
      },
    };
    const value = JSON.parse(JSON.stringify(evidenceJson(decoded())));
    expect((await post('broadcast_evidence', { evidence: value })).result).toEqual({ hash: 'AQID' });
    expect(asked).toBe(1);
    ctx = real;
  });

  test('judges it before it enters, and says what the pool has against it', async () => {
    const evidence = { type: 'tendermint/DuplicateVoteEvidence', value: vector.json };
    const real = ctx;
    const error = async (json: unknown): Promise<string> =>
      (await post('broadcast_evidence', { evidence: json })).error.data;
    ctx = { ...real, submitEvidence: undefined } as never;
    expect(await error(evidence)).toBe('failed to add evidence: no node is running');
    let asked = 0;
    ctx = {
      ...real,
      submitEvidence: async () => {
        asked++;
        return { kind: 'evidence', hash: Uint8Array.of(1), error: 'from height 3, which is gone' };
      },
    };
    expect(await error(evidence)).toBe('failed to add evidence: from height 3, which is gone');
    const sameTwice = { ...vector.json, vote_b: vector.json.vote_a };
    expect(await error({ ...evidence, value: sameTwice })).toMatch(/^evidence\.ValidateBasic failed: /);
    expect(asked).toBe(1);
    ctx = real;
  });
});
