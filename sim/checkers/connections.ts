import type { Process } from '../machine/process.ts';
import type { Fact } from '../world/facts.ts';

/** A value for each connection of each node in its present life, new when they connect. */
export class Connections<T> {
  /** What it is to be told of. */
  static readonly TOPICS = ['started', 'peer'] as const;
  readonly #make: () => T;
  readonly #lives = new Map<Process, Map<string, T>>();

  constructor(make: () => T) {
    this.#make = make;
  }

  on(fact: Fact): void {
    if (fact.kind === 'started') this.#lives.set(fact.node, new Map());
    else if (fact.kind === 'peer') {
      this.end(fact.node, fact.peer);
      if (fact.isUp) this.#lives.get(fact.node)?.set(fact.peer, this.#make());
    }
  }

  /** Nothing is remembered of the connection although it may still be there. */
  end(node: Process, peer: string): void {
    this.#lives.get(node)?.delete(peer);
  }

  get(node: Process, peer: string): T | undefined {
    return this.#lives.get(node)?.get(peer);
  }

  of(node: Process): ReadonlyMap<string, T> {
    return this.#lives.get(node) ?? new Map();
  }
}
