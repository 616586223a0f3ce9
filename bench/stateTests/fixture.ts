/** The General State Test format of ethereum/tests: one pre-state, one block, many transactions and what each leads to. */
import { type Bytes, hex } from '../../core/lib/bytes.ts';

interface PreAccount {
  readonly balance: string;
  readonly code: string;
  readonly nonce: string;
  readonly storage: Readonly<Record<string, string>>;
}

export interface Post {
  /** State root after the transaction, or of the untouched state when it is refused. */
  readonly hash: string;
  /** keccak256(RLP(logs)). */
  readonly logs: string;
  /** The signed transaction; older files leave it out. */
  readonly txbytes?: string;
  readonly expectException?: string;
  readonly indexes: { readonly data: number; readonly gas: number; readonly value: number };
}

export interface Fixture {
  readonly env: {
    readonly currentNumber: string;
    readonly currentCoinbase: string;
    readonly currentTimestamp: string;
    readonly currentGasLimit: string;
    readonly currentBaseFee?: string;
    readonly currentRandom?: string;
    readonly currentDifficulty?: string;
    readonly currentExcessBlobGas?: string;
  };
  readonly pre: Readonly<Record<string, PreAccount>>;
  readonly post: Readonly<Record<string, readonly Post[]>>;
}

/** A fixture file holds one or more named tests; `_info` entries are no tests. */
export const fixturesOf = (text: string): [string, Fixture][] =>
  Object.entries(JSON.parse(text) as Record<string, Fixture>).filter(([, test]) => test.post !== undefined);

/** Fillers write `0x` and odd digit counts for zero and small numbers. */
export const wordOf = (text: string): Bytes => {
  const digits = text.slice(2);
  return hex(digits.padStart(Math.max(64, digits.length + (digits.length % 2)), '0'));
};

export const numberOf = (text: string): bigint => (text === '0x' ? 0n : BigInt(text));
