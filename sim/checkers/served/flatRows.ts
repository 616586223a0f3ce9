import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { PRECOMPILE_NAMES } from '../../reference/machine.ts';
import { listOf } from '../questions.ts';

/** Where the transaction stands, as each row says it. */
export interface FlatPlace {
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly transactionHash: string;
  readonly transactionPosition: number;
}

/** The rows of geth's flatCallTracer for a call as its callTracer shows it, parents first, each in geth's order. */
export function flatRows(call: Fields, place: FlatPlace, at: readonly number[] = []): readonly Fields[] {
  const { type, error } = call;
  const { blockHash, blockNumber, transactionHash, transactionPosition } = place;
  const calls = listOf(call, 'calls').filter(isShown);
  const { kind, action, result } =
    type === 'SELFDESTRUCT' ? destruction(call) : isCreation(type) ? creation(call) : plainCall(call);
  // A revert says why; what fails otherwise says nothing.
  const isTold = result !== undefined && (error === undefined || error === 'execution reverted');
  const row = {
    action,
    blockHash,
    blockNumber,
    ...(error === undefined ? {} : { error }),
    ...(isTold ? { result } : {}),
    subtraces: calls.length,
    traceAddress: at,
    transactionHash,
    transactionPosition,
    type: kind,
  };
  return [row, ...calls.flatMap((inner, i) => flatRows(inner, place, [...at, i]))];
}

const isCreation = (type: unknown): boolean => type === 'CREATE' || type === 'CREATE2';

/** Calls of precompiles are left out, those in one's own name are not. */
const isShown = ({ type, to }: Fields): boolean =>
  !['CALL', 'STATICCALL'].includes(String(type)) || !PRECOMPILE_NAMES.includes(String(to).slice(2));

interface Flat {
  readonly kind: string;
  readonly action: Fields;
  readonly result?: Fields;
}

const destruction = ({ from, to, value }: Fields): Flat => ({
  kind: 'suicide',
  action: { address: from, balance: value, refundAddress: to },
});

const creation = ({ type, from, gas, gasUsed, input, value, to, output = '0x', error }: Fields): Flat => ({
  kind: 'create',
  action: { creationMethod: String(type).toLowerCase(), from, gas, init: input, value },
  result: { ...(error === undefined ? { address: to } : {}), code: output, gasUsed },
});

function plainCall(call: Fields): Flat {
  const { type, from, gas, gasUsed, input, to, value = quantity(0n), output = '0x' } = call;
  return {
    kind: 'call',
    action: { callType: String(type).toLowerCase(), from, gas, input, to, value },
    result: { gasUsed, output },
  };
}
