import type { Drawn } from './drawn.ts';
import { pick } from './pick.ts';

export interface DrawnClient {
  readonly name?: string;
  readonly at?: string;
  readonly rate?: string;
  readonly kind: string;
  readonly script?: string;
  readonly args?: object;
  readonly subscribe?: readonly string[];
}

/** The clients that a world may have. The cheap ones are listed more often. */
const CLIENTS: readonly DrawnClient[] = [
  { kind: 'evm' },
  { kind: 'evm' },
  { kind: 'evm' },
  { kind: 'bank' },
  { kind: 'bank', script: 'features' },
  { kind: 'bank', script: 'waits' },
  { kind: 'evm', script: 'features' },
  { kind: 'evm', script: 'waits' },
  { kind: 'evm', script: 'contracts' },
  { kind: 'evm', script: 'authorities', args: { accounts: 2, count: 20 } },
  { kind: 'evm', script: 'crowd' },
  { kind: 'evm', script: 'emptied', args: { accounts: 4, count: 16 } },
  { kind: 'evm', script: 'squeezed', args: { accounts: 3, count: 34 } },
  { kind: 'evm', script: 'shelf' },
  { kind: 'evm', script: 'erc20-churn', args: { accounts: 4, revert_ratio: 0.2, count: 30 } },
  { kind: 'eth' },
  {
    kind: 'ws',
    args: { queries: ["tm.event='NewBlock'", "tm.event='NewEvidence'"], reads: 5, room: 20_000 },
  },
  { kind: 'ws', subscribe: ['newHeads', 'logs'] },
];

/** Clients that watch the chain, or ask too much of it. */
const OBSERVERS: readonly DrawnClient[] = [
  { kind: 'light' },
  { kind: 'light', args: { mode: 'adjacent' } },
  { kind: 'rpc', script: 'nonsense', args: { count: 10 } },
  { kind: 'rpc', script: 'filters', args: { count: 30 } },
  { kind: 'rpc', script: 'logs', args: { count: 5 } },
  { kind: 'ws', subscribe: ['transactionReceipts', 'newPendingTransactions', 'newHeads'] },
];

const isLight = ({ kind }: DrawnClient): boolean => kind === 'light';

/** Scripts that rely on every transaction being taken. */
const FEATURED: readonly (string | undefined)[] = ['features', 'bulk'];
export const isFeatured = ({ script }: DrawnClient): boolean => FEATURED.includes(script);

/** Scripts with prices for the usual fee market. */
const PRICED: readonly (string | undefined)[] = [
  'crowd',
  'authorities',
  'emptied',
  'squeezed',
  'wild',
  'tips',
  'faults',
];
export const isPriced = ({ script }: DrawnClient): boolean => PRICED.includes(script);

/**
 * Sometimes a client that sends nothing. A light client has correct witnesses, one or all. If `showing` lies to light
 * clients, there is mostly one that asks it.
 */
export function drawObservers(
  { choices, rarely, correct }: Drawn,
  showing: string | undefined,
): readonly DrawnClient[] {
  const stream = choices.stream('observers');
  const asksLiar = showing !== undefined && stream.choose(4) > 0;
  if (!asksLiar && !rarely(stream, 6)) return [];
  const client = pick(stream, asksLiar ? OBSERVERS.filter(isLight) : OBSERVERS);
  const at = asksLiar ? showing : pick(stream, correct);
  const others = correct.filter((name) => name !== at);
  const witnesses = stream.choose(2) === 0 ? others : others.slice(0, 1);
  return [
    {
      name: 'observer',
      at,
      ...('subscribe' in client ? {} : { rate: `${1 + stream.choose(3)}/s` }),
      ...client,
      ...(isLight(client) && witnesses.length > 0 ? { args: { ...client.args, witnesses } } : {}),
    },
  ];
}

