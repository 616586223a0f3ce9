import type { CryptoSuite } from '../../../crypto/suite.ts';
import type { TraceHooks } from '../../../types/trace.ts';
import type { Json } from '../../jsonText.ts';
import type { LogCounter } from './logCounter.ts';

/** An observer that has something to say at the end. */
export interface Tracer extends TraceHooks {
  /** A JSON value; called once, after `end`. */
  result(): unknown;
  /** About how many characters of JSON the answer takes so far. */
  readonly size: number;
}

/** What a tracer may know besides the execution. */
export interface TracerContext {
  readonly suite: Pick<CryptoSuite, 'keccak256'>;
  /** Those of the block before this execution are counted. */
  readonly logs: LogCounter;
  isPrecompile(addressHex: string): boolean;
  /** Where the transaction stands; undefined for a call that never was one. */
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
