import { decode, encode } from '../../core/codec/proto.ts';
import { fromBase64 } from '../../core/lib/base64.ts';
import { toHex } from '../../core/lib/bytes.ts';
import type { RestFields } from '../../core/rpc/cosmos/restRequest.ts';
import { fieldsRequest, parseFields } from '../../core/rpc/cosmos/restRequest.ts';
import { GrpcError, sdkErrorText } from '../../core/rpc/cosmos/status.ts';
import { matchRest } from '../../core/rpc/cosmos/table.ts';
import { OperatingError } from '../operatingError.ts';
import { postJson } from './getJson.ts';

interface QueryAnswer {
  readonly result?: {
    readonly response?: {
      readonly code?: number;
      readonly codespace?: string;
      readonly log?: string;
      readonly value?: string | null;
    };
  };
  readonly error?: { readonly message?: string; readonly data?: string };
}

/** The service method of a REST path and query, and the request fields in them. */
function rowOf(verb: string, target: string) {
  const [path = '', query = ''] = target.split('?');
  const match = matchRest(verb, path.slice(1).split('/').map(decodeURIComponent));
  const named = parseFields(query);
  if (match === undefined || !named.ok)
    throw new OperatingError(`${target} is no query of the consensus RPC`);
  const fields = new Map<string, readonly string[]>(named.value);
  for (const [name, text] of match.fields) fields.set(name, [text]);
  return { row: match.row, fields: fields as RestFields };
}

/**
 * The answer of REST to a path, fetched through `abci_query` of a node's consensus RPC. Like Cosmos command lines, it
 * asks in protobuf, by gRPC method name. Throws OperatingError with the node's error message.
 */
export async function askConsensus(
  url: string,
  verb: 'GET' | 'POST',
  target: string,
  body: string,
  height: string | undefined,
): Promise<unknown> {
  const { row, fields } = rowOf(verb, target);
  const data = toHex(
    encode(
      row.request,
      requestOf(() => fieldsRequest(row.request, fields, body)),
    ),
  );
  const params = { path: row.grpcPath, data, height: height ?? '0', prove: false };
  const call = { jsonrpc: '2.0', id: 1, method: 'abci_query', params };
  const { error, result } = (await postJson(url, call)).body as QueryAnswer;
  if (error !== undefined) throw new OperatingError(`${error.message}: ${error.data}`);
  const { code = 0, codespace = '', log = '', value } = result?.response ?? {};
  if (code !== 0) throw new OperatingError(sdkErrorText(codespace, code, log));
  const bytes = fromBase64(value ?? '');
  const answer = bytes.ok ? decode(row.response, bytes.value) : bytes;
  if (!answer.ok) throw new OperatingError(`unexpected answer of ${url} to ${row.grpcPath}`);
  return row.render(answer.value);
}

/** Reads the request; a field that cannot be read is an error of the command line. */
function requestOf<T>(read: () => T): T {
  try {
    return read();
  } catch (failure) {
    if (failure instanceof GrpcError) throw new OperatingError(failure.message);
    throw failure;
  }
}
