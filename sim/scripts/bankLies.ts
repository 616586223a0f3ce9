import { formatAddress } from '../../core/address/kinds.ts';
import {
  MSG_MULTI_SEND,
  type MsgMultiSend,
  SIGN_MODE,
  type SignerInfo,
} from '../../core/app/cosmos/tables.ts';
import type { Any, AuthInfo, Coin, Fee, TxBody } from '../../core/app/tx/tables.ts';
import { decode, encode } from '../../core/codec/proto.ts';
import { assert } from '../../core/lib/assert.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { type BankDraft, tipOption } from '../clients/cosmosTx.ts';

/** A draft of any sender. */
type Unsigned = Omit<BankDraft, 'from'>;

/** Something in a transaction of bank messages that no node may accept, neither in a pool nor in a block. */
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

/** With two receivers, which makes it a MsgMultiSend. */
const twoReceivers = (draft: Unsigned): Unsigned => ({
  ...draft,
  messages: [draft.messages.flat().flatMap((payment) => [payment, payment])],
});
const withoutTip = (draft: Unsigned): Unsigned => ({
  ...draft,
  fee: draft.gas * FEE_PRICE,
  tip: undefined,
});

/** A multisig's ModeInfo with an empty bit array: nobody has signed. */
const MANY = Uint8Array.of(10, 0);
/** An empty memo, written out. It means the same as none. */
const NO_MEMO = Uint8Array.of(18, 0);
/** Field 1024, which nobody has to know, without content. */
const UNKNOWN_FIELD = Uint8Array.of(130, 64, 0);
/** An address of the Cosmos Hub, of twenty zero bytes. */
const FOREIGN = formatAddress('acc', 'cosmos', new Uint8Array(20));

/** An address of so many zero bytes, with the prefix of the name that it replaces. */
const nameOf =
  (bytes: number) =>
  (name: string): string =>
    formatAddress('acc', name.slice(0, name.lastIndexOf('1')), new Uint8Array(bytes));

/** The same content under an unknown type. */
const unknown = ({ value }: Any): Any => ({ typeUrl: '/chain.unknown.v1.Thing', value });
const amounting =
  (amount: string) =>
  (coin: Coin): readonly Coin[] => [{ ...coin, amount }];
const withFee =
  (change: (fee: Fee) => Partial<Fee>) =>
  ({ fee, ...info }: AuthInfo): AuthInfo => ({ ...info, fee: fee && { ...fee, ...change(fee) } });
const withOptions =
  (change: (options: readonly Any[]) => readonly Any[]) =>
  (body: TxBody): TxBody => ({ ...body, extensionOptions: change(body.extensionOptions) });
const withMode =
  (mode: Partial<SignerInfo['modeInfo']>) =>
  (signer: SignerInfo): SignerInfo => ({
    ...signer,
    modeInfo: signer.modeInfo && { ...signer.modeInfo, ...mode },
  });
const withMultiSend =
  (change: (message: MsgMultiSend) => MsgMultiSend) =>
  (body: TxBody): TxBody => ({
    ...body,
    messages: body.messages.map(({ typeUrl, value }) => {
      const message = decode(MSG_MULTI_SEND, value);
      assert(message.ok, 'own bytes can be read');
      return { typeUrl, value: encode(MSG_MULTI_SEND, change(message.value)) };
    }),
  });

