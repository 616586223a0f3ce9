import { toHex } from '../../../core/lib/bytes.ts';
import type { SignAsk } from '../../../core/node/contract.ts';
import type { Process } from '../../machine/process.ts';
import type { CheckerContext } from '../checker.ts';
import { signedValue } from './signedValue.ts';

/** Votes remembered over all keys, and heights remembered for clocks. */
const KEPT_MAX = 100_000;

/** The votes (height, round and type) for which the key of a node signed more than one value. */
export class Conflicts {
  readonly #keys: ReadonlyMap<string, string>;
  readonly #values = new Map<string, string>();
  readonly #conflicting = new Map<string, Set<string>>();

  constructor({ cluster }: CheckerContext) {
    this.#keys = new Map(cluster.members.map(({ name, address }) => [name, toHex(address)]));
  }

  add({ node, ask }: { readonly node: Process; readonly ask: SignAsk }): void {
    const key = this.#keys.get(node.name);
    if (key === undefined || ask.kind === 'proposal') return;
    const place = `${key}/${ask.height}/${ask.round}/${ask.kind}`;
    const value = signedValue(ask.bytes) ?? 'nil';
    const first = this.#values.get(place);
    if (first === undefined) {
      if (this.#values.size < KEPT_MAX) this.#values.set(place, value);
    } else if (first !== value) {
      const places = this.#conflicting.get(key) ?? new Set<string>();
      this.#conflicting.set(key, places.add(place));
    }
  }

  of(name: string): number {
    return this.#conflicting.get(this.#keys.get(name) ?? '')?.size ?? 0;
  }
}

interface Span {
  readonly min: number;
  readonly max: number;
}

/** What the clocks of correct nodes show, now and at their precommits of a height. */
export class Clocks {
  readonly #context: CheckerContext;
  readonly #votes = new Map<number, Span>();

  constructor(context: CheckerContext) {
    this.#context = context;
  }

  add({ node, ask: { kind, height } }: { readonly node: Process; readonly ask: SignAsk }): void {
    if (!node.isCorrect || kind !== 'precommit' || this.#votes.size >= KEPT_MAX) return;
    const at = node.clock.now(this.#context.world.now);
    const { min, max } = this.#votes.get(height) ?? { min: at, max: at };
    this.#votes.set(height, { min: Math.min(min, at), max: Math.max(max, at) });
  }

  at(which: 'max' | 'min', votedHeight: number | undefined): number | undefined {
    if (votedHeight !== undefined) return this.#votes.get(votedHeight)?.[which];
    const { correct, world } = this.#context;
    const all = correct.map((node) => node.clock.now(world.now));
    if (all.length === 0) return undefined;
    return which === 'max' ? Math.max(...all) : Math.min(...all);
  }
}
