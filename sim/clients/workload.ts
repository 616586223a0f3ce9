import { toEip55 } from '../../core/address/eip55.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { type Bytes, to0xHex, toHex } from '../../core/lib/bytes.ts';
import { signTx } from '../../core/rpc/eth/signTx.ts';
import { type Cluster, type DevAccount, EVM_CHAIN_ID } from '../cluster.ts';
import { Aftermath } from '../machine/aftermath.ts';
import type { Process } from '../machine/process.ts';
import type { ClientSpec } from '../scenario/clientSpecs.ts';
import { scriptOf } from '../scripts/all.ts';
import { handwritten } from '../scripts/ethLies.ts';
import type { ClientState, Draft, Script } from '../scripts/script.ts';
import type { ChoiceStream } from '../world/choices.ts';
import type { World } from '../world/world.ts';
import { BlockWaits } from './blockWaits.ts';
import type { ClientCalls, EthAsk } from './calls.ts';
import { SYNC } from './mouths.ts';
import { OpenTxs } from './openTxs.ts';
import { wrongCode } from './refusalCodes.ts';
import type { SentTx, Submitted } from './sentTx.ts';
import { isRefusal, Submission, type Wallet } from './submission.ts';

const POLL_MICROS = 500_000;
/** A node that can write to its disk answers sooner. */
const PROMPT_MICROS = 300_000;
/** A transaction not seen in a block for so long is sent again, as wallets do. */
const RESEND_MICROS = 5_000_000;

/**
 * A wallet that sends what its script says at a steady rate through one node's JSON-RPC, polls for receipts, and
 * remembers everything it was told. Its accounts are its own: no other client uses them.
 */
export class EvmClient {
  readonly spec: ClientSpec;
  readonly sent: SentTx[] = [];
  /** Answers that no correct node may give. */
  readonly complaints: string[] = [];
  /** Answers that differ from what follows from the transactions before. On another chain there are other ones. */
  readonly surprises: string[] = [];
  readonly accounts: readonly DevAccount[];
  readonly #world: World;
  readonly #calls: ClientCalls;
  readonly #node: Process;
  readonly #suite: CryptoSuite;
  readonly #choices: ChoiceStream;
  readonly #wallet: Wallet;
  readonly #nonces = new Map<DevAccount, number>();
  readonly #open = new OpenTxs<SentTx>((tx) => isOpen(tx));
  readonly #sentOf = new Map<DevAccount, SentTx[]>();
  readonly #script: Script;
  readonly #state: ClientState;
  /** Hashes of transactions submitted before. Only the first time its neighbours are sent with a transaction. */
  readonly #given = new Set<string>();
  /** Bad transactions that were taken, because a block in between had made them valid. */
  readonly #strays: SentTx[] = [];
  #isPolling = false;
  readonly #waits: BlockWaits;
  readonly #aftermath: Aftermath;

