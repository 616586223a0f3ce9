import { toBase64 } from '../../core/lib/base64.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { handleCometPost } from '../../core/rpc/comet/http.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { handleRest } from '../../core/rpc/cosmos/rest.ts';
import { request } from './calls.ts';

/** Ways to submit a bank transaction to a node. The async ones do not wait for a verdict, and tell none. */
const WAYS = ['rest', 'rest', 'engine', 'rest-async', 'engine-async'] as const;
export type Way = (typeof WAYS)[number];
export const WAY_COUNT = WAYS.length;
export const wayOf = (choice: number): Way => WAYS[choice] ?? 'rest';

interface Told {
  /** undefined: there was no answer, or it has no verdict. */
  readonly code: number | undefined;
  /** Something that no node may answer. */
  readonly problem: string | undefined;
}

interface Response {
  readonly txhash?: string;
  readonly hash?: string;
  readonly code?: number;
  readonly codespace?: string;
  readonly raw_log?: string;
  readonly log?: string;
}

async function answered(rpc: RpcContext, raw: Bytes, way: Way): Promise<Response | undefined> {
  const tx = toBase64(raw);
  const isAsync = way.endsWith('async');
  if (way.startsWith('rest')) {
    const mode = isAsync ? 'BROADCAST_MODE_ASYNC' : 'BROADCAST_MODE_SYNC';
    const body = JSON.stringify({ tx_bytes: tx, mode });
    const path = '/cosmos/tx/v1beta1/txs';
    const answer = await handleRest(rpc, { method: 'POST', path, query: '', headers: {}, body });
    const told = JSON.parse(String(answer.body)) as { readonly tx_response?: Response };
    return answer.status === 200 ? told.tx_response : undefined;
  }
  return engine(rpc, isAsync ? 'broadcast_tx_async' : 'broadcast_tx_sync', tx);
}

async function engine(rpc: RpcContext, method: string, tx: string): Promise<Response | undefined> {
  const answer = await handleCometPost(rpc, request(method, { tx }));
  return (JSON.parse(String(answer.body)) as { readonly result?: Response }).result;
}

/**
 * The codespace and code with which CheckTx refuses a transaction, which does not go to the pool; undefined: no answer.
 */
export async function checkedOnly(rpc: RpcContext, raw: Bytes): Promise<string | undefined> {
  const response = await engine(rpc, 'check_tx', toBase64(raw));
  return response && `${response.codespace} ${response.code}`.trim();
}

/** Submits a transaction. Every answer has to name it by its hash, also a refusal. */
export async function broadcast(rpc: RpcContext, raw: Bytes, hash: string, way: Way): Promise<Told> {
  const response = await answered(rpc, raw, way);
  if (response === undefined) return { code: undefined, problem: undefined };
  const { txhash = response.hash, code = 0, raw_log = response.log ?? '' } = response;
  const isAsync = way.endsWith('async');
  if (txhash !== hash) return { code, problem: `broadcast answered ${txhash} for ${hash}` };
  if (isAsync && (code !== 0 || raw_log !== ''))
    return { code, problem: `a broadcast that waits for nothing answered ${code} ${raw_log}` };
  if (!isAsync && (code === 0) !== (raw_log === ''))
    return { code, problem: `broadcast answered code ${code} with '${raw_log}' for ${hash}` };
  return { code: isAsync ? undefined : code, problem: undefined };
}
