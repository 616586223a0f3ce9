import { accountCount, addressOfNumber } from '../../core/app/auth/keeper.ts';
import { readSupply } from '../../core/app/bank/keeper.ts';
import type { AuthRecord, ChainReader, EthBlock, EthReceipt, EthTx, View } from '../../core/app/chain.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, EMPTY, equalBytes, hex, to0xHex, toHex } from '../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../core/lib/utf8.ts';
import type { Block } from '../../core/types/block.ts';
import type { TxResult } from '../../core/types/result.ts';
import type { FeeMarket } from '../clients/answers/feeMarket.ts';
import { Sample } from '../sample.ts';
import { bankRefusal, readBankTx } from './bank.ts';
import { BankRun } from './bankRun.ts';
import { type EthDeed, ethResult } from './ethResult.ts';
import { resultProblem } from './result.ts';
import { Spelling } from './spelling.ts';
import { isNobody, type Log, type Name, ReferenceState, toBig, toWord } from './state.ts';
import { type Outcome, type ReferenceWorld, refusal, runTransaction } from './transaction.ts';
import { rootProblem } from './trieRoot.ts';
import { wrappingProblem } from './wrapping.ts';

/** EIP-2935. */
const HISTORY = '0000f90827f1c53a10cb7a02335b175320002935';
const HISTORY_WINDOW = 8191;
/** More accounts or slots than any run has. */
const RANGE_MAX = 100_000;
const FIRST = new Uint8Array(32);

/** A second execution of a chain, from some block on. */
export class Rerun {
  #chain: ChainReader;
  readonly #suite: CryptoSuite;
  readonly #genesis: View;
  readonly #state: ReferenceState;
  readonly #world: ReferenceWorld;
  readonly #auth = new Map<Name, AuthRecord>();
  /** By hashes of Ethereum transactions. */
  readonly outcomes = new Map<string, Outcome>();
  /** The module account of fees, by the SDK's derivation. */
  readonly #blocked: Name;
  readonly #spelling: Spelling;
  #next: bigint;
  readonly #first: number;
  /** Ethereum hashes of the executed blocks, from the first one on. */
  readonly #hashes: Bytes[] = [];

