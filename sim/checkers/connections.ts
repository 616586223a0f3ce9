import type { Process } from '../machine/process.ts';
import type { Fact } from '../world/facts.ts';

/** Keeps a value for each connection of each node in its present life. A new connection starts with a new value. */
export class Connections<T> {
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

  /** Forgets the connection although it may still be up. */
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
