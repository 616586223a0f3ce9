/** Numbers of JSON-RPC 2.0 and of geth's rpc package. */
export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  server: -32000,
  timeout: -32002,
  responseTooLarge: -32003,
  /** eth_sendRawTransactionSync: in the pool, not in a block in time (EIP-7966). */
  notIncluded: 4,
  /** geth's bound on what one request may ask for. */
  clientLimit: -38026,
  /** An EVM revert; `data` carries the revert bytes. */
  reverted: 3,
} as const;

/** V8's: how many callers an error takes down. */
const traced: ErrorConstructor & { stackTraceLimit?: number | undefined } = Error;

/**
 * The one error an RPC handler throws; surfaces turn it into their own shape, nothing else crosses the boundary. It answers
 * a client, and nobody reads where it was thrown: with none taken down it costs a fraction.
 */
export class RpcError extends Error {
  readonly code: number;
  /** JSON value for the error's `data` member; undefined leaves it out. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    const { stackTraceLimit } = traced;
    traced.stackTraceLimit = 0;
    super(message);
    traced.stackTraceLimit = stackTraceLimit;
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

export const serverError = (message: string): RpcError => new RpcError(CODES.server, message);
export const invalidParams = (message: string): RpcError => new RpcError(CODES.invalidParams, message);
