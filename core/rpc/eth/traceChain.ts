import { ExecutionAborted } from '../../app/guard.ts';
import { to0xHex } from '../../lib/bytes.ts';
import type { Height } from '../../types/ids.ts';
import { RpcError } from '../rpcError.ts';
import { quantity } from './goHex.ts';
import type { TraceChainRequest } from './method.ts';
import { heavily } from './services.ts';
import type { Subscription, SubscriptionParts } from './subscription.ts';
import { traceBlock } from './tracing.ts';

/**
 * geth's debug_subscribe traceChain: one notification per block with transactions, and one for the last block. A client
 * that does not read delays only its own traces.
 */
export class TraceChain implements Subscription {
  readonly #parts: SubscriptionParts;
  readonly #request: TraceChainRequest;
  #ended = false;
  untold: number;

  constructor(parts: SubscriptionParts, request: TraceChainRequest) {
    this.#parts = parts;
    this.#request = request;
    this.untold = request.start + 1;
  }

  end(): void {
    this.#ended = true;
  }

  onHead(): void {}

  onPendingTx(): void {}

  async release(): Promise<void> {
    const { ctx, outbox, onGap } = this.#parts;
    const { start, end } = this.#request;
    for (let height = start + 1; height <= end; height++) {
      if (!outbox.hasRoom) await outbox.room();
      await ctx.pause?.();
      if (this.#ended) return;
      const block = ctx.chain.ethBlock(height);
      if (block === undefined) {
        onGap(height);
        return;
      }
      if (block.transactions.length > 0 || height === end) await this.#tell(height, block.hash);
      this.untold = height + 1;
    }
    this.untold = Number.POSITIVE_INFINITY;
  }

  async #tell(height: Height, hash: Uint8Array): Promise<void> {
    const { ctx, outbox, id, onFull } = this.#parts;
    const trace = () => traceBlock(ctx, { kind: 'hash', hash }, this.#request.config);
    const traces = await heavily(ctx, trace).catch(told);
    if (this.#ended) return;
    const result = { block: quantity(height), hash: to0xHex(hash), traces };
    const params = JSON.stringify({ subscription: id, result });
    const text = `{"jsonrpc":"2.0","method":"debug_subscription","params":${params}}`;
    if (!outbox.push(text, height)) onFull(height);
  }
}

/** A block whose trace takes too long is reported as an error; later blocks may still be traced. */
function told(failure: unknown): readonly { readonly error: string }[] {
  if (failure instanceof RpcError || failure instanceof ExecutionAborted)
    return [{ error: failure instanceof RpcError ? failure.message : 'execution timeout' }];
  throw failure;
}
