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

/** CALL, CALLCODE, DELEGATECALL and STATICCALL of the delegated account. */
const CALLERS = [
  ['CALL', '5f5f5f5f5f', 'f1'],
  ['CALLCODE', '5f5f5f5f5f', 'f2'],
  ['DELEGATECALL', '5f5f5f5f', 'f4'],
  ['STATICCALL', '5f5f5f5f', 'fa'],
].map(([name, operands, op]) => [name, `0x${operands}73${DELEGATED.slice(2)}5a${op}00`] as const);

/** Whether a transaction or a contract calls a delegated account, its delegate is among the accounts (EIP-7702). */
async function wrongDelegates(rpc: RpcContext): Promise<string | undefined> {
  const designation = `0xef0100${DELEGATE.slice(2)}`;
  for (const [what, codes] of [
    ['a transaction', { [CONTRACT]: designation, [DELEGATE]: '0x5f' }],
    ...CALLERS.map(
      ([name, code]) =>
        [
          `a contract by ${name}`,
          { [CONTRACT]: code, [DELEGATED]: designation, [DELEGATE]: '0x5f' },
        ] as const,
    ),
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

const lookedAt = (place: number): string => `0x${'00'.repeat(18)}7a${place.toString(16).padStart(2, '0')}`;
/** Instructions that look at an account: BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH and SELFDESTRUCT. */
const LOOKS = [
  ['', '31'],
  ['', '3b'],
  ['5f5f5f', '3c'],
  ['', '3f'],
  ['', 'ff'],
] as const;

/** However an instruction looks at an account, the account is among those before it, even if there is nobody. */
async function wrongLooks(rpc: RpcContext): Promise<string | undefined> {
  const code = LOOKS.map(([operands, op], i) => `${operands}73${lookedAt(i).slice(2)}${op}`).join('');
  const config = { tracer: 'prestateTracer', tracerConfig: { includeEmpty: true } };
  const told = await traced(rpc, { [CONTRACT]: `0x${code}` }, config, 4n * GAS);
  const seen = LOOKS.map((_, i) => fieldsOf(told, lookedAt(i))['balance']);
  return unlike(
    'the accounts that were only looked at',
    seen,
    seen.map(() => '0x0'),
  );
}

/** Gas of a call: a cold account (EIP-2929), coins that it moves, and what it passes on. The stipend is a gift. */
const [COLD, MOVED, PASSED] = [2_600, 9_000, 1_000];

/** The cost of a call in its row is that of all it takes, with what it passes on and without the stipend. */
async function wrongCallCosts(rpc: RpcContext): Promise<string | undefined> {
  const told: unknown[] = [];
  for (const [value, op] of [
    ['6001', 'f1'],
    ['6001', 'f2'],
    ['5f', 'f1'],
    ['', 'f4'],
    ['', 'fa'],
  ] as const) {
    const code = `0x5f5f5f5f${value}73${DELEGATE.slice(2)}61${PASSED.toString(16).padStart(4, '0')}${op}00`;
    const call = { from: SENDER, to: CONTRACT, gas: quantity(4n * GAS) };
    const stateOverrides = { [CONTRACT]: { code, balance: '0x9' }, [DELEGATE]: { code: '0x00' } };
    const trace = (await eth(rpc, 'debug_traceCall', [call, 'latest', { stateOverrides }])) as Fields;
    const row = listOf(trace, 'structLogs').find(({ op: name }) => String(name).includes('CALL'));
    told.push(row?.['gasCost']);
  }
  const least = COLD + PASSED;
  return unlike('what calls cost', told, [least + MOVED, least + MOVED, least, least, least]);
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
    (await wrongLooks(rpc)) ??
    (await wrongCallCosts(rpc)) ??
    wrongLimits(rpc)
  );
}
