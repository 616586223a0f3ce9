import { present } from '../../../core/lib/assert.ts';
import { toBase64 } from '../../../core/lib/base64.ts';
import { toHex, toUpperHex } from '../../../core/lib/bytes.ts';
import { handleCometGet, handleCometPost } from '../../../core/rpc/comet/http.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import type { Fields } from '../../clients/answers/answers.ts';
import type { Sha256 } from '../../reference/merkle.ts';
import { comet, filledHeights, firstOf, Refused, unlike } from '../questions.ts';

const BAD_PARAMS = -32602;
const INTERNAL = -32603;

const UNSEARCHABLE = [
  ['tx', 'hash=%22%22', 'transaction hash cannot be empty'],
  [
    'tx_search',
    'query=%22tx.height%3E0%22&order_by=%22up%22',
    'expected order_by to be either `asc` or `desc` or empty',
  ],
  [
    'tx_search',
    'query=%22tx.hash%20EXISTS%22',
    'error while retrieving the result: transaction hash cannot be empty',
  ],
  [
    'tx_search',
    'query=%22tx.hash%3D%27zz%27%22',
    "error during searching for a hash in the query: encoding/hex: invalid byte: U+007A 'z'",
  ],
  [
    'block_search',
    `query=%22${'block.height%3E0%20AND%20'.repeat(30)}block.height%3E0%22`,
    'maximum query length exceeded',
  ],
] as const;

interface Asked {
  readonly method: string;
  /** The query string of a GET request. */
  readonly query: string;
  /** The same as params of a POST request. */
  readonly params: Fields;
}

/** A GET request is answered like a POST request with the same question. */
export async function wrongUris(rpc: RpcContext, sha256: Sha256): Promise<string | undefined> {
  for (const { method, query, params } of [...aboutBlocks(rpc), ...aboutTxs(rpc, sha256), ...ABOUT_NODE]) {
    const { told } = await got(rpc, method, query);
    const problem = unlike(`/${method}?${query}`, told, await comet(rpc, method, params));
    if (problem !== undefined) return problem;
  }
  return (await wrongCaching(rpc)) ?? wrongRefusals(rpc);
}

/**
 * Answers about a height may be cached for a day. Answers about the newest block, batches that include such and
 * refusals may not.
 */
