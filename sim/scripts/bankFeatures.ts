import { FEE_COLLECTOR_ADDRESS } from '../../core/app/auth/keeper.ts';
import { SIGN_MODE } from '../../core/app/cosmos/tables.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, hex } from '../../core/lib/bytes.ts';
import type { FeeMarket } from '../clients/answers/feeMarket.ts';
import { type BankDraft, type Payment, plainSend } from '../clients/cosmosTx.ts';
import type { DevAccount } from '../cluster.ts';
import type { ChoiceStream } from '../world/choices.ts';
import { BANK_LIE_CODES } from './bankCodes.ts';
import { BANK_LIE_NAMES, BANK_LIES } from './bankLies.ts';

const GWEI = 10n ** 9n;
/** More than any account holds. */
const TOO_MUCH = 10n ** 24n;
const GAS = 300_000n;
const MEMO_MAX = 256;
/** The SDK's code for a timeout height that has passed. */
const TOO_LATE = 'sdk 30';
/** Two bytes per character, because the limit counts bytes. */
const wide = (bytes: number): string => 'é'.repeat(bytes >> 1) + 'm'.repeat(bytes & 1);
/** Characters that Go escapes unlike JavaScript, and characters that both escape. */
const MEMO = 'a <memo> & "more" \u2028 \\ é\n';
/** Names of the same key type on related chains. */
const COSMOS_EVM_KEY = '/cosmos.evm.crypto.v1.ethsecp256k1.PubKey';
const ETHERMINT_KEY = '/ethermint.crypto.v1.ethsecp256k1.PubKey';
const INJECTIVE_KEY = '/injective.crypto.v1beta1.ethsecp256k1.PubKey';
/** There are many more kinds than a run has drafts. */
const BADS_AT_ONCE = 3;
/** More blocks than a run has. */
const FAR = 1_000n;

const stranger = (index: number): Bytes => new Uint8Array(20).fill(0x60 + index);

/** What a wallet of bank messages does next. */
export interface BankStep {
  readonly draft: BankDraft | 'ethereum';
  readonly bads: readonly BadDraft[];
  /** A probe follows: it waits for an earlier sequence and expires soon, and a pool may take it. */
  readonly isProbing: boolean;
}

/** A draft that no node may take. */
export interface BadDraft {
  readonly draft: BankDraft;
  readonly why: string;
  /** Codespace and code by which a node refuses it. */
  readonly code: string;
  readonly sequence?: number;
  /** It has the sequence of the last good one, which it would replace. */
  readonly isAgain?: boolean;
  /** Signed for another account number. */
  readonly isOfAnother?: boolean;
}

export interface BankPlace {
  readonly head: number;
  /** Gas limit of a block. */
  readonly gasLimit: bigint;
  /** The first transaction of the account is in a block. */
  readonly isKnown: boolean;
  /** An account that did not sign. */
  readonly victim: Bytes;
  /** It has some coins, but too few for any fee. */
  readonly pauper: DevAccount;
  /** How many steps were asked for before. */
  readonly turn: number;
  readonly feeMarket: FeeMarket;
  /** Lowest price per gas in the next block; 0 when the node cannot tell. */
  readonly leastPrice: bigint;
}

/** Something of every kind: several messages, several receivers, failures of each sort, each way to pay. */
export function bankFeature(choices: ChoiceStream, from: DevAccount, place: BankPlace): BankStep {
  const choose = (count: number): number => choices.choose(count);
  const makers = [...KINDS, ...exactKinds(place.feeMarket)];
  // In turn, because a run is too short to draw each kind.
  const make = present(makers[place.turn % makers.length], 'a kind');
  const made = make(from, choose, place);
  const kinds = badOnes(from, place);
  const bads = Array.from({ length: BADS_AT_ONCE }, (_, i) =>
    present(kinds[(place.turn * BADS_AT_ONCE + i) % kinds.length], 'a bad one'),
  );
  return { draft: made, bads, isProbing: choose(6) === 0 };
}

