import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import type { DevAccount } from '../cluster.ts';
import type { Process } from '../machine/process.ts';
import type { FeeMarket } from './answers/feeMarket.ts';
import { oversizeProblem } from './blockRoom.ts';
import type { EthReply } from './calls.ts';
import { NOT_OUTBID, outbidProblem, overdraftProblem, takenProblem, WAITS_TOO_LONG } from './laneChange.ts';
import { isMisnamed } from './misnamed.ts';
import {
  changeProblem,
  contentOf,
  isNowhere,
  type PoolContent,
  refusalProblem,
  waitProblem,
} from './poolChange.ts';
import type { SentTx } from './sentTx.ts';
import { settledPool } from './settledPool.ts';

/** What the wallet knows that answers are judged by. */
export interface Wallet {
  readonly suite: CryptoSuite;
  readonly market: FeeMarket;
  /** Pools are large enough to take everything that can be paid for. */
  readonly isRoomy: boolean;
  /**
   * Whether its sender used nonces or coins in a block above `head`, which a node that was wiped since does not have.
   */
  isLaterThan(head: number, tx: SentTx): boolean;
  /**
   * Whether the node took another transaction of the sender that was meant to be bad, because a block had come between.
   * The script does not know that its nonce is used.
   */
  isMiscounted(tx: SentTx): boolean;
  /** Whether such a transaction of the account may still be in the way. */
  isAstray(account: DevAccount): boolean;
}

/** How a transaction is submitted. */
interface Giving {
  /** It is submitted for the first time. Only then the transactions of its batch come just before it. */
  readonly isFirst: boolean;
  /** The transaction before it in the batch was taken. */
  readonly isAfter: boolean;
  /** The node cannot write to its disk, or could not a moment ago. */
  readonly isHeldUp: boolean;
}

/** How its answer came. */
interface Coming {
  /** Its sender has sent nothing else meanwhile. */
  readonly isAlone: boolean;
  /** And it came soon. A transaction that waits because the node cannot write is overtaken by others. */
  readonly isPrompt: boolean;
}

const wordsOf = (reply: EthReply): string => ('error' in reply ? reply.error.message : '');

/** A refusal for another reason than that the node knows it or its nonce is used. Errors are answers too. */
export const isRefusal = (reply: EthReply): boolean =>
  'error' in reply && !/nonce too low|already known/.test(reply.error.message);

/**
 * One transaction on its way into a node's pool: what the pool held before, and which answers no correct node may give.
 */
export class Submission {
  readonly #tx: SentTx;
  readonly #node: Process;
  readonly #giving: Giving;
  readonly #head: number;
  readonly #flushes: number;
  readonly #admissions: number;
  readonly #rpc: RpcContext | undefined;
  readonly #before: PoolContent | undefined;
  /** Every node that it was submitted to has refused it. */
  readonly #isUntaken: boolean;

  /** To be called before the transaction is submitted. */
  constructor(node: Process, tx: SentTx, giving: Giving) {
    this.#tx = tx;
    this.#node = node;
    this.#giving = giving;
    this.#head = node.head;
    this.#flushes = node.flushes;
    this.#admissions = node.admissions;
    // Not between a commit and the node's own step after it, when the pool still belongs to the state before.
    this.#rpc = settledPool(node, Number.POSITIVE_INFINITY);
    this.#before = this.#rpc && contentOf(this.#rpc.pool);
    this.#isUntaken = tx.gives > 0 && tx.refusals === tx.gives;
  }

