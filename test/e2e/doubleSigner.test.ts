import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatAddress } from '../../core/address/kinds.ts';
import { hex } from '../../core/lib/bytes.ts';
import { makeNetwork, type TestNode, type Testnet } from './testnet.ts';

/** An offence has to be in a block this many heights after it. */
const HEIGHTS_MAX = 5;
/** How long the chain goes on after the first evidence, to see who else is accused. */
const MORE_HEIGHTS = 20;

let net: Testnet;
let twin: TestNode;
beforeAll(async () => {
  net = await makeNetwork(4);
  const guilty = net.nodes[3] as TestNode;
  // It never waits for a proposal, so it soon prevotes nil where the other process with this key prevotes the block.
  const hasty = new Map([
    ['consensus.timeout_propose', '1ms'],
    ['consensus.timeout_propose_delta', '1ms'],
  ]);
  twin = net.another({ twinOf: guilty, settings: hasty });
  for (const node of [...net.nodes, twin]) node.start();
});
afterAll(() => net.stop());

interface DuplicateVote {
  readonly type: string;
  readonly value: {
    readonly vote_a: { readonly height: string; readonly validator_address: string };
    readonly vote_b: { readonly height: string; readonly validator_address: string };
  };
}

async function evidenceAt(node: TestNode, height: number): Promise<readonly DuplicateVote[]> {
  const { block } = await node.call<{ block: { evidence: { evidence: readonly DuplicateVote[] } } }>(
    `block?height=${height}`,
  );
  return block.evidence.evidence;
}

async function addressOf(node: TestNode): Promise<string> {
  const { validator_info } = await node.call<{ validator_info: { address: string } }>('status');
  return validator_info.address;
}

test('a key that two processes sign with is accused within five heights, and nobody else ever is', async () => {
  const witness = net.nodes[0] as TestNode;
  await witness.reaches(2);
  await twin.reaches(2);
  const guilty = await addressOf(twin);
  expect(await addressOf(net.nodes[3] as TestNode)).toBe(guilty);
  let first = 0;
  let last = Number.MAX_SAFE_INTEGER;
  let count = 0;
  for (let height = 1; height <= last; height++) {
    await witness.reaches(height);
    for (const { type, value } of await evidenceAt(witness, height)) {
      expect(type).toBe('tendermint/DuplicateVoteEvidence');
      expect([value.vote_a.validator_address, value.vote_b.validator_address]).toEqual([guilty, guilty]);
      expect(height - Number(value.vote_a.height)).toBeLessThanOrEqual(HEIGHTS_MAX);
      count++;
    }
    if (count > 0 && first === 0) [first, last] = [height, height + MORE_HEIGHTS];
  }

  const results = await witness.call<{
    finalize_block_events: { type: string; attributes: { key: string; value: string }[] }[];
  }>(`block_results?height=${first}`);
  const told = results.finalize_block_events.find(({ type }) => type === 'misbehavior');
  const consAddress = formatAddress('cons', 'chain', hex(guilty));
  expect(told?.attributes.find(({ key }) => key === 'validator')?.value).toBe(consAddress);

  const headers = { 'x-cosmos-block-height': String(last) };
  const records = await (await fetch(`${witness.rest}/chain/evidence/v1/misbehavior`, { headers })).json();
  expect(records).toMatchObject({ records: [{ consensus_address: consAddress, count: String(count) }] });
});
