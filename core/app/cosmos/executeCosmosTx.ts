import { encode } from '../../codec/proto.ts';
import { append } from '../../lib/append.ts';
import { EMPTY, equalBytes } from '../../lib/bytes.ts';
import type { BlockWriteSet } from '../../state/writeSet.ts';
import type { Address } from '../../types/ids.ts';
import type { AbciEvent, TxResult } from '../../types/result.ts';
import { FEE_COLLECTOR_ADDRESS, numberAccounts, rememberPubKey } from '../auth/keeper.ts';
import { TouchLog } from '../evm/touchLog.ts';
import { type SdkError, sdkError, sdkLog } from '../sdkErrors.ts';
import { TX_MSG_DATA } from '../tx/response.ts';
import { chargedFee } from './checkCosmosTx.ts';
import { amountOf, coinsText } from './coins.ts';
import { anteEvents, messageEvents } from './cosmosEvents.ts';
import type { DecodedCosmosTx } from './decodeCosmosTx.ts';
import { anteGas, COSMOS_GAS } from './gas.ts';
import type { CosmosMessage } from './messages.ts';

/** The block and the rules that a transaction runs under. */
export interface CosmosExecution {
  readonly denom: string;
  readonly txByteGas: bigint;
  readonly baseFee: bigint;
  readonly coinbase: Address;
  readonly collectBaseFee: boolean;
  /** Bech32 text of an address. */
  readonly text: (address: Address) => string;
  /** Fails when the gas used exceeds the limit; false for a simulation. */
  readonly isMetered: boolean;
}

export interface CosmosEffects {
  readonly result: TxResult;
  /** The burned base fee, as a negative number. */
  readonly supplyChange: bigint;
}

/** Aborts the messages of the transaction and carries the error of its result. */
class MessageFailure extends Error {
  readonly error: SdkError;
  constructor(error: SdkError) {
    super(error.message);
    this.error = error;
  }
}

/** Runs one transaction: balances, gas and events. */
class Run {
  readonly #writes: BlockWriteSet;
  readonly #tx: DecodedCosmosTx;
  readonly #on: CosmosExecution;
  readonly log: TouchLog;
  gasUsed: bigint;

  constructor(writes: BlockWriteSet, tx: DecodedCosmosTx, on: CosmosExecution) {
    this.#writes = writes;
    this.#tx = tx;
    this.#on = on;
    this.log = new TouchLog(writes);
    this.gasUsed = anteGas(tx, on.txByteGas);
  }

  #change(address: Address, amount: bigint, nonce?: bigint): void {
    this.log.touch(address);
    const balance = (this.#writes.account(address)?.balance ?? 0n) + amount;
    this.#writes.putAccount(address, nonce === undefined ? { balance } : { balance, nonce });
  }

  #consume(gas: bigint, location: string): void {
    this.gasUsed += gas;
    const { gasLimit } = this.#tx;
    if (!this.#on.isMetered || this.gasUsed <= gasLimit) return;
    const text = `out of gas in location: ${location}; gasWanted: ${gasLimit}, gasUsed: ${this.gasUsed}`;
    throw new MessageFailure(sdkError(11, text));
  }