export const BANK_LIES = {
  key: lying('takes the coins of another by its own key', (of) => ({ of })),
  senders: lying('takes the coins of another by a second message', (alsoOf) => ({ alsoOf })),
  inputs: lying('names a second payer', (input) => ({ input }), twoReceivers),
  more: lying('pays out more than it takes', () => ({ surplus: -1n }), twoReceivers),
  less: lying('pays out less than it takes', () => ({ surplus: 1n }), twoReceivers),
  coins: lying('names a coin twice', () => ({ coins: (coin) => [coin, coin] })),
  fees: lying('names a coin of its fee twice', () => ({
    info: withFee(({ amount }) => ({ amount: [...amount, ...amount] })),
  })),
  payer: lying('lets another pay its fee', (payer) => ({ payer })),
  recovery: lying('has a recovery id that no other hash of it may have', () => ({ recovery: 27 })),
  spoiled: lying('has a spoiled signature', () => ({ isSpoiled: true })),
  // These tips are not in the document that was signed.
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
  // A document does not say how its transaction is encoded: if a node accepted these, there would be any number of
  // hashes.
  'written-memo': lying(
    'writes out a memo of nothing, as nobody was shown',
    () => ({ behind: NO_MEMO }),
    (draft) => ({ ...withoutTip(draft), form: 'amino' }),
  ),
  'unknown-field': lying(
    'has a field that nobody was shown',
    () => ({ behind: UNKNOWN_FIELD }),
    (draft) => ({ ...withoutTip(draft), form: 'amino' }),
  ),
  'typed-memo': lying(
    'writes out a memo of nothing, as no wallet was shown',
    () => ({ behind: NO_MEMO, signer: withMode({ single: { mode: SIGN_MODE.direct } }) }),
    (draft) => ({ ...withoutTip(draft), form: 'typed' }),
  ),
  granter: lying('lets another grant its fee', (granter) => ({ granter })),
  nothing: lying('moves coins of nothing', () => ({ coins: amounting('0') })),
  unsorted: lying('names coins in no order', () => ({
    coins: (coin) => [{ denom: 'zcoin', amount: '1' }, coin],
  })),
  capitals: lying('names its receiver in capitals', () => ({ named: (name) => name.toUpperCase() })),
  'two-tips': lying('names a tip twice', () => ({
    body: withOptions((options) => [...options, ...options]),
  })),
  many: lying('says that many have signed it', () => ({ signer: withMode({ multi: MANY }) })),
  memo: {
    why: 'has a memo of too many bytes',
    // Fewer characters than are allowed, but more bytes.
    change: (draft) => ({ ...draft, memo: 'é'.repeat(129) }),
  },
  'minus-tip': lying('has a tip of less than nothing', () => ({
    body: withOptions(() => [tipOption('-1')]),
  })),
  option: lying('has an option that nobody knows', () => ({
    body: withOptions((options) => options.map(unknown)),
  })),
  options: lying('has an option beside the one that there is', () => ({
    body: withOptions((options) => [...options, ...options.map(unknown)]),
  })),
  silent: lying('says nothing', () => ({ body: (body) => ({ ...body, messages: [] }) })),
  'other-message': lying('has a message that nobody knows', () => ({
    body: (body) => ({ ...body, messages: [...body.messages, ...body.messages.map(unknown)] }),
  })),
  receivers: lying(
    'takes and gives to nobody',
    () => ({ body: withMultiSend((message) => ({ ...message, outputs: [] })) }),
    twoReceivers,
  ),
  payers: lying(
    'gives and takes of nobody',
    () => ({ body: withMultiSend((message) => ({ ...message, inputs: [] })) }),
    twoReceivers,
  ),
  minus: lying('moves less than nothing', () => ({ coins: amounting('-1') })),
  digits: lying('moves a number that starts with a zero', () => ({ coins: amounting('01') })),
  denom: lying('moves what is no name of a coin', () => ({
    coins: ({ amount }) => [{ denom: '1', amount }],
  })),
  prefix: lying('pays the address of another chain', () => ({ named: () => FOREIGN })),
  'long-name': lying('pays an address of 32 bytes', () => ({ named: nameOf(32) })),
  'short-name': lying('pays an address of 19 bytes', () => ({ named: nameOf(19) })),
  'no-fee': lying('has no fee', () => ({ info: (info) => ({ ...info, fee: undefined }) })),
  'minus-fee': lying('has a fee of less than nothing', () => ({
    info: withFee(({ amount }) => ({
      amount: amount.map((coin) => ({ ...coin, amount: `-${coin.amount}` })),
    })),
  })),
  reward: lying('has something for whoever proposes it', () => ({
    info: (info) => ({ ...info, tip: Uint8Array.of(10, 0) }),
  })),
  signers: lying('has two signers', () => ({
    info: ({ signerInfos, ...info }) => ({ ...info, signerInfos: [...signerInfos, ...signerInfos] }),
  })),
  'no-mode': lying('does not say how it is signed', () => ({
    signer: (signer) => ({ ...signer, modeInfo: undefined }),
  })),
  mode: lying('is signed as nobody signs', () => ({ signer: withMode({ single: { mode: 2 } }) })),
  'key-type': lying('shows a key of another kind', () => ({
    signer: ({ publicKey, ...signer }) => ({
      ...signer,
      publicKey: publicKey && { ...publicKey, typeUrl: '/cosmos.crypto.secp256k1.PubKey' },
    }),
  })),
  unsigned: lying('has no signature', () => ({ isUnsigned: true })),
} satisfies Readonly<Record<string, BankLie>>;

export type BankLieName = keyof typeof BANK_LIES;
export const BANK_LIE_NAMES = Object.keys(BANK_LIES) as readonly BankLieName[];
