import { present } from '../../core/lib/assert.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { type BankDraft, plainSend } from '../clients/cosmosTx.ts';
import type { DevAccount } from '../cluster.ts';
import { BALANCE, MESSAGE, NEW_ACCOUNT } from '../reference/bankRun.ts';
import type { BadDraft } from './bankFeatures.ts';

const GWEI = 10n ** 9n;
/** More than any of these transactions costs while blocks are nearly empty. */
const FEE = 300_000n * 3n * GWEI;
const WORD_MAX = 2n ** 256n - 1n;
const SEQUENCE_MAX = 2n ** 64n - 1n;
/** What the poorer of the two accounts gets to give away. */
const GIFT = 7n;
/** The SDK's codes: not enough coins, out of gas. */
const [NO_FUNDS, NO_GAS] = [5, 11];

/** What the next step depends on. */
export interface BoundPlace {
  /** How many steps were made before. */
  readonly turn: number;
  readonly rich: DevAccount;
  readonly poor: DevAccount;
  /** Coins of `poor`; undefined while a transaction of either account is in no block yet. */
  readonly coins: bigint | undefined;
  /** The gas that the draft costs before its first message. */
  anteGas(draft: BankDraft): bigint;
}

export interface BoundStep {
  readonly draft: BankDraft;
  /** The code of its result. */
  readonly code: number;
  readonly bads: readonly BadDraft[];
  /** It pays `poor`. */
  readonly isGift?: boolean;
}

const stranger = (turn: number): Bytes => {
  const address = new Uint8Array(20).fill(0x70);
  new DataView(address.buffer).setUint32(0, turn);
  return address;
};

/** The whole fee is paid, as there is no tip. */
const paying = (from: DevAccount, to: Bytes, amount: bigint): BankDraft => ({
  ...plainSend(from, to, amount),
  fee: FEE,
  tip: undefined,
});

/** In turn transactions exactly on a bound of gas and of coins. Undefined while the turn has to wait for a block. */
export function bankBound({ turn, rich, poor, coins, anteGas }: BoundPlace): BoundStep | undefined {
  const known = (draft: BankDraft, code = 0): BoundStep => ({ draft, code, bads: [] });
  const withGas = (more: bigint, code: number): BoundStep => {
    const draft = paying(rich, stranger(turn), 1n);
    return known({ ...draft, gas: anteGas(draft) + more }, code);
  };
  const steps: readonly (() => BoundStep | undefined)[] = [
    () => withGas(MESSAGE + BALANCE + NEW_ACCOUNT, 0),
    () => withGas(MESSAGE + BALANCE + NEW_ACCOUNT - 1n, NO_GAS),
    () => {
      const step = withGas(0n, NO_GAS);
      return { ...step, bads: badOnes(rich, step.draft.gas) };
    },
    () => known(paying(rich, stranger(turn), WORD_MAX), NO_FUNDS),
    () => ({ ...known(paying(rich, poor.address, FEE + GIFT)), isGift: true }),
    // All that it has, and then all that it has as a fee.
    () => (coins === undefined ? undefined : known(paying(poor, rich.address, coins - FEE))),
    () => ({ ...known(paying(rich, poor.address, FEE)), isGift: true }),
    () => (coins === undefined ? undefined : known(paying(poor, rich.address, 1n), NO_FUNDS)),
  ];
  return present(steps[turn % steps.length], 'a step')();
}

function badOnes(from: DevAccount, anteGas: bigint): readonly BadDraft[] {
  const draft = paying(from, stranger(0), 1n);
  return [
    { draft: { ...draft, gas: anteGas - 1n }, why: 'has too little gas by one', code: 'sdk 11' },
    {
      draft: { ...draft, lie: { signer: (signer) => ({ ...signer, sequence: SEQUENCE_MAX }) } },
      why: 'has the last sequence, which would leave none for the next',
      code: 'sdk 3',
    },
    {
      draft: paying(from, stranger(0), WORD_MAX + 1n),
      why: 'moves more coins than a word holds',
      code: 'sdk 10',
    },
    {
      draft: {
        ...draft,
        messages: [[1n, 2n].map((amount) => ({ to: stranger(0), amount }))],
        lie: { taken: (coins) => [...coins.map((coin) => ({ ...coin, amount: '1' })), ...coins] },
      },
      why: 'takes one coin and gives several, as it names its coins twice',
      code: 'sdk 10',
    },
  ];
}
