import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatAddress } from '../../../core/address/kinds.ts';
import {
  OFFENCES_KEPT_MAX,
  offenderAt,
  offenderCount,
  readOffences,
  recordMisbehavior,
} from '../../../core/app/evidence/keeper.ts';
import { type Bytes, toHex } from '../../../core/lib/bytes.ts';
import { answerAbciQuery } from '../../../core/rpc/cosmos/abciQuery.ts';
import { handleRest } from '../../../core/rpc/cosmos/rest.ts';
import type { Misbehavior } from '../../../core/types/evidence.ts';
import { RpcWorld } from '../rpc/support/rpcWorld.ts';
import { TestChain, testGenesis, VALIDATOR } from './support/chain.ts';
import { doubleVote } from './support/evidence.ts';

const CONS = formatAddress('cons', 'chain', VALIDATOR);

describe('a block with evidence', () => {
  test('leaves a record of the validator, tells it as an event, and changes the app hash', async () => {
    const [guilty, clean] = [await TestChain.fresh([]), await TestChain.fresh([])];
    for (const chain of [guilty, clean]) await chain.commit([]);
    const evidence = doubleVote(guilty, 1);
    const { reply } = await guilty.commit([], [evidence]);
    const without = await clean.commit([]);
    const record = readOffences(guilty.reader.latest(), VALIDATOR);
    expect(record).toEqual({
      count: 1n,
      offences: [
        {
          kind: 'duplicate-vote',
          height: 1,
          time: evidence.timestamp,
          power: 10n,
          totalPower: 10n,
          recordedAt: 2,
        },
      ],
    });
    expect(reply.events.filter(({ type }) => type === 'misbehavior')).toEqual([
      {
        type: 'misbehavior',
        attributes: [
          { key: 'type', value: 'duplicate-vote', index: true },
          { key: 'validator', value: CONS, index: true },
          { key: 'height', value: '1', index: true },
          { key: 'power', value: '10', index: true },
          { key: 'count', value: '1', index: true },
        ],
      },
    ]);
    expect(readOffences(clean.reader.latest(), VALIDATOR)).toBeUndefined();
    expect(guilty.reader.latest().modulesRoot).not.toEqual(clean.reader.latest().modulesRoot);
    expect(without.reply.events.some(({ type }) => type === 'misbehavior')).toBe(false);
  });

  test('is not mistaken for the same block without it that was validated before', async () => {
    const chain = await TestChain.fresh([]);
    await chain.commit([]);
    const { context, hash } = chain.blockOf([], [doubleVote(chain, 1)]);
    await chain.validate([]);
    const { events } = await chain.app.finalize({ kind: 'finalize', context, hash, txs: [] });
    expect(events.some(({ type }) => type === 'misbehavior')).toBe(true);
  });

  test('is remembered by a database that is opened again', async () => {
    const genesis = testGenesis({ accounts: [] });
    const chain = await TestChain.open(genesis);
    await chain.commit([], [doubleVote(chain, 1)]);
    const again = await TestChain.open(genesis, chain.kv);
    expect(readOffences(again.reader.latest(), VALIDATOR)?.count).toBe(1n);
  });
});

/** The module store as execution sees it, without a trie. */
function mapStore() {
  const map = new Map<string, Bytes>();
  return {
    module: (key: Bytes) => map.get(toHex(key)),
    putModule: (key: Bytes, value: Bytes | undefined) => {
      if (value === undefined) map.delete(toHex(key));
      else map.set(toHex(key), value);
    },
    get size() {
      return map.size;
    },
  };
}

const misbehaviors = fc.array(
  fc.record({
    kind: fc.constantFrom<Misbehavior['kind']>('duplicate-vote', 'light-client-attack'),
    validator: fc.record({
      address: fc.integer({ min: 0, max: 4 }).map((fill) => new Uint8Array(20).fill(fill)),
      power: fc.bigInt(1n, 2n ** 60n),
    }),
    height: fc.integer({ min: 1, max: 1_000_000 }),
    time: fc.record({
      seconds: fc.integer({ min: 0, max: 2 ** 32 }),
      nanos: fc.integer({ min: 0, max: 999_999_999 }),
    }),
    totalVotingPower: fc.bigInt(1n, 2n ** 62n),
  }),
  { maxLength: 60 },
);

