/** The node itself: health, status, genesis, network, mempool. */
import { genesisJson } from '../../../codec/genesis.ts';
import { publicKeyJson } from '../../../codec/json.ts';
import { formatTime } from '../../../codec/timeText.ts';
import { present } from '../../../lib/assert.ts';
import { toBase64 } from '../../../lib/base64.ts';
import { type Bytes, EMPTY, equalBytes, toUpperHex } from '../../../lib/bytes.ts';
import { decodeUtf8, encodeUtf8 } from '../../../lib/utf8.ts';
import { type Height, ZERO_TIME } from '../../../types/ids.ts';
import { COMETBFT_VERSION } from '../../../types/peer.ts';
import { PageRoom } from '../../answerRoom.ts';
import type { RpcContext } from '../../context.ts';
import { heightAfter } from '../../heightSteps.ts';
import { goJson } from '../../jsonText.ts';
import { serverError } from '../../rpcError.ts';
import { RenderedResult } from '../envelope.ts';
import { perPageOf } from '../heights.ts';
import { type CometMethod, method } from '../method.ts';
import { netInfo } from './netInfo.ts';

/** The channels that every CometBFT 0.38 node lists. */
const CHANNELS_HEX = '40202122233038606100';
const P2P_PROTOCOL = '8';
const BLOCK_PROTOCOL = '11';
const GENESIS_BYTES_MAX = 16 * 1024 * 1024;

const genesisBytes = new WeakMap<RpcContext, Bytes>();

/** Rendered once per node, as genesis does not change. */
function renderedGenesis(ctx: RpcContext): Bytes {
  let bytes = genesisBytes.get(ctx);
  if (bytes === undefined) {
    bytes = encodeUtf8(goJson(genesisJson(ctx.genesis)));
    genesisBytes.set(ctx, bytes);
  }
  return bytes;
}

export function nodeInfoJson(ctx: RpcContext) {
  const { identity, chain } = ctx;
  const app = chain.params(heightAfter(chain, chain.head()))?.version.app ?? 0;
  return {
    protocol_version: { p2p: P2P_PROTOCOL, block: BLOCK_PROTOCOL, app: String(app) },
    id: identity.nodeId,
    listen_addr: identity.listenAddress,
    network: chain.chainId,
    version: COMETBFT_VERSION,
    channels: CHANNELS_HEX,
    moniker: identity.moniker,
    other: { tx_index: ctx.indexing?.kind === 'null' ? 'off' : 'on', rpc_address: identity.rpcAddress },
  };
}

function syncFacts(ctx: RpcContext, height: Height) {
  const meta = height > 0 ? ctx.chain.blockMeta(height) : undefined;
  return {
    hash: toUpperHex(meta?.blockId.hash ?? EMPTY),
    time: formatTime(meta?.header.time ?? ZERO_TIME),
    appHash: toUpperHex(meta?.header.appHash ?? EMPTY),
  };
}

function status(ctx: RpcContext) {
  const { chain, identity } = ctx;
  const head = chain.head();
  const base = Math.min(chain.base(), head);
  const [latest, earliest] = [syncFacts(ctx, head), syncFacts(ctx, base)];
  const own = identity.validator;
  const power = chain
    .validators(heightAfter(chain, head))
    ?.validators.find(({ address }) => own !== undefined && equalBytes(address, own.address))?.power;
  return {
    node_info: nodeInfoJson(ctx),
    sync_info: {
      latest_block_hash: latest.hash,
      latest_app_hash: latest.appHash,
      latest_block_height: String(head),
      latest_block_time: latest.time,
      earliest_block_hash: earliest.hash,
      earliest_app_hash: earliest.appHash,
      earliest_block_height: String(base),
      earliest_block_time: earliest.time,
      catching_up: ctx.catchingUp(),
    },
    validator_info: {
      address: toUpperHex(own?.address ?? EMPTY),
      pub_key: own === undefined ? null : publicKeyJson(own.pubKey),
      voting_power: String(power ?? 0n),
    },
  };
}

function genesisChunk(ctx: RpcContext, chunk: bigint) {
  const bytes = renderedGenesis(ctx);
  const total = Math.max(1, Math.ceil(bytes.length / GENESIS_BYTES_MAX));
  if (chunk >= BigInt(total)) {
    // CometBFT's text states one chunk too few. Clients depend on this text.
    throw serverError(`there are ${total - 1} chunks, ${chunk} is invalid`);
  }
  const start = Number(chunk) * GENESIS_BYTES_MAX;
  const data = toBase64(bytes.subarray(start, start + GENESIS_BYTES_MAX));
  return { chunk: chunk.toString(), total: String(total), data };
}

export const nodeMethods: readonly CometMethod[] = [
  method({ method: 'health', args: {}, doc: 'An empty object while the node answers.', run: () => ({}) }),
  method({ method: 'status', args: {}, doc: 'Identity, progress and validator of the node.', run: status }),
  method({
    method: 'net_info',
    args: {},
    doc: 'Listeners and peers.',
    run: netInfo,
  }),
  method({
    method: 'genesis',
    args: {},
    caching: 'always',
    doc: 'The genesis document.',
    run: (ctx) => {
      const bytes = renderedGenesis(ctx);
      if (bytes.length > GENESIS_BYTES_MAX) {
        throw serverError('genesis response is large, please use the genesis_chunked API instead');
      }
      return new RenderedResult(`{"genesis":${present(decodeUtf8(bytes), 'rendered as UTF-8')}}`);
    },
  }),
  method({
    method: 'genesis_chunked',
    args: { chunk: 'uint' },
    caching: 'always',
    doc: 'One piece of the genesis document, base64, counted from 0.',
    run: (ctx, { chunk }) => genesisChunk(ctx, chunk),
  }),
  method({
    method: 'unconfirmed_txs',
    args: { limit: 'int?' },
    doc: 'Transactions that wait, oldest first.',
    run: (ctx, { limit }) => {
      const { pending, queued, bytes } = ctx.pool.stats();
      const txs = ctx.pool.list?.(perPageOf(limit)) ?? [];
      const room = new PageRoom(ctx.limits, serverError);
      for (const tx of txs) room.addPooled(tx);
      const total = String(pending + queued);
      return { n_txs: String(txs.length), total, total_bytes: String(bytes), txs: txs.map(toBase64) };
    },
  }),
  method({
    method: 'num_unconfirmed_txs',
    args: {},
    doc: 'How many transactions wait, and their bytes.',
    run: (ctx) => {
      const { pending, queued, bytes } = ctx.pool.stats();
      const count = String(pending + queued);
      return { n_txs: count, total: count, total_bytes: String(bytes), txs: null };
    },
  }),
];
