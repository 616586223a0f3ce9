import type { ChainReader, TxLocation } from '../../core/app/chain.ts';
import { toBase64 } from '../../core/lib/base64.ts';
import { type Bytes, hex, to0xHex } from '../../core/lib/bytes.ts';
import { handleCometPost } from '../../core/rpc/comet/http.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { handleEthRequest } from '../../core/rpc/eth/jsonrpc.ts';
import { request } from './calls.ts';

/** The outcome of a submission that waits for its block. */
export type Told =
  | { readonly kind: 'block'; readonly hash: string; readonly height: number; readonly isGood: boolean }
  | { readonly kind: 'late' | 'full' | 'refused' };

/** A method of a node that answers when the transaction is in a block. */
export interface Mouth {
  readonly patienceMs: number;
  give(rpc: RpcContext, raw: Bytes): Promise<Told>;
  placeOf(chain: ChainReader, hash: string): TxLocation | undefined;
}

interface CommitAnswer {
  readonly result?: {
    readonly check_tx: { readonly code: number };
    readonly tx_result: { readonly code: number };
    readonly hash: string;
    readonly height: string;
  };
  readonly error?: { readonly data?: string };
}

/** `broadcast_tx_commit`, with CometBFT's own time-out. */
export const COMMIT: Mouth = {
  patienceMs: 10_000,
  placeOf: (chain, hash) => chain.txLocation(hex(hash)),
  async give(rpc, raw) {
    const { body } = await handleCometPost(rpc, request('broadcast_tx_commit', { tx: toBase64(raw) }));
    const { result, error } = JSON.parse(String(body)) as CommitAnswer;
    if (result === undefined) {
      const why = error?.data ?? '';
      if (why.startsWith('timed out')) return { kind: 'late' };
      return { kind: why.startsWith('max_subscription_clients') ? 'full' : 'refused' };
    }
    const { hash, height } = result;
    if (result.check_tx.code !== 0 && height === '0') return { kind: 'refused' };
    return { kind: 'block', hash, height: Number(height), isGood: result.tx_result.code === 0 };
  },
};

interface SyncAnswer {
  readonly result?: {
    readonly transactionHash: string;
    readonly blockNumber: string;
    readonly status: string;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

const SYNC_MS = 4_000;
/** Error code of EIP-7966: in the pool, but in no block yet. */
const NOT_YET = 4;

/** `eth_sendRawTransactionSync` (EIP-7966). */
export const SYNC: Mouth = {
  patienceMs: SYNC_MS,
  placeOf: (chain, hash) => chain.ethTxLocation(hex(hash.slice(2))),
  async give(rpc, raw) {
    const params = [to0xHex(raw), `0x${SYNC_MS.toString(16)}`];
    const text = await handleEthRequest(rpc, request('eth_sendRawTransactionSync', params), 'http');
    const { result, error } = JSON.parse(text ?? '{}') as SyncAnswer;
    if (result === undefined) {
      if (error?.code === NOT_YET) return { kind: 'late' };
      return { kind: error?.message.startsWith('too many requests') === true ? 'full' : 'refused' };
    }
    const { transactionHash, blockNumber, status } = result;
    return { kind: 'block', hash: transactionHash, height: Number(blockNumber), isGood: status === '0x1' };
  },
};
