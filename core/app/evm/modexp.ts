import { EVMError, type ExecResult, type PrecompileInput } from '@ethereumjs/evm';
import { type Bytes, EMPTY } from '../../lib/bytes.ts';
import { bigintToFixed, bytesToBigint } from './numbers.ts';
import { failed, type Look } from './precompile.ts';

const WORD_BYTES = 32;
const HEADER_BYTES = 3 * WORD_BYTES;
/** EIP-7823: most bytes of base, exponent and modulus. */
const LENGTH_MAX = 1024n;
/** The same before EIP-7823, where only gas limits the lengths. */
const LENGTH_MAX_BEFORE = 2n ** 31n - 1n;
/** Bytes of the exponent that are processed between two looks. With the largest modulus they take a few milliseconds. */
const EXPONENT_BYTES_A_SLICE = 32;

/** Bytes `from` to `from + size` of the input; bytes past its end are zeros. */
function slice(data: Bytes, from: bigint, size: bigint): Bytes {
  const out = new Uint8Array(Number(size));
  if (from < BigInt(data.length)) out.set(data.subarray(Number(from), Number(from + size)));
  return out;
}

const maxOf = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** Length of the iteration of EIP-2565 and EIP-7883. `head` is the exponent's first word. */
function iterations(exponentLength: bigint, head: bigint, perByte: bigint): bigint {
  const bits = head === 0n ? 0n : BigInt(head.toString(2).length - 1);
  return maxOf(1n, perByte * maxOf(0n, exponentLength - 32n) + bits);
}

/** Gas of EIP-2565, from Osaka on of EIP-7883. */
function gasOf(length: bigint, exponentLength: bigint, head: bigint, isOsaka: boolean): bigint {
  const words = (length + 7n) / 8n;
  if (!isOsaka) return maxOf(200n, (words * words * iterations(exponentLength, head, 8n)) / 3n);
  const complexity = length > 32n ? 2n * words * words : 16n;
  return maxOf(500n, complexity * iterations(exponentLength, head, 16n));
}

/**
 * Square-and-multiply from the exponent's first bit to its last. Unlike the library, it never shifts the exponent, which
 * makes the time linear in the exponent's length, as the gas is. `exponent` may lack zeros at its end.
 */
async function power(
  base: bigint,
  exponent: Bytes,
  length: number,
  modulus: bigint,
  look: Look | undefined,
): Promise<bigint> {
  let result = 1n % modulus;
  for (let i = 0; i < length; i++) {
    const due = i % EXPONENT_BYTES_A_SLICE === 0 ? look?.() : undefined;
    if (due !== undefined) await due;
    const byte = exponent[i] ?? 0;
    for (let bit = 7; bit >= 0; bit--) {
      result = (result * result) % modulus;
      if (((byte >>> bit) & 1) === 1) result = (result * base) % modulus;
    }
  }
  return result;
}

/** The precompile 0x05 (EIP-198). Errors: "out of gas", for lengths above the limit, too. */
export async function modexp(input: PrecompileInput, look?: Look): Promise<ExecResult> {
  const { data, common, gasLimit } = input;
  const isOsaka = common.isActivatedEIP(7883);
  const lengthAt = (place: number): bigint => bytesToBigint(slice(data, BigInt(place * WORD_BYTES), 32n));
  const [baseLength, exponentLength, modulusLength] = [lengthAt(0), lengthAt(1), lengthAt(2)];
  const exponentAt = BigInt(HEADER_BYTES) + baseLength;
  const headLength = exponentLength < 32n ? exponentLength : 32n;
  const head = bytesToBigint(slice(data, exponentAt, headLength));
  const gas = gasOf(maxOf(baseLength, modulusLength), exponentLength, head, isOsaka);
  const outOfGas = failed(input, new EVMError(EVMError.errorMessages.OUT_OF_GAS));
  if (gasLimit < gas) return outOfGas;
  if (!isOsaka && baseLength === 0n && modulusLength === 0n)
    return { executionGasUsed: gas, returnValue: EMPTY };
  const max = isOsaka ? LENGTH_MAX : LENGTH_MAX_BEFORE;
  if (baseLength > max || exponentLength > max || modulusLength > max) return outOfGas;
  const modulus = bytesToBigint(slice(data, exponentAt + exponentLength, modulusLength));
  const size = Number(modulusLength);
  if (modulus === 0n) return { executionGasUsed: gas, returnValue: new Uint8Array(size) };
  const base = bytesToBigint(slice(data, BigInt(HEADER_BYTES), baseLength)) % modulus;
  const from = Math.min(Number(exponentAt), data.length);
  const exponent = data.subarray(from, from + Number(exponentLength));
  const result = await power(base, exponent, Number(exponentLength), modulus, look);
  return { executionGasUsed: gas, returnValue: bigintToFixed(result, size) };
}
