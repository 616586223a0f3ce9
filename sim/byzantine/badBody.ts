import { dataHash } from '../../core/codec/hashes.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import type { BankDraft } from '../clients/cosmosTx.ts';
import type { Accomplice, Behaviour } from './behaviour.ts';
import { replacingBlock } from './blocks.ts';

const SINK: Bytes = new Uint8Array(20).fill(0x77);
const GWEI = 10n ** 9n;
/** More than anybody has. */
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
  'late',
  'large',
] as const;
/** Transactions of a block that is to be too large: several times what a small one holds. */
const LARGE_COUNT = 80;
/** Below what any transaction needs. */
const TOO_LITTLE_GAS = 20_000n;

export const BAD_BODY: Behaviour = {
  id: 'B36',
  alias: 'bad-body',
  text: 'Proposes transactions that cannot run as they stand: `what` is nonce (out of order), duplicate, reverse, gap (a nonce left out), gas (too little), garbage, price (below the base fee), room (more gas than the block has left), funds, chain (of another), or a bank message by its sequence (too high), fee (not to be paid) or height (late), or large (more of them than a small block holds).',
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
    case 'late':
      return [...txs, bank(me, nonce, { timeoutHeight: BigInt(me.chain()?.head() ?? 0) })];
    case 'large':
      return [...txs, ...Array.from({ length: LARGE_COUNT }, (_, i) => own(nonce + i))];
    case 'garbage':
      return [Uint8Array.of(0xff, 1, 2, 3), ...txs];
    default:
      return [...txs, own(nonce + 1), own(nonce)];
  }
}

/** A message that would be all right but for what is said. */
const bank = (me: Accomplice, sequence: number, fields: Partial<BankDraft>): Bytes =>
  me.signBank(
    {
      messages: [[{ to: SINK, amount: 1n }]],
      gas: BANK_GAS,
      fee: BANK_GAS * 100n * GWEI,
      tip: GWEI,
      ...fields,
    },
    sequence,
  );
