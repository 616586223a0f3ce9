import { present } from '../../core/lib/assert.ts';
import { type Bytes, EMPTY, hex } from '../../core/lib/bytes.ts';
import { ARITHMETIC } from './arithmetic.ts';
import { faultAtStart } from './begin.ts';
import { CALLS } from './callInstructions.ts';
import { type Frame, fault, Halt } from './frame.ts';
import { accountGas, type Instruction, nameOf, type Table } from './instruction.ts';
import { NAMED_BYTES } from './namedBytes.ts';
import { toBig, toWord } from './state.ts';

const [BASE, LOW, COLD_SLOT, WARM] = [2, 5, 2100, 100];

const told =
  (value: (f: Frame) => bigint, gas = BASE): Instruction =>
  (f) => {
    f.use(gas);
    f.push(value(f));
  };

const ofAccount =
  (what: (f: Frame, name: string) => bigint): Instruction =>
  (f) => {
    const name = nameOf(f.pop());
    f.use(accountGas(f, name));
    f.push(what(f, name));
  };

const slice32 = (bytes: Bytes, at: number): bigint => {
  const word = new Uint8Array(32);
  word.set(bytes.slice(Math.min(at, bytes.length), Math.min(at + 32, bytes.length)));
  return toBig(word);
};

const ENVIRONMENT: Table = {
  48: told((f) => BigInt(`0x${f.input.self}`)),
  49: ofAccount((f, name) => f.machine.state.account(name).balance),
  50: told((f) => BigInt(`0x${f.machine.tx.origin}`)),
  51: told((f) => BigInt(`0x${f.input.caller}`)),
  52: told((f) => f.input.value),
  53: (f) => {
    f.use(3);
    f.push(slice32(f.input.data, f.popSize()));
  },
  54: told((f) => BigInt(f.input.data.length)),
  55: (f) => f.copy(f.input.data, f.popSize(), f.popSize(), f.popSize()),
  56: told((f) => BigInt(f.input.code.length)),
  57: (f) => f.copy(f.input.code, f.popSize(), f.popSize(), f.popSize()),
  58: told((f) => f.machine.tx.price),
  59: ofAccount((f, name) => BigInt(f.machine.state.account(name).code.length)),
  60: (f) => {
    const name = nameOf(f.pop());
    const [to, offset, size] = [f.popSize(), f.popSize(), f.popSize()];
    // The base price of 3 is part of the price of looking at the account.
    f.use(accountGas(f, name) - 3);
    f.copy(f.machine.state.account(name).code, to, offset, size);
  },
  61: told((f) => BigInt(f.returned.length)),
  62: (f) => {
    const [to, offset, size] = [f.popSize(), f.popSize(), f.popSize()];
    f.payCopy(to, size);
    if (offset + size > f.returned.length) throw fault('return data out of bounds');
    f.put(f.returned, to, offset, size);
  },
  63: ofAccount((f, name) =>
    f.machine.state.exists(name) ? toBig(f.machine.keccak(f.machine.state.account(name).code)) : 0n,
  ),
  64: (f) => {
    f.use(20);
    f.push(f.machine.blockHash(f.popSize()));
  },
  65: told((f) => toBig(f.machine.header.coinbase)),
  66: told((f) => BigInt(f.machine.header.timestamp)),
  67: told((f) => BigInt(f.machine.header.number)),
  68: told((f) => toBig(f.machine.header.mixHash)),
  69: told((f) => f.machine.header.gasLimit),
  70: told((f) => f.machine.chainId),
  71: told((f) => f.machine.state.account(f.input.self).balance, LOW),
  72: told((f) => f.machine.header.baseFeePerGas),
  // There are no blobs, and their price is the minimum.
  73: (f) => {
    f.use(3);
    f.pop();
    f.push(0n);
  },
  74: told(() => 1n),
};

function jump(f: Frame, to: number): void {
  if (!f.jumps.has(to)) throw fault('invalid jump destination');
  // The JUMPDEST there is the next instruction.
  f.pc = to - 1;
}

const FLOW: Table = {
  0: () => {
    throw new Halt('stop', EMPTY);
  },
  80: (f) => {
    f.use(BASE);
    f.pop();
  },
  81: (f) => {
    f.use(3);
    f.push(f.readWord(f.popSize()));
  },
  82: (f) => {
    f.use(3);
    f.writeWord(f.popSize(), f.pop());
  },
  83: (f) => {
    f.use(3);
    f.write(f.popSize(), Uint8Array.of(Number(f.pop() & 0xffn)));
  },
  86: (f) => {
    f.use(8);
    jump(f, f.popSize());
  },
  87: (f) => {
    f.use(10);
    const [to, condition] = [f.popSize(), f.pop()];
    if (condition !== 0n) jump(f, to);
  },
  88: told((f) => BigInt(f.pc)),
  89: told((f) => BigInt(f.memorySize)),
  90: told((f) => BigInt(f.gas)),
  91: (f) => f.use(1),
  94: (f) => {
    const [to, from, size] = [f.popSize(), f.popSize(), f.popSize()];
    if (size > 0) f.reach(Math.max(to, from), size);
    f.copy(f.read(from, size), to, 0, size);
  },
  95: told(() => 0n),
  243: (f) => {
    const [offset, size] = [f.popSize(), f.popSize()];
    throw new Halt('stop', f.read(offset, size));
  },
  253: (f) => {
    const [offset, size] = [f.popSize(), f.popSize()];
    throw new Halt('revert', f.read(offset, size), 'execution reverted');
  },
};