  get #isSamePool(): boolean {
    return this.#node.head === this.#head && this.#node.flushes === this.#flushes;
  }

  /**
   * Whether the node calls it known and does not have it. That may happen once: it may just have come from a peer, and
   * not have been checked yet.
   */
  isGhost(reply: EthReply, { suite }: Wallet): boolean {
    const { raw } = this.#tx;
    return (
      this.isKnown(reply) && !this.#giving.isHeldUp && isNowhere(this.#node, suite.keccak256(raw), this.#tx)
    );
  }

  isKnown(reply: EthReply): boolean {
    return wordsOf(reply) === 'already known';
  }

  /** What is wrong with the answer, as soon as it has come. */
  problems(reply: EthReply, coming: Coming, wallet: Wallet): readonly string[] {
    const { hash } = this.#tx;
    const isWronglyNamed = 'result' in reply && reply.result !== hash;
    return [
      isWronglyNamed ? `eth_sendRawTransaction answered ${String(reply.result)} for ${hash}` : undefined,
      this.#poolProblem(reply, wallet),
      this.#takenProblem(reply, coming, wallet),
      this.#isUntaken && this.isKnown(reply)
        ? `${hash} was refused by all that it was given, and is called known`
        : undefined,
      this.#tx.ghosts > 1 ? `${hash} is called known again and again, and is nowhere` : undefined,
      this.#sizeProblem(reply),
      isMisnamed(this.#tx, wordsOf(reply)) ? `${hash} was refused: ${wordsOf(reply)}` : undefined,
      this.#refusedProblem(reply, coming, wallet),
    ].filter((problem) => problem !== undefined);
  }

  /**
   * Judges what it did to the pool, or the words in which it was refused, by the pool's content and the sender's
   * balance.
   */
  #poolProblem(reply: EthReply, { market }: Wallet): string | undefined {
    const [tx, node, before] = [this.#tx, this.#node, this.#before];
    if (!this.#isSamePool || this.#rpc === undefined) return undefined;
    if ('result' in reply) {
      const isOnly = node.admissions === this.#admissions + 1;
      const problem = changeProblem(before, contentOf(this.#rpc.pool), tx.hash);
      return problem ?? (isOnly ? takenProblem(before, node, tx) : undefined);
    }
    const words = wordsOf(reply);
    if (words === 'transaction underpriced') return refusalProblem(before, node, tx, market);
    if (words === NOT_OUTBID) return outbidProblem(before, node, tx);
    // A replacement waits no longer than what it replaces, and one that is worth more overtakes others.
    if (words.startsWith(WAITS_TOO_LONG))
      return (
        outbidProblem(before, node, tx) ??
        refusalProblem(before, node, tx, market) ??
        waitProblem(node, tx, words)
      );
    return overdraftProblem(before, node, tx, words);
  }

  /** After a block in between a bad transaction may have become valid. */
  #takenProblem(reply: EthReply, { isAlone }: Coming, wallet: Wallet): string | undefined {
    const tx = this.#tx;
    const isTaken = 'result' in reply && tx.bad !== undefined && this.#giving.isAfter;
    if (!isTaken || !isAlone || !this.#isSamePool) return undefined;
    if (wallet.isLaterThan(this.#head, tx) || wallet.isMiscounted(tx)) return undefined;
    return wallet.isRoomy || this.#isPreceded ? `${tx.hash} was taken, which ${tx.bad}` : undefined;
  }

  /** Whether a transaction that may make this one bad was still in the pool, and not driven out of it. */
  get #isPreceded(): boolean {
    const { from, nonce } = this.#tx;
    const own = this.#before?.find(({ sender }) => equalBytes(sender, from.address));
    return [...(own?.pending ?? []), ...(own?.queued ?? [])].some(
      (one) => one.nonce === BigInt(nonce) || one.nonce === BigInt(nonce) - 1n,
    );
  }

  #sizeProblem(reply: EthReply): string | undefined {
    const { raw, hash } = this.#tx;
    if (!wordsOf(reply).startsWith('oversized data') || !this.#isSamePool) return undefined;
    const problem = this.#rpc && oversizeProblem(this.#rpc.chain, raw.length);
    return problem && `${hash} was ${problem}`;
  }

  #refusedProblem(reply: EthReply, { isPrompt }: Coming, wallet: Wallet): string | undefined {
    const { from, hash, isWanted } = this.#tx;
    const { isAfter, isFirst } = this.#giving;
    const isSure = isAfter && isFirst && isPrompt && isWanted === true && wallet.isRoomy;
    if (!isSure || !isRefusal(reply) || wallet.isAstray(from)) return undefined;
    return this.#isUnfit(wordsOf(reply), wallet) ? undefined : `${hash} was refused: ${wordsOf(reply)}`;
  }

  /**
   * Whether it asks for more than this chain's blocks have, or offers less than this chain asks for. While a block is
   * stored, nobody knows which limits of blocks it was judged by.
   */
  #isUnfit(words: string, { market }: Wallet): boolean {
    const { gas, feeCap, raw } = this.#tx;
    const chain = this.#rpc?.chain;
    if (words === 'exceeds block gas limit') return chain === undefined || gas > chain.gasLimit();
    if (words.startsWith('oversized data: '))
      return chain === undefined || oversizeProblem(chain, raw.length) === undefined;
    return words.startsWith('transaction underpriced: gas fee cap ') && feeCap < market.minGasPrice;
  }
}
