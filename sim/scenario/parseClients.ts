import { readQuery } from '../events/query.ts';
import {
  type AccuserSpec,
  ATTACKS,
  type AttackerSpec,
  BANK_SCRIPTS,
  type BankSpec,
  type ClientSpec,
  type LightSpec,
  type ListenerSpec,
  SCRIPTS,
  SUBSCRIPTIONS,
  type SubscriberSpec,
  type WatcherSpec,
} from './clientSpecs.ts';
import type { Cursor } from './cursor.ts';
import { newName, nodeName, nodeNames } from './names.ts';
import { probability, ratePeriod } from './units.ts';

const ACCOUNTS_MAX = 1_000;
const COUNT_MAX = 1_000_000;
const DEFAULT_PERIOD = 1_000_000;
const DEFAULT_READS = 1000;
const DEFAULT_ATTACK = 50;
const ATTACK_MAX = 100_000;
const READS_MAX = 1_000_000;
const DEFAULT_ROOM = 1024 * 1024;
/** Room for some hundred notifications. A live view needs no more. */
const DEFAULT_LISTENER_ROOM = 64 * 1024;
/** As many queries as a node takes from one client. */
const QUERIES_MAX = 5;
const ROOM_MAX = 16 * 1024 * 1024;

export interface Clients {
  readonly clients: readonly ClientSpec[];
  readonly subscribers: readonly SubscriberSpec[];
  readonly attackers: readonly AttackerSpec[];
  readonly accusers: readonly AccuserSpec[];
  readonly watchers: readonly WatcherSpec[];
  readonly bankers: readonly BankSpec[];
  readonly lights: readonly LightSpec[];
  readonly listeners: readonly ListenerSpec[];
}

/** Scripts in which one account waits for what another one does. */
const OF_SEVERAL: ReadonlySet<ClientSpec['script']> = new Set(['authorities', 'refunded', 'squeezed']);

const KINDS = ['evm', 'bank', 'ws', 'light', 'rpc', 'accuser', 'eth'] as const;
const KEYS = ['name', 'kind', 'at', 'rate', 'script', 'args', 'subscribe', 'read_rate'] as const;
type Fields = Partial<Record<(typeof KEYS)[number], Cursor>>;
type Kind = (typeof KINDS)[number];

/** Keys that only some kinds of clients have. */
const BELONGS: Readonly<Partial<Record<keyof Fields, readonly Kind[]>>> = {
  script: ['evm', 'bank', 'rpc'],
  args: ['evm', 'bank', 'ws', 'light', 'rpc', 'accuser'],
  subscribe: ['ws'],
  read_rate: ['ws'],
};

/** Clients of the nodes named in `known`. Each client has a name of its own. */
export function parseClients(
  at: Cursor | undefined,
  known: readonly string[],
  voters: readonly string[],
): Clients {
  const lists: { [K in keyof Clients]: Clients[K][number][] } = {
    clients: [],
    subscribers: [],
    attackers: [],
    accusers: [],
    watchers: [],
    bankers: [],
    lights: [],
    listeners: [],
  };
  const names = new Set<string>();
  for (const item of at?.items('a list of clients') ?? []) {
    const name = addClient(item, known, voters, lists);
    if (names.has(name)) item.fail(`expected another name: two clients are called ${name}`);
    names.add(name);
  }
  return lists;
}

function addClient(
  at: Cursor,
  known: readonly string[],
  voters: readonly string[],
  lists: { [K in keyof Clients]: Clients[K][number][] },
): string {
  const fields = at.fields(KEYS, 'a client: {name, kind, at, rate?, script?, args?, subscribe?, read_rate?}');
  if (fields.name === undefined) return at.fail('expected a key name');
  if (fields.kind === undefined) return at.fail('expected a key kind');
  if (fields.at === undefined) return at.fail('expected a key at');
  const kind = fields.kind.oneOf(KINDS, 'a kind of client');
  for (const key of KEYS) {
    if (BELONGS[key]?.includes(kind) !== false) continue;
    if (at.says(key)) fields[key]?.fail(`expected no ${key} with kind ${kind}`);
    // The key comes from the defaults, which apply only to kinds that can have it.
    delete fields[key];
  }
  if (fields.subscribe !== undefined && !at.says('rate')) delete fields.rate;
  const name = newName(fields.name, fields.name.text('a name'));
  const period = fields.rate === undefined ? DEFAULT_PERIOD : ratePeriod(fields.rate);
  const common = { name, at: nodeName(fields.at, known), period };
  if (kind === 'evm') lists.clients.push({ ...common, ...wallet(fields, known) });
  else if (kind === 'bank') lists.bankers.push({ ...common, ...bank(fields) });
  else if (kind === 'light') lists.lights.push({ ...common, ...light(fields, common.at, known) });
  else if (kind === 'rpc') lists.attackers.push({ ...common, ...attack(at, fields) });
  else if (kind === 'accuser') lists.accusers.push({ ...common, ...accuser(at, fields, voters) });
  else if (kind === 'eth') lists.watchers.push(common);
  else if (fields.subscribe !== undefined)
    lists.listeners.push({ name, at: common.at, ...listener(fields, fields.subscribe) });
  else lists.subscribers.push({ ...common, ...subscription(at, fields) });
  return name;
}

