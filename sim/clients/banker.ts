import { formatAddress } from '../../core/address/kinds.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, to0xHex } from '../../core/lib/bytes.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { accountOf, type Cluster, type DevAccount } from '../cluster.ts';
import type { Process } from '../machine/process.ts';
import { anteGas } from '../reference/bank.ts';
import type { BankSpec } from '../scenario/clientSpecs.ts';
import { bankBound } from '../scripts/bankBounds.ts';
import { type BadDraft, type BankStep, bankFeature, probe } from '../scripts/bankFeatures.ts';
import type { ChoiceStream } from '../world/choices.ts';
import type { World } from '../world/world.ts';
import { type FeeMarket, leastPriceAfter } from './answers/feeMarket.ts';
import { askEthereum, askRest } from './bankQuestions.ts';
import { BlockWaits } from './blockWaits.ts';
import { broadcast, checkedOnly, WAY_COUNT, wayOf } from './broadcast.ts';
import type { ClientCalls } from './calls.ts';
import { type BankDraft, plainSend } from './cosmosTx.ts';
import { COMMIT } from './mouths.ts';
import { OpenTxs } from './openTxs.ts';
import { type SentBankTx, signedBank, signedTransfer } from './sentBankTx.ts';
import type { Submitted } from './sentTx.ts';
import { settledPool } from './settledPool.ts';
import { simulated, wrongSimulation } from './simulation.ts';

const POLL_MICROS = 500_000;
/** Time after which a transaction that is in no block is sent again. */
const RESEND_MICROS = 5_000_000;
/** Maximum number of unconfirmed transactions per account. */
const IN_FLIGHT_MAX = 8;
const COMPLAINTS_MAX = 20;
/** Number of accounts that receive payments. */
const RECEIVERS = 8;

/** Distance from the next sequence. No transaction of a run ever gets that far. */
const PROBE_DISTANCE = 10_000;
/** One draft in so many is simulated first. */
const SIMULATED = 5;
/** SDK code for a timeout height that has passed. */
const TOO_LATE = 30;
const TOO_CHEAP = 13;
/** SDK code for less gas than the transaction needs before its first message. */
const TOO_LITTLE_GAS = 11;
/** SDK code for more gas than a block has. */
const TOO_MUCH_GAS = 41;
/** SDK code for a transaction that a pool has no room for. */
const POOL_FULL = 20;
/** SDK code for a transaction that is, or was, in the pool. */
const KNOWN = 19;
/** What CheckTx answers if the sequence is already used. */
const USED = 'sdk 32';

export const receiver = (index: number): Bytes => new Uint8Array(20).fill(0xa0 + index);

/** At least the number of kinds of bad drafts. */
const BAD_KINDS = 100;
/** Key of an account that is only ever paid a few coins. */
const PAUPER = new Uint8Array(32).fill(5);

/** The height below the next block, also before the first block. */
const headOf = ({ chain, genesis }: RpcContext): number => Math.max(chain.head(), genesis.initialHeight - 1);

/** Whether every pool has to take each transaction that is not meant to be refused. */
const isExact = ({ script }: BankSpec): boolean => script === 'features' || script === 'bounds';

/** A wallet that sends bank.MsgSend through one node's REST API, polls for the blocks, and remembers the answers. */
export class Banker {
  readonly spec: BankSpec;
  readonly accounts: readonly DevAccount[];
  readonly sent: SentBankTx[] = [];
  readonly complaints: string[] = [];
  /** Results that differ from what follows from the transactions before. On another chain there are other ones. */
  readonly surprises: string[] = [];
  readonly #world: World;
  readonly #calls: ClientCalls;
  readonly #node: Process;
  readonly #suite: CryptoSuite;
  readonly #choices: ChoiceStream;
  readonly #feeMarket: FeeMarket;
  /** Whether pools have the usual room: no limit may be exceeded. */
  readonly #isRoomy: boolean;
  /** Chooses which drafts to simulate. It has its own stream so that the other choices stay the same. */
  readonly #simulations: ChoiceStream;
  readonly #ways: ChoiceStream;
  readonly #pauper: DevAccount;
  readonly #numbers = new Map<DevAccount, bigint>();
  /** Transactions whose block is not known yet. */
  readonly #open = new OpenTxs<SentBankTx>(({ height }) => height === undefined);
  /** Hashes of bad transactions that are being submitted. */
  readonly #badAsked = new Set<string>();
  readonly #sequences = new Map<DevAccount, number>();
  #probes = 0;
  /** Which kind of bad draft comes next. */
  #bad: number | undefined;
  #isPolling = false;
  /** A step of the script `bounds` is being made. */
  #isBusy = false;
  readonly #waits: BlockWaits;

