import { toUpperHex } from '../../../core/lib/bytes.ts';
import { handleCometPost } from '../../../core/rpc/comet/http.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { handleEthRequest } from '../../../core/rpc/eth/jsonrpc.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { unlike } from '../questions.ts';

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
/** geth's code for a batch whose answers are too large. */
const TOO_LARGE = -32003;

interface Reply {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: Fields;
}

/** However requests are written and however many come at once, each is understood and has its own answer. */
export async function wrongMessages(rpc: RpcContext): Promise<string | undefined> {
  return (
    (await wrongBatches(rpc)) ?? (await wrongLongBatch(rpc)) ?? (await wrongTexts(rpc)) ?? wrongEngine(rpc)
  );
}

async function said(rpc: RpcContext, body: string): Promise<unknown> {
  return JSON.parse((await handleEthRequest(rpc, body, 'http')) ?? 'null');
}

const asking = (id: unknown, method: string, params: readonly unknown[] = []): Fields => ({
  jsonrpc: '2.0',
  ...(id === undefined ? {} : { id }),
  method,
  params,
});

/** Requests of a batch are answered in order, each as if it came alone. A request without an id gets no answer. */
async function wrongBatches(rpc: RpcContext): Promise<string | undefined> {
  const head = quantity(rpc.chain.head());
  const questions = [
    asking(1, 'eth_chainId'),
    asking(undefined, 'eth_blockNumber'),
    asking('two', 'eth_getBlockByNumber', [head, false]),
    asking(3, 'eth_noSuchMethod'),
    asking(3, 'eth_getBalance', ['0x00']),
    { id: 4, method: 'eth_chainId' },
  ];
  const alone: unknown[] = [];
  for (const question of questions) {
    const answer = await said(rpc, JSON.stringify(question));
    if (answer !== null) alone.push(answer);
  }
  const batch = await said(rpc, JSON.stringify(questions));
  const silent = await said(rpc, JSON.stringify(questions.slice(1, 2)));
  const { batchMax } = rpc.limits;
  const many = Array.from({ length: batchMax + 1 }, (_, id) => asking(id + 7, 'eth_chainId'));
  const refused = batchMax === 0 ? undefined : ((await said(rpc, JSON.stringify(many))) as readonly Reply[]);
  return (
    unlike('a batch', batch, alone) ??
    unlike(
      'the names of answers',
      alone.map((one) => (one as Reply).id),
      [1, 'two', 3, 3, 4],
    ) ??
    unlike('a batch of what has no name', silent, null) ??
    unlike('a batch of nothing', ((await said(rpc, '[]')) as Reply).error?.['code'], INVALID_REQUEST) ??
    (refused &&
      unlike(
        'a batch of too many',
        refused.map(({ id, error }) => [id, error?.['code']]),
        [[7, INVALID_REQUEST]],
      ))
  );
}

/** Once the answers of a batch exceed their limit, the remaining requests are refused. An id may be null. */
async function wrongLongBatch(rpc: RpcContext): Promise<string | undefined> {
  const id = quantity(rpc.chain.evmChainId);
  const frugal = { ...rpc, limits: { ...rpc.limits, batchResponseBytesMax: 2 * JSON.stringify(id).length } };
  const batch = [null, 1, 2, undefined, 3, 4].map((name) => asking(name, 'eth_chainId'));
  const told = (await said(frugal, JSON.stringify(batch))) as readonly Reply[];
  return unlike(
    'a batch whose answers take too much',
    told.map((one) => [one.id, one.result ?? one.error?.['code']]),
    [
      [null, id],
      [1, id],
      [2, id],
      [3, TOO_LARGE],
      [4, TOO_LARGE],
    ],
  );
}

/** Characters may be escaped, and the last of two equal fields counts. Invalid JSON is refused. */
async function wrongTexts(rpc: RpcContext): Promise<string | undefined> {
  const wanted = { jsonrpc: '2.0', id: 1, result: quantity(rpc.chain.evmChainId) };
  for (const text of [
    '{"jsonrpc":"2.0","id":1,"method":"eth\\u005fchainId","params":[]}',
    ' {\t"params" : [ ] ,\n"method":"eth_chainId", "jsonrpc":"2.0","id":1}\r\n',
    '{"jsonrpc":"2.0","id":7,"id":1,"method":"eth_blockNumber","method":"eth_chainId","params":[]}',
  ]) {
    const problem = unlike(text, await said(rpc, text), wanted);
    if (problem !== undefined) return problem;
  }
  const word = '{"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["0x\\u0436"]}';
  const unread = (await said(rpc, word)) as Reply;
  for (const text of [
    '{"jsonrpc":"2.0","id":01,"method":"eth_chainId"}',
    '{"jsonrpc":"2.0","id":1,"method":"eth_\nchainId"}',
    '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}}',
    '{"jsonrpc":"2.0","id":1,"method":"eth_chainId",}',
    "{'jsonrpc':'2.0','id':1,'method':'eth_chainId'}",
  ]) {
    const { error } = (await said(rpc, text)) as Reply;
    const problem = unlike(text, error?.['code'], PARSE_ERROR);
    if (problem !== undefined) return problem;
  }
  return unlike('bytes that are no hex', 'result' in unread, false);
}

/**
 * CometBFT's RPC parses numbers and bytes strictly and answers a batch in order. A request without an id gets no
 * answer.
 */
async function wrongEngine(rpc: RpcContext): Promise<string | undefined> {
  const head = rpc.chain.head();
  const ask = async (questions: unknown): Promise<unknown> => {
    const { body } = await handleCometPost(rpc, JSON.stringify(questions));
    return JSON.parse(String(body) || 'null');
  };
  const header = (id: unknown, params: unknown) => ({ jsonrpc: '2.0', id, method: 'header', params });
  const hash = toUpperHex(rpc.chain.blockMeta(head)?.blockId.hash ?? new Uint8Array(32));
  const good = header(1, { height: String(head) });
  const bad = [
    header(2, { height: head }),
    header(3, { height: '9223372036854775808' }),
    header(4, { height: '1.5' }),
    header(5, []),
    { jsonrpc: '2.0', id: 6, method: 'header_by_hash', params: { hash: hash.slice(1) } },
    { jsonrpc: '2.0', id: 7, method: 'header_by_hash', params: { hash: `${hash.slice(1)}G` } },
  ];
  const alone = (await ask(good)) as Reply;
  const told = (await ask([good, ...bad])) as readonly Reply[];
  const fraction = (await ask(header(1.7, [String(head)]))) as Reply;
  const nameless = header(undefined, { height: String(head) });
  return (
    unlike('a header with one for nobody', await ask([nameless, good]), alone) ??
    unlike('a header for nobody', await ask(nameless), null) ??
    unlike('headers for nobody', await ask([nameless, header(null, {})]), null) ??
    unlike('a header in a batch', told[0], alone) ??
    unlike(
      'what cannot be read, with answers',
      told.slice(1).map((one) => [one.id, 'result' in one]),
      bad.map(({ id }) => [id, false]),
    ) ??
    unlike('a header by its place in a list', fraction, alone)
  );
}
