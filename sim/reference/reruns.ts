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
  /** In what the records or the state differ. */
  problem: string | undefined;
  /** The reference does not know something that was run, or cannot read it. */
  isStuck: boolean;
}

/** The second execution of what nodes decided: each past is gone through once, whoever asks, and a longer chain goes on where the one before ended. */
export class Reruns {
  readonly #suite: CryptoSuite;
  readonly #market: FeeMarket;
  #last: Gone | undefined;

  constructor(suite: CryptoSuite, market: FeeMarket) {
    this.#suite = suite;
    this.#market = market;
  }

  /**
   * Runs a chain again by the reference and says in what the node's records or its state differ; undefined when in nothing, or when
   * the reference does not know something that was run.
   */
  problem(chain: ChainReader): string | undefined {
    return this.#through(chain)?.problem;
  }

  /** What each transaction of a chain did, by their hashes, as far as the reference gets. */
  outcomes(chain: ChainReader): ReadonlyMap<string, Outcome> {
    return this.#through(chain)?.rerun.outcomes ?? new Map();
  }

  /** Which slots of an account a chain may have written since its genesis; undefined where the reference does not get to its end. */
  slotsOf(chain: ChainReader): ((address: Bytes) => readonly Bytes[]) | undefined {
    const gone = this.#through(chain);
    if (gone === undefined || gone.isStuck || gone.problem !== undefined) return undefined;
    return (address) => gone.rerun.slotsOf(toHex(address));
  }

  /** What each transaction of one block did on the state that is kept of the block before, with the first `rowsMax` instructions of each; undefined where none is. */
  inBlock(chain: ChainReader, height: number, rowsMax: number): ReadonlyMap<string, Outcome> | undefined {
    const genesis = chain.view(height === chain.genesisNumber() + 1 ? 0 : height - 1);
    if (genesis === undefined) return undefined;
    const rerun = new Rerun(chain, this.#suite, this.#market, { genesis, first: height, rowsMax });
    told(() => rerun.nextProblem(undefined));
    return rerun.outcomes;
  }

  /** Of a chain that is there from its genesis on, under the rules that the reference knows. */
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
    // What a drive refuses in the middle is begun anew.
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

/** What is wrong in words, as far as the reference gets. */
function told(problemOf: () => string | undefined): string | undefined | typeof STUCK {
  try {
    return problemOf();
  } catch (error) {
    if (error instanceof Unknown) return STUCK;
    if (error instanceof Unreadable) return `something that can not be read: ${error.message}`;
    throw error;
  }
}
