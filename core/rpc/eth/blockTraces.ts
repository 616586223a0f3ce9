import type { EthTx } from '../../app/chain.ts';
import { to0xHex } from '../../lib/bytes.ts';
import { answerCharsMax } from '../answerRoom.ts';
import type { RpcContext } from '../context.ts';
import type { JsonObject } from '../jsonText.ts';
import { RpcError, serverError } from '../rpcError.ts';
import { tracerOf } from './tracers/table.ts';
import type { Tracer, TracerContext } from './tracers/tracer.ts';

const CROWDED: Tracer = {
  size: 0,
  result: () => {
    throw serverError('trace too large: trace the transactions of this block one by one');
  },
};

/**
 * The traces of a block's transactions in order. When together they become too long, the remaining ones are not traced.
 */
export class BlockTraces {
  readonly #config: JsonObject;
  readonly #charsMax: number;
  readonly #tracers: Tracer[] = [];
  #size = 0;

  constructor({ limits }: RpcContext, config: JsonObject) {
    this.#config = config;
    this.#charsMax = answerCharsMax(limits);
  }

  /** The tracer of the next transaction. Call it after the previous transaction has ended. */
  next(context: TracerContext): Tracer {
    this.#size += this.#tracers.at(-1)?.size ?? 0;
    const tracer = this.#size > this.#charsMax ? CROWDED : tracerOf(this.#config, context);
    this.#tracers.push(tracer);
    return tracer;
  }

  rows(transactions: readonly EthTx[]) {
    return transactions.map(({ hash }, i) => ({ txHash: to0xHex(hash), ...outcomeOf(this.#tracers[i]) }));
  }
}

/** A trace that cannot be rendered must not hide the others. */
function outcomeOf(tracer: Tracer | undefined): { readonly result: unknown } | { readonly error: string } {
  try {
    return { result: tracer?.result() };
  } catch (failure) {
    if (failure instanceof RpcError) return { error: failure.message };
    throw failure;
  }
}
