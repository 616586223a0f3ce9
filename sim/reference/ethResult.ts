/** Works out again what an Ethereum transaction leaves in the results of its block. */
import type { EthTx } from '../../core/app/chain.ts';
import { type Bytes, concat, to0xHex, toHex } from '../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../core/lib/utf8.ts';
import type { AbciEvent, TxResult } from '../../core/types/result.ts';
import { amountField, answersData, bytesField, itemField, textField } from './protobuf.ts';
import { event, paymentEvents } from './result.ts';
import type { Spelling } from './spelling.ts';
import type { Log } from './state.ts';
import type { Outcome } from './transaction.ts';

/** A transaction that ran, and its place. */
export interface EthDeed {
  readonly tx: EthTx;
  readonly outcome: Outcome;
  readonly height: number;
  /** Its index among the Ethereum transactions of the block. */
  readonly index: number;
  /** SHA-256 of its Cosmos wrapping. */
  readonly hash: Bytes;
  /** Number of logs in the block before it. */
  readonly logsBefore: number;
}

const MESSAGE = '/chain.evm.v1.MsgEthereumTx';

function logText(
  log: Log,
  i: number,
  { tx, height, index, logsBefore }: EthDeed,
  spelling: Spelling,
): string {
  return JSON.stringify({
    address: spelling.mixed(toHex(log.address)),
    topics: log.topics.map(to0xHex),
    data: to0xHex(log.data),
    blockNumber: height,
    transactionHash: to0xHex(tx.hash),
    transactionIndex: index,
    logIndex: logsBefore + i,
  });
}

function ethereumEvents(
  { tx, outcome, index, hash }: EthDeed,
  gasUsed: bigint,
  spelling: Spelling,
): readonly AbciEvent[] {
  const { value } = tx;
  const sender = spelling.mixed(toHex(tx.from));
  const to = tx.to === undefined ? [] : [['recipient', spelling.mixed(toHex(tx.to))] as const];
  const failed = outcome.error === undefined ? [] : [['ethereumTxFailed', outcome.error] as const];
  return [
    event(
      'ethereum_tx',
      ['amount', `${value}`],
      ['ethereumTxHash', to0xHex(tx.hash)],
      ['txIndex', `${index}`],
      ['txGasUsed', `${gasUsed}`],
      ['txHash', toHex(hash)],
      ...to,
      ...failed,
    ),
    event('ethereum', ['sender', sender], ...to, ['amount', `${value}`]),
    event('message', ['action', MESSAGE], ['module', 'evm'], ['sender', sender], ['txType', `${tx.type}`]),
  ];
}

/** Events of the fee, the transaction itself, its logs, and the coins that it moved. */
function eventsOf(deed: EthDeed, spelling: Spelling): readonly AbciEvent[] {
  const { tx, outcome } = deed;
  const { gasUsed, price, logs, contract } = outcome;
  const from = toHex(tx.from);
  const [payer, fee, amount] = [
    spelling.account(from),
    spelling.sum(gasUsed * price),
    spelling.sum(tx.value),
  ];
  const receiver = tx.to ?? contract;
  const isPaid = tx.value > 0n && outcome.status === 1 && receiver !== undefined;
  return [
    event('tx', ['fee', fee], ['fee_payer', payer]),
    event('coin_spent', ['spender', payer], ['amount', fee]),
    ...ethereumEvents(deed, gasUsed, spelling),
    ...(logs.length === 0
      ? []
      : [event('tx_log', ...logs.map((log, i) => ['txLog', logText(log, i, deed, spelling)] as const))]),
    ...(isPaid
      ? [
          event('coin_spent', ['spender', payer], ['amount', amount]),
          ...paymentEvents({ from, to: toHex(receiver) }, amount, spelling),
        ]
      : []),
  ];
}

function logMessage({ address, topics, data }: Log, i: number, deed: EthDeed): Bytes {
  return concat(
    textField(1, to0xHex(address)),
    ...topics.map((topic) => itemField(2, encodeUtf8(to0xHex(topic)))),
    bytesField(3, data),
    amountField(4, BigInt(deed.height)),
    textField(5, to0xHex(deed.tx.hash)),
    amountField(6, BigInt(deed.index)),
    // The block has no hash yet.
    amountField(8, BigInt(deed.logsBefore + i)),
  );
}

export function ethResult(deed: EthDeed, spelling: Spelling): TxResult {
  const { tx, outcome } = deed;
  const { gasUsed, logs, output, error = '' } = outcome;
  const answer = concat(
    textField(1, to0xHex(tx.hash)),
    ...logs.map((log, i) => itemField(2, logMessage(log, i, deed))),
    bytesField(3, output),
    textField(4, error),
    amountField(5, gasUsed),
  );
  return {
    code: 0,
    codespace: '',
    log: '',
    info: '',
    gasWanted: tx.gasLimit,
    gasUsed,
    data: answersData([{ typeUrl: `${MESSAGE}Response`, value: answer }]),
    events: eventsOf(deed, spelling),
  };
}