type Kind = (from: DevAccount, choose: (count: number) => number, place: BankPlace) => BankStep['draft'];

const pay = (choose: (count: number) => number): Payment => ({
  to: stranger(choose(24)),
  amount: BigInt(1 + choose(1_000_000)),
});
/** In a denomination that nobody has, alone or beside the chain's own. */
const strange = (payment: Payment): Payment =>
  payment.amount % 2n === 0n ? { ...payment, denom: 'other' } : { ...payment, alsoDenom: 'other' };
const base = (from: DevAccount, ...messages: BankDraft['messages']): BankDraft => ({
  ...plainSend(from, from.address, 1n),
  gas: GAS,
  fee: GAS * 100n * GWEI,
  messages,
});
/** Without a tip, which these forms cannot express. */
const SIGNED_FEE = { fee: GAS * 3n * GWEI, tip: undefined };
/** One unknown field of each wire type: a number in field 1024, eight bytes in 1500, some in 2046, four in 3072. */
const IGNORABLE = hex('8040aa02e15d0102030405060708f27f0361626385c00101020304');
const several = (choose: (count: number) => number): readonly Payment[] =>
  Array.from({ length: 2 + choose(3) }, () => pay(choose));

const KINDS: readonly Kind[] = [
  (from, choose) => base(from, [pay(choose)]),
  (from, choose) => base(from, several(choose)),
  (from, choose) => base(from, [pay(choose)], several(choose), [pay(choose)]),
  // The last message asks for too much, so none of them takes effect.
  (from, choose) => base(from, [pay(choose)], [{ ...pay(choose), amount: TOO_MUCH }]),
  // Nor does a message after the one that fails.
  (from, choose) => base(from, several(choose), [strange(pay(choose))], [{ to: from.address, amount: 3n }]),
  (from, choose) => base(from, [pay(choose)], [{ ...pay(choose), to: FEE_COLLECTOR_ADDRESS }]),
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
  (from, choose) => ({ ...base(from, [pay(choose)]), memo: wide(MEMO_MAX) }),
  (from, _choose, { pauper }) =>
    base(from, [{ to: from.address, amount: 7n }], [{ to: pauper.address, amount: 7n }]),
  // Signed as hardware keys sign, and as wallets that know only Ethereum do.
  (from, choose, { head }) => ({
    ...base(from, [pay(choose)], several(choose)),
    ...SIGNED_FEE,
    form: 'amino',
    memo: MEMO,
    timeoutHeight: BigInt(head) + FAR,
  }),
  (from, choose) => ({ ...base(from, [pay(choose)]), ...SIGNED_FEE, form: 'typed', memo: MEMO }),
  (from, choose) => ({
    ...base(from, [pay(choose)], several(choose), [pay(choose)]),
    ...SIGNED_FEE,
    form: 'typed',
    mode: SIGN_MODE.direct,
    keyUrl: ETHERMINT_KEY,
  }),
  // As wallets of related chains write it: with all defaults written out, and with fields of later versions.
  (from, choose) => ({
    ...base(from, [pay(choose)]),
    ignorable: IGNORABLE,
    isPayerNamed: true,
    isShort: true,
    keyUrl: COSMOS_EVM_KEY,
  }),
  (from, choose) => ({
    ...base(from, [pay(choose)]),
    ...SIGNED_FEE,
    form: 'amino',
    isPayerNamed: true,
    keyUrl: INJECTIVE_KEY,
  }),
  // Fits only into a block that is still empty.
  (from, choose, { gasLimit }) => ({
    ...base(from, [pay(choose)]),
    gas: gasLimit,
    fee: gasLimit * 3n * GWEI,
    tip: GWEI / 2n,
  }),
  () => 'ethereum',
  () => 'ethereum',
];