const ALL: DrawnClient = { kind: 'ws', args: { query: 'tm.event EXISTS' } };
const RARE: DrawnClient = {
  kind: 'ws',
  args: {
    queries: [
      "tm.event='ValidatorSetUpdates'",
      "tm.event='NewBlockEvents' AND misbehavior.count>=1",
      'message EXISTS AND tx.height<=5.0',
      'block_gas.amount > 20999.5',
      "block_gas.amount CONTAINS '0'",
    ],
  },
};
const SLOW: DrawnClient = { kind: 'ws', args: { query: "tm.event='Tx'", reads: 12, room: 12_000 } };
const LISTENER: DrawnClient = {
  kind: 'ws',
  subscribe: ['newHeads', 'logs', 'transactionReceipts', 'newPendingTransactions'],
};
const WATCHER: DrawnClient = { kind: 'eth', rate: '2/s' };
const FEATURES: DrawnClient = { kind: 'evm', script: 'features', args: { accounts: 3, count: 45 } };
const BANK: DrawnClient = { kind: 'bank', script: 'features', args: { accounts: 3, count: 40 } };
const CONTRACTS: DrawnClient = { kind: 'evm', script: 'contracts', args: { accounts: 2, count: 20 } };

/** Groups of clients: some use the chain in many ways, and others watch what comes of it. */
const COMPANIES: readonly (readonly DrawnClient[])[] = [
  [FEATURES, WATCHER, ALL],
  [BANK, WATCHER, RARE],
  [CONTRACTS, WATCHER, LISTENER],
  [FEATURES, BANK, { kind: 'light' }],
  [{ kind: 'evm', script: 'crowd' }, WATCHER, SLOW],
  [CONTRACTS, BANK, { kind: 'rpc', script: 'logs', args: { count: 30 } }],
  [{ kind: 'rpc', script: 'nonsense', args: { count: 30 } }, ALL, RARE, LISTENER],
];

/** Sometimes one of these groups, and a wallet that gives every second transaction to another node. */
export function drawCompany({ choices, rarely, correct }: Drawn): readonly DrawnClient[] {
  const stream = choices.stream('company');
  if (!rarely(stream, 12)) return [];
  const args = {
    accounts: 1 + stream.choose(4),
    count: 5 + stream.choose(20),
    also_at: pick(stream, correct),
  };
  return [...pick(stream, COMPANIES), { kind: 'evm', args }].map((client, i) => ({
    name: `guest${i}`,
    at: pick(stream, correct),
    ['subscribe' in client ? 'read_rate' : 'rate']: `${2 + stream.choose(6)}/s`,
    ...client,
  }));
}

/** Sometimes a client that fills several parts of a block, if blocks and links are wide enough. */
export function drawBulk(
  { choices, rarely, correct, isExtreme }: Drawn,
  isWide: boolean,
): readonly DrawnClient[] {
  const stream = choices.stream('bulk');
  if (isExtreme || !isWide || !rarely(stream, 10)) return [];
  const args = { accounts: 1 + stream.choose(3), count: 2 + stream.choose(6) };
  const at = pick(stream, correct);
  return [{ name: 'bulk', kind: 'evm', at, rate: `${1 + stream.choose(4)}/s`, script: 'bulk', args }];
}

/** Fewest and most transactions. The most is enough for every program of the script `faults`. */
const STRAY_TXS = [8, 46] as const;

/** Sometimes a client that runs random programs, or programs that fail, or whose tips fall. */
export function drawStray({ choices, rarely, correct, isExtreme }: Drawn): readonly DrawnClient[] {
  const stream = choices.stream('stray');
  if (isExtreme || !rarely(stream, 20)) return [];
  const script = pick(stream, ['wild', 'wild', 'tips', 'faults']);
  const args = { accounts: 1, count: stream.between(...STRAY_TXS) };
  const at = pick(stream, correct);
  return [{ name: 'stray', kind: 'evm', at, rate: `${2 + stream.choose(6)}/s`, script, args }];
}

export function drawClients({ choices, correct, scale }: Drawn): readonly DrawnClient[] {
  const stream = choices.stream('clients');
  const count = pick(stream, scale.clients);
  return Array.from({ length: count }, (_, i) => {
    const client = pick(stream, CLIENTS);
    const isWallet = client.kind === 'evm' || client.kind === 'bank';
    const rate = { ['subscribe' in client ? 'read_rate' : 'rate']: `${1 + stream.choose(4)}/s` };
    const args = { accounts: 1 + stream.choose(4), count: 5 + stream.choose(20) };
    const what = isWallet && client.args === undefined ? { args } : {};
    return { name: `client${i}`, at: pick(stream, correct), ...rate, ...what, ...client };
  });
}
