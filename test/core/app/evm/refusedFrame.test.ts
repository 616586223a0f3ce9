import { expect, test } from 'vitest';
import { MAX_UINT64 } from '../../../../core/app/evm/numbers.ts';
import { refusedFrame } from '../../../../core/app/evm/refusedFrame.ts';
import { EMPTY } from '../../../../core/lib/bytes.ts';
import type { Step, TraceState } from '../../../../core/types/trace.ts';

const CREATE = 0xf0;
const CALL = 0xf1;

/** CALL with value: gas, address, value and four zeros; CREATE with value, offset and length. */
const step = (code: number, value: bigint, depth = 1): Step => ({
  pc: 0,
  code,
  op: '',
  gas: 100_000n,
  cost: 0n,
  leastCost: 0n,
  refund: 0n,
  depth,
  address: new Uint8Array(20).fill(1),
  stack: code === CALL ? [0n, 0n, 0n, 0n, value, 2n, 50_000n] : [0n, 0n, value],
  memory: EMPTY,
});

const stateWith = (nonce: bigint): TraceState => ({
  account: () => ({ nonce, balance: 5n, codeHash: new Uint8Array(32) }),
  code: () => EMPTY,
  storage: () => new Uint8Array(32),
});

test.each([
  ['depth', step(CALL, 0n, 1024), step(CALL, 0n, 1025), 0n, 'max call depth exceeded'],
  ['value', step(CALL, 5n), step(CALL, 6n), 0n, 'insufficient balance for transfer'],
  ['value of a creation', step(CREATE, 5n), step(CREATE, 6n), 0n, 'insufficient balance for transfer'],
])('a frame is refused for its %s, and no other', (_, least, more, nonce, error) => {
  expect(refusedFrame(least, stateWith(nonce))).toBeUndefined();
  expect(refusedFrame(more, stateWith(nonce))).toMatchObject({ error, frame: { depth: more.depth + 1 } });
});

test('a creation is refused when its nonce would not fit', () => {
  expect(refusedFrame(step(CREATE, 0n), stateWith(MAX_UINT64 - 1n))).toBeUndefined();
  expect(refusedFrame(step(CREATE, 0n), stateWith(MAX_UINT64))?.error).toBe('nonce uint64 overflow');
  expect(refusedFrame(step(CALL, 0n), stateWith(MAX_UINT64))).toBeUndefined();
});