async function wrongCaching(rpc: RpcContext): Promise<string | undefined> {
  const height = String(firstOf(rpc.chain));
  const uri = async (path: string, query: string) => handleCometGet(rpc, path, query);
  const post = async (...asked: readonly [method: string, params: Fields][]) =>
    handleCometPost(
      rpc,
      JSON.stringify(asked.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))),
    );
  for (const [what, { headers }, isKept] of [
    ['a header of a height', await uri('/header', `height=${height}`), true],
    ['the newest header', await uri('/header', ''), false],
    ['a header of no height', await uri('/header', 'height=-1'), false],
    ['a batch of headers of heights', await post(['header', { height }], ['commit', { height }]), true],
    ['a batch with the newest header', await post(['header', { height }], ['header', {}]), false],
    ['a batch with a refusal', await post(['header', { height }], ['header', { height: '-1' }]), false],
  ] as const) {
    const problem = unlike(`whether ${what} may be kept`, headers['cache-control'] !== undefined, isKept);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function got(
  rpc: RpcContext,
  method: string,
  query: string,
): Promise<{ readonly status: number; readonly told: Fields }> {
  const { status, body } = await handleCometGet(rpc, `/${method}`, query);
  if (status === 404) return { status, told: {} };
  const { result, error } = JSON.parse(String(body)) as { readonly result?: Fields; readonly error?: Fields };
  if (error?.['data'] === 'internal error') throw new Refused(method);
  return { status, told: result ?? { refused: error } };
}

function aboutBlocks({ chain }: RpcContext): readonly Asked[] {
  const height = String(Math.floor((firstOf(chain) + chain.head()) / 2));
  const { blockId } = present(chain.blockMeta(Number(height)), 'the meta of a kept block');
  const hash = toHex(blockId.hash);
  const first = { minHeight: String(firstOf(chain)), maxHeight: height };
  return [
    { method: 'block', query: '', params: {} },
    { method: 'block', query: `height=${height}`, params: { height } },
    { method: 'block', query: `height=%22${height}%22&height=1`, params: { height } },
    { method: 'block', query: 'height=-1', params: { height: '-1' } },
    { method: 'header', query: `a=1&&height=${height}&b`, params: { height } },
    { method: 'commit', query: `height=${height}`, params: { height } },
    { method: 'block_results', query: `height=${height}`, params: { height } },
    { method: 'consensus_params', query: `height=${height}`, params: { height } },
    { method: 'block_by_hash', query: `hash=0x${hash}`, params: { hash: toBase64(blockId.hash) } },
    { method: 'header_by_hash', query: `hash=0X${hash}`, params: { hash } },
    {
      method: 'validators',
      query: `per_page=2&height=${height}&page=1`,
      params: { height, page: '1', per_page: '2' },
    },
    {
      method: 'blockchain',
      query: `minHeight=${first.minHeight}&maxHeight=%22${height}%22`,
      params: first,
    },
  ];
}

function aboutTxs({ chain }: RpcContext, sha256: Sha256): readonly Asked[] {
  const [height] = filledHeights(chain);
  const [tx] = height === undefined ? [] : present(chain.block(height), 'a kept block').txs;
  const some = 'tx.height > 0';
  const page = { page: '1', per_page: '1' };
  const search = {
    method: 'tx_search',
    query: 'query=%22tx.height+%3E+0%22&page=1&per_page=%221%22&order_by=%22desc%22',
    params: { query: some, ...page, order_by: 'desc' },
  };
  const blocks = { query: `block.height = ${chain.head()}`, ...page };
  const others = [
    search,
    {
      method: 'block_search',
      query: `query=%22block.height%20%3D%20${chain.head()}%22&page=1&per_page=1`,
      params: blocks,
    },
    { method: 'tx_search', query: 'query=%22tx.height+%3E%22', params: { query: 'tx.height >' } },
  ];
  if (tx === undefined) return others;
  const hash = sha256(tx);
  const [params, query] = [{ hash: toBase64(hash), prove: true }, `hash=0x${toUpperHex(hash)}&prove=true`];
  return [...others, { method: 'tx', query, params }];
}

const ABOUT_NODE: readonly Asked[] = [
  { method: 'health', query: '', params: {} },
  { method: 'status', query: 'height=no', params: {} },
  { method: 'genesis_chunked', query: 'chunk=0', params: { chunk: '0' } },
  { method: 'unconfirmed_txs', query: 'limit=2', params: { limit: '2' } },
  {
    method: 'abci_query',
    query: 'path=%22/store/acc/key%22&data=0x01&prove=false',
    params: { path: '/store/acc/key', data: '01', prove: false },
  },
];

/** Malformed numbers and booleans and unknown methods are refused. */
async function wrongRefusals(rpc: RpcContext): Promise<string | undefined> {
  for (const [method, query] of [
    ['block', 'height=abc'],
    ['block', 'height=0x10'],
    ['block', 'height=1.5'],
    ['block', 'height=%zz'],
    ['tx', 'hash=0xgg'],
    ['genesis_chunked', 'chunk=-1'],
    ['tx', 'prove=0x01'],
  ] as const) {
    const { status, told } = await got(rpc, method, query);
    const code = (told['refused'] as Fields | undefined)?.['code'];
    const problem = unlike(`/${method}?${query}`, [status, code], [500, BAD_PARAMS]);
    if (problem !== undefined) return problem;
  }
  const missing = await got(rpc, 'no_such_method', '');
  return unlike('/no_such_method', missing.status, 404) ?? wrongWords(rpc);
}

/** Well-formed requests without an answer are refused with the messages that clients look for. */
async function wrongWords(rpc: RpcContext): Promise<string | undefined> {
  const head = rpc.chain.head();
  const { length } = rpc.chain.validators(head)?.validators ?? [];
  const pages = Math.max(1, Math.ceil(length / 100));
  for (const [method, query, words] of [
    ['block', 'height=0', 'height must be greater than 0, but got 0'],
    [
      'block',
      `height=${head + 1}`,
      `height ${head + 1} must be less than or equal to the current blockchain height ${head}`,
    ],
    ...[0, pages + 1].map(
      (page) =>
        [
          'validators',
          `height=${head}&per_page=100&page=${page}`,
          `page should be within [1, ${pages}] range, given ${page}`,
        ] as const,
    ),
    ['blockchain', 'minHeight=-1', 'heights must be non-negative'],
    [
      'blockchain',
      `minHeight=${head}&maxHeight=${head - 1}`,
      `min height ${head} can't be greater than max height ${head - 1}`,
    ],
    ['genesis_chunked', 'chunk=99', 'there are 0 chunks, 99 is invalid'],
    ...(rpc.indexing?.kind === 'kv' ? UNSEARCHABLE : []),
  ] as const) {
    const { status, told } = await got(rpc, method, query);
    const { code, data } = (told['refused'] ?? {}) as Fields;
    const problem = unlike(`/${method}?${query}`, [status, code, data], [500, INTERNAL, words]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
