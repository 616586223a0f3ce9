import { EVMError, type ExecResult, type PrecompileInput } from '@ethereumjs/evm';
import type { Bytes } from '../../lib/bytes.ts';
import { failed, type Look } from './precompile.ts';

const INPUT_BYTES = 213;
const TWO_32 = 2 ** 32;
/** Rounds between two looks: a few milliseconds. */
const ROUNDS_A_SLICE = 16_384;

/** BLAKE2b's initialisation vector (RFC 7693, section 2.6), low half first. */
const IV = Int32Array.of(
  ...[0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a],
  ...[0xade682d1, 0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19],
);

/** The message schedule (RFC 7693, section 2.7): a row of 16 a round. */
const SIGMA = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
].map((row) => Uint8Array.from(row, (place) => 2 * place));

/**
 * The mixing function G (RFC 7693, section 3.1). A word of 64 bits is two halves, the low one first; `a` to `d` are places
 * in `v`, `x` and `y` places in the message `m`.
 */
function mix(
  v: Int32Array,
  m: Int32Array,
  a: number,
  b: number,
  c: number,
  d: number,
  x: number,
  y: number,
): void {
  let bl = v[b] as number;
  let bh = v[b + 1] as number;
  let dl = v[d] as number;
  let dh = v[d + 1] as number;
  let sum = ((v[a] as number) >>> 0) + (bl >>> 0) + ((m[x] as number) >>> 0);
  let ah = ((v[a + 1] as number) + bh + (m[x + 1] as number) + carry(sum)) | 0;
  let al = sum | 0;
  let low = dl ^ al;
  dl = dh ^ ah;
  dh = low;
  sum = ((v[c] as number) >>> 0) + (dl >>> 0);
  let ch = ((v[c + 1] as number) + dh + carry(sum)) | 0;
  let cl = sum | 0;
  low = bl ^ cl;
  let high = bh ^ ch;
  bl = (low >>> 24) | (high << 8);
  bh = (high >>> 24) | (low << 8);
  sum = (al >>> 0) + (bl >>> 0) + ((m[y] as number) >>> 0);
  ah = (ah + bh + (m[y + 1] as number) + carry(sum)) | 0;
  al = sum | 0;
  low = dl ^ al;
  high = dh ^ ah;
  dl = (low >>> 16) | (high << 16);
  dh = (high >>> 16) | (low << 16);
  sum = (cl >>> 0) + (dl >>> 0);
  ch = (ch + dh + carry(sum)) | 0;
  cl = sum | 0;
  low = bl ^ cl;
  high = bh ^ ch;
  v[a] = al;
  v[a + 1] = ah;
  v[b] = (low << 1) | (high >>> 31);
  v[b + 1] = (high << 1) | (low >>> 31);
  v[c] = cl;
  v[c + 1] = ch;
  v[d] = dl;
  v[d + 1] = dh;
}

/** What a sum of up to three halves carries into the high half. */
const carry = (sum: number): number => (sum / TWO_32) | 0;

function runRounds(v: Int32Array, m: Int32Array, from: number, to: number): void {
  for (let round = from; round < to; round++) {
    const s = SIGMA[round % 10] as Uint8Array;
    mix(v, m, 0, 8, 16, 24, s[0] as number, s[1] as number);
    mix(v, m, 2, 10, 18, 26, s[2] as number, s[3] as number);
    mix(v, m, 4, 12, 20, 28, s[4] as number, s[5] as number);
    mix(v, m, 6, 14, 22, 30, s[6] as number, s[7] as number);
    mix(v, m, 0, 10, 20, 30, s[8] as number, s[9] as number);
    mix(v, m, 2, 12, 22, 24, s[10] as number, s[11] as number);
    mix(v, m, 4, 14, 16, 26, s[12] as number, s[13] as number);
    mix(v, m, 6, 8, 18, 28, s[14] as number, s[15] as number);
  }
}

function halves(data: Bytes, from: number, count: number): Int32Array {
  const view = new DataView(data.buffer, data.byteOffset + from, count * 4);
  return Int32Array.from({ length: count }, (_, i) => view.getInt32(4 * i, true));
}

/** The compression function F (RFC 7693, section 3.2) with the number of rounds that the input names. */
async function compress(data: Bytes, rounds: number, look: Look | undefined): Promise<Bytes> {
  const [h, m, t] = [halves(data, 4, 16), halves(data, 68, 32), halves(data, 196, 4)];
  const v = new Int32Array(32);
  v.set(h);
  v.set(IV, 16);
  for (let i = 0; i < 4; i++) v[24 + i] = (v[24 + i] as number) ^ (t[i] as number);
  const isLast = data[INPUT_BYTES - 1] === 1;
  if (isLast) for (const i of [28, 29]) v[i] = ~(v[i] as number);
  for (let from = 0; from < rounds; from += ROUNDS_A_SLICE) {
    const due = from === 0 ? undefined : look?.();
    if (due !== undefined) await due;
    runRounds(v, m, from, Math.min(rounds, from + ROUNDS_A_SLICE));
  }
  const out = new Uint8Array(64);
  const view = new DataView(out.buffer);
  for (let i = 0; i < 16; i++)
    view.setInt32(4 * i, (h[i] as number) ^ (v[i] as number) ^ (v[16 + i] as number), true);
  return out;
}

/** The precompile 0x09 (EIP-152). Errors: "value out of range" for a wrong size or flag, "out of gas". */
export async function blake2f(input: PrecompileInput, look?: Look): Promise<ExecResult> {
  const { data, common, gasLimit } = input;
  if (data.length !== INPUT_BYTES || (data[INPUT_BYTES - 1] as number) > 1)
    return failed(input, new EVMError(EVMError.errorMessages.OUT_OF_RANGE));
  const rounds = new DataView(data.buffer, data.byteOffset).getUint32(0);
  const gas = common.param('blake2RoundGas') * BigInt(rounds);
  if (gasLimit < gas) return failed(input, new EVMError(EVMError.errorMessages.OUT_OF_GAS));
  return { executionGasUsed: gas, returnValue: await compress(data, rounds, look) };
}
