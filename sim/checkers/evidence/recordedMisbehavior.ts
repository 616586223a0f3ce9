import type { ChainReader } from '../../../core/app/chain.ts';
import { type Offence, offenderAt, offenderCount, readOffences } from '../../../core/app/evidence/keeper.ts';
import { type Bytes, EMPTY, toHex } from '../../../core/lib/bytes.ts';
import type { Evidence } from '../../../core/types/evidence.ts';
import type { AbciEvent } from '../../../core/types/result.ts';
import { event, eventsProblem } from '../../reference/result.ts';
import { bech32 } from '../../reference/spelling.ts';
import { offencesOf } from '../consensus/abciBlockRequests.ts';

/**
 * The application lists so many offences of a validator, the newest; older ones are only counted. Stated again here to
 * check it.
 */
const LISTED = 16;

interface Proven {
  readonly address: Bytes;
  readonly count: bigint;
  readonly newest: readonly string[];
}

/**
 * Each validator that evidence in blocks accuses has all its offences counted and its newest ones listed. The offenders
 * are listed once each, in the order of their first offences.
 */
export class RecordedMisbehavior {
  readonly #proven = new Map<string, Proven>();
  #head = 0;

  /**
   * Each block is counted once, since another checker compares chains. A chain that ends before an earlier one is not
   * judged.
   */
  problem(chain: ChainReader): string | undefined {
    if (chain.head() < this.#head) return undefined;
    for (let height = Math.max(this.#head + 1, chain.base()); height <= chain.head(); height++) {
      const pieces = chain.block(height)?.evidence ?? [];
      const wanted = pieces.flatMap((piece) => this.#add(piece, height, chain.hrp));
      const told = chain.results(height)?.events.filter(({ type }) => type === 'misbehavior') ?? wanted;
      this.#head = height;
      const problem = eventsProblem(told, wanted);
      if (problem !== undefined) return `block ${height} ${problem}`;
    }
    for (const { address, count, newest } of this.#proven.values()) {
      const record = readOffences(chain.latest(), address);
      const recorded = record?.count ?? 0n;
      if (recorded !== count)
        return `${recorded} offences of ${toHex(address)} are recorded, blocks prove ${count}`;
      const listed = record?.offences.map(described) ?? [];
      if (listed.join() !== newest.join())
        return `of the offences of ${toHex(address)} these are listed: ${listed.join()}; the newest are ${newest.join()}`;
    }
    const names = namesOf(chain);
    const due = [...this.#proven.keys()].join();
    return names === due ? undefined : `lists as offenders ${names}, they are ${due}`;
  }

  /** Records the offences of a piece and returns the events that the block must have for them. */
  #add(piece: Evidence, block: number, hrp: string): readonly AbciEvent[] {
    const events: AbciEvent[] = [];
    for (const { kind, validator, height, time, totalVotingPower: totalPower } of offencesOf(piece)) {
      const { address, power } = validator;
      const { count, newest } = this.#proven.get(toHex(address)) ?? { count: 0n, newest: [] };
      const offence = described({ kind, height, time, power, totalPower, recordedAt: block });
      this.#proven.set(toHex(address), {
        address,
        count: count + 1n,
        newest: [...newest, offence].slice(-LISTED),
      });
      events.push(
        event(
          'misbehavior',
          ['type', kind],
          ['validator', bech32(`${hrp}valcons`, address)],
          ['height', `${height}`],
          ['power', `${power}`],
          ['count', `${count + 1n}`],
        ),
      );
    }
    return events;
  }
}

function namesOf(chain: ChainReader): string {
  const view = chain.latest();
  const count = Number(offenderCount(view));
  return Array.from({ length: count }, (_, i) => toHex(offenderAt(view, BigInt(i)) ?? EMPTY)).join();
}

const described = ({ kind, height, time, power, totalPower, recordedAt }: Offence): string =>
  `${kind} at ${height} (${time.seconds}.${time.nanos}) with ${power} of ${totalPower}, in block ${recordedAt}`;
