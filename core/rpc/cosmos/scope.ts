import type { RpcContext } from '../context.ts';
import type { QueryScope } from './service.ts';
import { GRPC, GrpcError } from './status.ts';

/** The state at a height; 0 or undefined means the latest. */
export function scopeAt(ctx: RpcContext, height: bigint | undefined): QueryScope {
  if (height === undefined || height === 0n) return { ctx, view: ctx.chain.latest(), asked: undefined };
  const head = ctx.chain.head();
  if (height < 0n)
    throw new GrpcError(GRPC.invalidArgument, 'cannot query with height < 0; please provide a valid height');
  if (height > BigInt(head)) {
    const text = 'cannot query with height in the future; please provide a valid height';
    throw new GrpcError(GRPC.invalidArgument, text);
  }
  const view = ctx.chain.view(Number(height));
  if (view === undefined)
    throw new GrpcError(GRPC.invalidArgument, `state of height ${height} is not available`);
  return { ctx, view, asked: view.height };
}
