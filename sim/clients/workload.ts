import { toEip55 } from '../../core/address/eip55.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
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
import type { FeeMarket } from './answers/feeMarket.ts';
import { oversizeProblem } from './blockRoom.ts';
import { BlockWaits } from './blockWaits.ts';
import type { ClientCalls, EthAsk } from './calls.ts';
import { NOT_OUTBID, outbidProblem, overdraftProblem, takenProblem } from './laneChange.ts';
import { SYNC } from './mouths.ts';
import { OpenTxs } from './openTxs.ts';
import { changeProblem, contentOf, isNowhere, type PoolContent, refusalProblem } from './poolChange.ts';
import { settledPool } from './settledPool.ts';

const POLL_MICROS = 500_000;
/** A node that can write answers sooner. */
const PROMPT_MICROS = 300_000;
/** A transaction not seen in a block for so long is sent again, as wallets do. */
const RESEND_MICROS = 5_000_000;

export interface SentTx extends Draft {
  readonly hash: string;
  readonly raw: Bytes;
  sentAt: number;
  /** Head of the node when it was sent last. */
  sentHead: number;
  /** The life of the node in which it was taken; 0 for none. */
  takenIn: number;
  /** How often it was sent, and of these how often it was refused for another reason than that it is known. */
  gives: number;
  refusals: number;
  /** How often in a row it was called known by a node that did not have it. */
  ghosts: number;
  /** Another one of the same nonce is in a block. */
  isReplaced: boolean;
  /** What the client was told. */
  receipt: { readonly blockNumber: number; readonly blockHash: string } | undefined;
}

/**
 * A wallet that sends what its script says at a steady rate through one node's JSON-RPC, polls for receipts, and
 * remembers everything it was told. Its accounts are its own: no other client uses them.
 */
export class EvmClient {
  readonly spec: ClientSpec;
  readonly sent: SentTx[] = [];
  /** Answers that no correct node may give, with the time. */
  readonly complaints: string[] = [];
  readonly accounts: readonly DevAccount[];
  readonly #world: World;
  readonly #calls: ClientCalls;
  readonly #node: Process;
  readonly #suite: CryptoSuite;
  readonly #choices: ChoiceStream;
  readonly #feeMarket: FeeMarket;
  readonly #nonces = new Map<DevAccount, number>();
  readonly #open = new OpenTxs<SentTx>((tx) => isOpen(tx));
  readonly #sentOf = new Map<DevAccount, SentTx[]>();
  readonly #script: Script;
  readonly #state: ClientState;
  /** Pools take whatever can be paid for. */
  readonly #isRoomy: boolean;
  /** Sent before: only then its neighbours were sent with it. */
  readonly #given = new Set<string>();
  /** Bad ones that were good when they came: a block had come between. */
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
    this.#isRoomy = isRoomy;
    this.#world = world;
    this.#calls = calls;
    this.#node = world.process(spec.at);
    this.#suite = suite;
    this.#feeMarket = cluster.feeMarket;
    this.#choices = world.choices.stream(`client/${spec.name}`);
    this.accounts = accounts.slice(0, spec.accounts);
    for (const account of this.accounts) this.#nonces.set(account, 0);
    this.#aftermath = new Aftermath(world);
    this.#waits = new BlockWaits(world, calls, this.#node, SYNC, (text) => this.complaints.push(text));
    present(cluster.accounts[0], 'development accounts');
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

  get confirmed(): readonly SentTx[] {
    return this.sent.filter((tx) => tx.receipt !== undefined);
  }

  /** Heights from the last submission to the block, or to the head as long as there is none. */
  waits(): readonly { readonly hash: string; readonly waited: number }[] {
    const head = this.#head;
    return this.sent
      .filter(({ isReplaced }) => !isReplaced)
      .map(({ hash, receipt, sentHead }) => ({ hash, waited: (receipt?.blockNumber ?? head) - sentHead }));
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
      // Once others have come in between, or those before it have gone, nothing of the rest is sure.
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

  get #head(): number {
    return this.#node.head;
  }

