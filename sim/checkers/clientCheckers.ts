import type { AllClients } from '../clients/all.ts';
import { rpcStandsFirm } from '../clients/rpcAttack.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { evidenceVerdicts } from './clients/accusers.ts';
import { durability, receipts } from './clients/durability.ts';
import { lightClientProgress, lightClients } from './clients/lightClients.ts';
import { subscriberEvents, subscriberProgress } from './clients/subscribers.ts';
import { listenerReports, watcherReports } from './clients/watchers.ts';

/** The checkers of a run's clients: one for each kind of client, and one for each expectation about clients. */
export function clientCheckers(context: CheckerContext, clients: AllClients): readonly Checker[] {
  const { wallets, bankers, subscribers, watchers, attackers, accusers, lights, listeners } = clients;
  const { off, expect } = context.scenario;
  const when = (isWanted: boolean, checker: () => Checker): readonly Checker[] =>
    isWanted ? [checker()] : [];
  return [
    ...when(!off.has('durability'), () => durability(context, wallets, bankers)),
    ...expect.flatMap((one) => (one.kind === 'receipts' ? [receipts(context, wallets, bankers, one)] : [])),
    ...when(subscribers.length > 0, () => subscriberEvents(context, subscribers)),
    ...when(watchers.length > 0, () => watcherReports(context, watchers)),
    ...when(listeners.length > 0, () => listenerReports(context, listeners)),
    ...expect.flatMap((one) =>
      one.kind === 'ws'
        ? [subscriberProgress(context, [...subscribers, ...watchers, ...listeners], one)]
        : [],
    ),
    ...when(attackers.length > 0, () => rpcStandsFirm(context, attackers)),
    ...when(accusers.length > 0, () => evidenceVerdicts(context, accusers)),
    ...when(lights.length > 0, () => lightClients(context, lights)),
    ...expect.flatMap((one) => (one.kind === 'light' ? [lightClientProgress(context, lights, one)] : [])),
  ];
}
