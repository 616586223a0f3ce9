import { GRPC, GrpcError } from './status.ts';

/** The height that a header or metadata `x-cosmos-block-height` asks for, undefined for the newest. */
export function heightOf(text: string | undefined): bigint | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^[0-9]{1,19}$/.test(text)) return BigInt(text);
  throw new GrpcError(GRPC.invalidArgument, `invalid height header ${JSON.stringify(text)}`);
}
