import type { CallOutcome } from '../../app/chain.ts';
import { type Bytes, to0xHex, toHex } from '../../lib/bytes.ts';
import { decodeUtf8 } from '../../lib/utf8.ts';
import { CODES, RpcError, serverError } from '../rpcError.ts';

const ERROR_SELECTOR = '08c379a0';
const PANIC_SELECTOR = '4e487b71';

/** Solidity's panic codes with geth's texts. */
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'enum overflow'],
  [0x22n, 'invalid encoded storage byte array accessed'],
  [0x31n, 'out-of-bounds array access; popping on an empty array'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x41n, 'out of memory'],
  [0x51n, 'uninitialized function'],
]);

const word = (data: Bytes, at: number): bigint | undefined =>
  data.length < at + 32 ? undefined : BigInt(to0xHex(data.subarray(at, at + 32)));

/** The reason in `Error(string)` or the meaning of `Panic(uint256)`; undefined for other data. */
export function revertReason(data: Bytes): string | undefined {
  const selector = toHex(data.subarray(0, 4));
  const args = data.subarray(4);
  if (selector === PANIC_SELECTOR) {
    const code = word(args, 0);
    return code === undefined
      ? undefined
      : (PANICS.get(code) ?? `unknown panic code: 0x${code.toString(16)}`);
  }
  if (selector !== ERROR_SELECTOR) return undefined;
  const offset = word(args, 0);
  if (offset === undefined || offset > BigInt(args.length)) return undefined;
  const length = word(args, Number(offset));
  if (length === undefined) return undefined;
  const start = Number(offset) + 32;
  if (length > BigInt(args.length - start)) return undefined;
  return decodeUtf8(args.subarray(start, start + Number(length)));
}

/** The JSON-RPC error for a call that did not return successfully, as in geth. */
export function outcomeError(outcome: Exclude<CallOutcome, { kind: 'returned' }>): RpcError {
  if (outcome.kind === 'reverted') {
    const reason = revertReason(outcome.data);
    const message = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`;
    return new RpcError(CODES.reverted, message, to0xHex(outcome.data));
  }
  return serverError(outcome.message);
}
