/** ABCI events of a Cosmos transaction, with the names and the order of the SDK's bank module and ante handlers. */
import { typedEvent as event } from '../../events/eventTable.ts';
import { toBase64 } from '../../lib/base64.ts';
import type { AbciEvent } from '../../types/result.ts';
import type { DecodedCosmosTx } from './decodeCosmosTx.ts';

const ofMessage = (index: number | undefined): readonly (readonly ['msg_index', string])[] =>
  index === undefined ? [] : [['msg_index', index.toString()]];

export const coinSpent = (spender: string, amount: string, index?: number): AbciEvent =>
  event('coin_spent', [['spender', spender], ['amount', amount], ...ofMessage(index)]);

const coinReceived = (receiver: string, amount: string, index?: number): AbciEvent =>
  event('coin_received', [['receiver', receiver], ['amount', amount], ...ofMessage(index)]);

const transfer = (recipient: string, sender: string, amount: string, index?: number): AbciEvent =>
  event('transfer', [['recipient', recipient], ['sender', sender], ['amount', amount], ...ofMessage(index)]);

/** The fee, and the receivers of the parts that are not burned. */
export interface FeeFacts {
  readonly payer: string;
  readonly fee: string;
  readonly receivers: readonly { readonly to: string; readonly amount: string }[];
}

export function anteEvents(tx: DecodedCosmosTx, { payer, fee, receivers }: FeeFacts): readonly AbciEvent[] {
  return [
    coinSpent(payer, fee),
    ...receivers.flatMap(({ to, amount }) => [coinReceived(to, amount), transfer(to, payer, amount)]),
    event('message', [['sender', payer]]),
    event('tx', [
      ['fee', fee],
      ['fee_payer', payer],
    ]),
    event('tx', [['acc_seq', `${payer}/${tx.sequence}`]]),
    event('tx', [['signature', toBase64(tx.signature)]]),
  ];
}

export function messageEvents(
  message: { readonly typeUrl: string; readonly sender: string; readonly total: string },
  payments: readonly { readonly to: string; readonly amount: string }[],
  index: number,
): readonly AbciEvent[] {
  const { typeUrl, sender, total } = message;
  return [
    event('message', [['action', typeUrl], ['sender', sender], ['module', 'bank'], ...ofMessage(index)]),
    coinSpent(sender, total, index),
    ...payments.flatMap(({ to, amount }) => [
      coinReceived(to, amount, index),
      transfer(to, sender, amount, index),
    ]),
    event('message', [['sender', sender], ...ofMessage(index)]),
  ];
}
