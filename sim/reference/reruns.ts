import type { ChainReader } from '../../core/app/chain.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { type Bytes, toHex } from '../../core/lib/bytes.ts';
import type { FeeMarket } from '../clients/answers/feeMarket.ts';
import { Unreadable } from './bank.ts';
import { Unknown } from './frame.ts';
import { Rerun } from './rerun.ts';
import type { Outcome } from './transaction.ts';

interface Gone {
  readonly rerun: Rerun;
  /** Where the records or the state differ. */
  problem: string | undefined;
  /** The run has something that the reference does not implement. */
  isStuck: boolean;
}

/**
 * Second executions of what nodes decided. Each chain is executed once for all checkers, and a longer one continues
 * where its beginning ended.
 */
export class Reruns {
  readonly #suite: CryptoSuite;
  readonly #market: FeeMarket;
  #last: Gone | undefined;

  constructor(suite: CryptoSuite, market: FeeMarket) {
    this.#suite = suite;
    this.#market = market;
  }

  /**
   * Executes a chain again with the reference and says where the node's records or state differ. Undefined if nothing
   * differs, or if the reference does not implement something in it.
   */
  problem(chain: ChainReader): string | undefined {
    return this.#through(chain)?.problem;
  }

  /** What each transaction of a chain did, by hash, as far as the reference gets. */
  outcomes(chain: ChainReader): ReadonlyMap<string, Outcome> {
    return this.#through(chain)?.rerun.outcomes ?? new Map();
  }

  /**
   * The slots of an account that a chain may have written since genesis. Undefined if the reference does not get to the
   * end.
   */
  slotsOf(chain: ChainReader): ((address: Bytes) => readonly Bytes[]) | undefined {
    const gone = this.#through(chain);
    if (gone === undefined || gone.isStuck || gone.problem !== undefined) return undefined;
    return (address) => gone.rerun.slotsOf(toHex(address));
  }

  /**
   * What each transaction of one block did on the stored state before it, with the first `rowsMax` instructions of
   * each. Undefined if there is no such state.
   */
  inBlock(chain: ChainReader, height: number, rowsMax: number): ReadonlyMap<string, Outcome> | undefined {
    const genesis = chain.view(height === chain.genesisNumber() + 1 ? 0 : height - 1);
    if (genesis === undefined) return undefined;
    const rerun = new Rerun(chain, this.#suite, this.#market, { genesis, first: height, rowsMax });
    told(() => rerun.nextProblem(undefined));
    return rerun.outcomes;
  }

  /** Executes a chain that is stored from genesis on and has the fork that the reference implements. */
  #through(chain: ChainReader): Gone | undefined {
    const first = chain.genesisNumber() + 1;
    const genesis = chain.base() <= first && chain.fork === 'osaka' ? chain.view(0) : undefined;
    if (genesis === undefined) return undefined;
    const known = this.#last;
    const gone: Gone =
      known?.rerun.isOf(chain) === true
        ? known
        : {
            rerun: new Rerun(chain, this.#suite, this.#market, { genesis, first, rowsMax: 0 }),
            problem: undefined,
            isStuck: false,
          };
    // If a drive refuses in the middle, the next call starts anew.
    this.#last = undefined;
    if (!gone.isStuck && gone.problem === undefined && gone.rerun.done < chain.head()) {
      const problem = told(() => gone.rerun.problem(chain));
      if (problem === STUCK) gone.isStuck = true;
      else gone.problem = problem;
    }
    this.#last = gone;
    return gone;
  }
}

const STUCK = Symbol('the reference does not know it');

/** The problem in words, as far as the reference gets. */
function told(problemOf: () => string | undefined): string | undefined | typeof STUCK {
  try {
    return problemOf();
  } catch (error) {
    if (error instanceof Unknown) return STUCK;
    if (error instanceof Unreadable) return `something that can not be read: ${error.message}`;
    throw error;
  }
}