const slotKey = (f: Frame, slot: bigint): string => `${f.input.self}/${slot}`;

/** EIP-2200 with the prices of EIP-2929 and EIP-3529. */
function store(f: Frame): void {
  f.mayWrite();
  if (f.gas <= 2300) throw fault('out of gas: not enough gas for reentrancy sentry');
  const { state } = f.machine;
  const { self } = f.input;
  const [slot, value] = [f.pop(), f.pop()];
  const isWarm = state.touch(slotKey(f, slot));
  const [original, current] = [state.original(self, slot), state.storage(self, slot)];
  const isFirst = original === current && current !== value;
  f.use((isWarm ? 0 : COLD_SLOT) + (isFirst ? (original === 0n ? 20_000 : 2_900) : WARM));
  if (current !== value) state.refundMore(refundOf(original, current, value));
  state.putStorage(self, slot, value);
}

function refundOf(original: bigint, current: bigint, value: bigint): number {
  const CLEARS = 4_800;
  if (original === current) return original !== 0n && value === 0n ? CLEARS : 0;
  let refund = 0;
  if (original !== 0n) refund += current === 0n ? -CLEARS : value === 0n ? CLEARS : 0;
  if (original === value) refund += original === 0n ? 19_900 : 2_800;
  return refund;
}

const STORAGE: Table = {
  84: (f) => {
    const slot = f.pop();
    f.use(f.machine.state.touch(slotKey(f, slot)) ? WARM : COLD_SLOT);
    f.push(f.machine.state.storage(f.input.self, slot));
  },
  85: store,
  92: (f) => {
    f.use(WARM);
    f.push(f.machine.state.transient(f.input.self, f.pop()));
  },
  93: (f) => {
    f.use(WARM);
    if (f.input.isStatic) throw fault('write protection');
    f.machine.state.putTransient(f.input.self, f.pop(), f.pop());
  },
};

const ONE_STEP: Table = { ...ARITHMETIC, ...ENVIRONMENT, ...FLOW, ...STORAGE, ...CALLS };
function pushData(f: Frame, count: number): void {
  f.use(3);
  const bytes = new Uint8Array(count);
  bytes.set(f.input.code.slice(f.pc + 1, f.pc + 1 + count));
  f.push(toBig(bytes));
  f.pc += count;
}

function duplicate(f: Frame, depth: number): void {
  f.use(3);
  f.push(present(f.stack.at(-depth), 'an item'));
}

function swap(f: Frame, depth: number): void {
  f.use(3);
  const { stack } = f;
  const [top, other] = [stack.at(-1), stack.at(-1 - depth)];
  stack[stack.length - 1] = present(other, 'an item');
  stack[stack.length - 1 - depth] = present(top, 'an item');
}

function log(f: Frame, count: number): void {
  const [offset, size] = [f.popSize(), f.popSize()];
  const topics = Array.from({ length: count }, () => toWord(f.pop()));
  f.use(375 + 375 * count + 8 * size);
  f.reach(offset, size);
  if (f.input.isStatic) throw fault('write protection');
  f.machine.state.log({ address: hex(f.input.self), topics, data: f.read(offset, size) });
  f.machine.calls.logged();
}

/** Runs the instruction at `pc` and moves on. */
export function step(f: Frame): void {
  const op = f.input.code[f.pc] ?? 0;
  f.row = f.machine.rows.begin(f, op);
  const refused = faultAtStart(op, f.stack, f.gas);
  if (refused !== undefined) throw fault(refused);
  try {
    perform(f, op);
  } catch (halt) {
    if (halt instanceof Halt && halt.ending !== 'fault') f.charged();
    throw halt;
  }
  f.charged();
  f.pc++;
}

function perform(f: Frame, op: number): void {
  const known = ONE_STEP[op];
  if (known !== undefined) known(f);
  else if (op >= 0x60 && op <= 0x7f) pushData(f, op - 0x5f);
  else if (op >= 0x80 && op <= 0x8f) duplicate(f, op - 0x7f);
  else if (op >= 0x90 && op <= 0x9f) swap(f, op - 0x8f);
  else if (op >= 0xa0 && op <= 0xa4) log(f, op - 0xa0);
  else throw fault(`invalid opcode: ${NAMED_BYTES[op] ?? `opcode 0x${op.toString(16)} not defined`}`);
}
