import type { NodeEvent } from '../../core/types/nodeEvent.ts';
import { BETWEEN } from './told.ts';

/** Something that a node announces between blocks: its name in `tm.event`, its height and round. */
export interface Happening {
  readonly name: string;
  readonly place: string;
}

/** The announcement for an event of a node; undefined if there is none, or if it comes with a block. */
export function happeningOf(event: NodeEvent): Happening | undefined {
  if (event.kind === 'vote') return { name: 'Vote', place: `${event.vote.height}/${event.vote.round}` };
  if (event.kind !== 'round' && event.kind !== 'newRound' && event.kind !== 'completeProposal')
    return undefined;
  const place = `${event.at.height}/${event.at.round}`;
  if (event.kind === 'round') return { name: event.name, place };
  return { name: event.kind === 'newRound' ? 'NewRound' : 'CompleteProposal', place };
}

/** The same, read from what a client was told; undefined if it is no such announcement. */
export function toldHappening(name: string, value: unknown): Happening | undefined {
  if (BETWEEN[name] === undefined) return undefined;
  const { Vote, ...of } = (value ?? {}) as { readonly Vote?: object };
  const { height, round } = (Vote ?? of) as { readonly height?: string; readonly round?: number };
  return { name, place: `${height}/${round}` };
}

/** What one connection hears between blocks. It hears it in order, and without gaps once it is live. */
export class Between {
  #happened: string[] = [];
  /** Index of what may be told next. */
  #next = 0;
  /** Index from which nothing may be left out. */
  #live = Number.POSITIVE_INFINITY;

  onConnect(): void {
    [this.#happened, this.#next, this.#live] = [[], 0, Number.POSITIVE_INFINITY];
  }

  onLive(): void {
    this.#live = Math.min(this.#live, this.#happened.length);
  }

  onHappening({ name, place }: Happening): void {
    this.#happened.push(`${name} ${place}`);
  }

  /** Describes what was left out, or what never happened. */
  problem({ name, place }: Happening): string | undefined {
    const at = this.#happened.indexOf(`${name} ${place}`, this.#next);
    if (at < 0) return `was told of ${name} ${place}, which did not happen then`;
    const first = Math.max(this.#next, this.#live);
    this.#next = at + 1;
    return first < at ? `was not told of ${this.#happened[first]}` : undefined;
  }
}