/** Exactly the lowest price, on chains where no base fee is added to it. */
function exactKinds({ noBaseFee, minGasPrice }: FeeMarket): readonly Kind[] {
  if (!noBaseFee) return [];
  const exact = { fee: GAS * minGasPrice, tip: undefined };
  return [
    (from, choose) => ({ ...base(from, [pay(choose)]), ...exact }),
    (from, choose) => ({ ...base(from, several(choose)), ...exact }),
    (from) => ({ ...base(from, [{ to: from.address, amount: 1n }]), ...exact }),
  ];
}

/** Drafts that no pool may take. */
function badOnes(from: DevAccount, place: BankPlace): readonly BadDraft[] {
  const { head, gasLimit, isKnown, victim, pauper, leastPrice } = place;
  const { noBaseFee, minGasPrice } = place.feeMarket;
  const draft = base(from, [{ to: stranger(30), amount: 1n }]);
  // Offers more than any good draft.
  const dear = { ...draft, fee: GAS * 400n * GWEI, tip: undefined };
  const again = { ...dear, lie: { isSpoiled: true } };
  return [
    ...BANK_LIE_NAMES.map((name) => {
      const { why, change } = BANK_LIES[name];
      const changed = change(draft, victim);
      // A chain may begin above the timeout that a lie names.
      const isLate = changed.timeoutHeight !== undefined && changed.timeoutHeight <= head;
      return { draft: { ...changed, from }, why, code: isLate ? TOO_LATE : BANK_LIE_CODES[name] };
    }),
    {
      draft: { ...draft, lie: { chainId: 'another_1-1' } },
      why: 'is signed for another chain',
      code: 'sdk 4',
    },
    { draft, isOfAnother: true, why: 'is signed for another account', code: 'sdk 4' },
    { draft: again, isAgain: true, why: 'replaces another without a signature', code: 'sdk 4' },
    // The base fee may have fallen to nothing.
    ...(noBaseFee || leastPrice <= 1n
      ? []
      : [
          {
            draft: { ...draft, fee: GAS, tip: undefined },
            why: 'pays less than the base fee',
            code: 'sdk 13',
          },
          {
            draft: { ...draft, from: pauper, tip: 0n },
            why: 'pays a base fee that its sender has not',
            code: 'sdk 5',
          },
        ]),
    ...(minGasPrice === 0n
      ? []
      : [
          {
            draft: { ...draft, fee: GAS * minGasPrice - 1n, tip: undefined },
            why: 'pays less than the least price',
            code: 'sdk 13',
          },
        ]),
    {
      draft: { ...draft, fee: TOO_MUCH, tip: undefined },
      why: 'pays a fee that its sender has not',
      code: 'sdk 5',
    },
    { draft: { ...draft, gas: 26_000n }, why: 'has too little gas', code: 'sdk 11' },
    {
      draft: { ...draft, gas: gasLimit + 1n, fee: gasLimit * 100n * GWEI },
      why: 'wants more gas than a block has',
      code: 'sdk 41',
    },
    { draft: { ...draft, memo: wide(MEMO_MAX + 1) }, why: 'has too long a memo', code: 'sdk 12' },
    { draft: { ...draft, gas: 0n }, why: 'names no gas', code: 'sdk 41' },
    ...(head > 0
      ? [{ draft: { ...draft, timeoutHeight: BigInt(head) }, why: 'is too late', code: TOO_LATE }]
      : []),
    ...(isKnown ? [{ draft, sequence: 0, why: 'has a sequence that was used', code: 'sdk 32' }] : []),
    { draft: { ...draft, lie: { isGarbled: true } }, why: 'has options that nobody can read', code: 'sdk 2' },
  ];
}

/**
 * A draft that expires `blocks` blocks after the head and could be in the next one. It pays the lowest price there, if
 * that is known.
 */
export const probe = (from: DevAccount, head: number, blocks: number, leastPrice = 0n): BankDraft => ({
  ...base(from, [{ to: stranger(31), amount: 1n }]),
  ...(leastPrice === 0n ? {} : { fee: GAS * leastPrice, tip: undefined }),
  timeoutHeight: BigInt(head + blocks),
});