  constructor(
    world: World,
    calls: ClientCalls,
    { feeMarket }: Cluster,
    suite: CryptoSuite,
    spec: BankSpec,
    accounts: readonly DevAccount[],
    isRoomy: boolean,
  ) {
    this.spec = spec;
    this.#isRoomy = isRoomy;
    this.accounts = accounts;
    this.#world = world;
    this.#calls = calls;
    this.#node = world.process(spec.at);
    this.#suite = suite;
    this.#pauper = accountOf(suite, PAUPER);
    this.#feeMarket = feeMarket;
    this.#choices = world.choices.stream(`client/${spec.name}`);
    this.#simulations = world.choices.stream(`client/${spec.name}/simulate`);
    this.#ways = world.choices.stream(`client/${spec.name}/ways`);
    this.#waits = new BlockWaits(world, calls, this.#node, COMMIT, (text) => this.#complain(text));
  }

  get hasActed(): boolean {
    return this.sent.length > 0;
  }

  get confirmed(): readonly SentBankTx[] {
    return this.sent.filter(({ height }) => height !== undefined);
  }

  get submitted(): readonly Submitted[] {
    return this.sent.filter(({ sentAt }) => sentAt > 0);
  }

  start(): void {
    this.#world.every(this.spec.period, () => this.#sendNext());
    this.#world.every(POLL_MICROS, () => this.#poll());
  }

