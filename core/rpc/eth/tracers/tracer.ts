import type { CryptoSuite } from '../../../crypto/suite.ts';
import type { TraceHooks } from '../../../types/trace.ts';
import type { Json } from '../../jsonText.ts';
import type { LogCounter } from './logCounter.ts';

/** An observer of an execution that returns a result at the end. */
export interface Tracer extends TraceHooks {
  /** A JSON value. Called once, after `end`. */
  result(): unknown;
  /** Approximate characters of JSON in the result so far. */
  readonly size: number;
}

/** What a tracer knows besides the execution. */
export interface TracerContext {
  readonly suite: Pick<CryptoSuite, 'keccak256'>;
  /** Starts after the logs that precede this execution in its block. */
  readonly logs: LogCounter;
  isPrecompile(addressHex: string): boolean;
  /** Position of the transaction; undefined for a call that is not a transaction. */
  readonly place:
    | {
        readonly blockHash: string;
        readonly blockNumber: number;
        readonly txHash: string;
        readonly txIndex: number;
      }
    | undefined;
}

/** `config` is the request's tracerConfig. Throws RpcError. */
export type TracerMaker = (config: Json, context: TracerContext) => Tracer;
