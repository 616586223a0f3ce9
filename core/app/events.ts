/** ABCI events of an Ethereum transaction and of a block. Tools query these exact names and letter cases. */

import { type AttributeOf, typedEvent as event } from '../events/eventTable.ts';
import { type Bytes, to0xHex, toHex } from '../lib/bytes.ts';
import type { AbciEvent } from '../types/result.ts';
import type { AddressTexts } from './addressTexts.ts';
import type { EthLog, EthTx } from './chain.ts';
import { TYPE_URL } from './typeUrls.ts';

/** The denom and the address texts that events contain. */
export interface EventNames {
  readonly denom: string;
  readonly texts: AddressTexts;
}

export interface EthTxEventFacts {
  readonly tx: EthTx;
  /** sha256 of the consensus transaction. */
  readonly hash: Bytes;
  readonly height: number;
  /** Index among the block's Ethereum transactions. */
  readonly ethIndex: number;
  readonly gasUsed: bigint;
  readonly effectiveGasPrice: bigint;
  readonly logs: readonly EthLog[];
  readonly vmError: string | undefined;
  readonly contractAddress: Bytes | undefined;
}

/** A log with the field names of the proto message, as the `tx_log` event has always printed it. */
function logText(log: EthLog, facts: EthTxEventFacts, texts: AddressTexts): string {
  return JSON.stringify({
    address: texts.eip55(log.address),
    topics: log.topics.map(to0xHex),
    data: to0xHex(log.data),
    blockNumber: facts.height,
    transactionHash: to0xHex(facts.tx.hash),
    transactionIndex: facts.ethIndex,
    logIndex: log.logIndex,
  });
}

function transferLegs(from: string, to: string, amount: string): readonly AbciEvent[] {
  return [
    event('coin_spent', [
      ['spender', from],
      ['amount', amount],
    ]),
    event('coin_received', [
      ['receiver', to],
      ['amount', amount],
    ]),
    event('transfer', [
      ['recipient', to],
      ['sender', from],
      ['amount', amount],
    ]),
  ];
}

/** `ethereum_tx` with the attributes of execution. */
function ethereumTxEvent(facts: EthTxEventFacts, texts: AddressTexts): AbciEvent {
  const { tx } = facts;
  const attributes: (readonly [AttributeOf<'ethereum_tx'>, string])[] = [
    ['amount', tx.value.toString()],
    ['ethereumTxHash', to0xHex(tx.hash)],
    ['txIndex', facts.ethIndex.toString()],
    ['txGasUsed', facts.gasUsed.toString()],
    ['txHash', toHex(facts.hash)],
  ];
  if (tx.to !== undefined) attributes.push(['recipient', texts.eip55(tx.to)]);
  if (facts.vmError !== undefined) attributes.push(['ethereumTxFailed', facts.vmError]);
  return event('ethereum_tx', attributes);
}

/** The `ethereum` event: the specification's query `ethereum.recipient='0x…'` matches it. */
function ethereumEvent(tx: EthTx, texts: AddressTexts): AbciEvent {
  const attributes: (readonly [AttributeOf<'ethereum'>, string])[] = [['sender', texts.eip55(tx.from)]];
  if (tx.to !== undefined) attributes.push(['recipient', texts.eip55(tx.to)]);
  attributes.push(['amount', tx.value.toString()]);
  return event('ethereum', attributes);
}

export function ethTxEvents(facts: EthTxEventFacts, names: EventNames): readonly AbciEvent[] {
  const { tx } = facts;
  const { texts } = names;
  const payer = texts.bech32(tx.from);
  const fee = `${facts.gasUsed * facts.effectiveGasPrice}${names.denom}`;
  const receiver = tx.to ?? facts.contractAddress;
  const moved = tx.value > 0n && facts.vmError === undefined && receiver !== undefined;
  return [
    event('tx', [
      ['fee', fee],
      ['fee_payer', payer],
    ]),
    event('coin_spent', [
      ['spender', payer],
      ['amount', fee],
    ]),
    ethereumTxEvent(facts, texts),
    ethereumEvent(tx, texts),
    event('message', [
      ['action', TYPE_URL.msgEthereumTx],
      ['module', 'evm'],
      ['sender', texts.eip55(tx.from)],
      ['txType', tx.type.toString()],
    ]),
    ...(facts.logs.length === 0
      ? []
      : [
          event(
            'tx_log',
            facts.logs.map((log) => ['txLog', logText(log, facts, texts)] as const),
          ),
        ]),
    ...(moved ? transferLegs(payer, texts.bech32(receiver), `${tx.value}${names.denom}`) : []),
  ];
}

/** Events of the block itself: base fee, gas used, and the bloom if the block has logs. */
export function blockEvents(block: {
  readonly baseFee: bigint;
  readonly gasUsed: bigint;
  readonly height: number;
  readonly bloom: Bytes | undefined;
}): readonly AbciEvent[] {
  const events = [
    event('fee_market', [['base_fee', block.baseFee.toString()]]),
    event('block_gas', [
      ['height', block.height.toString()],
      ['amount', block.gasUsed.toString()],
    ]),
  ];
  if (block.bloom !== undefined) events.push(event('block_bloom', [['bloom', to0xHex(block.bloom)]]));
  return events;
}
