import type { ChainReader, View } from '../../core/app/chain.ts';
import { assert } from '../../core/lib/assert.ts';
import { fromBase64, toBase64 } from '../../core/lib/base64.ts';
import { type Bytes, EMPTY, equalBytes, hex } from '../../core/lib/bytes.ts';
import { handleCometPost } from '../../core/rpc/comet/http.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { handleRest } from '../../core/rpc/cosmos/rest.ts';
import { handleEthRequest } from '../../core/rpc/eth/jsonrpc.ts';
import type { Fields } from '../clients/answers/answers.ts';
import { differenceOf, placed, shown } from '../difference.ts';
import { isAccusing } from '../sample.ts';

/** The gRPC code UNKNOWN. */
const UNKNOWN = 2;

/** Because its drive is broken, a node may refuse to answer; it may not answer falsely. */
export class Refused extends Error {
  constructor(what: string) {
    super(`answers ${what} with an internal error, though its drive is sound`);
  }
}

const asked = (method: string, params: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

interface Reply {
  readonly result?: unknown;
  readonly error?: Fields;
}

/** Asks CometBFT's RPC. */
export async function comet(rpc: RpcContext, method: string, params: Fields): Promise<Fields> {
  const { body } = await handleCometPost(rpc, asked(method, params));
  const { result, error } = JSON.parse(String(body)) as Reply;
  if (error?.['data'] === 'internal error') throw new Refused(method);
  return (result as Fields | undefined) ?? { refused: error };
}

/** Asks the REST server about the latest state or a height. */
export async function rest(rpc: RpcContext, path: string, query = '', height?: number): Promise<Fields> {
  const headers = height === undefined ? {} : { 'x-cosmos-block-height': String(height) };
  const { status, body } = await handleRest(rpc, { method: 'GET', path, query, headers, body: '' });
  return restAnswer(path, status, body);
}

/** A refusal with gRPC code UNKNOWN has HTTP status 500, as a crash has. */
function restAnswer(path: string, status: number, body: unknown): Fields {
  const answer = JSON.parse(String(body)) as Fields;
  if (status === 500 && answer['code'] !== UNKNOWN) throw new Refused(path);
  return answer;
}

/** Posts to the REST server. */
export async function posted(rpc: RpcContext, path: string, body: Fields): Promise<Fields> {
  const asking = { method: 'POST', path, query: '', headers: {}, body: JSON.stringify(body) };
  const answer = await handleRest(rpc, asking);
  return restAnswer(path, answer.status, answer.body);
}

/** Asks Ethereum's JSON-RPC. */
export async function eth(rpc: RpcContext, method: string, params: readonly unknown[]): Promise<unknown> {
  const { result, error } = JSON.parse(
    (await handleEthRequest(rpc, asked(method, params), 'http')) ?? '{}',
  ) as Reply;
  if (error?.['message'] === 'method handler crashed') throw new Refused(method);
  return error === undefined ? result : { refused: error };
}

/** The node with an operator who wants answers of any length: those to questions about a whole chain may be long. */
export const withoutLimits = (rpc: RpcContext): RpcContext => ({
  ...rpc,
  limits: {
    ...rpc.limits,
    logsMax: Number.MAX_SAFE_INTEGER,
    blockRangeMax: Number.MAX_SAFE_INTEGER,
    answerCharsMax: Number.MAX_SAFE_INTEGER,
  },
});

/** For each missing part of a refusal, which is empty: the refusal. */
const refusals = new WeakMap<object, unknown>();

/** Why the node did not answer: an error of JSON-RPC or, from REST, a code with a message. */
const refusalIn = (answer: Fields): unknown =>
  refusals.get(answer) ??
  answer['refused'] ??
  (typeof answer['code'] === 'number' && typeof answer['message'] === 'string' ? answer : undefined);

function marked<T extends object>(empty: T, refusal: unknown): T {
  if (refusal !== undefined) refusals.set(empty, refusal);
  return empty;
}

/**
 * Describes the first difference if the two are not equal as JSON. Of a missing part of a refusal it shows the refusal.
 */
export function unlike(what: string, told: unknown, truth: unknown): string | undefined {
  const found = differenceOf(told, truth);
  const refused = typeof told === 'object' && told !== null ? refusals.get(told) : undefined;
  if (found !== undefined && refused !== undefined)
    return `answers ${what} with the refusal ${shown(refused)}, expected ${shown(truth)}`;
  return found && `answers ${what}${placed(found)} with ${found.is}, expected ${found.should}`;
}

export const listOf = (answer: Fields, key: string): readonly Fields[] =>
  (answer[key] as readonly Fields[] | undefined | null) ?? marked([], refusalIn(answer));

/** Bytes as base64; null when empty, as Go writes a nil slice. */
export const textOrNull = (bytes: Bytes): string | null => (bytes.length === 0 ? null : toBase64(bytes));

export const fieldsOf = (answer: Fields, key: string): Fields =>
  (answer[key] as Fields | undefined | null) ?? marked({}, refusalIn(answer));

/** The names of the fields of a part. */
export function namesOf(answer: Fields, key: string): readonly string[] {
  const part = fieldsOf(answer, key);
  return marked(Object.keys(part), refusals.get(part));
}

/** The fields of a validator that every endpoint shows. */
export const validatorRow = ({ address, pub_key, voting_power, proposer_priority }: Fields) => [
  address,
  pub_key,
  voting_power,
  proposer_priority,
];

export const firstOf = (chain: ChainReader): number => Math.max(1, chain.base());

/** The newest height whose block holds evidence. */
export const accusingOf = (chain: ChainReader): number | undefined =>
  heightsOf(chain).findLast((height) => isAccusing(chain, height));

/** The newest height whose block changed the validator set or the parameters. */
function changingOf(chain: ChainReader): number | undefined {
  const headerOf = (height: number) => chain.blockMeta(height)?.header;
  return heightsOf(chain).findLast((height) => {
    const [at, next] = [headerOf(height), headerOf(height + 1)];
    if (at === undefined || next === undefined) return false;
    const isSameSet = equalBytes(next.validatorsHash, next.nextValidatorsHash);
    return !isSameSet || !equalBytes(at.consensusHash, next.consensusHash);
  });
}

/** Some heights, among them one with evidence and one with changes. */
export const toldOf = (chain: ChainReader): readonly number[] => {
  const special = [accusingOf(chain), changingOf(chain)].filter((height) => height !== undefined);
  return [...new Set([...someOf(heightsOf(chain)), ...special])];
};

/** First, middle and last of a list. */
export const someOf = <T>(list: readonly T[]): readonly T[] => [
  ...new Set([...list.slice(0, 1), ...list.slice(list.length >> 1).slice(0, 1), ...list.slice(-1)]),
];

export const heightsOf = (chain: ChainReader): readonly number[] =>
  Array.from({ length: chain.head() - firstOf(chain) + 1 }, (_, i) => firstOf(chain) + i);

/** Heights whose blocks have transactions, by the block meta. */
export const filledHeights = (chain: ChainReader): readonly number[] =>
  heightsOf(chain).filter((height) => chain.blockMeta(height)?.numTxs !== 0);

/** Items a page: few, so that most lists take several pages and the last is seldom full. */
export const PAGE = 3;
/** More than any list of a run holds. */
const ITEMS_MAX = 100_000;

/** All items of a paginated REST list. Each page is requested by the key that the previous one gave. */
export async function pagesOf(
  rpc: RpcContext,
  path: string,
  key: string,
  { query = '', height }: { readonly query?: string; readonly height?: number },
): Promise<readonly Fields[]> {
  const all: Fields[] = [];
  let next = '';
  do {
    const place = next === '' ? '' : `&pagination.key=${encodeURIComponent(next)}`;
    const answer = await rest(rpc, path, `${query}pagination.limit=${PAGE}${place}`, height);
    all.push(...listOf(answer, key));
    next = String(fieldsOf(answer, 'pagination')['next_key'] ?? '');
    assert(all.length < ITEMS_MAX, 'a list ends');
  } while (next !== '');
  return all;
}

/** Decodes base64 of a JSON answer; empty if it is not base64. */
export function bytesOf(told: unknown): Bytes {
  const bytes = fromBase64(String(told ?? ''));
  return bytes.ok ? bytes.value : EMPTY;
}

/** Decodes hex of an Ethereum JSON-RPC answer; empty if it is not hex. */
export const hexBytesOf = (told: unknown): Bytes =>
  /^0x(?:[0-9a-f]{2})*$/i.test(String(told)) ? hex(String(told).slice(2)) : EMPTY;

/** Every account of a state, in the order of their address hashes. */
export const everyAccount = (view: View): ReturnType<View['accountRange']> =>
  view.accountRange(new Uint8Array(32), ITEMS_MAX);
