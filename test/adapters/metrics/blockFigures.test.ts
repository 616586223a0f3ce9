import { expect, test } from 'vitest';
import { type Committed, figuresOf, partIn } from '../../../adapters/metrics/blockFigures.ts';
import { Metrics } from '../../../adapters/metrics/metrics.ts';
import type { ChainReader } from '../../../core/app/chain.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';

const address = (n: number): Uint8Array => new Uint8Array(20).fill(n);
const validators = [3n, 5n, 7n, 11n].map((power, n) => ({ address: address(n), power }));
const chain = {
  validators: (height: number) => (height === 4 ? { validators, totalPower: 26n } : undefined),
  blockMeta: () => ({ blockSize: 777 }),
} as unknown as ChainReader;

const event = {
  block: {
    header: { height: 5 },
    txs: [new Uint8Array(1), new Uint8Array(2)],
    evidence: [
      { kind: 'duplicate-vote', validatorPower: 3n },
      { kind: 'light-client-attack', byzantineValidators: [{ power: 5n }, { power: 7n }] },
    ],
    lastCommit: {
      height: 4,
      signatures: [
        { flag: 'commit', validatorAddress: address(0) },
        { flag: 'absent', validatorAddress: new Uint8Array() },
        { flag: 'nil', validatorAddress: address(2) },
        { flag: 'commit', validatorAddress: address(3) },
      ],
    },
  },
  state: { validators: { validators: [...validators, { address: address(9), power: 1n }], totalPower: 27n } },
} as unknown as Committed;

test('figures of a block: missing validators, validators with evidence, transactions and sizes', () => {
  expect(figuresOf(chain, event)).toEqual({
    validators: 5,
    validatorsPower: 27,
    missing: 1,
    missingPower: 5,
    byzantine: 3,
    byzantinePower: 15,
    txs: 2,
    bytes: 777,
  });
});

test('a validator took part with a precommit for the block, not with one for nil', () => {
  expect([0, 1, 2, 9].map((n) => partIn(chain, event, address(n)))).toEqual([
    { power: 3, signed: true },
    { power: 5, signed: false },
    { power: 7, signed: false },
    undefined,
  ]);
});

test('missed blocks begin at nought with the first that was signed, or an alert misses the first miss', async () => {
  const texts = [0, 1].map(async (n) => {
    let tell: (event: Committed) => void = () => {};
    const rpc = {
      genesis: { chainId: 'chain_9000-1' },
      hub: { listen: (listener: typeof tell) => (tell = listener) },
      pool: { stats: () => ({ pending: 0, queued: 0, bytes: 0 }) },
      chain: { ...chain, head: () => 5 },
      catchingUp: () => false,
      identity: { validator: { address: address(n) } },
      now: () => 0,
    };
    const metrics = new Metrics(rpc as unknown as RpcContext, 'x');
    const { block, state } = event;
    tell({
      ...event,
      kind: 'committed',
      block: { ...block, header: { ...block.header, time: { seconds: 1, nanos: 0 } } },
      state,
    });
    const line = /^x_consensus_validator_missed_blocks\{.*\} (\d+)$/m.exec(await metrics.text());
    return line?.[1];
  });
  expect(await Promise.all(texts)).toEqual(['0', '1']);
});

test('the first block has no missing validators', () => {
  const first = { ...event, block: { ...event.block, lastCommit: { height: 0, signatures: [] } } };
  expect(partIn(chain, first as unknown as Committed, address(0))).toBeUndefined();
});
