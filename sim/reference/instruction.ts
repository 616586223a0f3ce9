import type { Frame } from './frame.ts';

/** What an instruction does, its price included. */
export type Instruction = (frame: Frame) => void;
export type Table = Readonly<Record<number, Instruction>>;

const [COLD_GAS, WARM_GAS] = [2600, 100];

/** 20 bytes of a word, as the name of an account. */
export const nameOf = (word: bigint): string => word.toString(16).padStart(64, '0').slice(24);

/** What touching an account costs (EIP-2929). */
export const accountGas = (f: Frame, name: string): number =>
  f.machine.state.touch(name) ? WARM_GAS : COLD_GAS;
