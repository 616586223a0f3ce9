import { HISTORY_ADDRESS } from '../../../core/app/evm/systemContracts.ts';
import { present } from '../../../core/lib/assert.ts';
import { concat, hex, to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { shown } from '../../difference.ts';
import { eth, unlike } from '../questions.ts';
import { tellerOf } from './calls.ts';

export const CONTRACT = `0x${'9c'.repeat(20)}`;
export const STRANGER = `0x${'5e'.repeat(20)}`;
export const MOVED = `0x${'9e'.repeat(20)}`;
const LEAVER = `0x${'9f'.repeat(20)}`;
const HEIR = `0x${'9a'.repeat(20)}`;
export const IDENTITY = `0x${'04'.padStart(40, '0')}`;
export const SENDER_BYTES = new Uint8Array(20).fill(0x9d);
export const SENDER = to0xHex(SENDER_BYTES);
export const RICH = 10n ** 30n;
export const GAS = 200_000n;
/** Gas of a plain transfer (the yellow paper's G_transaction). */
export const TX_GAS = 21_000n;
const NONCE = 9;
/** Slots in the EIP-2935 history ring. */
const RING = 8191;
/** EIP-7825. */
const TX_GAS_MAX = 1n << 24n;

export const word = (value: bigint): string => value.toString(16).padStart(64, '0');
export const answerOf = (...words: readonly bigint[]): string => `0x${words.map(word).join('')}`;

/** Returns the base fee, the gas price and the balance of the caller. */
const PAYER = tellerOf(['48', '3a', '3331']);
/** Returns the gas that it takes to clear slot 0. */
const CLEARER = tellerOf(['5a5f5f555a9003']);
/** PUSH0 twice, SSTORE that clears a cold slot (EIP-2929, EIP-3529), and GAS. */
const CLEARING = 2n + 2n + 2_100n + 2_900n + 2n;
/** Returns its own address. */
const SELF = tellerOf(['30']);
/** Returns slots 0 and 1. */
const READER = tellerOf(['5f54', '600154']);
/** Calls a contract that self-destructs in favour of another account (EIP-6780), and returns the balances of both. */
const WITNESS = `0x5f5f5f5f5f73${LEAVER.slice(2)}5af150${tellerOf([LEAVER, HEIR].map((one) => `73${one.slice(2)}31`)).slice(2)}`;
/** Init code that deploys no contract but returns its address. */
const NAMER = '0x305f5260205ff3';
const REVERTER = '0x602a5f5260205ffd';
/** Logs 255 bytes in an endless loop: spends gas in few instructions. */
const LOOPER = '0x5b60ff5fa05f56';
/** Clears eight slots. Half of its cost would be refunded, were it not for the limit of EIP-3529. */
const SWEEPER = `0x${Array.from({ length: 8 }, (_, slot) => `5f60${slot.toString(16).padStart(2, '0')}55`).join('')}`;
const SWEEPING = TX_GAS + 8n * (2n + 3n + 2_100n + 2_900n);

export const code = (bytes: string, more: Fields = {}): Fields => ({ [CONTRACT]: { code: bytes, ...more } });
export const slots = (...values: readonly bigint[]): Fields =>
  Object.fromEntries(values.map((value, slot) => [`0x${word(BigInt(slot))}`, `0x${word(value)}`]));

/** A call, its overrides of accounts and of the block, and the answer it must get. */
interface Pretence {
  readonly what: string;
  readonly call: Fields;
  readonly state: Fields;
  readonly block?: Fields;
  readonly answer: unknown;
}

function pretences({ chain, suite }: RpcContext): readonly Pretence[] {
  const { header } = present(chain.ethBlock(chain.head()), 'the head');
  const base = header.baseFeePerGas;
  const sender = { [SENDER]: { balance: quantity(RICH), nonce: quantity(NONCE) } };
  const paying = { ...sender, ...code(PAYER) };
  const from = { from: SENDER, gas: quantity(GAS) };
  const call = { ...from, to: CONTRACT };
  const [tip, price] = [5n, base + 7n];
  // RLP of the sender and a nonce of one byte.
  const name = suite.keccak256(concat(hex('d694'), SENDER_BYTES, Uint8Array.of(NONCE))).slice(12);
  return [
    { what: 'a call that names no price', call, state: paying, answer: answerOf(0n, 0n, RICH) },
    {
      what: 'a call that names a price',
      call: { ...call, gasPrice: quantity(price) },
      state: paying,
      answer: answerOf(base, price, RICH - GAS * price),
    },
    {
      what: 'a call that names a tip',
      call: { ...call, maxFeePerGas: quantity(2n * base + tip), maxPriorityFeePerGas: quantity(tip) },
      state: paying,
      answer: answerOf(base, base + tip, RICH - GAS * (base + tip)),
    },
    {
      what: 'a call that pays under another base fee',
      call: { ...call, gasPrice: '0x9' },
      state: paying,
      block: { baseFeePerGas: '0x7' },
      answer: answerOf(7n, 9n, RICH - GAS * 9n),
    },
    {
      what: 'a call that names no price under another base fee',
      call,
      state: paying,
      block: { baseFeePerGas: '0x7' },
      answer: answerOf(0n, 0n, RICH),
    },
    {
      what: 'a call on pretended storage',
      call,
      state: code(READER, { state: slots(5n) }),
      answer: answerOf(5n, 0n),
    },
    {
      what: 'a call that clears pretended storage',
      call,
      state: code(CLEARER, { stateDiff: slots(5n) }),
      answer: answerOf(CLEARING),
    },
    {
      what: 'a call of one that leaves its coins',
      call,
      state: { ...code(WITNESS), [LEAVER]: { code: `0x73${HEIR.slice(2)}ff`, balance: '0x5' } },
      answer: answerOf(0n, 5n),
    },
    {
      what: 'a creation by a pretended nonce',
      call: { ...from, data: NAMER },
      state: sender,
      answer: `0x${'0'.repeat(24)}${to0xHex(name).slice(2)}`,
    },
    {
      what: 'a call of a precompile that was moved',
      call: { ...call, to: MOVED, data: '0xc0ffee' },
      state: { [IDENTITY]: { movePrecompileToAddress: MOVED } },
      answer: '0xc0ffee',
    },
    {
      what: 'a call of code where a precompile is',
      call: { ...call, to: IDENTITY },
      state: { [IDENTITY]: { code: SELF } },
      answer: answerOf(4n),
    },
    ...replacedStorage(header),
  ];
}

/** An override may replace all storage of an account or only some slots: seen in the EIP-2935 contract's storage. */
function replacedStorage({
  number,
  parentHash,
}: {
  readonly number: number;
  readonly parentHash: Uint8Array;
}) {
  const slot = ((number - 1) % RING).toString(16).padStart(4, '0');
  const call = { from: SENDER, to: to0xHex(HISTORY_ADDRESS) };
  const reading = { code: tellerOf([`61${slot}54`]) };
  return [
    {
      what: 'a call on storage that is pretended away',
      call,
      state: { [call.to]: { ...reading, state: {} } },
      answer: answerOf(0n),
    },
    {
      what: 'a call on storage of which some is pretended',
      call,
      state: { [call.to]: { ...reading, stateDiff: { [`0x${word(9_000n)}`]: answerOf(1n) } } },
      answer: to0xHex(parentHash),
    },
  ];
}

/** Whether the newest fork is in force and blocks have enough gas; otherwise calls see something else. */
export function isPretended({ chain }: RpcContext): boolean {
  const { header } = present(chain.ethBlock(chain.head()), 'the head');
  const keepsHashes = chain.latest().code(HISTORY_ADDRESS).length > 0;
  return header.gasLimit >= GAS && keepsHashes && chain.fork === 'osaka';
}

/** Calls see the overridden accounts, fees and block, and estimates cover what execution needs. */
export async function wrongPretences(rpc: RpcContext): Promise<string | undefined> {
  if (!isPretended(rpc)) return undefined;
  for (const { what, call, state, block, answer } of pretences(rpc)) {
    const told = await eth(rpc, 'eth_call', [call, 'latest', state, ...(block === undefined ? [] : [block])]);
    const problem = unlike(what, told, answer);
    if (problem !== undefined) return problem;
  }
  const reverted = (await eth(rpc, 'eth_call', [{ to: CONTRACT }, 'latest', code(REVERTER)])) as Fields;
  const { code: number, data } = (reverted['refused'] ?? {}) as Fields;
  return unlike('a call that reverts', [number, data], [3, answerOf(42n)]) ?? (await wrongEstimates(rpc));
}

async function wrongEstimates(rpc: RpcContext): Promise<string | undefined> {
  const estimate = (bytes: string, more: Fields = {}, account: Fields = {}) =>
    eth(rpc, 'eth_estimateGas', [{ to: CONTRACT, ...more }, 'latest', code(bytes, account)]);
  const full = slots(...Array.from({ length: 8 }, () => 1n));
  // As in geth, the requested gas counts only if a transaction could run with it.
  for (const asked of [{}, { gas: '0x5207' }]) {
    const told = await estimate(SWEEPER, asked, { stateDiff: full });
    const gas = typeof told === 'string' ? BigInt(told) : 0n;
    if (gas < SWEEPING || gas * 50n > SWEEPING * 51n)
      return `estimates ${shown(told)} for what takes ${SWEEPING}`;
  }
  const endless = (await estimate(LOOPER, { gas: quantity(GAS) })) as Fields;
  const said = String(((endless['refused'] ?? {}) as Fields)['message']);
  const problem = unlike('an estimate of what never ends', said, `gas required exceeds allowance (${GAS})`);
  if (problem !== undefined) return problem;
  // Reverts unless more gas is left than any transaction may have.
  const most = await estimate(`0x63${TX_GAS_MAX.toString(16).padStart(8, '0')}5a10600b57005b5f5ffd`);
  return typeof most === 'string' ? `estimates ${most} for what no transaction may use` : undefined;
}
