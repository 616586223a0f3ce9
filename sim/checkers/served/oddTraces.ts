/** Traces of calls that end early, hash, are delegated, or are too long to be shown. */
import { to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { eth, fieldsOf, listOf, unlike } from '../questions.ts';
import { CONTRACT, isPretended, SENDER, TX_GAS } from './pretences.ts';

const DELEGATE = `0x${'d7'.repeat(20)}`;
const DELEGATED = `0x${'d8'.repeat(20)}`;
const GAS = 30_000n;

const traced = async (rpc: RpcContext, codes: Fields, config: Fields, gas = GAS): Promise<Fields> => {
  const call = { from: SENDER, to: CONTRACT, gas: quantity(gas) };
  const stateOverrides = Object.fromEntries(Object.entries(codes).map(([name, code]) => [name, { code }]));
  return ((await eth(rpc, 'debug_traceCall', [call, 'latest', { ...config, stateOverrides }])) ??
    {}) as Fields;
};

/** PUSH1 32, PUSH0, KECCAK256 of a word of new memory, STOP. */
const HASHER = '0x60205f2000';
/** PUSH1 and PUSH0; 30 for KECCAK256, 6 for its word and 3 for the memory. */
const HASHING = 3n + 2n + 30n + 6n + 3n;

/** What is hashed is shown, but not if the gas did not suffice for it. */
async function wrongPreimages(rpc: RpcContext): Promise<string | undefined> {
  const word = new Uint8Array(32);
  const hashed = { [to0xHex(rpc.suite.keccak256(word))]: to0xHex(word) };
  const told: unknown[] = [];
  for (const gas of [TX_GAS + HASHING, TX_GAS + HASHING - 1n])
    told.push(await traced(rpc, { [CONTRACT]: HASHER }, { tracer: 'keccak256PreimageTracer' }, gas));
  return unlike('what was hashed, and what could not be', told, [hashed, {}]);
}

/** Programs that fail, with Parity's words and with geth's. */
const FAILURES = [
  ['0x50', 'Stack underflow', 'stack underflow (0 <=> 1)'],
  ['0x5b5f600056', 'Out of gas', 'out of gas'],
  ['0xfe', 'Bad instruction', 'invalid opcode: INVALID'],
  ['0x5f56', 'Bad jump destination', 'invalid jump destination'],
  ['0x5f5ffd', 'Reverted', 'execution reverted'],
  ['0x60015f5f3e', 'Out of bounds', 'return data out of bounds'],
] as const;

async function wrongFailures(rpc: RpcContext): Promise<string | undefined> {
  for (const [code, parity, own] of FAILURES) {
    const told: unknown[] = [];
    for (const convertParityErrors of [true, false]) {
      const config = { tracer: 'flatCallTracer', tracerConfig: { convertParityErrors } };
      const rows = await traced(rpc, { [CONTRACT]: code }, config);
      told.push(Array.isArray(rows) ? (rows[0] as Fields)['error'] : rows);
    }
    const problem = unlike(`the failure of ${code} in either words`, told, [parity, own]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** CALL of the delegated account. */
const CALLER = `0x5f5f5f5f5f73${DELEGATED.slice(2)}5af100`;

/** Whether a transaction or a contract calls a delegated account, its delegate is among the accounts (EIP-7702). */
async function wrongDelegates(rpc: RpcContext): Promise<string | undefined> {
  const designation = `0xef0100${DELEGATE.slice(2)}`;
  for (const [what, codes] of [
    ['a transaction', { [CONTRACT]: designation, [DELEGATE]: '0x5f' }],
    ['a contract', { [CONTRACT]: CALLER, [DELEGATED]: designation, [DELEGATE]: '0x5f' }],
  ] as const) {
    const told = await traced(rpc, codes, { tracer: 'prestateTracer' });
    const seen = Object.keys(codes).map((name) => fieldsOf(told, name)['code']);
    const problem = unlike(`the accounts before ${what} that calls a delegated one`, seen, [
      ...Object.values(codes),
    ]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A limited trace ends with the first row that brings its length above the limit. */
async function wrongLimits(rpc: RpcContext): Promise<string | undefined> {
  const codes = { [CONTRACT]: '0x5f5f5f5f00' };
  const whole = listOf(await traced(rpc, codes, {}), 'structLogs');
  const length = JSON.stringify(whole[0]).length + JSON.stringify(whole[1]).length;
  const counts: unknown[] = [whole.length];
  for (const limit of [length - 1, length, length + 1])
    counts.push(listOf(await traced(rpc, codes, { limit }), 'structLogs').length);
  return unlike('how many rows limited traces have', counts, [5, 2, 3, 3]);
}

export async function wrongOddTraces(rpc: RpcContext): Promise<string | undefined> {
  if (!isPretended(rpc)) return undefined;
  return (
    (await wrongPreimages(rpc)) ??
    (await wrongFailures(rpc)) ??
    (await wrongDelegates(rpc)) ??
    wrongLimits(rpc)
  );
}
