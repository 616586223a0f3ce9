/** Random contracts that call each other, for comparing executions with geth's: a seed gives the same ones for ever. */

export interface Program {
  readonly call: Readonly<Record<string, string>>;
  readonly stateOverrides: Readonly<Record<string, object>>;
  readonly blockOverrides: Readonly<Record<string, string>>;
}

const CONTRACTS = [1, 2, 3, 4].map((n) => `aa${n.toString(16).padStart(38, '0')}`);
const SENDER = `bb${'1'.padStart(38, '0')}`;
/** Runs the code of a contract (EIP-7702). */
const DELEGATING = `bb${'2'.padStart(38, '0')}`;
const NOBODY = `cc${'9'.padStart(38, '0')}`;
const COINBASE = `fe${'1'.padStart(38, '0')}`;
const PRECOMPILES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x100];

/** Mulberry32. */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Below `count`. */
  roll(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t ^= t + Math.imul(t ^ (t >>> 7), 61 | t);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * count);
  }

  isOneIn(count: number): boolean {
    return this.roll(count) === 0;
  }

  of<T>(list: readonly T[]): T {
    return list[this.roll(list.length)] as T;
  }
}

const bytes = (value: bigint | number, size: number): string => value.toString(16).padStart(2 * size, '0');

function push(value: bigint | number): string {
  const digits = BigInt.asUintN(256, BigInt(value)).toString(16);
  if (digits === '0') return '5f';
  const size = Math.ceil(digits.length / 2);
  return `${(0x5f + size).toString(16)}${digits.padStart(2 * size, '0')}`;
}

/** A place in the code that is known only when all of it is there. */
type Piece = string | { readonly jump: number; readonly condition: string } | { readonly label: number };
const JUMP_BYTES = 4;

const ONE_OPERAND = ['15', '19', '1e'];
const TWO_OPERANDS = [
  ...['01', '02', '03', '04', '05', '06', '07', '0a', '0b', '10', '11', '12', '13', '14', '16', '17', '18'],
  ...['1a', '1b', '1c', '1d'],
];
const NO_OPERAND = [
  ...[
    '30',
    '32',
    '33',
    '34',
    '36',
    '38',
    '3a',
    '3d',
    '41',
    '42',
    '43',
    '44',
    '45',
    '47',
    '48',
    '4a',
    '58',
    '59',
  ],
  '5a',
];
const ODD = ['fe', '0c', 'ef', 'e0', '4b', '00', '50', '56', '90', 'fd'];
const INIT_CODES = [
  '60205ff3',
  '5f5ffd',
  'fe',
  '60ef5f5360015ff3',
  '60ef5f5360205ffd',
  '33ff',
  '620100005ff3',
  '6160015ff3',
];

class Writer {
  readonly #dice: Dice;
  readonly #pieces: Piece[] = [];
  readonly #depth: number;
  #labels = 0;

  constructor(dice: Dice, depth: number) {
    this.#dice = dice;
    this.#depth = depth;
  }

  write(): string {
    const count = 3 + this.#dice.roll(this.#depth > 0 ? 8 : 25);
    for (let i = 0; i < count; i++) this.#instruction();
    this.#put(this.#dice.of(['', '', '00', '60205ff3', '60245ffd', '5f5ffd']));
    return this.#laidOut();
  }

