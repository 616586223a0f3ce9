/**
 * Every event that the chain emits, with all its attributes. The compiler checks that the application emits no other
 * types and attributes. docs/events.md is written from this table.
 */
import type { AbciEvent } from '../types/result.ts';

interface EventRow {
  /** Where the event comes from. */
  readonly from: string;
  readonly doc: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const MSG_INDEX = 'Place of the message in the transaction, from 0; absent for what the ante checks emit.';

export const EVENT_TABLE = {
  tx: {
    from: 'ante',
    doc: 'One event an attribute for Cosmos transactions, one event with fee and payer for Ethereum ones.',
    attributes: {
      fee: 'Paid, `<amount><denom>`.',
      fee_payer: 'Bech32 account.',
      acc_seq: '`<Bech32 account>/<sequence>` (Cosmos transactions).',
      signature: 'Base64 (Cosmos transactions).',
    },
  },
  ethereum: {
    from: 'execution of an Ethereum transaction',
    doc: "What `tm.event='Tx' AND ethereum.recipient='0x…'` matches; a query may spell the address in any letter case.",
    attributes: {
      sender: 'EIP-55 address.',
      recipient: 'EIP-55 address; absent when a contract is created.',
      amount: 'Value in the smallest unit.',
    },
  },
  ethereum_tx: {
    from: 'execution of an Ethereum transaction',
    doc: 'The transaction as Cosmos EVM chains tell it.',
    attributes: {
      amount: 'Value in the smallest unit.',
      ethereumTxHash: 'Ethereum hash, 0x and lower-case hex.',
      txIndex: 'Place among the Ethereum transactions of the block.',
      txGasUsed: 'Gas.',
      txHash: 'Hash of the consensus transaction, lower-case hex.',
      recipient: 'EIP-55 address; absent when a contract is created.',
      ethereumTxFailed: "The virtual machine's error; absent on success.",
    },
  },
  tx_log: {
    from: 'execution of an Ethereum transaction',
    doc: 'Logs of contracts, one attribute a log; absent when there are none.',
    attributes: {
      txLog: 'JSON with address, topics, data, blockNumber, transactionHash, transactionIndex and logIndex.',
    },
  },
  message: {
    from: 'ante and execution',
    doc: 'What kind of message was handled, and for whom.',
    attributes: {
      action: 'Type URL of the message.',
      module: '`evm` or `bank`.',
      sender: 'EIP-55 address of an Ethereum sender, Bech32 account of a Cosmos one.',
      txType: 'Type of the Ethereum transaction, decimal.',
      msg_index: MSG_INDEX,
    },
  },
  coin_spent: {
    from: 'bank',
    doc: 'Coins left an account: fees and transferred value.',
    attributes: { spender: 'Bech32 account.', amount: '`<amount><denom>`.', msg_index: MSG_INDEX },
  },
  coin_received: {
    from: 'bank',
    doc: 'Coins came to an account.',
    attributes: { receiver: 'Bech32 account.', amount: '`<amount><denom>`.', msg_index: MSG_INDEX },
  },
  transfer: {
    from: 'bank',
    doc: 'Both ends of a transfer.',
    attributes: {
      recipient: 'Bech32 account.',
      sender: 'Bech32 account.',
      amount: '`<amount><denom>`.',
      msg_index: MSG_INDEX,
    },
  },
  fee_market: {
    from: 'the block',
    doc: 'The base fee that the block used.',
    attributes: { base_fee: 'In the smallest unit, for each unit of gas.' },
  },
  block_gas: {
    from: 'the block',
    doc: 'Gas that the block used.',
    attributes: { height: 'Of the block.', amount: 'Gas.' },
  },
  misbehavior: {
    from: 'the block',
    doc: 'Evidence in the block against a validator; one event for each offence.',
    attributes: {
      type: '`duplicate-vote` or `light-client-attack`.',
      validator: 'Bech32 consensus address.',
      height: 'Of the offence.',
      power: 'Voting power of the validator then.',
      count: 'Offences of the validator so far, this one included.',
    },
  },
  block_bloom: {
    from: 'the block',
    doc: 'The logs bloom of the Ethereum block; absent when it is empty.',
    attributes: { bloom: '256 bytes, 0x and lower-case hex.' },
  },
} as const satisfies Readonly<Record<string, EventRow>>;

export type EventType = keyof typeof EVENT_TABLE;
export type AttributeOf<T extends EventType> = keyof (typeof EVENT_TABLE)[T]['attributes'] & string;

/** An event of the table; every attribute is indexed. */
export const typedEvent = <T extends EventType>(
  type: T,
  attributes: readonly (readonly [AttributeOf<T>, string])[],
): AbciEvent => ({
  type,
  attributes: attributes.map(([key, value]) => ({ key, value, index: true })),
});

const KINDS = [
  ['NewBlock', "the block's own events", 'block, block_id, result_finalize_block'],
  ['NewBlockHeader', 'none', 'header'],
  ['NewBlockEvents', "the block's own events", 'height, events, num_txs'],
  ['NewEvidence', 'none', 'height, evidence'],
  ['Tx', "the transaction's events, `tx.hash`, `tx.height`", 'TxResult'],
  ['ValidatorSetUpdates', 'none', 'validator_updates'],
  ['NewRound', 'none', 'height, round, step, proposer'],
  ['CompleteProposal', 'none', 'height, round, step, block_id'],
  ['Vote', 'none', 'Vote'],
  [
    'NewRoundStep, ValidBlock, Lock, Relock, Polka, TimeoutPropose, TimeoutWait',
    'none',
    'height, round, step',
  ],
] as const;

const PROLOGUE = `# Events

Written from \`core/events/eventTable.ts\`; \`npm run build\` and \`node scripts/events.mjs\` make it anew.

## What a query can ask

Subscriptions (\`subscribe\` on \`/websocket\`), \`tx_search\` and \`block_search\` take CometBFT 0.38's query language:
conditions \`type.attribute OP value\` joined by AND, with \`=\`, \`<\`, \`<=\`, \`>\`, \`>=\`, CONTAINS and EXISTS, and
values that are texts in single quotes, numbers of any size, \`DATE 2024-01-31\` or \`TIME 2024-01-31T12:00:00Z\`.
A 20-byte hex address equals itself in any letter case.

A subscription meets each condition with any event of the block or transaction. A search wants all conditions within
one event, and compares numbers only with values that are numbers to the end (\`8atom\` is 8 to a subscription, and no
number to a search). \`tx.hash\` and \`tx.height\` belong to transactions, \`block.height\` to \`block_search\`; a search
may be given the \`tm.event\` condition of a subscription and takes it as met.

## Events of consensus: \`tm.event\`

One block is told in the order of this list: NewBlock, NewBlockHeader, NewBlockEvents, NewEvidence, Tx in the order of
the block, ValidatorSetUpdates. Nothing is told before the block is durable and can be read. Every subscription hears
it in this order; a client with several is told transactions in groups of up to 32, one subscription after the other.

| tm.event | keys besides tm.event | data.value |
|---|---|---|
`;

const EPILOGUE = `
## Going on after a break (extension)

\`subscribe\` takes a second parameter, \`from_height\` (a text, as all heights are). Events of the blocks from that
height on come first, then live ones, without gap or double; each carries
\`"position":{"height":"7","tx_index":0,"event_index":3}\`: the height, the place of the transaction in its block (null
for events of the block) and the place in the block's list above, which together order all events. After a break,
subscribe from the height of the last event and skip what its position says you have. Heights that are pruned are
refused with the lowest height kept. What happens between blocks (rounds, votes) is not replayed and has no position.
The index names the heights that a query with \`type.attribute = 'text'\` must read; other queries read every height.
Without \`from_height\` a client meets CometBFT's parameters and replies alone.

\`eth_subscribe\` takes \`{"fromBlock":"0x7"}\` after the parameters of \`newHeads\`, \`logs\` and \`transactionReceipts\`,
with the same meaning. Headers and logs carry their block number, transaction index and log index already. The
\`fromBlock\` within a log filter asks for no history, because common clients always send one.

A client that does not read is never skipped over: when its queue is full it is told
\`slow client, resume from height N\` (\`slow reader: resume from block N\` on the EVM websocket) and closed with code 1013.
On the consensus websocket each subscription is told its own N; the close names the lowest. Some of N may have been told already.

Where the node's drive does not give back what it stored, a subscription that asks for it ends with
\`the past cannot be read\`, the EVM websocket with the same words and code 1013; the node's log names the record.

## The index

\`tx_index.indexer = "kv"\` (the default) writes every attribute with its \`index\` flag set into the node's database, in
the same batch as the block: after any crash the index covers exactly the blocks of the store. What a node did not
index while it was told \`null\` is filled in when it starts with \`kv\` again; \`orrery index rebuild\` makes the index of
a stopped node anew. \`psql\` writes to PostgreSQL in CometBFT's schema instead and cannot be searched through the node.

## Events of transactions and blocks

Every attribute is indexed.
`;

/** The text of docs/events.md. */
export function eventsDoc(): string {
  const kinds = KINDS.map(([name, keys, value]) => `| ${name} | ${keys} | ${value} |`).join('\n');
  const rows: readonly (readonly [string, EventRow])[] = Object.entries(EVENT_TABLE);
  const types = rows.map(([type, { from, doc, attributes }]) => {
    const lines = Object.entries(attributes).map(([key, text]) => `| ${type}.${key} | ${text} |`);
    return `\n### ${type}\n\n${doc} Emitted by ${from}.\n\n| key | value |\n|---|---|\n${lines.join('\n')}\n`;
  });
  return `${PROLOGUE}${kinds}\n${EPILOGUE}${types.join('')}`;
}
