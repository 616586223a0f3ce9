/** Dumps of the state, and accounts that changed. */

import { toEip55 } from '../../../address/eip55.ts';
import type { EthAccountState, View } from '../../../app/chain.ts';
import { toBase64 } from '../../../lib/base64.ts';
import { type Bytes, EMPTY, equalBytes, to0xHex, toHex } from '../../../lib/bytes.ts';
import { ok } from '../../../lib/result.ts';
import { EMPTY_CODE_HASH } from '../../../state/account.ts';
import type { Hash, Height } from '../../../types/ids.ts';
import type { RpcContext } from '../../context.ts';
import { heightOfNumber } from '../../heightSteps.ts';
import { mapPaused } from '../../mapPaused.ts';
import { serverError } from '../../rpcError.ts';
import type { AddressPreimages } from '../addressPreimages.ts';
import { isPending } from '../at.ts';
import { type BlockId, blockOf, heightOf } from '../blockId.ts';
import { type Decoded, readBool, readBytes, readHash } from '../goHex.ts';
import { type EthCall, type EthMethod, method, optional, required } from '../method.ts';
import { BLOCK_HASH, BLOCK_NUMBER, BLOCK_REQUIRED, HASH, INTEGER, UINT64 } from '../params.ts';

/** geth's AccountRangeMaxResults. */
const ACCOUNTS_MAX = 256;
/** Maximum accounts in one answer about changes. */
const CHANGED_MAX = 100_000;
/** Steps of the walk to those accounts without a pause: each reads up to 32 nodes, most read none. */
const STEPS_PER_PAUSE = 64;

interface DumpOptions {
  readonly start: Hash;
  readonly max: number;
  readonly withCode: boolean;
  /** Omits accounts whose address is unknown. */
  readonly onlyKnown: boolean;
}

function accountJson(view: View, keyHash: Hash, account: EthAccountState, withCode: boolean) {
  const hasCode = withCode && !equalBytes(account.codeHash, EMPTY_CODE_HASH);
  return {
    balance: account.balance.toString(),
    nonce: Number(account.nonce),
    root: to0xHex(account.storageRoot),
    codeHash: to0xHex(account.codeHash),
    ...(hasCode ? { code: to0xHex(view.codeOf(account.codeHash)) } : {}),
    key: to0xHex(keyHash),
  };
}

/** geth's state.Dump without storage: the node stores only hashes of slots. */
function dump(view: View, book: AddressPreimages, { start, max, withCode, onlyKnown }: DumpOptions) {
  const accounts: Record<string, unknown> = {};
  let shown = 0;
  let from: Hash | undefined = start;
  while (from !== undefined) {
    const page: ReturnType<View['accountRange']> = view.accountRange(from, ACCOUNTS_MAX + 1);
    for (const { keyHash, account } of page.slice(0, ACCOUNTS_MAX)) {
      if (shown === max) return dumpJson(view, accounts, keyHash);
      const address = book.addressOf(keyHash);
      if (address === undefined && onlyKnown) continue;
      const json = accountJson(view, keyHash, account, withCode);
      if (address === undefined) accounts[`pre(${json.key})`] = json;
      else accounts[toEip55(address)] = { ...json, address: to0xHex(address) };
      shown++;
    }
    from = page[ACCOUNTS_MAX]?.keyHash;
  }
  return dumpJson(view, accounts, undefined);
}

const dumpJson = (view: View, accounts: Record<string, unknown>, next: Hash | undefined) => ({
  root: toHex(view.stateRoot),
  accounts,
  ...(next === undefined ? {} : { next: toBase64(next) }),
});

async function dumpAt({ ctx, services }: EthCall, id: BlockId, options: DumpOptions) {
  await services.addresses.learn(ctx.chain.latest());
  if (isPending(id)) return dump((await services.pending()).view, services.addresses, options);
  const height = heightOf(ctx.chain, id);
  const view = height === undefined ? undefined : ctx.chain.view(height);
  if (view === undefined) throw serverError(missing(id));
  return dump(view, services.addresses, options);
}

const missing = (id: BlockId): string =>
  id.kind === 'hash'
    ? `block ${to0xHex(id.hash)} not found`
    : `block #${id.kind === 'tag' ? id.tag : id.number} not found`;

function stateAt({ ctx }: EthCall, number: number): View {
  const view = ctx.chain.view(heightOfNumber(ctx.chain, number));
  if (view === undefined) throw serverError(`required historical state unavailable (block ${number})`);
  return view;
}

interface Span {
  readonly first: Height;
  readonly last: Height;
}

/** Accounts of `view` that differ from those of `older`. Pauses on the way. */
async function changedHashes({ pause }: RpcContext, view: View, older: View): Promise<readonly Hash[]> {
  const hashes: Hash[] = [];
  let steps = 0;
  for (const hash of view.changedSince(older)) {
    if (hash !== undefined) hashes.push(hash);
    if (hashes.length > CHANGED_MAX) throw serverError(`more than ${CHANGED_MAX} accounts changed`);
    if (++steps % STEPS_PER_PAUSE === 0) await pause?.();
  }
  return hashes;
}

async function modified(call: EthCall, { first, last }: Span): Promise<readonly string[]> {
  if (first >= last)
    throw serverError(`start block height (${first}) must be less than end block height (${last})`);
  const { ctx, services } = call;
  const hashes = await changedHashes(ctx, stateAt(call, last), stateAt(call, first));
  await services.addresses.learn(ctx.chain.latest());
  return mapPaused(ctx, hashes, (hash) => {
    const address = services.addresses.addressOf(hash);
    if (address === undefined) throw serverError(`no preimage found for hash ${toHex(hash)}`);
    return to0xHex(address);
  });
}

