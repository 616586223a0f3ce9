import type { CryptoSuite } from '../../core/crypto/suite.ts';
import type { Cluster, DevAccount } from '../cluster.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { World } from '../world/world.ts';
import { Accuser } from './accuser.ts';
import { Banker } from './banker.ts';
import { ClientCalls } from './calls.ts';
import { LightClient } from './light.ts';
import { Listener } from './listener.ts';
import { RpcAttacker } from './rpcAttack.ts';
import { Subscriber } from './subscriber.ts';
import { Watcher } from './watching/watcher.ts';
import { EvmClient } from './workload.ts';

/** All clients of a run, in the order in which they start. */
export interface AllClients {
  readonly wallets: readonly EvmClient[];
  readonly attackers: readonly RpcAttacker[];
  readonly accusers: readonly Accuser[];
  readonly watchers: readonly Watcher[];
  readonly subscribers: readonly Subscriber[];
  readonly bankers: readonly Banker[];
  readonly lights: readonly LightClient[];
  readonly listeners: readonly Listener[];
}

/** Number of accounts needed: those of all wallets, and one that Byzantine nodes spend from. */
export const accountsOf = ({ clients, bankers = [] }: Scenario): number =>
  [...clients, ...bankers].reduce((sum, { accounts }) => sum + accounts, 1);

export function makeClients(
  world: World,
  cluster: Cluster,
  suite: CryptoSuite,
  scenario: Scenario,
): AllClients {
  const calls = new ClientCalls(world);
  const isShared = (scenario.bankers ?? []).some(({ script }) => script === 'features');
  let next = 0;
  const take = (count: number): readonly DevAccount[] => {
    next += count;
    return cluster.accounts.slice(next - count, next);
  };
  const { poolTxs, poolBytes, poolMaxWait } = scenario.engine;
  const isRoomy = (poolTxs ?? poolBytes ?? poolMaxWait) === undefined;
  return {
    wallets: scenario.clients.map(
      (spec) => new EvmClient(world, calls, cluster, suite, spec, take(spec.accounts), isRoomy),
    ),
    attackers: (scenario.attackers ?? []).map((spec) => new RpcAttacker(world, calls, spec)),
    accusers: (scenario.accusers ?? []).map((spec) => new Accuser(world, calls, cluster, suite, spec)),
    watchers: (scenario.watchers ?? []).map(
      (spec) => new Watcher(world, calls, cluster, suite, spec, isShared),
    ),
    subscribers: (scenario.subscribers ?? []).map((spec) => new Subscriber(world, spec)),
    bankers: (scenario.bankers ?? []).map(
      (spec) => new Banker(world, calls, cluster, suite, spec, take(spec.accounts), isRoomy),
    ),
    lights: (scenario.lights ?? []).map((spec) => new LightClient(world, calls, cluster, suite, spec)),
    listeners: (scenario.listeners ?? []).map((spec) => new Listener(world, calls, spec)),
  };
}
