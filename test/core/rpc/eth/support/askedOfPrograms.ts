import { nobleSuite } from '../../../../../core/crypto/noble.ts';
import { toHex } from '../../../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../../../core/lib/utf8.ts';
import { programOf } from './programs.ts';

export interface Asked {
  readonly name: string;
  readonly method: string;
  readonly params: readonly unknown[];
}

const TRACES: Readonly<Record<string, object>> = {
  struct: { enableMemory: true, enableReturnData: true },
  calls: { tracer: 'callTracer', tracerConfig: { withLog: true } },
  prestate: { tracer: 'prestateTracer' },
  diff: { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  flat: { tracer: 'flatCallTracer' },
  parity: { tracer: 'flatCallTracer', tracerConfig: { includePrecompiles: true, convertParityErrors: true } },
  selectors: { tracer: '4byteTracer' },
};

/** What is asked of the program of a seed. */
export function askedOf(seed: number): readonly Asked[] {
  const { call, stateOverrides, blockOverrides } = programOf(seed);
  return [
    ...Object.entries(TRACES).map(([name, config]) => ({
      name,
      method: 'debug_traceCall',
      params: [call, 'latest', { ...config, stateOverrides, blockOverrides }],
    })),
    { name: 'call', method: 'eth_call', params: [call, 'latest', stateOverrides, blockOverrides] },
  ];
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

/** In whatever order the members of a result or an error stand. */
export const digestOf = (answer: unknown): string =>
  toHex(nobleSuite.sha256(encodeUtf8(JSON.stringify(sorted(answer))))).slice(0, 12);
