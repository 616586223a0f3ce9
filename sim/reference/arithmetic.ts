import { type Frame, words } from './frame.ts';
import type { Instruction, Table } from './instruction.ts';
import { toBig, toWord } from './state.ts';

const WORD = 1n << 256n;
const [LOW, MIDDLE] = [5, 8];

const binary =
  (gas: number, act: (a: bigint, b: bigint) => bigint): Instruction =>
  (f) => {
    f.use(gas);
    const [a, b] = [f.pop(), f.pop()];
    f.push(act(a, b));
  };

const unary =
  (gas: number, act: (a: bigint) => bigint): Instruction =>
  (f) => {
    f.use(gas);
    f.push(act(f.pop()));
  };

/** An operation on two numbers modulo a third. */
const modular =
  (act: (a: bigint, b: bigint) => bigint): Instruction =>
  (f) => {
    f.use(MIDDLE);
    const [a, b, modulus] = [f.pop(), f.pop(), f.pop()];
    f.push(modulus === 0n ? 0n : act(a, b) % modulus);
  };

const bit = (is: boolean): bigint => (is ? 1n : 0n);
const signed = (word: bigint): bigint => BigInt.asIntN(256, word);
const unsigned = (value: bigint): bigint => BigInt.asUintN(256, value);

/** Square and multiply. */
function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (const digit of exponent.toString(2)) {
    result = (result * result) % WORD;
    if (digit === '1') result = (result * base) % WORD;
  }
  return result;
}

function exponentiate(f: Frame): void {
  const [base, exponent] = [f.pop(), f.pop()];
  f.use(10 + 50 * (exponent === 0n ? 0 : Math.ceil(exponent.toString(16).length / 2)));
  f.push(power(base, exponent));
}

export const ARITHMETIC: Table = {
  1: binary(3, (a, b) => a + b),
  2: binary(LOW, (a, b) => a * b),
  3: binary(3, (a, b) => a - b + WORD),
  4: binary(LOW, (a, b) => (b === 0n ? 0n : a / b)),
  5: binary(LOW, (a, b) => (b === 0n ? 0n : unsigned(signed(a) / signed(b)))),
  6: binary(LOW, (a, b) => (b === 0n ? 0n : a % b)),
  7: binary(LOW, (a, b) => (b === 0n ? 0n : unsigned(signed(a) % signed(b)))),
  8: modular((a, b) => a + b),
  9: modular((a, b) => a * b),
  10: exponentiate,
  11: binary(LOW, (at, word) => (at > 30n ? word : unsigned(BigInt.asIntN(8 * (Number(at) + 1), word)))),
  16: binary(3, (a, b) => bit(a < b)),
  17: binary(3, (a, b) => bit(a > b)),
  18: binary(3, (a, b) => bit(signed(a) < signed(b))),
  19: binary(3, (a, b) => bit(signed(a) > signed(b))),
  20: binary(3, (a, b) => bit(a === b)),
  21: unary(3, (a) => bit(a === 0n)),
  22: binary(3, (a, b) => a & b),
  23: binary(3, (a, b) => a | b),
  24: binary(3, (a, b) => a ^ b),
  25: unary(3, (a) => WORD - 1n - a),
  26: binary(3, (at, word) => BigInt(toWord(word)[at > 31n ? 32 : Number(at)] ?? 0)),
  27: binary(3, (a, b) => (a > 255n ? 0n : b << a)),
  28: binary(3, (a, b) => (a > 255n ? 0n : b >> a)),
  29: binary(3, (a, b) => unsigned(signed(b) >> (a > 255n ? 255n : a))),
  30: unary(LOW, (a) => (a === 0n ? 256n : BigInt(256 - a.toString(2).length))),
  32: (f) => {
    const [offset, size] = [f.popSize(), f.popSize()];
    f.use(30 + 6 * words(size));
    f.push(toBig(f.machine.keccak(f.read(offset, size))));
  },
};