  #nodeFor({ nonce }: SentTx): Process {
    const { alsoAt } = this.spec;
    return alsoAt === undefined || nonce % 2 === 1 ? this.#node : this.#world.process(alsoAt);
  }

  /** Whether it was taken; `isAfter`: the one that was sent before it with it was. */
  async #give(ask: EthAsk, tx: SentTx, isAfter: boolean): Promise<boolean> {
    tx.sentAt = this.#world.now;
    const node = this.#nodeFor(tx);
    tx.sentHead = this.#world.height;
    const { head, flushes, admissions } = node;
    const isHeldUp = this.#aftermath.lasts(node);
    const { length } = this.#sentBy(tx.from);
    // Not between a commit and the node's own step after it: the pool is that of before then.
    const rpc = settledPool(node, Number.POSITIVE_INFINITY);
    const pool = rpc?.pool;
    const before = pool && contentOf(pool);
    // The answer may be lost with the node, and those after it come before it then.
    const isFirst = !this.#given.has(tx.hash);
    this.#given.add(tx.hash);
    // Nobody has it, as far as the answers tell.
    const isUntaken = tx.gives > 0 && tx.refusals === tx.gives;
    tx.gives += 1;
    if (this.spec.script === 'waits' && isFirst) {
      await this.#waits.give(tx.hash, tx.raw);
      return true;
    }
    const reply = await ask('eth_sendRawTransaction', [to0xHex(tx.raw)]);
    const isTaken = 'result' in reply;
    // Errors are answers too: already known, nonce too low after a resend. Only a wrong hash is never right.
    if (isTaken && reply.result !== tx.hash)
      this.complaints.push(`eth_sendRawTransaction answered ${String(reply.result)} for ${tx.hash}`);
    if (isTaken) tx.takenIn = this.#node.lives;
    if (isTaken && tx.bad !== undefined) this.#strays.push(tx);
    // Meanwhile its sender may have sent more; whoever waits longer, because the node cannot write, is overtaken by it.
    const isAlone = this.#sentBy(tx.from).length === length;
    const isPrompt = isAlone && this.#world.now - tx.sentAt < PROMPT_MICROS;
    const isSamePool = node.head === head && node.flushes === flushes;
    if (isSamePool && pool !== undefined) {
      const isOnly = node.admissions === admissions + 1;
      const problem = isTaken
        ? (changeProblem(before, contentOf(pool), tx.hash) ??
          (isOnly ? takenProblem(before, node, tx) : undefined))
        : this.#refusalProblem(before, node, tx, 'error' in reply ? reply.error.message : '');
      if (problem !== undefined) this.complaints.push(problem);
    }
    // With a block in between it may have become right.
    const isWrong = isTaken && tx.bad !== undefined && isAfter && isAlone && isSamePool;
    if (isWrong && !this.#isLaterThan(head, tx) && !this.#isMiscounted(tx))
      this.complaints.push(`${tx.hash} was taken, which ${tx.bad}`);
    const isRefused = 'error' in reply && !/nonce too low|already known/.test(reply.error.message);
    if (isRefused && isPrompt) tx.refusals += 1;
    const isKnown = 'error' in reply && reply.error.message === 'already known';
    if (isUntaken && isKnown)
      this.complaints.push(`${tx.hash} was refused by all that it was given, and is called known`);
    // Once it may have come from a peer at that moment, and not have been looked at yet; a node without room on its drive looks at nothing.
    tx.ghosts =
      isKnown && !isHeldUp && isNowhere(node, this.#suite.keccak256(tx.raw), tx) ? tx.ghosts + 1 : 0;
    if (tx.ghosts > 1) this.complaints.push(`${tx.hash} is called known again and again, and is nowhere`);
    const isTooLarge = 'error' in reply && reply.error.message.startsWith('oversized data');
    if (isTooLarge && isSamePool && rpc !== undefined) {
      const problem = oversizeProblem(rpc.chain, tx.raw.length);
      if (problem !== undefined) this.complaints.push(`${tx.hash} was ${problem}`);
    }
    const isSure = isAfter && isFirst && isPrompt && !this.#isAstray(tx.from);
    if (this.#isRoomy && isRefused && tx.isWanted === true && isSure)
      this.complaints.push(`${tx.hash} was refused: ${reply.error.message}`);
    return isTaken && isPrompt;
  }

  /** What is wrong with the words of a refusal, by what the pool holds and its sender has. */
  #refusalProblem(
    was: PoolContent | undefined,
    node: Process,
    tx: SentTx,
    words: string,
  ): string | undefined {
    if (words === 'transaction underpriced') return refusalProblem(was, node, tx, this.#feeMarket);
    if (words === NOT_OUTBID) return outbidProblem(was, node, tx);
    return overdraftProblem(was, node, tx, words);
  }

  /** Whether its sender used nonces or coins in a block that a node with this head, wiped since, does not have. */
  #isLaterThan(head: number, { from }: SentTx): boolean {
    return this.#sentBy(from).some(({ receipt }) => (receipt?.blockNumber ?? 0) > head);
  }

  /** Whether another was taken that was not meant to be, between two blocks: its script knows nothing of that nonce. */
  #isMiscounted(tx: SentTx): boolean {
    return this.#strays.some((stray) => stray !== tx && stray.from === tx.from);
  }

  /** Whether what was not meant to be taken may be in the way. */
  #isAstray(account: DevAccount): boolean {
    return this.#strays.some(({ from, nonce }) => from === account && !this.#state.isConfirmed(from, nonce));
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
      // Those that it was to follow may have been lost with the node, or come after it now.
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
      this.complaints.push(`${tx.hash} has status ${receipt.status}, expected ${tx.status}`);
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

  /** Its nonce is used: no node that has been told of the block has it in its pool. */
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
