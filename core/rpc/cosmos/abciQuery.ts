import { type Bytes, EMPTY } from '../../lib/bytes.ts';
import type { RpcContext } from '../context.ts';
import { scopeAt } from './scope.ts';
import { GRPC, GrpcError, sdkCodeOf } from './status.ts';
import { findByGrpcPath } from './table.ts';

/** Raw entry of the module store; `data` is the key as the module lays it out. */
export const MODULE_KEY_PATH = '/store/modules/key';

export interface AbciQueryAnswer {
  /** 0 or a code of `codespace`. */
  readonly code: number;
  readonly codespace: string;
  readonly log: string;
  readonly key: Bytes;
  readonly value: Bytes;
  readonly height: number;
}

/** An ABCI query: a service query by its gRPC path with protobuf data, or a raw key of the module store. */
export async function answerAbciQuery(
  ctx: RpcContext,
  path: string,
  data: Bytes,
  height: bigint,
): Promise<AbciQueryAnswer> {
  try {
    const scope = scopeAt(ctx, height);
    const at = scope.view.height;
    const good = { code: 0, codespace: '', log: '', height: at };
    if (path === MODULE_KEY_PATH) return { ...good, key: data, value: scope.view.module(data) ?? EMPTY };
    const row = findByGrpcPath(path);
    if (row === undefined) return unknownPath(path, at);
    return { ...good, key: EMPTY, value: await row.proto(scope, data) };
  } catch (failure) {
    if (!(failure instanceof GrpcError)) throw failure;
    const code = sdkCodeOf(failure.code);
    const empty = { key: EMPTY, value: EMPTY, height: ctx.chain.head() };
    return { code, codespace: 'sdk', log: failure.text, ...empty };
  }
}

const unknownPath = (path: string, height: number): AbciQueryAnswer => ({
  code: sdkCodeOf(GRPC.unknown),
  codespace: 'sdk',
  log: `unknown query path: ${path}: unknown request`,
  key: EMPTY,
  value: EMPTY,
  height,
});
