import { dataHash } from '../../core/codec/hashes.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import type { BankDraft } from '../clients/cosmosTx.ts';
import { BANK_LIE_NAMES, BANK_LIES, type BankLieName } from '../scripts/bankLies.ts';
import { BLOCK_LIES, ETH_LIES, isEthLie } from '../scripts/ethLies.ts';
import type { Accomplice, Behaviour } from './behaviour.ts';
import { replacingBlock } from './blocks.ts';
import { isRewriting, REWRITING_NAMES, rewritten } from './rewritten.ts';

const SINK: Bytes = new Uint8Array(20).fill(0x77);
const GWEI = 10n ** 9n;
/** More than any account holds. */
const TOO_MUCH = 10n ** 24n;
const BANK_GAS = 200_000n;
const ORDERS = [
  'nonce',
  'duplicate',
  'reverse',
  'gap',
  'gas',
  'garbage',
  'price',
  'room',
  'funds',
  'chain',
  'sequence',
  'fee',
  'cheap',
  'late',
  'large',
  'wrapping-from',
  'wrapping-fee',
  'wrapping-gas',
  'again',
  ...REWRITING_NAMES,
  ...BLOCK_LIES,
  ...BANK_LIE_NAMES,
];
/** Transactions of an oversized block: several times what a small block holds. */
const LARGE_COUNT = 80;
/** More gas at a lower price, so that the total fee is still right. */
const WRONG_GAS = { gasLimit: 42_000n, maxFeePerGas: 500n * GWEI };
/** Below the gas of any transaction. */
const TOO_LITTLE_GAS = 20_000n;

const told = (name: string, { why }: { readonly why: string }): string => `${why} (${name})`;
const LIES = BANK_LIE_NAMES.map((name) => told(name, BANK_LIES[name])).join(', ');
const ETHEREUM_LIES = BLOCK_LIES.map((name) => told(name, ETH_LIES[name])).join(', ');

export const BAD_BODY: Behaviour = {
  id: 'B36',
  alias: 'bad-body',
  text: `Proposes transactions that cannot run as they stand: \`what\` is nonce (out of order), duplicate, reverse, gap (a nonce left out), gas (too little), garbage, price (a gas for one wei), room (more gas than the block has left), funds, chain (of another), a bank message by its sequence (too high), fee (not to be paid, or cheap: a gas for one wei) or height (late), large (more of them than a small block holds), an Ethereum transaction whose wrapping repeats its sender, fee or gas wrongly, a good one in bytes that anybody might have made of it (${REWRITING_NAMES.join(', ')}), one that ${ETHEREUM_LIES}, a bank message with the sequence of one that was good and is no longer there (again, each second time), or one that ${LIES}.`,
  args: ['what'],
  words: { what: ORDERS },
  create: (me) =>
    replacingBlock(me, (_, block) => {
      const txs = badBody(me, block.txs, String(me.args.get('what') ?? 'nonce'));
      return { ...block, txs, header: { ...block.header, dataHash: dataHash(txs) } };
    }),
};

function badBody(me: Accomplice, txs: readonly Bytes[], what: string): readonly Bytes[] {
  const nonce = me.nonce();
  const gas = me.chain()?.gasLimit() ?? 0n;
  const own = (n: number): Bytes => me.signTx({ nonce: n, to: SINK });
  switch (what) {
    case 'duplicate':
      return [...txs, own(nonce), own(nonce)];
    case 'reverse':
      return [...txs, own(nonce), own(nonce + 1)].reverse();
    case 'gap':
      return [...txs, own(nonce + 1)];
    case 'gas':
      return [...txs, me.signTx({ nonce, gas: TOO_LITTLE_GAS, to: SINK })];
    case 'price':
      return [...txs, me.signTx({ nonce, feeCap: 1n, to: SINK })];
    case 'room':
      return [...txs, ...[0, 1].map((i) => bank(me, nonce + i, { gas, fee: gas * 100n * GWEI }))];
    case 'funds':
      return [...txs, me.signTx({ nonce, value: TOO_MUCH, to: SINK })];
    case 'chain':
      return [...txs, me.signTx({ nonce, chainId: 1n, to: SINK })];
    case 'sequence':
      return [...txs, bank(me, nonce + 1, {})];
    case 'fee':
      return [...txs, bank(me, nonce, { fee: TOO_MUCH, tip: undefined })];
    case 'cheap':
      return [...txs, bank(me, nonce, { fee: BANK_GAS, tip: undefined })];
    case 'late':
      return [...txs, bank(me, nonce, { timeoutHeight: BigInt(me.chain()?.head() ?? 0) })];
    case 'large':
      return [...txs, ...Array.from({ length: LARGE_COUNT }, (_, i) => own(nonce + i))];
    case 'garbage':
      return [Uint8Array.of(0xff, 1, 2, 3), ...txs];
    case 'wrapping-from':
      return [...txs, me.signTx({ nonce, to: SINK }, { from: SINK })];
    case 'wrapping-fee':
      return [...txs, me.signTx({ nonce, to: SINK }, { maxFeePerGas: GWEI })];
    case 'wrapping-gas':
      return [...txs, me.signTx({ nonce, to: SINK }, WRONG_GAS)];
    case 'again':
      return [...txs, ...again(me, nonce)];
    case 'second-signature':
      return [...txs, rewritten(bank(me, nonce, {}), what)];
    default:
      if (isRewriting(what)) return [...txs, rewritten(own(nonce), what)];
      if (isEthLie(what)) return [...txs, me.signLie(what, nonce)];
      return [...txs, ...(isBankLie(what) ? [lie(me, what)] : [own(nonce + 1), own(nonce)])];
  }
}

/**
 * Alternates between two bodies. The first has a good bank transaction, in a block that nodes refuse because of its
 * second transaction. The second has an unsigned transaction with the same sequence.
 */
function again(me: Accomplice, nonce: number): readonly Bytes[] {
  const { memory } = me.coalition;
  const isSeen = memory.get('again') === nonce;
  memory.set('again', isSeen ? undefined : nonce);
  return isSeen
    ? [bank(me, nonce, { memo: 'another', lie: { isSpoiled: true } })]
    : [bank(me, nonce, {}), bank(me, nonce + 2, {})];
}

const isBankLie = (what: string): what is BankLieName => Object.hasOwn(BANK_LIES, what);

function lie(me: Accomplice, what: BankLieName): Bytes {
  const changed = BANK_LIES[what].change(GOOD, me.victim);
  return me.signBank(changed, me.nonce(changed.lie?.of));
}

/** A valid bank transaction. */
const GOOD: Omit<BankDraft, 'from'> = {
  messages: [[{ to: SINK, amount: 1n }]],
  gas: BANK_GAS,
  fee: BANK_GAS * 100n * GWEI,
  tip: GWEI,
};

const bank = (me: Accomplice, sequence: number, fields: Partial<BankDraft>): Bytes =>
  me.signBank({ ...GOOD, ...fields }, sequence);
