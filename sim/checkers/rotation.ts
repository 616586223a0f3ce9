import { assert } from '../../core/lib/assert.ts';
import { type Bytes, compareBytes } from '../../core/lib/bytes.ts';

interface Seat {
  readonly address: Bytes;
  readonly power: bigint;
  credit: bigint;
}

/**
 * Who proposes when, worked out a second time from the rule alone: each turn every validator earns its power, whoever
 * has most (of equals the lower address) proposes and pays the total. Written apart from core/consensus/priority.ts, to
 * check it; only for sets whose members and powers do not change, where nothing is ever rescaled or centered.
 */
export class Rotation {
  readonly #start: readonly Seat[];
  readonly #total: bigint;
  readonly #first: number;
  #seats: readonly Seat[];
  /** Height whose round 0 is the last turn taken in `#seats`. */
  #height: number;
  #proposer: Bytes;

  constructor(validators: readonly { readonly address: Bytes; readonly power: bigint }[], first: number) {
    assert(validators.length > 0, 'somebody proposes');
    this.#start = validators.map(({ address, power }) => ({ address, power, credit: 0n }));
    this.#total = validators.reduce((sum, { power }) => sum + power, 0n);
    this.#first = first;
    this.#seats = [];
    this.#height = first - 1;
    this.#proposer = (this.#start[0] as Seat).address;
  }

  proposer(height: number, round: number): Bytes {
    if (height < this.#height || this.#seats.length === 0) {
      this.#seats = this.#start.map((seat) => ({ ...seat }));
      this.#height = this.#first - 1;
    }
    while (this.#height < height) {
      this.#proposer = this.#turn(this.#seats);
      this.#height++;
    }
    if (round === 0) return this.#proposer;
    const seats = this.#seats.map((seat) => ({ ...seat }));
    let proposer = this.#proposer;
    for (let turn = 0; turn < round; turn++) proposer = this.#turn(seats);
    return proposer;
  }

  #turn(seats: readonly Seat[]): Bytes {
    let best: Seat | undefined;
    for (const seat of seats) {
      seat.credit += seat.power;
      const isBetter =
        best === undefined ||
        seat.credit > best.credit ||
        (seat.credit === best.credit && compareBytes(seat.address, best.address) < 0);
      if (isBetter) best = seat;
    }
    const chosen = best as Seat;
    chosen.credit -= this.#total;
    return chosen.address;
  }
}
