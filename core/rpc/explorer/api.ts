/** Queries of the explorer page that the consensus RPC lacks: a search for any identifier, and accounts. */
import { toEip55 } from '../../address/eip55.ts';
import { formatAddress, parseAnyAddress } from '../../address/kinds.ts';
import type { EthTx, TxLocation } from '../../app/chain.ts';
import { txHash } from '../../codec/hashes.ts';
import { type Bytes, parseHex, to0xHex, toUpperHex } from '../../lib/bytes.ts';
import type { Address } from '../../types/ids.ts';
import { parseQueryString } from '../comet/args.ts';
import type { RpcContext } from '../context.ts';
import { reportCrash } from '../crash.ts';
import type { HttpAnswer } from '../httpAnswer.ts';

type Found =
  | { readonly kind: 'block'; readonly height: number }
  | { readonly kind: 'tx'; readonly hash: string }
  | { readonly kind: 'account'; readonly address: string }
  | { readonly kind: 'none' };

const NONE: Found = { kind: 'none' };
const TEXT_MAX = 256;

const answer = (status: number, body: unknown): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** `name` is the path after `/explorer/api/`. */
export async function answerExplorer(ctx: RpcContext, name: string, query: string): Promise<HttpAnswer> {
  const values = parseQueryString(query);
  const text = (values.ok ? (values.value.get('q') ?? '') : '').trim();
  if (text.length > TEXT_MAX) return answer(400, { error: 'too long' });
  try {
    if (name === 'find') return answer(200, findAnything(ctx, text));
    if (name === 'account') return answer(...accountAnswer(ctx, text));
    if (name === 'tx') return answer(...txAnswer(ctx, text));
    if (name === 'chain') return answer(200, chainFacts(ctx));
    return answer(404, { error: 'no such question' });
  } catch (failure) {
    reportCrash(ctx, `explorer ${name}`, failure);
    return answer(500, { error: 'internal error' });
  }
}

const chainFacts = ({ chain, identity, genesis }: RpcContext) => ({
  chainId: genesis.chainId,
  head: chain.head(),
  evmChainId: String(chain.evmChainId),
  denom: chain.denom,
  moniker: identity.moniker,
  version: identity.version,
});

const hashOf = (text: string): Bytes | undefined => {
  const parsed = parseHex(text);
  return parsed.ok && parsed.value.length === 32 ? parsed.value : undefined;
};

/** Finds a transaction by its consensus hash or its Ethereum hash. */
const locationOf = ({ chain }: RpcContext, hash: Bytes): TxLocation | undefined =>
  chain.ethTxLocation(hash) ?? chain.txLocation(hash);

function findAnything(ctx: RpcContext, text: string): Found {
  const { chain } = ctx;
  if (/^[0-9]{1,15}$/.test(text)) {
    const height = Number(text);
    return height >= 1 && height >= chain.base() && height <= chain.head() ? { kind: 'block', height } : NONE;
  }
  const hash = hashOf(text);
  if (hash !== undefined) {
    const height = chain.heightOfBlockHash(hash) ?? chain.heightOfEthHash(hash);
    if (height !== undefined && height > 0) return { kind: 'block', height };
    return locationOf(ctx, hash) === undefined ? NONE : { kind: 'tx', hash: toUpperHex(hash) };
  }
  const address = parseAnyAddress(text, chain.hrp);
  return address.ok ? { kind: 'account', address: toEip55(address.value.address) } : NONE;
}

const faces = ({ chain }: RpcContext, address: Address) => ({
  hex: toEip55(address),
  bech32: formatAddress('acc', chain.hrp, address),
});

function accountAnswer(ctx: RpcContext, text: string): [number, unknown] {
  const parsed = parseAnyAddress(text, ctx.chain.hrp);
  if (!parsed.ok) return [400, { error: parsed.error.message }];
  const { address } = parsed.value;
  const view = ctx.chain.latest();
  const account = view.account(address);
  return [
    200,
    {
      ...faces(ctx, address),
      height: view.height,
      balance: String(account?.balance ?? 0n),
      nonce: String(account?.nonce ?? 0n),
      codeBytes: view.code(address).length,
      denom: ctx.chain.denom,
    },
  ];
}

function txAnswer(ctx: RpcContext, text: string): [number, unknown] {
  const hash = hashOf(text);
  const location = hash === undefined ? undefined : locationOf(ctx, hash);
  if (location === undefined) return [404, { error: 'transaction not found' }];
  const { height, index, ethIndex } = location;
  const bytes = ctx.chain.block(height)?.txs[index];
  const result = ctx.chain.txResult(location);
  if (bytes === undefined || result === undefined) return [404, { error: 'its block is no longer kept' }];
  const tx = ethIndex === undefined ? undefined : ctx.chain.ethBlock(height)?.transactions[ethIndex];
  return [
    200,
    {
      hash: toUpperHex(txHash(bytes)),
      height,
      index,
      bytes: bytes.length,
      code: result.code,
      log: result.log,
      gasUsed: String(result.gasUsed),
      gasWanted: String(result.gasWanted),
      events: result.events,
      ethereum: tx === undefined ? null : ethFacts(ctx, tx),
    },
  ];
}

const ethFacts = (ctx: RpcContext, tx: EthTx) => ({
  hash: to0xHex(tx.hash),
  type: tx.type,
  from: faces(ctx, tx.from),
  to: tx.to === undefined ? null : faces(ctx, tx.to),
  value: String(tx.value),
  nonce: String(tx.nonce),
  data: to0xHex(tx.data.subarray(0, 4096)),
  dataBytes: tx.data.length,
});