  #put(...pieces: readonly Piece[]): void {
    for (const piece of pieces) this.#pieces.push(piece);
  }

  #laidOut(): string {
    const labels = new Map<number, number>();
    let at = 0;
    for (const piece of this.#pieces) {
      if (typeof piece === 'string') at += piece.length / 2;
      else if ('label' in piece) labels.set(piece.label, at++);
      else at += piece.condition.length / 2 + JUMP_BYTES;
    }
    return this.#pieces
      .map((piece) => {
        if (typeof piece === 'string') return piece;
        if ('label' in piece) return '5b';
        const to = `61${bytes(labels.get(piece.jump) ?? 0, 2)}`;
        return `${piece.condition}${to}${piece.condition === '' ? '56' : '57'}`;
      })
      .join('');
  }

  #word(): bigint {
    const dice = this.#dice;
    const random = Array.from({ length: 8 }, () => BigInt(dice.roll(2 ** 32))).reduce(
      (a, b) => (a << 32n) | b,
    );
    return dice.of([
      0n,
      1n,
      2n,
      31n,
      32n,
      255n,
      256n,
      2n ** 64n,
      2n ** 128n,
      2n ** 255n,
      2n ** 256n - 1n,
      random,
    ]);
  }

  #offset(): bigint {
    const dice = this.#dice;
    return dice.isOneIn(16)
      ? this.#word()
      : BigInt(dice.of([0, 0, 1, 31, 32, 64, 100, 9000, dice.roll(2000)]));
  }

  #length(): bigint {
    const dice = this.#dice;
    return dice.isOneIn(16) ? this.#word() : BigInt(dice.of([0, 0, 1, 4, 32, 33, 64, 128, dice.roll(3000)]));
  }

  #account(): string {
    const dice = this.#dice;
    const one = [SENDER, DELEGATING, NOBODY];
    return dice.of([
      push(BigInt(`0x${dice.of(CONTRACTS)}`)),
      push(BigInt(`0x${dice.of(CONTRACTS)}`)),
      push(BigInt(`0x${dice.of(one)}`)),
      push(dice.of(PRECOMPILES)),
      dice.of(['30', '33', '41']),
    ]);
  }

  #instruction(): void {
    const dice = this.#dice;
    const some = (count: number): string => Array.from({ length: count }, () => push(this.#word())).join('');
    const slot = (): string => push(dice.roll(4));
    const range = (): string => push(this.#length()) + push(this.#offset());
    dice.of<() => void>([
      () => this.#put(some(1 + dice.roll(3))),
      () => this.#put(some(2), dice.of(TWO_OPERANDS)),
      () => this.#put(some(2), dice.of(TWO_OPERANDS)),
      () => this.#put(some(3), dice.of(['08', '09'])),
      () => this.#put(some(1), dice.of(ONE_OPERAND)),
      () => this.#put(dice.of(NO_OPERAND)),
      () => this.#put(range(), '20'),
      () => this.#put(some(1), push(this.#offset()), dice.of(['52', '52', '53'])),
      () => this.#put(push(this.#offset()), dice.of(['51', '35'])),
      () => this.#put(range(), push(this.#offset()), dice.of(['37', '39', '3e', '5e'])),
      () => this.#put(some(1), slot(), dice.of(['55', '55', '5d'])),
      () => this.#put(slot(), dice.of(['54', '5c'])),
      () => this.#put(this.#account(), dice.of(['31', '3b', '3f'])),
      () => this.#put(range(), push(this.#offset()), this.#account(), '3c'),
      () => this.#log(),
      () => this.#put(dice.of(['80', '81', '8f', '90', '91', '9f', '50'])),
      () => this.#branch(),
      () => this.#call(),
      () => this.#call(),
      () => this.#call(),
      () => this.#creation(),
      () => this.#creation(),
      () => this.#rarely(4, this.#account(), 'ff'),
      () => this.#rarely(4, range(), dice.of(['f3', 'fd'])),
      () => this.#rarely(6, dice.of(ODD)),
    ])();
  }

  #rarely(times: number, ...pieces: readonly string[]): void {
    if (this.#dice.isOneIn(times)) this.#put(...pieces);
  }

  #log(): void {
    const topics = this.#dice.roll(5);
    const words = Array.from({ length: topics }, () => push(this.#word())).join('');
    this.#put(words, push(this.#length()), push(this.#offset()), `a${topics}`);
  }

  #branch(): void {
    const label = this.#labels++;
    const condition = this.#dice.isOneIn(2) ? '' : push(this.#dice.roll(2));
    this.#put({ jump: label, condition });
    for (let i = this.#dice.roll(4); i >= 0; i--) this.#instruction();
    this.#put({ label });
  }

  #call(): void {
    const dice = this.#dice;
    const op = dice.of(['f1', 'f1', 'f2', 'f4', 'fa']);
    const ranges = push(this.#length()) + push(this.#offset()) + push(this.#length()) + push(this.#offset());
    const value = op === 'f1' || op === 'f2' ? push(dice.of([0n, 0n, 0n, 1n, 10n ** 18n])) : '';
    const gas = dice.isOneIn(2) ? '5a' : push(dice.of([0, 700, 2300, 5000, 30_000, dice.roll(50_000)]));
    this.#put(ranges, value, this.#account(), gas, op, dice.of(['', '50']));
  }

  #creation(): void {
    const dice = this.#dice;
    if (this.#depth > 1) return;
    const code = dice.isOneIn(2) ? dice.of(INIT_CODES) : new Writer(dice, this.#depth + 1).write();
    const size = code.length / 2;
    for (let at = 0; at < size; at += 32)
      this.#put(`7f${code.slice(2 * at, 2 * at + 64).padEnd(64, '0')}`, push(at), '52');
    const isSalted = dice.isOneIn(3);
    this.#put(isSalted ? push(dice.roll(2)) : '', push(size), '5f', push(dice.of([0n, 0n, 1n, 10n ** 30n])));
    this.#put(isSalted ? 'f5' : 'f0');
    if (dice.isOneIn(2)) this.#put('80', '5f5f5f5f85', '5a', 'f1');
  }
}

/** What `debug_traceCall` and `eth_call` take; everything that depends on a chain is given. */
export function programOf(seed: number): Program {
  const dice = new Dice(Math.imul(seed, 2_654_435_761));
  const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
  const stateOverrides: Record<string, object> = {
    [`0x${SENDER}`]: { balance: hex(10n ** 20n) },
    [`0x${DELEGATING}`]: {
      code: `0xef0100${dice.of([...CONTRACTS, NOBODY, DELEGATING, bytes(4, 20)])}`,
      nonce: '0x5',
      balance: '0x64',
    },
  };
  for (const address of CONTRACTS) {
    const slots = [0, 1, 2, 3].filter(() => dice.isOneIn(2));
    const stateDiff = Object.fromEntries(
      slots.map((slot) => [`0x${bytes(slot, 32)}`, `0x${bytes(1 + dice.roll(1000), 32)}`]),
    );
    stateOverrides[`0x${address}`] = {
      code: `0x${new Writer(dice, 0).write()}`,
      balance: hex(1000 * dice.roll(5)),
      nonce: '0x1',
      stateDiff,
    };
  }
  const data = Array.from({ length: dice.of([0, 4, 32, 68, dice.roll(200)]) }, () =>
    bytes(dice.isOneIn(2) ? 0 : dice.roll(256), 1),
  ).join('');
  const receiver = dice.of([CONTRACTS[0], CONTRACTS[0], CONTRACTS[0], DELEGATING, undefined]);
  return {
    call: {
      from: `0x${SENDER}`,
      gas: hex(dice.of([30_000, 60_000, 100_000, 300_000, 1_000_000])),
      value: hex(dice.of([0, 0, 1, 700])),
      ...(receiver === undefined
        ? { data: `0x${new Writer(dice, 0).write()}` }
        : { to: `0x${receiver}`, data: `0x${data}` }),
    },
    stateOverrides,
    blockOverrides: {
      number: '0x1000000',
      time: '0x70000000',
      gasLimit: '0x1c9c380',
      feeRecipient: `0x${COINBASE}`,
      prevRandao: `0x${'12'.repeat(32)}`,
      baseFeePerGas: '0x0',
      blobBaseFee: '0x1',
    },
  };
}
