/** How the mempool's refusals are worded in the consensus RPC and in the Cosmos APIs. */
import { expect, test } from 'vitest';
import { refusalText as cometText } from '../../../core/rpc/comet/refusal.ts';
import { refusalText as sdkText } from '../../../core/rpc/cosmos/refusal.ts';
import type { MempoolRefusal } from '../../../core/types/submit.ts';

const TABLE: readonly (readonly [MempoolRefusal, string, number, string])[] = [
  [{ code: 'in-cache' }, 'tx already exists in cache', 19, 'tx already in mempool'],
  [
    { code: 'full', txs: 5, txsMax: 4, bytes: 30, bytesMax: 20 },
    'mempool is full: number of txs 5 (max: 4), total txs bytes 30 (max: 20)',
    20,
    '5 txs of 4: mempool is full',
  ],
  [
    { code: 'too-large', bytes: 30, bytesMax: 20 },
    'Tx too large. Max size is 20, but got 30',
    21,
    '30 bytes of 20: tx too large',
  ],
  [
    { code: 'beyond-block', bytes: 30, bytesMax: 20 },
    'tx pre check: tx size is too big: 30, max: 20',
    21,
    '30 bytes of 20: tx too large',
  ],
  [
    { code: 'replacement-underpriced' },
    'replacement transaction underpriced',
    13,
    'replacement transaction underpriced: insufficient fee',
  ],
  [{ code: 'lane-full', message: 'too many wait' }, 'too many wait', 20, 'too many wait: mempool is full'],
  [{ code: 'overdraft', message: 'too dear' }, 'too dear', 5, 'too dear: insufficient funds'],
];

test.each(TABLE.map((row) => [row[0].code, ...row] as const))(
  'the refusal %s has its text in the consensus RPC, and its code and log in the Cosmos APIs',
  (_, refusal, comet, code, log) => {
    expect(cometText(refusal)).toBe(comet);
    expect(sdkText(refusal)).toEqual({ code, log });
  },
);