function wallet(
  { script, args: at }: Fields,
  known: readonly string[],
): Pick<ClientSpec, 'script' | 'accounts' | 'count' | 'alsoAt' | 'revertPpm'> {
  const args = at?.fields(
    ['accounts', 'count', 'also_at', 'revert_ratio'],
    'args: {accounts?, count?, also_at?, revert_ratio?}',
  );
  const name = script?.oneOf(SCRIPTS, 'a script') ?? ('transfers' as const);
  const reverts = args?.revert_ratio;
  if (name !== 'erc20-churn') reverts?.fail(`expected no revert_ratio with script ${name}`);
  if (name !== 'transfers') args?.also_at?.fail(`expected no also_at with script ${name}`);
  if (OF_SEVERAL.has(name) && amounts(args).accounts < 2)
    args?.accounts?.fail('expected at least 2 accounts');
  return {
    script: name,
    ...amounts(args),
    ...(args?.also_at === undefined ? {} : { alsoAt: nodeName(args.also_at, known) }),
    ...(reverts === undefined ? {} : { revertPpm: probability(reverts) }),
  };
}

function amounts(args: Partial<Record<'accounts' | 'count', Cursor>> | undefined) {
  return {
    accounts: args?.accounts?.integer('a number of accounts', 1, ACCOUNTS_MAX) ?? 3,
    count: args?.count?.integer('a number of transactions', 1, COUNT_MAX) ?? 0,
  };
}

function bank({ script, args: at }: Fields): Pick<BankSpec, 'script' | 'accounts' | 'count'> {
  const name = script?.oneOf(BANK_SCRIPTS, 'a script') ?? ('transfers' as const);
  const args = at?.fields(['accounts', 'count'], 'args: {accounts?, count?}');
  if (name === 'bounds' && amounts(args).accounts < 2) args?.accounts?.fail('expected at least 2 accounts');
  return { script: name, ...amounts(args) };
}

function light(
  { args: at }: Fields,
  asked: string,
  known: readonly string[],
): Pick<LightSpec, 'mode' | 'witnesses'> {
  const args = at?.fields(['mode', 'witnesses'], 'args: {mode?, witnesses?}');
  const witnesses = args?.witnesses === undefined ? [] : nodeNames(args.witnesses, known);
  if (witnesses.includes(asked)) args?.witnesses?.fail(`expected others than ${asked}, which it asks anyway`);
  return {
    mode: args?.mode?.oneOf(['skipping', 'adjacent'] as const, 'a mode') ?? 'skipping',
    witnesses,
  };
}

function attack(client: Cursor, { script, args: at }: Fields): Pick<AttackerSpec, 'script' | 'count'> {
  if (script === undefined) return client.fail('expected a key script');
  const args = at?.fields(['count'], 'args: {count?}');
  return {
    script: script.oneOf(ATTACKS, 'a script'),
    count: args?.count?.integer('a number of requests', 1, ATTACK_MAX) ?? DEFAULT_ATTACK,
  };
}

function accuser(
  client: Cursor,
  { args: at }: Fields,
  voters: readonly string[],
): Pick<AccuserSpec, 'against'> {
  const { against } = at?.fields(['against'], 'args: {against}') ?? {};
  return { against: nodeName(against ?? client.fail('expected a key against among the args'), voters) };
}

function listener(
  { rate, args: at, read_rate }: Fields,
  subscribe: Cursor,
): Omit<ListenerSpec, 'name' | 'at'> {
  rate?.fail('expected read_rate next to subscribe, not rate');
  const kinds = subscribe
    .items('a list of subscriptions')
    .map((one) => one.oneOf(SUBSCRIPTIONS, 'a subscription'));
  if (kinds.length === 0 || new Set(kinds).size < kinds.length)
    subscribe.fail(`expected some of ${SUBSCRIPTIONS.join(', ')}, each once`);
  const args = at?.fields(['room'], 'args: {room?}');
  return {
    subscribe: kinds,
    readPeriod: read_rate === undefined ? undefined : ratePeriod(read_rate),
    roomBytes: args?.room?.integer('a number of bytes', 1, ROOM_MAX) ?? DEFAULT_LISTENER_ROOM,
  };
}

function subscription(
  client: Cursor,
  { args: at, read_rate }: Fields,
): Pick<SubscriberSpec, 'queries' | 'reads' | 'roomBytes'> {
  read_rate?.fail('expected rate and reads with a query; read_rate goes with subscribe');
  const args = at?.fields(['query', 'queries', 'reads', 'room'], 'args: {query | queries, reads?, room?}');
  const several = args?.queries?.items('a list of queries') ?? [];
  if (args?.query !== undefined) args.queries?.fail('expected a query or queries, not both');
  else if (several.length === 0)
    return client.fail('expected a key subscribe, or a key query or queries among the args');
  if (several.length > QUERIES_MAX) args?.queries?.fail(`expected at most ${QUERIES_MAX} queries`);
  const queries = (args?.query === undefined ? several : [args.query]).map(queryText);
  if (new Set(queries).size < queries.length) args?.queries?.fail('expected each query once');
  return {
    queries,
    reads: args?.reads?.integer('a number of messages', 1, READS_MAX) ?? DEFAULT_READS,
    roomBytes: args?.room?.integer('a number of bytes', 1, ROOM_MAX) ?? DEFAULT_ROOM,
  };
}

function queryText(at: Cursor): string {
  const query = at.text('a query');
  if (readQuery(query) === undefined)
    at.fail(
      "expected conditions on texts and numbers, joined by AND, such as tm.event='Tx' AND tx.height > 5",
    );
  return query;
}
