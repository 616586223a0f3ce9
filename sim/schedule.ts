import { present } from '../core/lib/assert.ts';
import { type Bytes, compareBytes } from '../core/lib/bytes.ts';
import type { ConsensusParams } from '../core/types/params.ts';
import type { GenesisSpec, UpdateSpec } from './scenario/chainSpecs.ts';

export interface Voter {
  readonly name: string;
  readonly address: Bytes;
  readonly power: bigint;
}

/** Those who vote from a height on, in the order of their slots. */
export interface VoterSet {
  readonly from: number;
  readonly voters: readonly Voter[];
}

/**
 * Who may vote with what power, and by which parameters, at every height: genesis, and what the application has answered
 * to blocks since. New powers act two heights on, new parameters one (CometBFT §4.3); worked out apart from
 * core/consensus/chainState.ts.
 */
export class Schedule {
  /** The set of genesis, and that after each update. */
  readonly sets: readonly VoterSet[];
  readonly #first: number;
  readonly #params: ConsensusParams;
  readonly #updates: readonly UpdateSpec[];
  readonly #changes = new Map<number, readonly Voter[]>();

  /** `known` are all who ever vote, with what they have at genesis. */
  constructor(
    { initialHeight, params }: GenesisSpec,
    known: readonly Voter[],
    updates: readonly UpdateSpec[],
  ) {
    this.#first = initialHeight;
    this.#params = params;
    this.#updates = updates;
    let set = ordered(known);
    const sets = [{ from: initialHeight, voters: set }];
    for (const { height, powers } of updates) {
      const changes = [...powers].map(([name, power]) => {
        const voter = known.find((one) => one.name === name);
        return { ...present(voter, 'a voter'), power: BigInt(power) };
      });
      this.#changes.set(height, changes);
      set = ordered([...set.filter(({ name }) => !powers.has(name)), ...changes]);
      sets.push({ from: height + 2, voters: set });
    }
    this.sets = sets;
  }

  /** Whom the application names in its answer to the block of this height; power 0 takes away. */
  changes(height: number): readonly Voter[] {
    return this.#changes.get(height) ?? [];
  }

  /** The parameters that the application names in that answer. */
  newParams(height: number): ConsensusParams | undefined {
    return this.#updates.find((one) => one.height === height)?.params;
  }

  /** Those of genesis, and those after each update that names some. */
  get allParams(): readonly ConsensusParams[] {
    return [this.#params, ...this.#updates.flatMap(({ params }) => params ?? [])];
  }

  /** Who votes at this height, in the order of their slots. */
  voters(height: number): readonly Voter[] {
    const [genesis, ...later] = this.sets;
    return present(later.findLast(({ from }) => from <= height) ?? genesis, 'a set of voters').voters;
  }

  /** The first heights of the newest sets and parameters that are known with the block of this height. */
  lastChanged(height: number): { readonly voters: number; readonly params: number } {
    const past = this.#updates.filter((one) => one.height <= height);
    const votes = past.findLast(({ powers }) => powers.size > 0)?.height;
    const params = past.findLast((one) => one.params !== undefined)?.height;
    return {
      voters: votes === undefined ? this.#first : votes + 2,
      params: params === undefined ? this.#first : params + 1,
    };
  }

  /** By which the block of this height is made. */
  params(height: number): ConsensusParams {
    const past = this.#updates.filter((one) => one.params !== undefined && one.height < height);
    return past.at(-1)?.params ?? this.#params;
  }
}

export const totalOf = (voters: readonly { readonly power: bigint }[]): bigint =>
  voters.reduce((sum, { power }) => sum + power, 0n);

/** Those with power, most of it first. */
const ordered = (voters: readonly Voter[]): readonly Voter[] =>
  voters
    .filter(({ power }) => power > 0n)
    .sort((a, b) => (a.power === b.power ? compareBytes(a.address, b.address) : a.power > b.power ? -1 : 1));
