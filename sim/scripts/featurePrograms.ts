import { hex } from '../../core/lib/bytes.ts';
import { assemble } from './programs.ts';

/** Init code that the factory runs: stores 42, and deploys code that destroys itself for its caller. */
export const MADE_BY_FACTORY = hex('602a5f556133ff5f526002601ef3');

/** Contracts of the script `features`, in the order of deployment. Assembled by hand, one step per line. */
export const FEATURES = {
  /** Stores each pair of words: slot, value. */
  slots: assemble('5f 5b 36 81 10 15 60 17 57', '80 60 20 01 35 81 35 55', '60 40 01 60 01 56', '5b 00'),
  /** Logs facts about the block, the transaction and an account, and the gas that is left. */
  teller: assemble(
    '43 5f 52 42 60 20 52 41 60 40 52 44 60 60 52 48 60 80 52 46 60 a0 52 45 60 c0 52 3a 60 e0 52',
    '32 61 01 00 52 33 61 01 20 52 34 61 01 40 52 30 61 01 60 52 47 61 01 80 52 5f 35 31 61 01 a0 52',
    '60 01 43 03 40 61 01 c0 52 5f 40 61 01 e0 52 5f 35 3f 61 02 00 52 5f 35 3b 61 02 20 52 41 31 61 02 40 52',
    '5a 61 02 60 52 32 61 02 80 5f a1 00',
  ),
  /** Stores, calls itself to store, log and revert, and stores what it sees of that. */
  guard: assemble(
    '36 15 60 2a 57 5f 35 5f 55 60 05 60 09 5d',
    '5f 5f 5f 5f 5f 30 5a f1 60 02 55',
    '60 09 5c 60 03 55 60 01 54 60 04 55 3d 60 05 55 00',
    '5b 60 07 60 01 55 60 06 60 09 5d 60 20 5f a0 60 20 5f fd',
  ),
  /**
   * Creates a contract by salt, which stores, and may exist already. If asked to, makes it destroy itself. Logs its
   * address.
   */
  factory: assemble(
    '6d 60 2a 5f 55 61 33 ff 5f 52 60 02 60 1e f3 5f 52',
    '5f 35 60 0e 60 12 34 f5 80 5f 52',
    '60 20 35 15 60 2c 57 5f 5f 5f 5f 5f 85 5a f1 50',
    '5b 60 20 5f a0 00',
  ),
  /** Forwards its value to the account in the first word, and stores whether that succeeded. */
  payer: assemble('5f 5f 5f 5f 34 5f 35 5a f1 5f 55 00'),
  /** Delegates to the code at the first word, with the words after it as input. */
  delegator: assemble('60 20 36 03 60 20 5f 37', '5f 5f 60 20 36 03 5f 5f 35 5a f4 5f 52 60 20 5f f3'),
  /** Calls the account in the first word statically, with the words after it as input. */
  reader: assemble('60 20 36 03 60 20 5f 37', '5f 5f 60 20 36 03 5f 5f 35 5a fa 5f 52 60 20 5f a0 00'),
  /** Calls the account in the first word with the words after it as input, and reverts. */
  undoer: assemble('60 20 36 03 60 20 5f 37', '5f 5f 60 20 36 03 5f 5f 5f 35 5a f1 5f 5f fd'),
  /** Logs the hashes of the 96 blocks before this one. */
  elder: assemble('5f 5b 60 01 01 80 43 03 40 81 60 05 1b 52 80 60 60 11 60 01 57', '61 0c 20 5f a0 00'),
  /** SHA-256 of what it is given, by the precompile. */
  hasher: assemble('36 5f 5f 37', '60 20 5f 36 5f 60 02 5a fa 50 60 20 5f a0 00'),
  /** Stores what an earlier transaction left in transient storage (nothing), and leaves something there. */
  latch: assemble('60 01 5c 60 01 01 60 01 55 60 07 60 01 5d 00'),
} as const;

export type Feature = keyof typeof FEATURES;
export const FEATURE_NAMES = Object.keys(FEATURES) as readonly Feature[];
