import { type Bytes, concat, hex } from '../../core/lib/bytes.ts';

/** A contract without a compiler: its code, and the cost and the outcome of a call. */
export interface Program {
  readonly name: string;
  readonly code: Bytes;
  readonly gas: bigint;
  readonly status: '0x0' | '0x1';
  /** Exclusive bound of the word that it is called with. */
  readonly argumentMax: number;
}

/** Assembled by hand, one step per line. */
export const assemble = (...lines: readonly string[]): Bytes => hex(lines.join('').replaceAll(' ', ''));

export const PROGRAMS: readonly Program[] = [
  {
    name: 'counter',
    code: assemble('60 00 54 60 01 01 80 60 00 55', '60 00 52', '60 aa 60 20 60 00 a1 00'),
    gas: 100_000n,
    status: '0x1',
    argumentMax: 1,
  },
  {
    // Writes and logs first. Nothing of that may be left.
    name: 'reverter',
    code: assemble('60 01 60 00 55', '60 20 60 00 a0', '60 2a 60 00 52', '60 20 60 00 fd'),
    gas: 100_000n,
    status: '0x0',
    argumentMax: 1,
  },
  {
    // As many logs of a kilobyte with four topics as the argument says.
    name: 'big-logs',
    code: assemble(
      '60 00 35 5b',
      '80 15 60 1d 57',
      '80 60 dd 60 cc 60 bb 61 04 00 60 00 a4',
      '60 01 90 03 60 03 56',
      '5b 00',
    ),
    gas: 1_000_000n,
    status: '0x1',
    argumentMax: 16,
  },
  {
    // Calls itself as deep as the argument says, a log at every level.
    name: 'deep',
    code: assemble(
      '60 00 35 80 15 60 24 57',
      '80 60 00 60 00 a1',
      '60 01 90 03 60 00 52',
      '60 00 60 00 60 20 60 00 60 00 30 5a f1 50 00',
      '5b 60 01 60 00 55 00',
    ),
    gas: 600_000n,
    status: '0x1',
    argumentMax: 64,
  },
  {
    // Creates a contract that destroys itself during its creation, and logs its address.
    name: 'short-lived',
    code: assemble('61 30 ff 60 00 52', '60 02 60 1e 60 00 f0', '60 00 60 00 a1 00'),
    gas: 200_000n,
    status: '0x1',
    argumentMax: 1,
  },
  {
    name: 'self-destructing',
    code: assemble('60 07 60 00 55', '33 ff'),
    gas: 100_000n,
    status: '0x1',
    argumentMax: 1,
  },
  { name: 'endless', code: assemble('5b 60 00 56'), gas: 100_000n, status: '0x0', argumentMax: 1 },
  { name: 'invalid', code: assemble('60 01 60 00 55 fe'), gas: 100_000n, status: '0x0', argumentMax: 1 },
];

/** Init code that deploys `code`. */
export const initCodeOf = (code: Bytes): Bytes =>
  concat(hex(`60${code.length.toString(16).padStart(2, '0')}80600b6000396000f3`), code);
