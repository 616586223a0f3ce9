import { FEE_COLLECTOR, moduleAddress } from '../../core/app/auth/keeper.ts';
import { present } from '../../core/lib/assert.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import type { ChoiceStream } from '../choices.ts';
import { type BankDraft, type Payment, plainSend } from '../clients/cosmosTx.ts';
import type { DevAccount } from '../cluster.ts';

const GWEI = 10n ** 9n;
/** More than anybody has. */
const TOO_MUCH = 10n ** 24n;
const GAS = 300_000n;
const MEMO_MAX = 256;
/** Within which a run ends. */
const FAR = 1_000n;

const stranger = (index: number): Bytes => new Uint8Array(20).fill(0x60 + index);

/** What a wallet of bank messages does next. */
export interface BankStep {
  readonly draft: BankDraft | 'ethereum';
  /** What no node may take, signed over what is said of the signer otherwise than it is. */
  readonly bad?: BadDraft | undefined;
  /** What has to wait for an earlier sequence, and runs out with the very next block: it may be taken. */
  readonly isProbing: boolean;
}

export interface BadDraft {
  readonly draft: BankDraft;
  readonly why: string;
  readonly sequence?: number;
  readonly chainId?: string;
  readonly isOfAnother?: boolean;
  readonly isSpoiled?: boolean;
}

export interface BankPlace {
  readonly head: number;
  /** Of a block. */
  readonly gasLimit: bigint;
  /** Of the account at hand: its first transaction is in a block. */
  readonly isKnown: boolean;
}

/** Something of every kind: several messages, several receivers, failures of each sort, each way to pay. */
export function bankFeature(choices: ChoiceStream, from: DevAccount, place: BankPlace): BankStep {
  const choose = (count: number): number => choices.choose(count);
  const make = present(KINDS[choose(KINDS.length)], 'a kind');
  const made = make(from, choose, place);
  const kinds = badOnes(from, place);
  const bad = choose(3) > 0 ? undefined : kinds[choose(kinds.length)];
  return { draft: made, bad, isProbing: choose(6) === 0 };
}

type Kind = (from: DevAccount, choose: (count: number) => number, place: BankPlace) => BankStep['draft'];

const pay = (choose: (count: number) => number): Payment => ({
  to: stranger(choose(24)),
  amount: BigInt(1 + choose(1_000_000)),
});
const base = (from: DevAccount, ...messages: BankDraft['messages']): BankDraft => ({
  ...plainSend(from, from.address, 1n),
  gas: GAS,
  fee: GAS * 100n * GWEI,
  messages,
});
const several = (choose: (count: number) => number): readonly Payment[] =>
  Array.from({ length: 2 + choose(3) }, () => pay(choose));

const KINDS: readonly Kind[] = [
  (from, choose) => base(from, [pay(choose)]),
  (from, choose) => base(from, several(choose)),
  (from, choose) => base(from, [pay(choose)], several(choose), [pay(choose)]),
  // The last one asks for too much: none of them happens.
  (from, choose) => base(from, [pay(choose)], [{ ...pay(choose), amount: TOO_MUCH }]),
  (from, choose) => base(from, several(choose), [{ ...pay(choose), denom: 'other' }]),
  (from, choose) => base(from, [pay(choose)], [{ ...pay(choose), to: moduleAddress(FEE_COLLECTOR) }]),
  // Runs out of gas somewhere on its way.
  (from, choose) => ({ ...base(from, [pay(choose)]), gas: 32_000n + BigInt(choose(30_000)) }),
  (from, choose) => ({
    ...base(from, several(choose), several(choose)),
    gas: 45_000n + BigInt(choose(90_000)),
  }),
  // All of the fee, without a tip; a tip for which there is no room; none.
  (from, choose) => ({ ...base(from, [pay(choose)]), fee: GAS * 3n * GWEI, tip: undefined }),
  (from, choose) => ({ ...base(from, [pay(choose)]), fee: GAS * 3n * GWEI, tip: 5n * GWEI }),
  (from, choose) => ({ ...base(from, [pay(choose)]), tip: 0n }),
  (from, choose, { isKnown }) => ({ ...base(from, [pay(choose)]), isKeyHidden: isKnown }),
  (from, choose, { head }) => ({ ...base(from, [pay(choose)]), timeoutHeight: BigInt(head) + FAR }),
  (from, choose) => ({ ...base(from, [pay(choose)]), memo: 'm'.repeat(MEMO_MAX) }),
  (from) => base(from, [{ to: from.address, amount: 7n }]),
  // Fits only into a block that is empty so far.
  (from, choose, { gasLimit }) => ({
    ...base(from, [pay(choose)]),
    gas: gasLimit,
    fee: gasLimit * 3n * GWEI,
    tip: GWEI / 2n,
  }),
  () => 'ethereum',
  () => 'ethereum',
];

/** Nothing of these may be taken by any pool. */
function badOnes(from: DevAccount, { head, gasLimit, isKnown }: BankPlace): readonly BadDraft[] {
  const draft = base(from, [{ to: stranger(30), amount: 1n }]);
  return [
    { draft, chainId: 'another_1-1', why: 'is signed for another chain' },
    { draft, isOfAnother: true, why: 'is signed for another account' },
    { draft, isSpoiled: true, why: 'has a spoiled signature' },
    { draft: { ...draft, fee: GAS, tip: undefined }, why: 'pays less than the base fee' },
    { draft: { ...draft, fee: TOO_MUCH, tip: undefined }, why: 'pays a fee that its sender has not' },
    { draft: { ...draft, gas: 26_000n }, why: 'has too little gas' },
    {
      draft: { ...draft, gas: gasLimit + 1n, fee: gasLimit * 100n * GWEI },
      why: 'wants more gas than a block has',
    },
    { draft: { ...draft, memo: 'm'.repeat(MEMO_MAX + 1) }, why: 'has too long a memo' },
    ...(head > 0 ? [{ draft: { ...draft, timeoutHeight: BigInt(head) }, why: 'is too late' }] : []),
    ...(isKnown ? [{ draft, sequence: 0, why: 'has a sequence that was used' }] : []),
  ];
}

/** It runs out with the block after the head, but could be in that. */
export const probe = (from: DevAccount, head: number): BankDraft => ({
  ...base(from, [{ to: stranger(31), amount: 1n }]),
  timeoutHeight: BigInt(head + 1),
});