/** Without `last`, the span is the change made by the first block. */
function spanOf({ ctx }: EthCall, first: BlockId, last: BlockId | undefined): Span {
  const shown = (id: BlockId): string =>
    id.kind === 'hash' ? toHex(id.hash) : id.kind === 'number' ? id.number.toString(16) : id.tag;
  const start = blockOf(ctx.chain, first);
  if (start === undefined) throw serverError(`start block ${shown(first)} not found`);
  const { number, parentHash } = start.header;
  if (last === undefined) {
    const parent = ctx.chain.heightOfEthHash(parentHash);
    if (parent === undefined) throw serverError(`block ${number.toString(16)} has no parent`);
    return { first: parent, last: number };
  }
  const end = blockOf(ctx.chain, last);
  if (end !== undefined) return { first: number, last: end.header.number };
  throw serverError(`end block ${last.kind === 'number' ? last.number : shown(last)} not found`);
}

async function accessible({ ctx }: EthCall, from: BlockId, to: BlockId): Promise<number> {
  const { chain } = ctx;
  const numberOf = (id: BlockId): number =>
    id.kind === 'number' ? Number(id.number) : (heightOf(chain, id) ?? chain.head());
  const [first, last] = [numberOf(from), numberOf(to)];
  if (first === last) throw serverError('from and to needs to be different');
  const step = first < last ? 1 : -1;
  for (let number = first; number !== last; number += step) {
    const height = heightOfNumber(chain, number);
    if (chain.ethBlock(height) === undefined) throw serverError(`missing header ${number}`);
    if (chain.view(height) !== undefined) return number;
    await ctx.pause?.();
  }
  throw serverError('no state found');
}

const START = required('start', { type: 'string' }, (value): Decoded<Hash> => {
  const read = readBytes(value);
  if (!read.ok) return read;
  const start = new Uint8Array(32);
  start.set(read.value.subarray(0, 32));
  return ok(start);
});

const flag = (name: string) => required(name, { type: 'boolean' }, (value) => readBool(value));

const END_HASH = optional(
  required('endHash', { type: 'string' }, (value): Decoded<BlockId | undefined> => {
    const read = readHash(value);
    return read.ok ? ok({ kind: 'hash', hash: read.value }) : read;
  }),
  undefined,
);

const numbered = (number: bigint): BlockId => ({ kind: 'number', number });

/** The preimage of a keccak256 hash. Known are addresses of the state, and the empty code. */
async function preimage({ ctx, services }: EthCall, hash: Hash): Promise<Bytes> {
  await services.addresses.learn(ctx.chain.latest());
  const address = services.addresses.addressOf(hash);
  if (address !== undefined) return address;
  if (equalBytes(hash, EMPTY_CODE_HASH)) return EMPTY;
  throw serverError('unknown preimage');
}

export const debugAccountMethods: readonly EthMethod[] = [
  method({
    method: 'debug_accountRange',
    params: [
      BLOCK_REQUIRED,
      START,
      { ...INTEGER, name: 'maxResults' },
      flag('nocode'),
      flag('nostorage'),
      flag('incompletes'),
    ],
    result: '{root, accounts: {address: account}, next?}',
    doc: 'Accounts in order of the keccak256 of their addresses, 256 at most; `next` is base64. Storage is never there: slots are kept by their hashes, see debug_storageRangeAt.',
    run: (call, id, start, wanted, nocode, _nostorage, incompletes) =>
      dumpAt(call, id, {
        start,
        max: wanted > ACCOUNTS_MAX || wanted <= 0 ? ACCOUNTS_MAX : Number(wanted),
        withCode: !nocode,
        onlyKnown: !incompletes,
      }),
  }),
  method({
    method: 'debug_dumpBlock',
    params: [BLOCK_NUMBER],
    result: '{root, accounts: {address: account}, next?}',
    doc: 'The first 256 accounts of a state, as debug_accountRange.',
    run: (call, id) =>
      dumpAt(call, id, { start: new Uint8Array(32), max: ACCOUNTS_MAX, withCode: true, onlyKnown: true }),
  }),
  method({
    method: 'debug_preimage',
    params: [HASH],
    result: 'bytes',
    doc: 'The address whose keccak256 this is. Others, slots among them, are not kept: -32000 `unknown preimage`.',
    run: async (call, hash) => to0xHex(await preimage(call, hash)),
  }),
  method({
    method: 'debug_getModifiedAccountsByNumber',
    params: [{ ...UINT64, name: 'startNumber' }, optional({ ...UINT64, name: 'endNumber' }, undefined)],
    result: 'address[]',
    doc: 'Accounts whose nonce, balance, code or storage differ between two blocks, or between a block and its parent. Numbers, not texts, as in geth. Those that are gone are not named.',
    run: (call, start, end) =>
      modified(call, spanOf(call, numbered(start), end === undefined ? undefined : numbered(end))),
  }),
  method({
    method: 'debug_getModifiedAccountsByHash',
    params: [{ ...BLOCK_HASH, name: 'startHash' }, END_HASH],
    result: 'address[]',
    doc: 'As debug_getModifiedAccountsByNumber, by hashes of blocks.',
    run: (call, start, end) => modified(call, spanOf(call, start, end)),
  }),
  method({
    method: 'debug_getAccessibleState',
    params: [
      { ...BLOCK_NUMBER, name: 'from' },
      { ...BLOCK_NUMBER, name: 'to' },
    ],
    result: 'number',
    doc: 'The first block from one to the other, up or down, whose state is kept.',
    run: (call, from, to) => accessible(call, from, to),
  }),
];
