import type { Bytes } from '../../core/lib/bytes.ts';
import type { BankDraft } from '../clients/cosmosTx.ts';

/** By whomever. */
type Unsigned = Omit<BankDraft, 'from'>;

/** What a transaction of bank messages may say that no node may believe, in a pool as little as in a block. */
export interface BankLie {
  /** What is wrong with it. */
  readonly why: string;
  /** `victim` is an account that does not sign. */
  change(draft: Unsigned, victim: Bytes): Unsigned;
}

const GWEI = 10n ** 9n;
const FEE_PRICE = 3n * GWEI;

const lying = (
  why: string,
  lie: (victim: Bytes) => NonNullable<Unsigned['lie']>,
  change: (draft: Unsigned) => Unsigned = (draft) => draft,
): BankLie => ({ why, change: (draft, victim) => ({ ...change(draft), lie: lie(victim) }) });

/** To two receivers, which is a message of another kind. */
const twoReceivers = (draft: Unsigned): Unsigned => ({
  ...draft,
  messages: [draft.messages.flat().flatMap((payment) => [payment, payment])],
});
const withoutTip = (draft: Unsigned): Unsigned => ({
  ...draft,
  fee: draft.gas * FEE_PRICE,
  tip: undefined,
});

export const BANK_LIES = {
  key: lying('takes the coins of another by its own key', (of) => ({ of })),
  senders: lying('takes the coins of another by a second message', (alsoOf) => ({ alsoOf })),
  inputs: lying('names a second payer', (input) => ({ input }), twoReceivers),
  more: lying('pays out more than it takes', () => ({ surplus: -1n }), twoReceivers),
  less: lying('pays out less than it takes', () => ({ surplus: 1n }), twoReceivers),
  coins: lying('names a coin twice', () => ({ twice: 'coins' })),
  fees: lying('names a coin of its fee twice', () => ({ twice: 'fee' })),
  payer: lying('lets another pay its fee', (payer) => ({ payer })),
  recovery: lying('has a recovery id that no other hash of it may have', () => ({ recovery: 27 })),
  spoiled: lying('has a spoiled signature', () => ({ isSpoiled: true })),
  // Nothing of these is in the document that was signed.
  tip: { why: 'names a tip that is not signed', change: (draft) => ({ ...draft, form: 'amino' }) },
  'typed-tip': {
    why: 'names a tip that no wallet was shown',
    change: (draft) => ({ ...draft, form: 'typed' }),
  },
  'amino-chain': lying(
    'is signed for no chain',
    () => ({ chainId: '' }),
    (draft) => ({ ...withoutTip(draft), form: 'amino' }),
  ),
  'typed-chain': lying(
    'is signed for another EVM chain',
    () => ({ evmChainId: 1n }),
    (draft) => ({ ...withoutTip(draft), form: 'typed' }),
  ),
  'typed-timeout': lying(
    'names a timeout that no wallet was shown',
    () => ({ isTimeUnsigned: true }),
    (draft) => ({ ...withoutTip(draft), form: 'typed', timeoutHeight: 1_000_000_000_000n }),
  ),
  granter: lying('lets another grant its fee', (granter) => ({ granter })),
  nothing: lying('moves coins of nothing', () => ({ coins: 'none' })),
  unsorted: lying('names coins in no order', () => ({ coins: 'unsorted' })),
  capitals: lying('names its receiver in capitals', () => ({ isLoud: true })),
  'two-tips': lying('names a tip twice', () => ({ isTippedTwice: true })),
  many: lying('says that many have signed it', () => ({ isOfMany: true })),
  memo: {
    why: 'has a memo of too many bytes',
    // Fewer characters than are allowed.
    change: (draft) => ({ ...draft, memo: 'é'.repeat(129) }),
  },
} satisfies Readonly<Record<string, BankLie>>;

export type BankLieName = keyof typeof BANK_LIES;
export const BANK_LIE_NAMES = Object.keys(BANK_LIES) as readonly BankLieName[];
