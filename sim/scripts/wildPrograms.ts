import { present } from '../../core/lib/assert.ts';
import { type Bytes, concat, EMPTY, hex, toHex } from '../../core/lib/bytes.ts';

type Choose = (count: number) => number;

/** Most statements of a program, and how deep init code may contain init code. */
const [STATEMENTS_MAX, NESTING_MAX] = [7, 2];
const [MEMORY, SLOTS] = [96, 3];
/** Values at the edge of some range. */
const EDGES = [
  0n,
  1n,
  31n,
  32n,
  33n,
  255n,
  256n,
  24_577n,
  2n ** 32n,
  2n ** 53n,
  2n ** 64n,
  2n ** 255n,
  2n ** 256n - 1n,
];
/** SELFDESTRUCT, and bytes that make execution fail. */
const [DESTROY, STOPS] = [0xff, [0xfe, 0x0c, 0xef, 0x56, 0x50, 0x3e]];

/**
 * Programs that nobody would write: any instruction on any operand, nested calls and creations, and what they leave
 * behind.
 */
export class WildPrograms {
  readonly #choose: Choose;
  readonly #callees: readonly Bytes[];

  /** `callees`: addresses that a program may call, read or leave its coins to. */
  constructor(choose: Choose, callees: readonly Bytes[]) {
    this.#choose = choose;
    this.#callees = callees;
  }

