import type { RpcContext } from '../../core/rpc/context.ts';
import { handleRest } from '../../core/rpc/cosmos/rest.ts';
import { handleEthRequest } from '../../core/rpc/eth/jsonrpc.ts';

/** What the REST API answers to a GET. */
export async function askRest(
  context: RpcContext,
  path: string,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await handleRest(context, { method: 'GET', path, query: '', headers: {}, body: '' });
  return { status: answer.status, body: JSON.parse(String(answer.body)) as unknown };
}

/** The result of a JSON-RPC call; undefined for an error. */
export async function askEthereum<T>(
  context: RpcContext,
  method: string,
  params: readonly unknown[],
): Promise<T | undefined> {
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const text = await handleEthRequest(context, call, 'http');
  return (JSON.parse(text ?? '{}') as { readonly result?: T }).result;
}
