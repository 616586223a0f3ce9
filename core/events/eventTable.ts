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

const MSG_INDEX =
  'Index of the message in the transaction, from 0; absent if the ante checks emit the event.';

export const EVENT_TABLE = {
  tx: {
    from: 'ante',
    doc: 'A Cosmos transaction emits one event per attribute, an Ethereum transaction one event with fee and payer.',
    attributes: {
      fee: 'The fee paid, `<amount><denom>`.',
      fee_payer: 'Bech32 account.',
      acc_seq: '`<Bech32 account>/<sequence>` (Cosmos transactions).',
      signature: 'Base64 (Cosmos transactions).',
    },
  },
  ethereum: {
    from: 'execution of an Ethereum transaction',
    doc: "For queries such as `tm.event='Tx' AND ethereum.recipient='0x…'`, with the address in any letter case.",
    attributes: {
      sender: 'EIP-55 address.',
      recipient: 'EIP-55 address; absent when a contract is created.',
      amount: 'Value in the smallest unit.',
    },
  },
  ethereum_tx: {
    from: 'execution of an Ethereum transaction',
    doc: 'The transaction in the form of Cosmos EVM chains.',
    attributes: {
      amount: 'Value in the smallest unit.',
      ethereumTxHash: 'Ethereum hash, 0x and lower-case hex.',
      txIndex: 'Index among the Ethereum transactions of the block.',
      txGasUsed: 'Gas used.',
      txHash: 'Hash of the consensus transaction, lower-case hex.',
      recipient: 'EIP-55 address; absent when a contract is created.',
      ethereumTxFailed: "The virtual machine's error; absent on success.",
    },
  },
  tx_log: {
    from: 'execution of an Ethereum transaction',
    doc: 'Logs of contracts, one attribute per log; absent if there are none.',
    attributes: {
      txLog: 'JSON with address, topics, data, blockNumber, transactionHash, transactionIndex and logIndex.',
    },
  },
  message: {
    from: 'ante and execution',
    doc: 'The kind of a handled message, and its sender.',
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
    doc: 'Coins arrived at an account.',
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
    attributes: { base_fee: 'Per unit of gas, in the smallest unit.' },
  },
  block_gas: {
    from: 'the block',
    doc: 'Gas that the block used.',
    attributes: { height: 'Height of the block.', amount: 'Gas used.' },
  },
  misbehavior: {
    from: 'the block',
    doc: 'Evidence in the block against a validator; one event per offence.',
    attributes: {
      type: '`duplicate-vote` or `light-client-attack`.',
      validator: 'Bech32 consensus address.',
      height: 'Height of the offence.',
      power: 'Voting power of the validator at that height.',
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

\`npm run build\` and \`node scripts/events.mjs\` generate this page from \`core/events/eventTable.ts\`.

## What a query can ask

Subscriptions (\`subscribe\` on \`/websocket\`), \`tx_search\` and \`block_search\` use CometBFT 0.38's query language. A query
is a list of conditions \`type.attribute OP value\`, joined by AND:

- The operators are \`=\`, \`<\`, \`<=\`, \`>\`, \`>=\`, CONTAINS and EXISTS.
- A value is a text in single quotes, a number of any size, \`DATE 2024-01-31\` or \`TIME 2024-01-31T12:00:00Z\`.
- Two 20-byte hex addresses are equal if they differ only in letter case.

Subscriptions and searches differ:

| | subscription | search |
|---|---|---|
| conditions | different events of the block or transaction may meet different conditions | one event must meet all conditions |
| numbers | a value counts as the number that it begins with (\`8atom\` is 8) | only values that are numbers as a whole are compared (\`8atom\` is no number) |
| \`tm.event\` | selects the kind of event | accepted, and taken as met |

\`tx.hash\` and \`tx.height\` belong to transactions, \`block.height\` to \`block_search\`.

## Events of consensus: \`tm.event\`

The node sends the events of one block in this order: NewBlock, NewBlockHeader, NewBlockEvents, NewEvidence, Tx in the
order of the block, ValidatorSetUpdates. It sends nothing before the block is durable and can be read. Every subscription
gets this order. If a client has several subscriptions, the node sends transactions in groups of up to 32, one
subscription after the other.

| tm.event | keys besides tm.event | data.value |
|---|---|---|
`;

const EPILOGUE = `
## Going on after a break (extension)

\`subscribe\` takes a second parameter, \`from_height\` (a text, like all heights). The node first sends the events of the
blocks from that height on, then live events, without a gap and without repetition. Each event carries its position:
\`"position":{"height":"7","tx_index":0,"event_index":3}\`. It consists of the height, the index of the transaction in its
block (null for events of the block) and the index in the block's list above. Positions order all events.

- After a break, subscribe from the height of the last event and skip the events whose positions you already have.
- If the height is pruned, the node refuses the subscription and names the lowest height that it keeps.
- Events between blocks (rounds, votes) are not replayed and have no position.
- A query with \`type.attribute = 'text'\` reads only the heights that the index names. Other queries read every height.
- Without \`from_height\`, a client sees exactly CometBFT's parameters and replies.

\`eth_subscribe\` takes \`{"fromBlock":"0x7"}\` after the parameters of \`newHeads\`, \`logs\` and \`transactionReceipts\`,
with the same meaning. Headers and logs already carry their block number, transaction index and log index. A \`fromBlock\`
inside a log filter does not ask for history, because common clients always send one.

The node never skips events for a client that reads too slowly. When the client's queue is full, the node sends
\`slow client, resume from height N\` (\`slow reader: resume from block N\` on the EVM websocket) and closes the connection
with code 1013. On the consensus websocket each subscription gets its own N, and the close reason names the lowest. Some
events of height N may have been sent already.

If the node's drive does not return stored data that a subscription needs, the subscription ends with
\`the past cannot be read\`. The EVM websocket closes with the same words and code 1013. The node's log names the record.

## The index

| \`tx_index.indexer\` | what the node does |
|---|---|
| \`"kv"\` (the default) | writes every attribute with a set \`index\` flag into its database, in the same batch as the block. After any crash, the index covers exactly the stored blocks |
| \`"null"\` | does not index. When it starts with \`kv\` again, it indexes the missing blocks |
| \`"psql"\` | writes to PostgreSQL in CometBFT's schema. Such an index cannot be searched through the node |

\`orrery index rebuild\` rebuilds the index of a stopped node.

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
