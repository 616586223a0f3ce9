import { memoryRange } from '../../../app/evm/memoryRange.ts';
import { to0xHex } from '../../../lib/bytes.ts';
import type { Step } from '../../../types/trace.ts';
import { serverError } from '../../rpcError.ts';
import type { Tracer, TracerContext } from './tracer.ts';

const KECCAK256 = 0x20;
/** Maximum bytes of preimages, so that the answer fits in memory. */
const BYTES_MAX = 32_000_000;

/** The data that KECCAK256 instructions hashed, by hash. */
export class PreimageTracer implements Tracer {
  readonly #context: TracerContext;
  readonly #preimages = new Map<string, string>();
  #bytes = 0;

  constructor(context: TracerContext) {
    this.#context = context;
  }

  step({ code, stack, memory, cost, gas }: Step): void {
    const [offset, length] = [stack.at(-1), stack.at(-2)];
    if (code !== KECCAK256 || cost > gas || offset === undefined || length === undefined) return;
    const preimage = this.#bytes > BYTES_MAX ? undefined : memoryRange(memory, offset, length);
    if (preimage === undefined) return;
    const hash = to0xHex(this.#context.suite.keccak256(preimage));
    if (this.#preimages.has(hash)) return;
    this.#bytes += preimage.length;
    this.#preimages.set(hash, to0xHex(preimage));
  }

  get size(): number {
    return 2 * this.#bytes;
  }

  result(): unknown {
    if (this.#bytes > BYTES_MAX)
      throw serverError(`trace too large: more than ${BYTES_MAX} bytes were hashed`);
    return Object.fromEntries(this.#preimages);
  }
}
