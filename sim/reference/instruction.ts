import type { Frame } from './frame.ts';

/** What an instruction does, including paying its price. */
export type Instruction = (frame: Frame) => void;
export type Table = Readonly<Record<number, Instruction>>;

const [COLD_GAS, WARM_GAS] = [2600, 100];

/** The address in the low 20 bytes of a word, as an account name. */
export const nameOf = (word: bigint): string => word.toString(16).padStart(64, '0').slice(24);

/** The price of touching an account (EIP-2929). */
export const accountGas = (f: Frame, name: string): number =>
  f.machine.state.touch(name) ? WARM_GAS : COLD_GAS;