  constructor(
    world: World,
    calls: ClientCalls,
    cluster: Cluster,
    suite: CryptoSuite,
    spec: ClientSpec,
    accounts: readonly DevAccount[],
    isRoomy: boolean,
  ) {
    this.spec = spec;
    this.#world = world;
    this.#calls = calls;
    this.#node = world.process(spec.at);
    this.#suite = suite;
    this.#choices = world.choices.stream(`client/${spec.name}`);
    this.accounts = accounts.slice(0, spec.accounts);
    for (const account of this.accounts) this.#nonces.set(account, 0);
    this.#aftermath = new Aftermath(world);
    this.#waits = new BlockWaits(world, calls, this.#node, SYNC, (text) => this.complaints.push(text));
    this.#wallet = {
      suite,
      market: cluster.feeMarket,
      isRoomy,
      isLaterThan: (head, { from }) =>
        this.#sentBy(from).some(({ receipt }) => (receipt?.blockNumber ?? 0) > head),
      isMiscounted: (tx) => this.#strays.some((stray) => stray !== tx && stray.from === tx.from),
      isAstray: (account) =>
        this.#strays.some(({ from, nonce }) => from === account && !this.#state.isConfirmed(from, nonce)),
    };
    this.#script = scriptOf(suite, spec, cluster);
    this.#state = {
      accounts: this.accounts,
      choices: this.#choices,
      open: (account) => this.#open.of(account),
      taken: (account) => this.#open.of(account).filter(({ takenIn }) => takenIn === this.#node.lives),
      nonceOf: (account) => this.#nonces.get(account) ?? 0,
      takeNonce: (account) => this.#takeNonce(account),
      spent: (account) => this.confirmed.reduce((sum, tx) => sum + (tx.from === account ? tx.value : 0n), 0n),
      isConfirmed: (account, nonce) =>
        this.#sentBy(account).some((tx) => tx.nonce === nonce && tx.receipt !== undefined),
    };
  }

  get hasActed(): boolean {
    return this.sent.length > 0;
  }

  get confirmed(): readonly SentTx[] {
    return this.sent.filter((tx) => tx.receipt !== undefined);
  }

  get submitted(): readonly Submitted[] {
    return this.sent
      .filter(({ isReplaced, gives }) => !isReplaced && gives > 0)
      .map(({ hash, receipt, sentHead }) => ({ hash, sentHead, height: receipt?.blockNumber }));
  }

  start(): void {
    this.#world.every(this.spec.period, () => this.#sendNext());
    this.#world.every(POLL_MICROS, () => this.#poll());
  }

  #sentBy(account: DevAccount): SentTx[] {
    let sent = this.#sentOf.get(account);
    if (sent === undefined) {
      sent = [];
      this.#sentOf.set(account, sent);
    }
    return sent;
  }

  #takeNonce(account: DevAccount): number {
    const nonce = this.#nonces.get(account) ?? 0;
    this.#nonces.set(account, nonce + 1);
    return nonce;
  }

  #sendNext(): Promise<void> | undefined {
    if (this.spec.count > 0 && this.sent.length >= this.spec.count) return undefined;
    if (this.#node.state !== 'up') return undefined;
    const txs = this.#script(this.#state).map((draft) => this.#sign(draft));
    for (const tx of txs) {
      if (tx.bad !== undefined) continue;
      this.sent.push(tx);
      this.#open.add(tx);
      this.#sentBy(tx.from).push(tx);
    }
    const [first, ...rest] = txs;
    return first === undefined ? undefined : this.#submitAll([first, ...rest]);
  }

  async #submitAll(txs: readonly SentTx[]): Promise<void> {
    if (!txs.some((tx) => tx.isWanted === true)) {
      for (const tx of txs) await this.#submit(tx, true);
      return;
    }
    // Each waits for the answer to the one before.
    await this.#calls.run(this.#node, async (ask) => {
      const { head, flushes } = this.#node;
      const isSame = (): boolean => this.#node.head === head && this.#node.flushes === flushes;
      let isAfter = !this.#node.isFlushing;
      // The rest is not sure once other transactions came in between, or earlier ones have left the pool.
      for (const tx of txs) isAfter = (await this.#give(ask, tx, isAfter)) && isAfter && isSame();
    });
  }

  #raw(draft: Draft): Bytes {
    if (draft.lie !== undefined) return handwritten(draft.lie, draft, this.#suite);
    const { tip, feeCap, nonce, from, to, value, gas, data, accessList, type = 2 } = draft;
    return signTx(
      {
        chainId: draft.chainId ?? EVM_CHAIN_ID,
        nonce: BigInt(nonce),
        fees: type < 2 ? { gasPrice: feeCap } : { maxPriorityFeePerGas: tip, maxFeePerGas: feeCap },
        gas,
        to,
        value,
        data,
        accessList: accessList ?? (type === 0 ? undefined : []),
        authorizationList: draft.authorizationList ?? [],
      },
      from.secret,
      this.#suite,
    );
  }

  #sign(draft: Draft): SentTx {
    const raw = this.#raw(draft);
    const hash = to0xHex(this.#suite.keccak256(raw));
    return {
      ...draft,
      hash,
      raw,
      sentAt: this.#world.now,
      sentHead: 0,
      takenIn: 0,
      gives: 0,
      refusals: 0,
      ghosts: 0,
      isReplaced: false,
      receipt: undefined,
    };
  }

  #submit(tx: SentTx, isAfter: boolean): Promise<void> {
    return this.#calls.run(this.#nodeFor(tx), async (ask) => {
      await this.#give(ask, tx, isAfter);
    });
  }

  #nodeFor({ nonce }: SentTx): Process {
    const { alsoAt } = this.spec;
    return alsoAt === undefined || nonce % 2 === 1 ? this.#node : this.#world.process(alsoAt);
  }

  /** Submits a transaction and returns whether it was taken. `isAfter`: the one before it in its batch was taken. */
  async #give(ask: EthAsk, tx: SentTx, isAfter: boolean): Promise<boolean> {
    const { now } = this.#world;
    const { sentHead } = tx;
    tx.sentAt = now;
    tx.sentHead = this.#world.height;
    const node = this.#nodeFor(tx);
    const { length } = this.#sentBy(tx.from);
    const isHeldUp = this.#aftermath.lasts(node);
    // The answer may be lost with the node, and later transactions then come before this one.
    const isFirst = !this.#given.has(tx.hash);
    const submission = new Submission(node, tx, { isFirst, isAfter, isHeldUp });
    this.#given.add(tx.hash);
    tx.gives += 1;
    if (this.spec.script === 'waits' && isFirst) {
      await this.#waits.give(tx.hash, tx.raw);
      return true;
    }
    const reply = await ask('eth_sendRawTransaction', [to0xHex(tx.raw)]);
    const isTaken = 'result' in reply;
    if (!isFirst && submission.isKnown(reply)) tx.sentHead = sentHead;
    const isAlone = this.#sentBy(tx.from).length === length;
    // It may have been sent again meanwhile.
    const isPrompt = isAlone && this.#world.now - now < PROMPT_MICROS;
    if (isTaken) tx.takenIn = this.#node.lives;
    if (isTaken && tx.bad !== undefined) this.#strays.push(tx);
    if (isPrompt && isRefusal(reply)) tx.refusals += 1;
    tx.ghosts = submission.isGhost(reply, this.#wallet) ? tx.ghosts + 1 : 0;
    // What makes a transaction bad may be an earlier one.
    const problems = isTaken && tx.bad !== undefined ? this.surprises : this.complaints;
    problems.push(...submission.problems(reply, { isAlone, isPrompt }, this.#wallet));
    if (isPrompt && 'error' in reply) await this.#compareCode(node, tx, reply.error.message);
    return isTaken && isPrompt;
  }

  async #compareCode({ node }: Process, tx: SentTx, words: string): Promise<void> {
    const problem = node?.rpc && (await wrongCode(node.rpc, tx, words));
    if (problem !== undefined) this.complaints.push(problem);
  }

  async #poll(): Promise<void> {
    if (this.#isPolling || this.#node.state !== 'up') return;
    this.#isPolling = true;
    const open = this.#open.all();
    await this.#calls.run(this.#node, async (ask) => {
      for (const tx of open) await this.#askReceipt(ask, tx);
    });
    this.#waits.look(POLL_MICROS);
    this.#isPolling = false;
    for (const tx of open) {
      // The transactions that it was to follow may be lost with the node, or may come after it now.
      if (isOpen(tx) && this.#world.now - tx.sentAt >= RESEND_MICROS) await this.#submit(tx, false);
    }
  }

  async #askReceipt(ask: EthAsk, tx: SentTx): Promise<void> {
    const reply = await ask('eth_getTransactionReceipt', [tx.hash]);
    if (!('result' in reply) || reply.result === null) return;
    const receipt = reply.result as {
      readonly blockNumber: string;
      readonly blockHash: string;
      readonly status: string;
      readonly from: string;
    };
    if (tx.status !== undefined && receipt.status !== tx.status)
      this.surprises.push(`${tx.hash} has status ${receipt.status}, expected ${tx.status}`);
    if (receipt.from.toLowerCase() !== `0x${toHex(tx.from.address)}`) {
      this.complaints.push(
        `receipt of ${tx.hash} names ${receipt.from}, expected ${toEip55(tx.from.address)}`,
      );
    }
    tx.receipt = { blockNumber: Number(receipt.blockNumber), blockHash: receipt.blockHash };
    for (const other of this.#sentBy(tx.from))
      if (other !== tx && other.nonce === tx.nonce)
        await this.#replaced(ask, other, tx.receipt.blockNumber <= this.#node.decided);
  }

  /** Its nonce is used: a node that has been told of the block must not have it in its pool. */
  async #replaced(ask: EthAsk, tx: SentTx, isTold: boolean): Promise<void> {
    tx.isReplaced = true;
    const reply = await ask('eth_getTransactionByHash', [tx.hash]);
    if (isTold && 'result' in reply && reply.result !== null)
      this.complaints.push(`${tx.hash} is shown, but another one of its nonce is in a block`);
    if (tx.receipt !== undefined)
      this.complaints.push(`nonce ${tx.nonce} has two receipts, one of ${tx.hash}`);
  }
}

const isOpen = (tx: SentTx): boolean => tx.receipt === undefined && !tx.isReplaced;
