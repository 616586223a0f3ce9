/** Executes a bank transaction, and works out its result in the block. */
import { present } from '../../core/lib/assert.ts';
import { toBase64 } from '../../core/lib/base64.ts';
import { EMPTY } from '../../core/lib/bytes.ts';
import type { AbciEvent, TxResult } from '../../core/types/result.ts';
import { amountIn, anteGas, type BankTx, type Coins, charged, type Send } from './bank.ts';
import { answersData } from './protobuf.ts';
import { event, paymentEvents } from './result.ts';
import type { Spelling } from './spelling.ts';
import type { Name, ReferenceState } from './state.ts';

export interface BankBlock {
  readonly baseFee: bigint;
  readonly coinbase: Name;
  /** The account that gets the base fee; undefined when the fee is burned. */
  readonly collector: Name | undefined;
  /** The account to which nobody may send coins. */
  readonly blocked: Name;
}

/** Gas of a message, of each balance that it changes, and of a new account. */
export const [MESSAGE, BALANCE, NEW_ACCOUNT] = [1_000n, 5_000n, 25_000n];

/** The SDK's error codes, with the ends of their messages. */
const ENDS = { 4: 'unauthorized', 5: 'insufficient funds', 11: 'out of gas' } as const;

/** Aborts the transaction's messages. */
class Failure extends Error {
  readonly code: keyof typeof ENDS;

  constructor(code: keyof typeof ENDS, message: string) {
    super(message);
    this.code = code;
  }
}

/** Runs all messages or none; the fee is paid either way. */
export class BankRun {
  readonly #state: ReferenceState;
  readonly #tx: BankTx;
  readonly #block: BankBlock;
  readonly #spelling: Spelling;
  readonly #from: Name;
  #gasUsed: bigint;
  #message = 0;

  constructor(state: ReferenceState, tx: BankTx, block: BankBlock, spelling: Spelling) {
    this.#state = state;
    this.#tx = tx;
    this.#block = block;
    this.#spelling = spelling;
    this.#from = present(tx.sends[0], 'a message').from;
    this.#gasUsed = anteGas(tx);
  }

  result(): TxResult {
    const [state, { gasLimit, sends }] = [this.#state, this.#tx];
    state.beginTx();
    const paid = this.#payFee();
    const before = state.checkpoint();
    const done = this.#runAll();
    if (done instanceof Failure) state.revert(before);
    const common = { info: '', gasWanted: gasLimit, gasUsed: this.#gasUsed };
    if (done instanceof Failure)
      return { ...common, code: done.code, codespace: 'sdk', log: done.message, data: EMPTY, events: paid };
    const answers = sends.map(({ typeUrl }) => ({ typeUrl: `${typeUrl}Response`, value: EMPTY }));
    return {
      ...common,
      code: 0,
      codespace: '',
      log: '',
      data: answersData(answers),
      events: [...paid, ...done],
    };
  }

  #payFee(): readonly AbciEvent[] {
    const [state, from, spelling] = [this.#state, this.#from, this.#spelling];
    const { gasLimit, sequence, signature } = this.#tx;
    const { baseFee, coinbase, collector } = this.#block;
    const [fee, base] = [charged(this.#tx, baseFee), baseFee * gasLimit];
    const parts: (readonly [Name, bigint])[] = [[coinbase, fee - base]];
    if (collector !== undefined) parts.push([collector, base]);
    state.put(from, { nonce: sequence + 1n });
    state.pay(from, -fee);
    for (const [to, amount] of parts) state.pay(to, amount);
    const [payer, sum] = [spelling.account(from), spelling.sum(fee)];
    return [
      event('coin_spent', ['spender', payer], ['amount', sum]),
      ...parts.flatMap(([to, amount]) =>
        amount === 0n ? [] : paymentEvents({ from, to }, spelling.sum(amount), spelling),
      ),
      event('message', ['sender', payer]),
      event('tx', ['fee', sum], ['fee_payer', payer]),
      event('tx', ['acc_seq', `${payer}/${sequence}`]),
      event('tx', ['signature', toBase64(signature)]),
    ];
  }

  #runAll(): readonly AbciEvent[] | Failure {
    const { sends } = this.#tx;
    try {
      return sends.flatMap((send, i) => {
        this.#message = i;
        return this.#run(send);
      });
    } catch (failure) {
      if (failure instanceof Failure) return failure;
      throw failure;
    }
  }

  #fails(code: 4 | 5, text: string): never {
    const place = `failed to execute message; message index: ${this.#message}`;
    throw new Failure(code, `${place}: ${text}: ${ENDS[code]}`);
  }

  #spend(gas: bigint, place: string): void {
    this.#gasUsed += gas;
    const { gasLimit } = this.#tx;
    if (this.#gasUsed <= gasLimit) return;
    const text = `out of gas in location: ${place}; gasWanted: ${gasLimit}, gasUsed: ${this.#gasUsed}`;
    throw new Failure(11, `${text}: ${ENDS[11]}`);
  }

  #run({ typeUrl, coins, to }: Send): readonly AbciEvent[] {
    const [state, from, spelling] = [this.#state, this.#from, this.#spelling];
    this.#spend(MESSAGE, typeUrl);
    const total = amountIn(coins, spelling.denom);
    const { balance } = state.account(from);
    const foreign = coins.find(({ denom }) => denom !== spelling.denom);
    const lacking = foreign === undefined ? spelling.sum(total) : foreign.amount + foreign.denom;
    if (foreign !== undefined || balance < total)
      this.#fails(
        5,
        `spendable balance ${foreign === undefined ? spelling.sum(balance) : `0${foreign.denom}`} is smaller than ${lacking}`,
      );
    this.#spend(BALANCE, 'bank');
    state.pay(from, -total);
    for (const one of to) this.#receive(one.name, amountIn(one.coins, spelling.denom));
    const [sender, index] = [spelling.account(from), ['msg_index', `${this.#message}`] as const];
    return [
      event('message', ['action', typeUrl], ['sender', sender], ['module', 'bank'], index),
      event('coin_spent', ['spender', sender], ['amount', shown(coins)], index),
      ...to.flatMap((one) => paymentEvents({ from, to: one.name }, shown(one.coins), spelling, [index])),
      event('message', ['sender', sender], index),
    ];
  }

  #receive(name: Name, amount: bigint): void {
    this.#spend(this.#state.exists(name) ? BALANCE : NEW_ACCOUNT, 'bank');
    if (name === this.#block.blocked)
      this.#fails(4, `${this.#spelling.account(name)} is not allowed to receive funds`);
    this.#state.pay(name, amount);
  }
}

const shown = (coins: readonly Coins[]): string => coins.map(({ amount, denom }) => amount + denom).join();
