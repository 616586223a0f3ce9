import type { Checker, CheckerContext } from '../checkers/checker.ts';
import type { Process } from '../machine/process.ts';
import type { AttackerSpec } from '../scenario/clientSpecs.ts';
import type { ChoiceStream } from '../world/choices.ts';
import type { World } from '../world/world.ts';
import type { ClientCalls, EthAsk, EthReply } from './calls.ts';

/** Error codes that a node may answer to nonsense: invalid params, no such method, server error and the like. */
const REFUSALS: readonly number[] = [-32600, -32601, -32602, -32000, -32005, 3];
const COMPLAINTS_MAX = 10;

/** A hostile client (B39): it asks as much as it can of one node's JSON-RPC, at a steady rate. */
export class RpcAttacker {
  readonly spec: AttackerSpec;
  hasActed = false;
  /** Answers that are neither a result nor a refusal. */
  readonly complaints: string[] = [];
  /**
   * When it was given filters, by life of the node. In µs by the node's clock, by which filters expire, as if that were
   * never set back.
   */
  readonly filters = new Map<number, number[]>();
  readonly #world: World;
  readonly #calls: ClientCalls;
  readonly #node: Process;
  readonly #choices: ChoiceStream;

  constructor(world: World, calls: ClientCalls, spec: AttackerSpec) {
    this.spec = spec;
    this.#world = world;
    this.#calls = calls;
    this.#node = world.process(spec.at);
    this.#choices = world.choices.stream(`client/${spec.name}`);
  }

  start(): void {
    this.#world.every(this.spec.period, () => this.#calls.read(this.#node, (ask) => this.#flood(ask)));
  }

  async #flood(ask: EthAsk): Promise<void> {
    this.hasActed = true;
    for (let i = 0; i < this.spec.count; i++) {
      const [method, params] = this.#next();
      this.#judge(method, await ask(method, params));
    }
  }

  #next(): readonly [string, readonly unknown[]] {
    switch (this.spec.script) {
      case 'filters':
        return ['eth_newFilter', [{ fromBlock: '0x0', toBlock: 'latest' }]];
      case 'logs':
        return ['eth_getLogs', [{ fromBlock: '0x0', toBlock: '0xffffffff' }]];
      case 'nonsense':
        return [
          ['eth_getBlockByNumber', 'eth_call', 'eth_getLogs', 'no_such_method'][this.#choices.choose(4)] ??
            '',
          [[{}, null, '0x', -1, [[[]]], 'latest'.repeat(100)][this.#choices.choose(6)]],
        ];
    }
  }

  #keepFilter(): void {
    const { lives, clock } = this.#node;
    const moments = this.filters.get(lives) ?? [];
    moments.push(clock.onward(this.#world.now));
    this.filters.set(lives, moments);
  }

  #judge(method: string, reply: EthReply): void {
    if ('result' in reply) {
      if (method === 'eth_newFilter') this.#keepFilter();
      return;
    }
    if (REFUSALS.includes(reply.error.code) || this.complaints.length >= COMPLAINTS_MAX) return;
    this.complaints.push(`${method} was answered by ${reply.error.code} ${reply.error.message}`);
  }
}

/** RES: every request gets a result or a proper refusal, and the client holds no more filters than allowed. */
export function rpcStandsFirm({ world, fail }: CheckerContext, attackers: readonly RpcAttacker[]): Checker {
  const name = 'rpc';
  return {
    name,
    finish() {
      for (const { spec, complaints, filters } of attackers) {
        for (const complaint of complaints) fail(name, `${spec.name} at ${spec.at}: ${complaint}`);
        const limits = world.process(spec.at).node?.rpc?.limits;
        if (limits === undefined) continue;
        // The attacker never polls its filters, so they expire.
        const lifetime = limits.filterTimeoutMs * 1_000;
        const held = Math.max(0, ...[...filters.values()].map((moments) => mostWithin(moments, lifetime)));
        if (held > limits.filtersMax)
          fail(
            name,
            `${spec.name} at ${spec.at} held ${held} filters at once, expected at most ${limits.filtersMax}`,
          );
      }
    },
  };
}

/** The most of these moments, in order, that lie in one span. */
function mostWithin(moments: readonly number[], span: number): number {
  let most = 0;
  let first = 0;
  for (const [last, moment] of moments.entries()) {
    while ((moments[first] as number) <= moment - span) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