  #complain(text: string): void {
    if (this.complaints.length < COMPLAINTS_MAX) this.complaints.push(text);
  }

  #sendNext(): Promise<void> | undefined {
    if (this.spec.count > 0 && this.sent.length >= this.spec.count) return undefined;
    if (this.#node.state !== 'up') return undefined;
    if (this.spec.script === 'bounds') return this.#sendBound();
    const from = present(this.accounts[this.#choices.choose(this.accounts.length)], 'an account');
    const open = this.#open.of(from);
    if (open.length >= IN_FLIGHT_MAX) return undefined;
    const isPlain = this.spec.script !== 'features';
    const draft = isPlain ? this.#plainDraft(from) : undefined;
    return this.#calls.within(this.#node, async (context) => {
      const number = await this.#numberOf(context, from);
      if (number === undefined) return;
      if (draft !== undefined) await this.#send(context, from, draft, number);
      else await this.#sendFeature(context, from, number);
    });
  }

  #plainDraft(from: DevAccount): BankDraft {
    const to = receiver(this.#choices.choose(RECEIVERS));
    return plainSend(from, to, BigInt(1 + this.#choices.choose(1_000_000)));
  }

  /** Signs the account's next transaction. */
  #next(context: RpcContext, from: DevAccount, draft: BankStep['draft'], number: bigint): SentBankTx {
    const sequence = this.#sequences.get(from) ?? 0;
    this.#sequences.set(from, sequence + 1);
    const tx =
      draft === 'ethereum'
        ? this.#signEthereum(from, sequence)
        : this.#sign(context, draft, number, sequence);
    this.sent.push(tx);
    this.#open.add(tx);
    return tx;
  }

  async #send(
    context: RpcContext,
    from: DevAccount,
    draft: BankStep['draft'],
    number: bigint,
  ): Promise<void> {
    const tx = this.#next(context, from, draft, number);
    if (draft !== 'ethereum' && this.#simulations.choose(SIMULATED) === 1) {
      const { raw } = this.#sign(context, { ...draft, gas: 1n }, number, tx.sequence);
      tx.simulated = await simulated(context, draft, tx.sequence, raw);
    }
    await this.#submit(context, tx);
  }

  async #sendFeature(context: RpcContext, from: DevAccount, number: bigint): Promise<void> {
    const [head, gasLimit] = [headOf(context), context.chain.gasLimit()];
    // Counts only blocks that the node has: a node that was wiped learns of the account later than the client. If no
    // other node has the chain either, a new one begins, in which the account has sent nothing yet.
    const isKnown =
      this.sent.some((tx) => tx.from === from && tx.kind === 'bank' && (tx.height ?? head + 1) <= head) &&
      (context.chain.latest().account(from.address)?.nonce ?? 0n) > 0n;
    const victim = this.accounts.find((one) => one !== from)?.address ?? receiver(0);
    const turn = this.#bad ?? this.#choices.choose(BAD_KINDS);
    this.#bad = turn + 1;
    const place = {
      head,
      gasLimit,
      isKnown,
      victim,
      pauper: this.#pauper,
      turn,
      feeMarket: this.#feeMarket,
      leastPrice: this.#leastPrice(context) ?? 0n,
    };
    const { draft, bads, isProbing } = bankFeature(this.#choices, from, place);
    await this.#send(context, from, draft, number);
    for (const bad of bads) await this.#submitBad(context, bad);
    if (isProbing) await this.#probe(context, from, number);
  }

  /** Makes one step at a time: a second one would sign with the same sequence. */
  #sendBound(): Promise<void> | undefined {
    if (this.#isBusy) return undefined;
    this.#isBusy = true;
    return this.#calls
      .within(this.#node, (context) => this.#bound(context))
      .finally(() => {
        this.#isBusy = false;
      });
  }

  async #bound(context: RpcContext): Promise<void> {
    const [rich, poor] = [present(this.accounts[0], 'an account'), present(this.accounts[1], 'another')];
    if (this.#open.of(rich).length >= IN_FLIGHT_MAX) return;
    const numbers = new Map<DevAccount, bigint>();
    for (const account of [rich, poor]) {
      const number = await this.#numberOf(context, account);
      if (number === undefined) return;
      numbers.set(account, number);
    }
    const numberOf = (account: DevAccount): bigint => present(numbers.get(account), 'a known number');
    const step = bankBound({
      turn: this.sent.length,
      rich,
      poor,
      coins: this.#open.all().length > 0 ? undefined : context.chain.latest().account(poor.address)?.balance,
      anteGas: (draft) => {
        const sequence = this.#sequences.get(draft.from) ?? 0;
        return anteGas({ size: this.#sign(context, draft, numberOf(draft.from), sequence).raw.length });
      },
    });
    if (step === undefined) return;
    const { draft, code, bads, isGift } = step;
    const tx = this.#next(context, draft.from, draft, numberOf(draft.from));
    tx.expected = code;
    if (isGift === true) tx.isGift = true;
    await this.#submit(context, tx);
    for (const bad of bads) await this.#submitBad(context, bad);
  }

  /** A transaction that expires one or two blocks after the head must be taken as long as the head is unchanged. */
  async #probe(context: RpcContext, from: DevAccount, number: bigint): Promise<void> {
    const head = headOf(context);
    const blocks = 1 + (this.#probes % 2);
    const sequence = PROBE_DISTANCE + this.#probes++;
    const price = this.#leastPrice(context);
    const draft = probe(from, head, blocks, price);
    const tx = this.#sign(context, draft, number, sequence);
    const code = await this.#broadcast(context, tx);
    if (headOf(context) !== head) return;
    if (code === TOO_LATE)
      this.#complain(`${tx.hash} was refused at ${head} as too late, which it is after ${head + blocks}`);
    if (code === TOO_CHEAP && price !== undefined)
      this.#complain(`${tx.hash} was refused at ${head}, which pays what ${head + 1} asks for`);
  }

  /**
   * The lowest price in the next block. Unknown between a commit and the node's own step after it, and on a damaged
   * disk.
   */
  #leastPrice({ chain }: RpcContext): bigint | undefined {
    if (settledPool(this.#node, Number.POSITIVE_INFINITY) === undefined) return undefined;
    const { header } = present(chain.ethBlock(chain.head()), 'the head');
    return leastPriceAfter(header, this.#feeMarket);
  }

  /**
   * Tells whether a code refuses a transaction rightly, whatever else is wrong with it: it wants more gas than a block
   * has (which may be less than it needs, too), or the next block asks for a higher price, as far as the wallet knows
   * that price.
   */
  #isUnfit(context: RpcContext, { draft, raw }: SentBankTx): (code: number | undefined) => boolean {
    if (draft === undefined) return () => false;
    const { gas, fee } = draft;
    const [head, price] = [headOf(context), this.#leastPrice(context)];
    const isLarge = gas > context.chain.gasLimit();
    const isSmall = gas < anteGas({ size: raw.length });
    const isCheap = price === undefined || fee < gas * price;
    return (code) =>
      (isLarge && code === TOO_MUCH_GAS) ||
      (isSmall && code === TOO_LITTLE_GAS) ||
      (code === TOO_CHEAP && (isCheap || headOf(context) !== head));
  }

  async #numberOf(context: RpcContext, account: DevAccount): Promise<bigint | undefined> {
    const number = this.#numbers.get(account) ?? (await this.#accountNumber(context, account));
    if (number !== undefined) this.#numbers.set(account, number);
    return number;
  }

  async #accountNumber(context: RpcContext, { address }: DevAccount): Promise<bigint | undefined> {
    const text = formatAddress('acc', context.chain.hrp, address);
    const { status, body } = await askRest(context, `/cosmos/auth/v1beta1/account_info/${text}`);
    const { info } = body as { readonly info?: { readonly account_number?: string } };
    if (status === 200 && info?.account_number !== undefined) return BigInt(info.account_number);
    this.#complain(`account_info of ${text} was answered by status ${status}`);
    return undefined;
  }

  #sign({ chain }: RpcContext, draft: BankDraft, accountNumber: bigint, sequence: number): SentBankTx {
    return signedBank(this.#suite, chain, draft, accountNumber, sequence);
  }

  #signEthereum(from: DevAccount, nonce: number): SentBankTx {
    const to = receiver(this.#choices.choose(RECEIVERS));
    return signedTransfer(this.#suite, from, nonce, to, BigInt(this.#choices.choose(1_000_000)));
  }

  /** Uses number and sequence of the account whose coins it takes, so that nothing else is wrong with it. */
  async #submitBad(context: RpcContext, { draft, why, code, ...said }: BadDraft): Promise<void> {
    const owner = this.accounts.find(({ address }) => address === draft.lie?.of) ?? draft.from;
    // The pauper has no account before it is paid.
    if (context.chain.latest().account(owner.address) === undefined) return;
    const number = await this.#numberOf(context, owner);
    if (number === undefined) return;
    const next = this.#sequences.get(owner) ?? 0;
    const sequence = said.sequence ?? (said.isAgain === true ? next - 1 : next);
    const accountNumber = said.isOfAnother === true ? number + 1n : number;
    const tx = { ...this.#sign(context, draft, accountNumber, sequence), bad: why };
    const isUnfit = this.#isUnfit(context, tx);
    const told = await checkedOnly(context, tx.raw);
    // The transaction it would replace may be in a block by now.
    const isPast = said.isAgain === true && told === USED;
    const isUnfitToo = told?.startsWith('sdk ') === true && isUnfit(Number(told.slice(4)));
    if (told !== undefined && told !== code && !isPast && !isUnfitToo)
      this.#complain(`CheckTx says '${told}' of ${tx.hash}, which ${why}: should be '${code}'`);
    // Two turns may submit the same transaction. The one that asks while the other waits is told that it is known.
    if (this.#badAsked.has(tx.hash)) return;
    this.#badAsked.add(tx.hash);
    const first = await this.#submit(context, tx);
    // A node that refused a transaction must refuse it again, and must not say that it is in the pool.
    const second = await this.#submit(context, tx);
    this.#badAsked.delete(tx.hash);
    if ((first ?? 0) !== 0 && first !== KNOWN && second === KNOWN)
      this.#complain(`${tx.hash} was refused by code ${first}, and is held to be in the pool`);
  }

  /** The code of the answer; undefined when there is none. */
  async #submit(context: RpcContext, tx: SentBankTx): Promise<number | undefined> {
    const { sentHead } = tx;
    tx.sentHead = this.#world.height;
    if (tx.kind === 'ethereum') return this.#submitEthereum(context, tx);
    const isFirst = tx.sentAt === 0;
    tx.sentAt = this.#world.now;
    if (this.spec.script === 'waits' && isFirst) {
      await this.#waits.give(tx.hash, tx.raw);
      return undefined;
    }
    const isUnfit = isExact(this.spec) ? this.#isUnfit(context, tx) : () => false;
    const code = await this.#broadcast(context, tx);
    if (!isFirst && code === KNOWN) tx.sentHead = sentHead;
    if (code === 0 && tx.bad !== undefined) this.#complain(`${tx.hash} was taken, which ${tx.bad}`);
    // No transaction of these scripts is too much for a pool of the usual size.
    const mayBeRefused = tx.bad !== undefined || (code === POOL_FULL && !this.#isRoomy) || isUnfit(code);
    if (isExact(this.spec) && isFirst && !mayBeRefused && (code ?? 0) !== 0)
      this.#complain(`${tx.hash} was refused by code ${code}`);
    return code;
  }

  /** The code of the answer; undefined when there is none. */
  async #broadcast(context: RpcContext, tx: SentBankTx): Promise<number | undefined> {
    const way = wayOf(this.#ways.choose(WAY_COUNT));
    const { code, problem } = await broadcast(context, tx.raw, tx.hash, way);
    // A refusal is an answer too: the transaction is already known, or its sequence was used before a resend.
    if (problem !== undefined) this.#complain(problem);
    return code;
  }

  async #submitEthereum(context: RpcContext, tx: SentBankTx): Promise<undefined> {
    const { raw, hash } = tx;
    tx.sentAt = this.#world.now;
    const result = await askEthereum<string>(context, 'eth_sendRawTransaction', [to0xHex(raw)]);
    if (result !== undefined && result !== hash)
      this.#complain(`eth_sendRawTransaction answered ${result} for ${hash}`);
    return undefined;
  }

  async #poll(): Promise<void> {
    if (this.#isPolling || this.#node.state !== 'up') return;
    this.#isPolling = true;
    const open = this.#open.all();
    await this.#calls.within(this.#node, async (context) => {
      for (const tx of open) await this.#askForBlock(context, tx);
      this.#waits.look(POLL_MICROS);
    });
    this.#isPolling = false;
    for (const tx of open) {
      if (tx.height !== undefined || this.#world.now - tx.sentAt < RESEND_MICROS) continue;
      await this.#calls.within(this.#node, async (context) => {
        await this.#submit(context, tx);
      });
    }
  }

  /**
   * Whether a later gift may have come to the sender first. A pool that a crash has emptied gets transactions of
   * different senders back in any order.
   */
  #mayBeAfterGift(tx: SentBankTx, height: number): boolean {
    const later = this.sent.slice(this.sent.indexOf(tx) + 1);
    return later.some(
      (one) => one.isGift === true && one.from !== tx.from && (one.height ?? height) <= height,
    );
  }

  async #askForBlock(context: RpcContext, tx: SentBankTx): Promise<void> {
    if (tx.kind === 'ethereum') return this.#askForReceipt(context, tx);
    const { status, body } = await askRest(context, `/cosmos/tx/v1beta1/txs/${tx.hash}`);
    if (status === 404) return;
    const { tx_response } = body as {
      readonly tx_response?: { readonly height: string; readonly code: number; readonly gas_used: string };
    };
    if (status !== 200 || tx_response === undefined)
      return this.#complain(`a question for ${tx.hash} was answered by status ${status}`);
    const expected = tx.expected ?? 0;
    const height = Number(tx_response.height);
    if (
      tx_response.code !== expected &&
      this.spec.script !== 'features' &&
      !(tx_response.code === 0 && this.#mayBeAfterGift(tx, height))
    )
      this.surprises.push(`${tx.hash} has code ${tx_response.code}, expected ${expected}`);
    tx.height = height;
    if (tx.simulated === undefined || tx_response.code !== 0) return;
    const problem = wrongSimulation(tx.simulated, BigInt(tx_response.gas_used), tx.raw.length);
    if (problem !== undefined) this.#complain(`${tx.hash} ${problem}`);
  }

  async #askForReceipt(context: RpcContext, tx: SentBankTx): Promise<void> {
    type Receipt = { readonly blockNumber: string } | null;
    const receipt =
      (await askEthereum<Receipt>(context, 'eth_getTransactionReceipt', [tx.hash])) ?? undefined;
    if (receipt !== undefined) tx.height = Number(receipt.blockNumber);
  }
}