  /**
   * Charges the fee as for an Ethereum transaction: the base fee is burned or collected, and the proposer gets the
   * rest.
   */
  payFee(): readonly AbciEvent[] {
    const { baseFee, coinbase, collectBaseFee, denom, text } = this.#on;
    const fee = chargedFee(this.#tx, baseFee);
    const base = baseFee * this.#tx.gasLimit;
    const receivers = [{ to: coinbase, amount: fee - base }];
    if (collectBaseFee) receivers.push({ to: FEE_COLLECTOR_ADDRESS, amount: base });
    this.#change(this.#tx.signer, -fee, this.#tx.sequence + 1n);
    const paid = receivers.filter(({ amount }) => amount > 0n);
    for (const { to, amount } of paid) this.#change(to, amount);
    return anteEvents(this.#tx, {
      payer: text(this.#tx.signer),
      fee: `${fee}${denom}`,
      receivers: paid.map(({ to, amount }) => ({ to: text(to), amount: `${amount}${denom}` })),
    });
  }

  /** Moves the coins of a bank message; throws MessageFailure. */
  send({ signer, payments, total, typeUrl }: CosmosMessage, index: number): readonly AbciEvent[] {
    const { denom, text } = this.#on;
    this.#consume(COSMOS_GAS.message, typeUrl);
    const foreign = total.find((coin) => coin.denom !== denom);
    const has = this.#writes.account(signer)?.balance ?? 0n;
    const sum = amountOf(total, denom);
    if (foreign !== undefined || has < sum) {
      const [owned, coin] = foreign === undefined ? [has, { denom, amount: sum }] : [0n, foreign];
      const message = `spendable balance ${owned}${coin.denom} is smaller than ${coin.amount}${coin.denom}`;
      throw new MessageFailure(sdkError(5, message));
    }
    this.#consume(COSMOS_GAS.balance, 'bank');
    this.#change(signer, -sum);
    for (const { to, coins } of payments) this.#receive(to, amountOf(coins, denom));
    return messageEvents(
      { typeUrl, sender: text(signer), total: coinsText(total) },
      payments.map(({ to, coins }) => ({ to: text(to), amount: coinsText(coins) })),
      index,
    );
  }

  #receive(to: Address, amount: bigint): void {
    const isNew = this.#writes.account(to) === undefined;
    this.#consume(isNew ? COSMOS_GAS.newAccount : COSMOS_GAS.balance, 'bank');
    if (equalBytes(to, FEE_COLLECTOR_ADDRESS)) {
      throw new MessageFailure(sdkError(4, `${this.#on.text(to)} is not allowed to receive funds`));
    }
    this.#change(to, amount);
  }
}

function runMessages(writes: BlockWriteSet, run: Run, tx: DecodedCosmosTx): readonly AbciEvent[] | SdkError {
  let index = 0;
  writes.checkpoint();
  try {
    const events: AbciEvent[] = [];
    for (; index < tx.messages.length; index++) {
      append(events, run.send(tx.messages[index] as CosmosMessage, index));
    }
    writes.commit();
    return events;
  } catch (failure) {
    writes.revert();
    if (!(failure instanceof MessageFailure)) throw failure;
    const { sdkCode, message } = failure.error;
    // Out of gas is an error of the transaction; any other error names the message that failed.
    return sdkCode === 11
      ? failure.error
      : sdkError(sdkCode, `failed to execute message; message index: ${index}: ${message}`);
  }
}

/**
 * Runs a transaction that checkCosmosTx has admitted. The fee and the sequence increment stay whatever the messages do;
 * the messages take effect all together or not at all.
 */
export function executeCosmosTx(
  writes: BlockWriteSet,
  tx: DecodedCosmosTx,
  on: CosmosExecution,
): CosmosEffects {
  writes.beginTx();
  const run = new Run(writes, tx, on);
  const ante = run.payFee();
  const done = runMessages(writes, run, tx);
  writes.removeEmptyTouched();
  numberAccounts(writes, run.log.existing());
  if (tx.pubKey !== undefined) rememberPubKey(writes, tx.signer, tx.pubKey);
  const common = { info: '', gasWanted: tx.gasLimit, gasUsed: run.gasUsed };
  const supplyChange = run.log.supplyChange();
  if ('sdkCode' in done) {
    const { sdkCode } = done;
    const result = {
      ...common,
      code: sdkCode,
      codespace: 'sdk',
      log: sdkLog(done),
      data: EMPTY,
      events: ante,
    };
    return { result, supplyChange };
  }
  const msgResponses = tx.messages.map(({ typeUrl }) => ({ typeUrl: `${typeUrl}Response`, value: EMPTY }));
  const data = encode(TX_MSG_DATA, { msgResponses });
  const result = { ...common, code: 0, codespace: '', log: '', data, events: [...ante, ...done] };
  return { result, supplyChange };
}
