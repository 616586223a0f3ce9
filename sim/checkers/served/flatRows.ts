import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { PRECOMPILE_NAMES } from '../../reference/machine.ts';
import { listOf } from '../questions.ts';

/** The transaction's location, which each row repeats. */
export interface FlatPlace {
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly transactionHash: string;
  readonly transactionPosition: number;
}

/** Rows of geth's flatCallTracer for a call as callTracer shows it, parents first, with fields in geth's order. */
export function flatRows(call: Fields, place: FlatPlace, at: readonly number[] = []): readonly Fields[] {
  const { type, error } = call;
  const { blockHash, blockNumber, transactionHash, transactionPosition } = place;
  const calls = listOf(call, 'calls').filter(isShown);
  const { kind, action, result } =
    type === 'SELFDESTRUCT' ? destruction(call) : isCreation(type) ? creation(call) : plainCall(call);
  // A reverted call keeps its result; a call that fails otherwise has none.
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

/** CALL and STATICCALL of precompiles are left out; CALLCODE and DELEGATECALL of them are not. */
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
