/** Error codes of JSON-RPC 2.0 and of geth's rpc package. */
export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  server: -32000,
  timeout: -32002,
  responseTooLarge: -32003,
  /** eth_sendRawTransactionSync: the transaction is in the pool, but no block included it in time (EIP-7966). */
  notIncluded: 4,
  /** The request exceeds one of geth's limits. */
  clientLimit: -38026,
  /** An EVM revert; `data` carries the revert bytes. */
  reverted: 3,
} as const;

/** V8's stackTraceLimit: how many stack frames an error captures. */
const traced: ErrorConstructor & { stackTraceLimit?: number | undefined } = Error;

/**
 * The only error that an RPC handler throws; each API converts it to its own format. It answers a client and nobody
 * reads its stack trace, so none is captured: that makes it far cheaper.
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