  /** Init code that does something and then, most often, deploys a program. */
  initCode(nesting = 0): Bytes {
    const does = this.#program(nesting, STATEMENTS_MAX - 2 * nesting);
    switch (this.#choose(5)) {
      case 0:
        // Any first byte, also 0xEF, with which code must not be deployed.
        return concat(does, put(this.#of([0xef, 0xef, 0x60, 0x00])), this.#ending());
      case 1:
        return concat(does, this.#ending());
      default: {
        const left = concat(this.#program(nesting, STATEMENTS_MAX), this.#ending());
        return concat(does, inMemory(left), push(left.length), push(0), op(0xf3));
      }
    }
  }

  #of<T>(kinds: readonly T[]): T {
    return present(kinds[this.#choose(kinds.length)], 'one of them');
  }

  #number(): Bytes {
    const edge = this.#choose(4) === 0;
    return push(edge ? this.#of(EDGES) : BigInt(this.#choose(100)));
  }

  /** An offset or a size in memory. Rarely more than anybody can pay for. */
  #place(): Bytes {
    return this.#choose(40) === 0 ? this.#number() : push(this.#choose(MEMORY));
  }

  #places(count: number): Bytes {
    return concat(...Array.from({ length: count }, () => this.#place()));
  }

  #numbers(count: number): Bytes {
    return concat(...Array.from({ length: count }, () => this.#number()));
  }

  #callee(): Bytes {
    return concat(op(0x73), this.#of(this.#callees));
  }

  #gas(): Bytes {
    return this.#choose(3) === 0
      ? push(this.#choose(60_000))
      : this.#choose(12) === 0
        ? this.#number()
        : op(0x5a);
  }

  #ending(): Bytes {
    return concat(push(this.#choose(MEMORY)), push(0), op(this.#of([0xf3, 0xf3, 0xfd])));
  }

  #program(nesting: number, most: number): Bytes {
    return concat(...Array.from({ length: 1 + this.#choose(most) }, () => this.#statement(nesting)));
  }

  /** Leaves the stack as it was, and its result in memory. */
  #statement(nesting: number): Bytes {
    const keep = (): Bytes => concat(push(this.#choose(MEMORY)), op(0x52));
    const choose = this.#choose;
    const kinds: readonly (() => Bytes)[] = [
      () => concat(this.#numbers(2), op(this.#of(TWO_OPERANDS)), keep()),
      () => concat(this.#numbers(3), op(this.#of([0x08, 0x09])), keep()),
      () => concat(this.#number(), op(this.#of([0x15, 0x19, 0x1e, 0x35, 0x40, 0x49])), keep()),
      () => concat(op(this.#of(FACTS)), keep()),
      () => concat(this.#callee(), op(this.#of([0x31, 0x3b, 0x3f])), keep()),
      () => concat(this.#number(), push(choose(SLOTS)), op(this.#of([0x55, 0x55, 0x5d]))),
      () => concat(push(choose(SLOTS)), op(this.#of([0x54, 0x5c])), keep()),
      () => concat(this.#number(), this.#place(), op(this.#of([0x52, 0x53]))),
      () => concat(this.#places(2), op(0x20), keep()),
      () => concat(this.#places(3), op(this.#of([0x37, 0x39, 0x5e]))),
      () => concat(this.#places(3), this.#callee(), op(0x3c)),
      // The output of the last call, sometimes beyond its end.
      () =>
        choose(3) === 0
          ? concat(this.#places(3), op(0x3e))
          : concat(op(0x3d), push(0), this.#place(), op(0x3e)),
      () => {
        const topics = choose(5);
        return concat(this.#numbers(topics), this.#places(2), op(0xa0 + topics));
      },
      () => this.#call(),
      () => this.#call(),
      () => this.#creation(nesting),
      () => (choose(6) === 0 ? concat(this.#callee(), op(DESTROY)) : this.#call()),
      () => (choose(8) === 0 ? op(this.#of(STOPS)) : op(0x5b)),
    ];
    return this.#of(kinds)();
  }

  #call(): Bytes {
    const kept = concat(push(this.#choose(MEMORY)), op(0x52));
    const value = this.#choose(2) === 0 ? push(0) : push(this.#choose(4));
    return this.#choose(2) === 0
      ? concat(this.#places(4), value, this.#callee(), this.#gas(), op(this.#of([0xf1, 0xf1, 0xf2])), kept)
      : concat(this.#places(4), this.#callee(), this.#gas(), op(this.#of([0xf4, 0xfa])), kept);
  }

  /** Creates a contract, by salt or by nonce, and reads it or calls it. */
  #creation(nesting: number): Bytes {
    const isPlain = nesting < NESTING_MAX && this.#choose(6) > 0;
    const code = isPlain ? this.initCode(nesting + 1) : this.#of(IDLE);
    const isSalted = this.#choose(2) === 0;
    const value = push(this.#choose(3) === 0 ? 1 : 0);
    const salt = isSalted ? push(this.#choose(2)) : EMPTY;
    const made = concat(inMemory(code), salt, push(code.length), push(0), value, op(isSalted ? 0xf5 : 0xf0));
    const kept = concat(push(this.#choose(MEMORY)), op(0x52));
    // CALL(gas, created, 0, 0, 0, 0, 32). The created address stays on the stack below it.
    const called = concat(push(32), op(0x5f, 0x5f, 0x5f, 0x5f, 0x85, 0x5a, 0xf1), kept, op(0x50));
    return concat(
      made,
      this.#choose(2) === 0 ? called : concat(op(this.#of([0x31, 0x3b, 0x3f, 0x15])), kept),
    );
  }
}

/** Init code that deploys nothing, or that begins as in EIP-3540. */
const IDLE = [EMPTY, hex('ef0001')];
const TWO_OPERANDS = [
  0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1a,
  0x1b, 0x1c, 0x1d,
];
/** Instructions without operands. */
const FACTS = [
  0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a, 0x58,
  0x59, 0x5a,
];

const op = (...codes: readonly number[]): Bytes => Uint8Array.from(codes);

function push(value: bigint | number): Bytes {
  if (BigInt(value) === 0n) return op(0x5f);
  const digits = value.toString(16);
  const bytes = hex(digits.length % 2 === 0 ? digits : `0${digits}`);
  return concat(op(0x5f + bytes.length), bytes);
}

/** Writes one byte to the beginning of memory. */
const put = (byte: number): Bytes => concat(push(byte), push(0), op(0x53));

/** Writes code to memory word by word, from the beginning on. */
function inMemory(code: Bytes): Bytes {
  const parts: Bytes[] = [];
  for (let at = 0; at < code.length; at += 32) {
    const word = toHex(code.slice(at, at + 32)).padEnd(64, '0');
    parts.push(op(0x7f), hex(word), push(at), op(0x52));
  }
  return concat(...parts);
}
