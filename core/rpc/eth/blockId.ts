import type { ChainReader, EthBlock, View } from '../../app/chain.ts';
import type { Bytes } from '../../lib/bytes.ts';
import { err, ok } from '../../lib/result.ts';
import type { Height } from '../../types/ids.ts';
import { heightOfNumber } from '../heightSteps.ts';
import { fieldOf, isObject, type Json, JsonNumber, type JsonObject } from '../jsonText.ts';
import { serverError } from '../rpcError.ts';
import { type Decoded, goKind, goTypeError, quantityFault, readBool, readHash } from './goHex.ts';

const BLOCK_TAGS = ['latest', 'safe', 'finalized', 'pending', 'earliest'] as const;
export type BlockTag = (typeof BLOCK_TAGS)[number];

/** How a request names a block: geth's BlockNumberOrHash. */
export type BlockId =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: bigint }
  | { readonly kind: 'hash'; readonly hash: Bytes };

export const LATEST: BlockId = { kind: 'tag', tag: 'latest' };

const INT64_MAX = (1n << 63n) - 1n;
const TOO_HIGH = 'block number larger than int64';

/** rpc.BlockNumber: a tag or a canonical hex number. */
export function readBlockNumber(value: Json): Decoded<BlockId> {
  const text = typeof value === 'string' ? value : value instanceof JsonNumber ? value.text : undefined;
  if (text === undefined) return err('hex string without 0x prefix');
  const tag = BLOCK_TAGS.find((name) => name === text);
  if (tag !== undefined) return ok({ kind: 'tag', tag });
  const fault = quantityFault(text, 64);
  if (fault !== undefined) return err(fault);
  const number = BigInt(text);
  return number > INT64_MAX ? err(TOO_HIGH) : ok({ kind: 'number', number });
}

/** Go's error for an object that it cannot read: it then tries to read a string. */
const NO_TEXT = err(goTypeError('object', 'string', undefined));

function readBlockObject(object: JsonObject): Decoded<BlockId> {
  const [number, hash] = [fieldOf(object, 'blockNumber'), fieldOf(object, 'blockHash')];
  const isCanonical = readBool(fieldOf(object, 'requireCanonical'));
  const byNumber = number === null ? undefined : readBlockNumber(number);
  const byHash = hash === null ? undefined : readHash(hash);
  if (!isCanonical.ok || byNumber?.ok === false || byHash?.ok === false) return NO_TEXT;
  if (byNumber !== undefined && byHash !== undefined)
    return err('cannot specify both BlockHash and BlockNumber, choose one or the other');
  if (byHash !== undefined) return ok({ kind: 'hash', hash: byHash.value });
  if (byNumber !== undefined) return byNumber;
  return err('must specify either BlockHash or BlockNumber');
}

/** rpc.BlockNumberOrHash: also accepts a 32-byte hash or an object. */
export function readBlockNumberOrHash(value: Json): Decoded<BlockId> {
  if (isObject(value)) return readBlockObject(value);
  if (typeof value !== 'string') return err(goTypeError(goKind(value), 'string', undefined));
  if (value.length !== 66) {
    const number = readBlockNumber(value);
    return number.ok || number.error !== TOO_HIGH ? number : err('blocknumber too high');
  }
  const hash = readHash(value);
  return hash.ok ? ok({ kind: 'hash', hash: hash.value }) : hash;
}

/** Number of the newest block; before the first block, that of genesis. */
export const headNumber = (chain: ChainReader): number => chain.head() || chain.genesisNumber();

/**
 * Committed blocks are final, so latest, safe and finalized are the same. `pending` has no height: see at.ts. If the
 * first height is above 1, genesis is found by its own number and, as on any chain, by 0.
 */
export function heightOf(chain: ChainReader, id: BlockId): Height | undefined {
  if (id.kind === 'tag') return id.tag === 'earliest' ? earliest(chain) : chain.head();
  if (id.kind === 'number') {
    return id.number > BigInt(headNumber(chain)) ? undefined : heightOfNumber(chain, Number(id.number));
  }
  return chain.heightOfEthHash(id.hash);
}

/** The genesis block while it is kept, else the oldest block kept. */
const earliest = (chain: ChainReader): Height => (chain.ethBlock(0) === undefined ? chain.base() : 0);

/** undefined if the block does not exist or is no longer kept. */
export function blockOf(chain: ChainReader, id: BlockId): EthBlock | undefined {
  const height = heightOf(chain, id);
  return height === undefined ? undefined : chain.ethBlock(height);
}

/** The state that a getter reads; throws geth's error if there is none. */
export function viewOf(chain: ChainReader, id: BlockId): View {
  if (id.kind === 'tag' && id.tag !== 'earliest') return chain.latest();
  const height = heightOf(chain, id);
  const view = height === undefined ? undefined : chain.view(height);
  if (view === undefined)
    throw serverError(id.kind === 'hash' ? 'header for hash not found' : 'header not found');
  return view;
}