test('every offence is counted, the newest are listed, and no offender is listed twice', () => {
  fc.assert(
    fc.property(misbehaviors, (list) => {
      const store = mapStore();
      for (const [i, one] of list.entries()) recordMisbehavior(store, i + 1, [one]);
      const offenders = [...new Set(list.map(({ validator }) => toHex(validator.address)))];
      expect(offenderCount(store)).toBe(BigInt(offenders.length));
      for (const [i, address] of offenders.entries()) {
        const validator = offenderAt(store, BigInt(i)) as Bytes;
        expect(toHex(validator)).toBe(address);
        const own = list.filter((one) => toHex(one.validator.address) === address);
        const record = readOffences(store, validator);
        expect(record?.count).toBe(BigInt(own.length));
        expect(record?.offences.map(({ height, power }) => ({ height, power }))).toEqual(
          own.slice(-OFFENCES_KEPT_MAX).map(({ height, validator: { power } }) => ({ height, power })),
        );
      }
      // A record and a number each, and the next number.
      expect(store.size).toBe(offenders.length === 0 ? 0 : 2 * offenders.length + 1);
    }),
    { numRuns: 50 },
  );
});

test('of more than sixteen offences of one validator the newest are listed', () => {
  const store = mapStore();
  const time = { seconds: 1, nanos: 0 };
  const validator = { address: VALIDATOR, power: 3n };
  const offence = (height: number): Misbehavior => ({
    kind: 'light-client-attack',
    validator,
    height,
    time,
    totalVotingPower: 9n,
  });
  const told = [offence(1), offence(2)];
  expect(recordMisbehavior(store, 5, told).map(({ count }) => count)).toEqual([1n, 2n]);
  for (let height = 3; height <= 20; height++) recordMisbehavior(store, height + 5, [offence(height)]);
  expect(offenderCount(store)).toBe(1n);
  const record = readOffences(store, VALIDATOR);
  expect(record?.count).toBe(20n);
  expect(record?.offences.map(({ height, recordedAt }) => [height, recordedAt])).toEqual(
    Array.from({ length: 16 }, (_, i) => [i + 5, i + 10]),
  );
  expect(record?.offences[0]).toMatchObject({ kind: 'light-client-attack', power: 3n, totalPower: 9n, time });
});

describe('misbehaviour is asked for', () => {
  const rest = async (world: RpcWorld, path: string, height?: string) => {
    const headers: Record<string, string> = height === undefined ? {} : { 'x-cosmos-block-height': height };
    const answer = await handleRest(world.ctx, { method: 'GET', path, query: '', headers, body: '' });
    return { status: answer.status, body: JSON.parse(answer.body) };
  };

  test('over REST, by the Bech32 or hex address of the validator, at any height', async () => {
    const world = await RpcWorld.open();
    await world.commit();
    await world.chain.commit([], [doubleVote(world.chain, 1), doubleVote(world.chain, 1, 3)]);
    const record = {
      consensus_address: CONS,
      count: '2',
      offences: [
        {
          type: 'duplicate-vote',
          height: '1',
          time: expect.stringMatching(/^2023-11-14T/),
          power: '10',
          total_power: '10',
          recorded_at: '2',
        },
        expect.objectContaining({ type: 'duplicate-vote', height: '1' }),
      ],
    };
    for (const address of [CONS, toHex(VALIDATOR).toUpperCase()]) {
      const answer = await rest(world, `/chain/evidence/v1/misbehavior/${address}`);
      expect(answer).toEqual({ status: 200, body: { record } });
    }
    const all = await rest(world, '/chain/evidence/v1/misbehavior');
    expect(all.body).toEqual({ records: [record], pagination: { next_key: null, total: '1' } });
    const before = await rest(world, `/chain/evidence/v1/misbehavior/${CONS}`, '1');
    expect(before.body).toEqual({ record: { consensus_address: CONS, count: '0', offences: [] } });
    const wrong = await rest(
      world,
      `/chain/evidence/v1/misbehavior/${formatAddress('acc', 'chain', VALIDATOR)}`,
    );
    expect(wrong.status).toBe(400);
  });

  test('over abci_query, by the path of the service', async () => {
    const world = await RpcWorld.open();
    await world.chain.commit([], [doubleVote(world.chain, 1)]);
    const path = '/chain.evidence.v1.Query/Misbehaviors';
    const answer = await answerAbciQuery(world.ctx, {
      path,
      data: new Uint8Array(),
      height: 0n,
      prove: false,
    });
    expect(answer.code).toBe(0);
    expect(new TextDecoder().decode(answer.value)).toContain(CONS);
    expect(answer.height).toBe(1);
  });
});
