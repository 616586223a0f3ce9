/** State within a block, and block queries of older tools. */

import type { View } from '../../../app/chain.ts';
import { headerFields } from '../../../app/evm/header.ts';
import { bytesToBigint } from '../../../app/evm/numbers.ts';
import { encodeRlp } from '../../../app/evm/rlp.ts';
import { type Bytes, to0xHex } from '../../../lib/bytes.ts';
import { err, ok } from '../../../lib/result.ts';
import { serverError } from '../../rpcError.ts';
import { withKnownBlock } from '../at.ts';
import { type BlockId, blockOf } from '../blockId.ts';
import { type Decoded, readBytes } from '../goHex.ts';
import { type EthMethod, method, optional, required } from '../method.ts';
import { ADDRESS, BLOCK_HASH, BLOCK_REQUIRED, COUNT, INTEGER } from '../params.ts';
import { blockJson } from '../render.ts';
import { stateBefore } from '../stateWithin.ts';
import { blockRlp } from './raw.ts';

/** Maximum slots in one answer; the next page starts at its `nextKey`. */
const SLOTS_MAX = 1024;

const KEY_START = required('keyStart', { type: 'string' }, (value): Decoded<Bytes> => {
  const read = readBytes(value);
  if (!read.ok) return read;
  if (read.value.length > 32) return err('keyStart is longer than 32 bytes');
  const key = new Uint8Array(32);
  key.set(read.value);
  return ok(key);
});

const IGNORED_CONFIG = optional(
  required('config', { type: 'object' }, () => ok(undefined)),
  undefined,
);

/** A block number, in any of the forms that older clients send. */
const NUMBER = { ...COUNT, name: 'number' };
const numbered = (number: bigint): BlockId => ({ kind: 'number', number });

function storageRange(view: View, address: Bytes, start: Bytes, wanted: number) {
  const limit = Math.max(0, Math.min(wanted, SLOTS_MAX));
  const found = view.storageRange(address, start, limit + 1);
  const shown = found.slice(0, limit);
  const next = found[limit];
  return {
    storage: Object.fromEntries(
      shown.map(({ keyHash, value }) => [
        to0xHex(keyHash),
        { key: null, value: `0x${bytesToBigint(value).toString(16).padStart(64, '0')}` },
      ]),
    ),
    nextKey: next === undefined ? null : to0xHex(next.keyHash),
  };
}

export const debugStateMethods: readonly EthMethod[] = [
  method({
    method: 'debug_storageRangeAt',
    params: [
      BLOCK_REQUIRED,
      { ...INTEGER, name: 'txIndex' },
      ADDRESS,
      KEY_START,
      { ...INTEGER, name: 'maxResult' },
    ],
    result: '{storage: {keccak256 of slot: {key, value}}, nextKey}',
    doc: "A contract's storage before a transaction of a block, 1024 slots at most. `key` is null: only its hash is kept.",
    run: async ({ ctx }, id, txIndex, address, start, wanted) =>
      storageRange(await stateBefore(ctx, id, Number(txIndex)), address, start, Number(wanted)),
  }),
  method({
    method: 'debug_intermediateRoots',
    params: [BLOCK_HASH, IGNORED_CONFIG],
    result: '32-byte hash[]',
    doc: 'State root after each Ethereum transaction of a block.',
    run: async ({ ctx }, id) => {
      const block = blockOf(ctx.chain, id);
      if (block === undefined) throw serverError('block not found');
      if (block.header.number === 0) throw serverError('genesis is not traceable');
      const roots = await ctx.evm.rootsWithin(block.header.number);
      if (roots !== undefined) return roots.map(to0xHex);
      throw serverError(`required historical state unavailable (block ${block.header.number})`);
    },
  }),
  method({
    method: 'debug_getHeaderRlp',
    params: [NUMBER],
    result: 'bytes',
    doc: 'As debug_getRawHeader, by number.',
    run: (call, number) =>
      withKnownBlock(call, numbered(number), ({ header }) => to0xHex(encodeRlp(headerFields(header)))),
  }),
  method({
    method: 'debug_getBlockRlp',
    params: [NUMBER],
    result: 'bytes',
    doc: 'As debug_getRawBlock, by number.',
    run: (call, number) => withKnownBlock(call, numbered(number), (block) => to0xHex(blockRlp(block))),
  }),
  method({
    method: 'debug_printBlock',
    params: [NUMBER],
    result: 'text',
    doc: 'A block for human eyes.',
    run: (call, number) =>
      withKnownBlock(call, numbered(number), (block) => JSON.stringify(blockJson(block, true), null, 2)),
  }),
];
