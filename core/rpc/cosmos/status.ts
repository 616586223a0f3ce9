/** gRPC status codes and their HTTP statuses, as in grpc-gateway. */
export const GRPC = {
  ok: 0,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

export type GrpcCode = (typeof GRPC)[keyof typeof GRPC];

const HTTP_STATUS: Readonly<Record<GrpcCode, number>> = {
  0: 200,
  2: 500,
  3: 400,
  4: 504,
  5: 404,
  8: 429,
  9: 400,
  11: 400,
  12: 501,
  13: 500,
  14: 503,
  16: 401,
};

export const httpStatusOf = (code: GrpcCode): number => HTTP_STATUS[code];

/** The code in codespace `sdk` that an ABCI answer has for a query handler's error. */
export function sdkCodeOf(code: GrpcCode): number {
  if (code === GRPC.notFound) return 22;
  if (code === GRPC.invalidArgument || code === GRPC.failedPrecondition) return 18;
  return code === GRPC.unauthenticated ? 4 : 6;
}

const SDK_WORDS: Readonly<Record<number, string>> = {
  4: 'unauthorized',
  6: 'unknown request',
  18: 'invalid request',
  22: 'key not found',
};

const NAMES: Readonly<Record<GrpcCode, string>> = {
  0: 'OK',
  2: 'Unknown',
  3: 'InvalidArgument',
  4: 'DeadlineExceeded',
  5: 'NotFound',
  8: 'ResourceExhausted',
  9: 'FailedPrecondition',
  11: 'OutOfRange',
  12: 'Unimplemented',
  13: 'Internal',
  14: 'Unavailable',
  16: 'Unauthenticated',
};

/** The text that an SDK client shows for a refused ABCI query: its code and log as a gRPC status. */
export function sdkErrorText(codespace: string, code: number, log: string): string {
  const grpc: Readonly<Record<number, GrpcCode>> = { 4: 16, 18: 3, 22: 5 };
  const status = codespace === 'sdk' ? (grpc[code] ?? GRPC.unknown) : GRPC.unknown;
  return `rpc error: code = ${NAMES[status]} desc = ${log}`;
}

/** Thrown when a service refuses a query. */
export class GrpcError extends Error {
  readonly code: GrpcCode;

  /** A missing entry of the state. REST then shows the application's ABCI error text inside the gateway's error. */
  readonly isOfStore: boolean;

  constructor(code: GrpcCode, message: string, isOfStore = false) {
    super(message);
    this.isOfStore = isOfStore;
    this.name = 'GrpcError';
    this.code = code;
  }

  /** Error text in an ABCI answer: Go's text of a status error, then the text of the ABCI code. */
  get text(): string {
    const words = SDK_WORDS[sdkCodeOf(this.code)];
    return `rpc error: code = ${NAMES[this.code]} desc = ${this.message}: ${words}`;
  }
}
