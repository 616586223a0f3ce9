import { GRPC, GrpcError } from './status.ts';

/** The height in an `x-cosmos-block-height` header or metadata entry; undefined means the latest. */
export function heightOf(text: string | undefined): bigint | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^[0-9]{1,19}$/.test(text)) return BigInt(text);
  throw new GrpcError(GRPC.invalidArgument, `invalid height header ${JSON.stringify(text)}`);
}
