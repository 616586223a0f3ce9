import { present } from '../core/lib/assert.ts';
import { type Bytes, compareBytes } from '../core/lib/bytes.ts';
import type { ConsensusParams } from '../core/types/params.ts';
import type { GenesisSpec, UpdateSpec } from './scenario/chainSpecs.ts';

export interface Voter {
  readonly name: string;
  readonly address: Bytes;
  readonly power: bigint;
}

/** The validators from a height on, in the order of their slots. */
export interface VoterSet {
  readonly from: number;
  readonly voters: readonly Voter[];
}

/**
 * Who may vote with what power, and which parameters hold, at every height. This follows from genesis and from what the
 * application has returned for blocks since. New powers take effect two heights later, new parameters one (CometBFT's
 * state/execution.go). Computed apart from core/consensus/chainState.ts.
 */
export class Schedule {
  /** The set of genesis, and the set after each update. */
  readonly sets: readonly VoterSet[];
  readonly #first: number;
  readonly #params: ConsensusParams;
  readonly #updates: readonly UpdateSpec[];
  readonly #changes = new Map<number, readonly Voter[]>();

  /** `known` are all who ever vote, with their powers at genesis. */
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

  /** Validators that the application changes with the block of this height; power 0 removes one. */
  changes(height: number): readonly Voter[] {
    return this.#changes.get(height) ?? [];
  }

  /** The parameters that the application returns with the block of this height, if any. */
  newParams(height: number): ConsensusParams | undefined {
    return this.#updates.find((one) => one.height === height)?.params;
  }

  /** The parameters of genesis, and those after each update that sets some. */
  get allParams(): readonly ConsensusParams[] {
    return [this.#params, ...this.#updates.flatMap(({ params }) => params ?? [])];
  }

  /** The validators at this height, in the order of their slots. */
  voters(height: number): readonly Voter[] {
    const [genesis, ...later] = this.sets;
    return present(later.findLast(({ from }) => from <= height) ?? genesis, 'a set of voters').voters;
  }

  /** The first heights of the newest sets and parameters that are known once the block of this height is executed. */
  lastChanged(height: number): { readonly voters: number; readonly params: number } {
    const past = this.#updates.filter((one) => one.height <= height);
    const votes = past.findLast(({ powers }) => powers.size > 0)?.height;
    const params = past.findLast((one) => one.params !== undefined)?.height;
    return {
      voters: votes === undefined ? this.#first : votes + 2,
      params: params === undefined ? this.#first : params + 1,
    };
  }

  /** The parameters that hold for the block of this height. */
  params(height: number): ConsensusParams {
    const past = this.#updates.filter((one) => one.params !== undefined && one.height < height);
    return past.at(-1)?.params ?? this.#params;
  }
}

export const totalOf = (voters: readonly { readonly power: bigint }[]): bigint =>
  voters.reduce((sum, { power }) => sum + power, 0n);

/** Validators with power, most power first, then by address. */
const ordered = (voters: readonly Voter[]): readonly Voter[] =>
  voters
    .filter(({ power }) => power > 0n)
    .sort((a, b) => (a.power === b.power ? compareBytes(a.address, b.address) : a.power > b.power ? -1 : 1));