  /** `genesis` is the state before the first executed block. */
  constructor(
    chain: ChainReader,
    suite: CryptoSuite,
    market: FeeMarket,
    { genesis, first, rowsMax }: { readonly genesis: View; readonly first: number; readonly rowsMax: number },
  ) {
    this.#chain = chain;
    this.#suite = suite;
    this.#genesis = genesis;
    this.#first = first;
    this.#state = new ReferenceState(genesis);
    this.#blocked = toHex(suite.sha256(encodeUtf8('fee_collector')).slice(0, 20));
    this.#spelling = new Spelling(chain, (message) => suite.keccak256(message));
    this.#world = {
      chainId: chain.evmChainId,
      suite,
      hashOf: (number) => this.#ethBlockOf(number)?.hash,
      minGasPrice: market.minGasPrice,
      collector: market.collectBaseFee ? this.#blocked : undefined,
      rowsMax,
    };
    this.#next = accountCount(genesis);
    for (let number = 0n; number < this.#next; number++) {
      const address = addressOfNumber(genesis, number);
      const record = address && genesis.auth(address);
      if (address !== undefined && record !== undefined) this.#auth.set(toHex(address), record);
    }
  }

  /** Slots that were read or written. */
  slotsOf(name: Name): readonly Bytes[] {
    return [...this.#state.slots(name).keys()].map(toWord);
  }

  get done(): number {
    return this.#first + this.#hashes.length - 1;
  }

  /** Whether one of the two chains is the beginning of the other. */
  isOf(chain: ChainReader): boolean {
    const last = Math.min(this.done, chain.head());
    const [own, theirs] = [this.#hashes[last - this.#first], chain.ethBlock(last)?.hash];
    return own === undefined || theirs === undefined ? own === undefined : equalBytes(own, theirs);
  }

  /** Executes the rest of a chain that begins with the blocks executed so far. */
  problem(chain: ChainReader): string | undefined {
    this.#chain = chain;
    const sample = new Sample(chain);
    while (this.done < chain.head()) {
      const problem = this.nextProblem(sample);
      if (problem !== undefined) return problem;
    }
    return this.#worldProblem();
  }

  /** Executes one block more. State changes and receipts are checked in every block, the rest only in the sample. */
  nextProblem(sample: Sample | undefined): string | undefined {
    const height = this.done + 1;
    const problem = this.#blockProblem(height, sample);
    if (problem !== undefined) return `block ${height}: ${problem}`;
    this.#hashes.push(present(this.#chain.ethBlock(height), 'a block that was run').hash);
    return undefined;
  }

  /** The block before the first one is stored under height 0, whatever its number. */
  #ethBlockOf(number: number): EthBlock | undefined {
    const first = this.#chain.genesisNumber();
    return number < first ? undefined : this.#chain.ethBlock(number === first ? 0 : number);
  }

  #blockProblem(height: number, sample: Sample | undefined): string | undefined {
    const [eth, block] = [this.#chain.ethBlock(height), this.#chain.block(height)];
    const results = this.#chain.results(height)?.txResults;
    if (eth === undefined || block === undefined || results === undefined) return 'is missing';
    const parent = this.#ethBlockOf(height - 1);
    if (parent !== undefined && this.#state.account(HISTORY).code.length > 0)
      this.#state.putStorage(HISTORY, BigInt((height - 1) % HISTORY_WINDOW), toBig(parent.hash));
    const problem = this.#txsProblem(eth, block, results, sample?.ethTxs(eth));
    if (problem !== undefined) return problem;
    const view = this.#chain.view(height);
    const changed = [...this.#state.changed];
    this.#state.changed.clear();
    if (view === undefined) return undefined;
    for (const [name, slots] of changed) {
      const problem = this.#accountProblem(view, name, slots);
      if (problem !== undefined) return problem;
    }
    return block.txs.length > 0 && sample?.has(height) ? this.#rootProblem(view, changed) : undefined;
  }

  #rootProblem(view: View, changed: readonly (readonly [Name, ReadonlySet<bigint>])[]): string | undefined {
    const addresses = changed.flatMap(([name, slots]) => (slots.size > 0 ? [hex(name)] : []));
    return rootProblem(view, addresses, (message) => this.#suite.keccak256(message), RANGE_MAX);
  }

  #txsProblem(
    eth: EthBlock,
    { txs }: Block,
    results: readonly TxResult[],
    asked: ReadonlySet<number> | undefined,
  ): string | undefined {
    let [gasLeft, ethIndex, logCount] = [eth.header.gasLimit, 0, 0];
    for (const [i, bytes] of txs.entries()) {
      const result = present(results[i], 'a result for each transaction');
      const hash = this.#suite.sha256(bytes);
      const isEth = this.#chain.txLocation(hash)?.ethIndex !== undefined;
      const told = asked?.has(ethIndex) ? result : undefined;
      const problem = isEth
        ? ((told &&
            wrappingProblem(
              bytes,
              present(eth.transactions[ethIndex], 'a transaction'),
              this.#chain.denom,
            )) ??
          this.#ethProblem(eth, { index: ethIndex, hash, logsBefore: logCount }, told, gasLeft))
        : this.#bankProblem(eth, bytes, result, gasLeft);
      if (problem !== undefined) return `transaction ${i} ${problem}`;
      if (isEth) logCount += eth.receipts[ethIndex++]?.logs.length ?? 0;
      gasLeft -= result.gasUsed < result.gasWanted ? result.gasUsed : result.gasWanted;
    }
    if (ethIndex !== eth.transactions.length)
      return `has ${eth.transactions.length} transactions, found ${ethIndex}`;
    return eth.header.gasLimit - gasLeft === eth.header.gasUsed ? undefined : 'has a wrong gasUsed';
  }

  #ethProblem(
    { header, transactions, receipts }: EthBlock,
    place: Pick<EthDeed, 'index' | 'hash' | 'logsBefore'>,
    result: TxResult | undefined,
    gasLeft: bigint,
  ): string | undefined {
    const tx = present(transactions[place.index], 'a transaction');
    const receipt = present(receipts[place.index], 'its receipt');
    const refused = refusal(tx, this.#state, header, gasLeft, this.#world);
    if (refused !== undefined) return refused;
    const outcome = runTransaction(this.#state, header, tx, this.#world);
    this.outcomes.set(to0xHex(tx.hash), outcome);
    this.#number();
    this.#remember(toHex(tx.from), undefined);
    const problem = receiptProblem(tx, receipt, outcome);
    if (problem !== undefined || result === undefined) return problem;
    const deed = { ...place, tx, outcome, height: header.number };
    return resultProblem(result, ethResult(deed, this.#spelling));
  }

  #bankProblem({ header }: EthBlock, bytes: Bytes, result: TxResult, gasLeft: bigint): string | undefined {
    const tx = readBankTx(bytes, this.#chain);
    const from = present(tx.sends[0], 'a message').from;
    const [baseFee, coinbase] = [header.baseFeePerGas, toHex(header.coinbase)];
    const { chainId, evmChainId } = this.#chain;
    const { minGasPrice, collector } = this.#world;
    const place = { height: header.number, baseFee, minGasPrice, gasLeft, chainId, evmChainId };
    const refused = bankRefusal(tx, this.#state, this.#auth.get(from), place, this.#suite);
    if (refused !== undefined) return refused;
    const block = { baseFee, coinbase, collector, blocked: this.#blocked };
    const wanted = new BankRun(this.#state, tx, block, this.#spelling).result();
    this.#number();
    this.#remember(from, tx.pubKey);
    return resultProblem(result, wanted);
  }

  /** Each account that a transaction brings into being gets a number, in order of address. */
  #number(): void {
    const { strangers } = this.#state;
    const fresh: Name[] = [];
    for (const name of strangers) {
      const isNumbered = this.#auth.has(name);
      if (!isNumbered && !this.#state.exists(name)) continue;
      strangers.delete(name);
      if (!isNumbered) fresh.push(name);
    }
    for (const name of fresh.sort()) this.#auth.set(name, { accountNumber: this.#next++, pubKey: undefined });
  }

  /** An Ethereum signature also reveals a key. FIRST stands for it until a bank transaction shows which one it is. */
  #remember(name: Name, pubKey: Bytes | undefined): void {
    const record = this.#auth.get(name);
    if (record === undefined || (record.pubKey !== undefined && record.pubKey !== FIRST)) return;
    this.#auth.set(name, { ...record, pubKey: pubKey ?? FIRST });
  }

  #accountProblem(view: View, name: Name, slots: Iterable<bigint>): string | undefined {
    const problem = this.#differenceOf(view, name, slots);
    return problem === undefined ? undefined : `account ${name} ${problem}`;
  }

  #differenceOf(view: View, name: Name, slots: Iterable<bigint>): string | undefined {
    const address = hex(name);
    const wanted = this.#state.account(name);
    const told = view.account(address);
    if (isNobody(wanted)) return told === undefined ? undefined : 'should not be there';
    if (told === undefined) return 'is not there';
    if (told.balance !== wanted.balance) return `has ${told.balance}, should have ${wanted.balance}`;
    if (told.nonce !== wanted.nonce) return `has nonce ${told.nonce}, should have ${wanted.nonce}`;
    if (!equalBytes(view.code(address), wanted.code)) return 'has another code than it should';
    for (const slot of slots) {
      const [value, kept] = [this.#state.storage(name, slot), toBig(view.storage(address, toWord(slot)))];
      if (kept !== value) return `has ${kept} in slot ${slot}, should have ${value}`;
    }
    const [record, should] = [view.auth(address), this.#auth.get(name)];
    if (record?.accountNumber !== should?.accountNumber)
      return `has number ${record?.accountNumber}, should have ${should?.accountNumber}`;
    return isSameKey(record?.pubKey, should?.pubKey) ? undefined : 'has a wrong key';
  }

  /** Every account at the end is right, and there are no others. */
  #worldProblem(): string | undefined {
    const latest = this.#chain.latest();
    for (const name of this.#state.known()) {
      const problem = this.#accountProblem(latest, name, this.#state.slots(name).keys());
      if (problem !== undefined) return problem;
    }
    const names = new Map(
      this.#state.known().map((name) => [toHex(this.#suite.keccak256(hex(name))), name] as const),
    );
    const before = new Set(this.#genesis.accountRange(FIRST, RANGE_MAX).map(({ keyHash }) => toHex(keyHash)));
    for (const { keyHash } of latest.accountRange(FIRST, RANGE_MAX)) {
      const name = names.get(toHex(keyHash));
      if (name === undefined && !before.has(toHex(keyHash)))
        return `nobody made the account ${to0xHex(keyHash)}`;
      if (name === undefined || before.has(toHex(keyHash))) continue;
      const kept = latest.storageRange(hex(name), FIRST, RANGE_MAX).length;
      const wanted = [...this.#state.slots(name).values()].filter((value) => value !== 0n).length;
      if (kept !== wanted) return `account ${name} has ${kept} slots, should have ${wanted}`;
    }
    if (accountCount(latest) !== this.#next)
      return `${accountCount(latest)} numbers were given, not ${this.#next}`;
    return this.#supplyProblem(latest);
  }

  /** The bank's supply accounts for what was burned and what contracts destroyed. */
  #supplyProblem(latest: View): string | undefined {
    let wanted = readSupply(this.#genesis, this.#chain.denom);
    for (const name of this.#state.known())
      wanted += this.#state.account(name).balance - (this.#genesis.account(hex(name))?.balance ?? 0n);
    const supply = readSupply(latest, this.#chain.denom);
    return supply === wanted
      ? undefined
      : `the bank says that there are ${supply} coins, it should be ${wanted}`;
  }
}

const isSameKey = (told: Bytes | undefined, wanted: Bytes | undefined): boolean =>
  told === undefined || wanted === undefined ? told === wanted : wanted === FIRST || equalBytes(told, wanted);

function receiptProblem(tx: EthTx, receipt: EthReceipt, outcome: Outcome): string | undefined {
  const { status, gasUsed, price, logs, contract } = outcome;
  if (receipt.type !== tx.type) return `has type ${receipt.type}`;
  if (receipt.status !== status) return `has status ${receipt.status}, should have ${status}`;
  if (receipt.gasUsed !== gasUsed) return `used ${receipt.gasUsed} gas, should have used ${gasUsed}`;
  if (receipt.effectiveGasPrice !== price)
    return `paid ${receipt.effectiveGasPrice} a gas, should have ${price}`;
  const [named, made] = [receipt.contractAddress, contract].map((one) => one && toHex(one));
  if (named !== made) return `names the contract ${named}, made ${made}`;
  const wanted = status === 1 ? logs : [];
  const isTold =
    receipt.logs.length === wanted.length && wanted.every((log, i) => isLog(receipt.logs[i], log));
  return isTold ? undefined : 'has other logs than it made';
}

const isLog = (told: Log | undefined, { address, topics, data }: Log): boolean =>
  told !== undefined &&
  equalBytes(told.address, address) &&
  equalBytes(told.data, data) &&
  told.topics.length === topics.length &&
  topics.every((topic, i) => equalBytes(told.topics[i] ?? EMPTY, topic));
