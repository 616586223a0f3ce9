import { assert } from '../../../core/lib/assert.ts';
import { type Bytes, compareBytes, equalBytes } from '../../../core/lib/bytes.ts';
import type { Cluster } from '../../cluster.ts';
import { totalOf } from '../../schedule.ts';

/** A validator with its proposer priority (`credit`). */
export interface Seat {
  readonly address: Bytes;
  power: bigint;
  credit: bigint;
}

export type Stakeholder = Pick<Seat, 'address' | 'power'>;

/** Heights from one stored state of the seats to the next. */
const PAGE = 32;

/** The validator updates in the block of a height: their new powers, 0 for removed. */
export type Changes = (height: number) => readonly Stakeholder[];

/**
 * The proposer of each height and round, worked out again from the rule alone. Each turn every validator's priority
 * grows by its power; the one with the highest priority (of equals the lower address) proposes and pays the total
 * power. Before each turn priorities are rescaled and centered on 0. A new validator begins deep in debt. Written apart
 * from core/consensus/priority.ts, to check it (CometBFT types/validator_set.go).
 */
export class Rotation {
  readonly #first: number;
  readonly #changes: Changes;
  #seats: readonly Seat[];
  /** The height whose round 0 was the last turn taken in `#seats`. */
  #height: number;
  #proposer: Bytes;
  /** Copies of the seats before every `PAGE`th height, for questions about earlier heights. */
  readonly #past: (readonly Seat[])[] = [];

  constructor(validators: readonly Stakeholder[], first: number, changes: Changes = () => []) {
    assert(validators.length > 0, 'somebody proposes');
    this.#first = first;
    this.#changes = changes;
    this.#seats = validators.map(({ address, power }) => ({ address, power, credit: 0n }));
    this.#height = first - 1;
    this.#proposer = (this.#seats[0] as Seat).address;
  }

  proposer(height: number, round: number): Bytes {
    this.#goTo(height);
    if (round === 0) return this.#proposer;
    const seats = copied(this.#seats);
    let proposer = this.#proposer;
    for (let turn = 0; turn < round; turn++) {
      settle(seats);
      proposer = takeTurn(seats);
    }
    return proposer;
  }

  /** The validators of a height, after the turn of its round 0. */
  seats(height: number): readonly Seat[] {
    this.#goTo(height);
    return this.#seats;
  }

  /** Goes to the first height if a lower one is wanted. */
  #goTo(wanted: number): void {
    const height = Math.max(wanted, this.#first);
    if (height < this.#height) {
      // The turn of the height itself is taken again, because it yields the proposer.
      const page = Math.floor((height - this.#first) / PAGE);
      this.#seats = copied(this.#past[page] as readonly Seat[]);
      this.#height = this.#first - 1 + page * PAGE;
    }
    while (this.#height < height) {
      const page = (this.#height + 1 - this.#first) / PAGE;
      if (Number.isInteger(page)) this.#past[page] ??= copied(this.#seats);
      this.#height++;
      const changes = this.#changes(this.#height - 2);
      if (changes.length > 0) this.#seats = changed(this.#seats, changes);
      settle(this.#seats);
      this.#proposer = takeTurn(this.#seats);
    }
  }
}

/** The rotation that the cluster's chain is going to have. */
export const rotationOf = ({ genesis, schedule }: Cluster): Rotation =>
  new Rotation(schedule.voters(genesis.initialHeight), genesis.initialHeight, (height) =>
    schedule.changes(height),
  );

const copied = (seats: readonly Seat[]): readonly Seat[] => seats.map((seat) => ({ ...seat }));

/** New validators are added before old ones are removed, because their debt is that of the larger set. */
function changed(seats: readonly Seat[], changes: readonly Stakeholder[]): readonly Seat[] {
  const out = copied(seats);
  const gone = new Set<Seat>();
  const come: Seat[] = [];
  for (const { address, power } of changes) {
    const seat = out.find((one) => equalBytes(one.address, address));
    if (seat === undefined) come.push({ address, power, credit: 0n });
    else if (power === 0n) gone.add(seat);
    else seat.power = power;
  }
  const total = totalOf([...out, ...come]);
  for (const seat of come) seat.credit = -(total + total / 8n);
  return [...out, ...come].filter((seat) => !gone.has(seat));
}

/** Rescales priorities to a span of at most twice the total power, and centers them on 0. */
function settle(seats: readonly Seat[]): void {
  const window = 2n * totalOf(seats);
  let [least, most] = [(seats[0] as Seat).credit, (seats[0] as Seat).credit];
  for (const { credit } of seats) {
    if (credit < least) least = credit;
    if (credit > most) most = credit;
  }
  if (most - least > window) {
    const ratio = (most - least + window - 1n) / window;
    for (const seat of seats) seat.credit /= ratio;
  }
  const count = BigInt(seats.length);
  const sum = seats.reduce((all, { credit }) => all + credit, 0n);
  const mean = sum / count - (sum % count < 0n ? 1n : 0n);
  if (mean !== 0n) for (const seat of seats) seat.credit -= mean;
}

function takeTurn(seats: readonly Seat[]): Bytes {
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
  chosen.credit -= totalOf(seats);
  return chosen.address;
}
