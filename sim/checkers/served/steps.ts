import type { EthBlock, View } from '../../../core/app/chain.ts';
import { present } from '../../../core/lib/assert.ts';
import { hex, to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { PRECOMPILE_NAMES } from '../../reference/machine.ts';
import type { Row } from '../../reference/rows.ts';
import type { Name } from '../../reference/state.ts';
import type { Outcome } from '../../reference/transaction.ts';
import { eth, fieldsOf, listOf, unlike } from '../questions.ts';

/** Byte limit of a trace that is cut short. */
const FEW_BYTES = 500;
/** Byte limit of the traces examined. A longer trace is examined as far as it goes. */
const BYTES_MAX = 1_000_000;
/** Instructions of a transaction that are examined, from the first on. */
export const STEPS_MAX = 400;
/** Opcodes that read the account on top of the stack, and those that call the account below the top. */
const [LOOKS, CALLS] = [new Set([0x31, 0x3b, 0x3c, 0x3f, 0xff]), new Set([0xf1, 0xf2, 0xf4, 0xfa])];
const STORES = new Set([0x54, 0x55]);

const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;

/** A transaction's trace agrees with the reference instruction by instruction, and the prestate has what it reads. */
export async function wrongSteps(
  rpc: RpcContext,
  before: View,
  { transactions, header }: EthBlock,
  index: number,
  outcome: Outcome,
): Promise<string | undefined> {
  const tx = present(transactions[index], 'a transaction');
  const hash = to0xHex(tx.hash);
  const shown = { limit: BYTES_MAX, enableMemory: true, enableReturnData: true };
  const told = (await eth(rpc, 'debug_traceTransaction', [hash, shown])) as Fields;
  const rows = listOf(told, 'structLogs').slice(0, STEPS_MAX);
  const count = rowsWithin(rows, BYTES_MAX);
  const problem = unlike(
    `how many instructions ${hash} has`,
    rows.length,
    bytesOf(rows) > BYTES_MAX ? count : outcome.rows.length,
  );
  if (problem !== undefined) return problem;
  const slots = new Map<Name, Record<string, string>>();
  for (const [i, row] of outcome.rows.slice(0, rows.length).entries()) {
    const wrong = wrongStep(rows[i] ?? {}, row, slots);
    if (wrong !== undefined) return `answers instruction ${i} of ${hash} with ${wrong}`;
  }
  const few = (await eth(rpc, 'debug_traceTransaction', [hash, { ...shown, limit: FEW_BYTES }])) as Fields;
  const seen = (await eth(rpc, 'debug_traceTransaction', [hash, { tracer: 'prestateTracer' }])) as Fields;
  const from = to0xHex(tx.from).slice(2);
  const names = [from, to0xHex(header.coinbase).slice(2), ...outcome.authorities.all];
  const diff = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } };
  const changed = (await eth(rpc, 'debug_traceTransaction', [hash, diff])) as Fields;
  const unheard = outcome.authorities.heard.filter((name) => !(`0x${name}` in fieldsOf(changed, 'post')));
  const missing = untold(seen, [...names, ...outcome.rows.flatMap(lookedAt)], before);
  return (
    unlike(`the first rows of ${hash}`, listOf(few, 'structLogs').length, rowsWithin(rows, FEW_BYTES)) ??
    unlike(`which of ${hash} have a nonce of nothing`, Object.values(seen).filter(hasNoNonce), []) ??
    unlike(`who delegates in ${hash} untold`, unheard, []) ??
    unlike(`whom ${hash} finds untold`, missing, []) ??
    unlike(`which slots ${hash} finds untold`, untoldSlots(seen, outcome.rows), []) ??
    unlike(`which slots of ${hash} nothing looked at`, strangeSlots(seen, outcome.rows), [])
  );
}

const bytesOf = (rows: readonly Fields[]): number =>
  rows.reduce((sum, row) => sum + JSON.stringify(row).length, 0);

/** The number of rows shown: all until the limit is passed. */
function rowsWithin(rows: readonly Fields[], bytes: number): number {
  let left = bytes;
  const last = rows.findIndex((row) => {
    left -= JSON.stringify(row).length;
    return left < 0;
  });
  return last < 0 ? rows.length : last + 1;
}

function wrongStep(told: Fields, row: Row, slots: Map<Name, Record<string, string>>): string | undefined {
  const { pc, gas, depth, stack, refund, cost, value, self, op, memory, returned } = row;
  const wanted = {
    pc,
    gas,
    depth,
    stack: stack.map(quantity),
    returnData: returned.length === 0 ? undefined : to0xHex(returned),
    ...(refund === undefined ? {} : { refund: refund === 0 ? undefined : refund }),
  };
  for (const [name, truth] of Object.entries(wanted)) {
    const problem = unlike(name, told[name], truth);
    if (problem !== undefined) return problem;
  }
  const words = listOf(told, 'memory').length;
  const problem =
    unlike('how many words of memory', words, memory / 32) ??
    (cost === undefined ? undefined : unlike('gasCost', told['gasCost'], cost));
  const slot = stack.at(-1);
  if (problem !== undefined || value === undefined || slot === undefined || !STORES.has(op)) return problem;
  // A failed instruction has stored and read nothing.
  if (cost === undefined) return unlike('storage', told['storage'], undefined);
  const known = { ...slots.get(self), [word(slot)]: word(value) };
  slots.set(self, known);
  return unlike('storage', inOrder(told['storage']), inOrder(known));
}

/** As in geth, a nonce of zero is left out. */
const hasNoNonce = (account: unknown): boolean => (account as Fields)['nonce'] === 0;

const inOrder = (slots: unknown): readonly unknown[] =>
  Object.entries((slots ?? {}) as Fields).sort(([a], [b]) => (a < b ? -1 : 1));

/** A failed instruction may have read no account, so none is demanded. */
function lookedAt({ op, stack, cost }: Row): readonly Name[] {
  const top = LOOKS.has(op) ? stack.at(-1) : CALLS.has(op) ? stack.at(-2) : undefined;
  if (top === undefined || cost === undefined) return [];
  return [BigInt.asUintN(160, top).toString(16).padStart(40, '0')];
}

/** Accounts that existed before the block and are missing in the prestate. */
const untold = (seen: Fields, names: readonly Name[], before: View): readonly Name[] =>
  names.filter(
    (name) =>
      before.account(hex(name)) !== undefined && !PRECOMPILE_NAMES.includes(name) && !(`0x${name}` in seen),
  );

const untoldSlots = (seen: Fields, rows: readonly Row[]): readonly string[] =>
  rows.flatMap(({ op, self, stack, cost }) => {
    const slot = stack.at(-1);
    const account = seen[`0x${self}`];
    if (slot === undefined || cost === undefined || account === undefined || !STORES.has(op)) return [];
    return word(slot) in fieldsOf(account as Fields, 'storage') ? [] : [`${self} ${word(slot)}`];
  });

/** Slots of the prestate that no instruction used. Only checked if all instructions are known. */
function strangeSlots(seen: Fields, rows: readonly Row[]): readonly string[] {
  if (rows.length >= STEPS_MAX) return [];
  const looked = new Set(
    rows.flatMap(({ op, self, stack, cost }) =>
      STORES.has(op) && cost !== undefined ? [`0x${self} ${word(stack.at(-1) ?? 0n)}`] : [],
    ),
  );
  return Object.entries(seen).flatMap(([name, account]) =>
    Object.keys(fieldsOf(account as Fields, 'storage'))
      .map((slot) => `${name} ${slot}`)
      .filter((slot) => !looked.has(slot)),
  );
}
