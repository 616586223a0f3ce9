import { compileQuery } from '../../core/events/query/query.ts';
import type { Cursor } from './cursor.ts';
import { newName, nodeName } from './names.ts';
import {
  ATTACKS,
  type AttackerSpec,
  type ClientSpec,
  SCRIPTS,
  type SubscriberSpec,
  type WatcherSpec,
} from './scenario.ts';
import { ratePeriod } from './units.ts';

const ACCOUNTS_MAX = 10;
const DEFAULT_PERIOD = 1_000_000;
const DEFAULT_READS = 1000;
const DEFAULT_ATTACK = 50;
const ATTACK_MAX = 100_000;
const READS_MAX = 1_000_000;
const DEFAULT_ROOM = 1024 * 1024;
const ROOM_MAX = 16 * 1024 * 1024;

interface Clients {
  readonly clients: readonly ClientSpec[];
  readonly subscribers: readonly SubscriberSpec[];
  readonly attackers: readonly AttackerSpec[];
  readonly watchers: readonly WatcherSpec[];
}

type AnyClient =
  | { readonly kind: 'evm'; readonly spec: ClientSpec }
  | { readonly kind: 'ws'; readonly spec: SubscriberSpec }
  | { readonly kind: 'rpc'; readonly spec: AttackerSpec }
  | { readonly kind: 'eth'; readonly spec: WatcherSpec };

/** Clients of the nodes named `known`; their own names differ. */
export function parseClients(at: Cursor | undefined, known: readonly string[]): Clients {
  const all: AnyClient[] = [];
  const names = new Set<string>();
  for (const item of at?.items('a list of clients') ?? []) {
    const client = clientOf(item, known);
    if (names.has(client.spec.name)) at?.fail(`two clients are called ${client.spec.name}`);
    names.add(client.spec.name);
    all.push(client);
  }
  return {
    clients: all.flatMap((one) => (one.kind === 'evm' ? [one.spec] : [])),
    subscribers: all.flatMap((one) => (one.kind === 'ws' ? [one.spec] : [])),
    attackers: all.flatMap((one) => (one.kind === 'rpc' ? [one.spec] : [])),
    watchers: all.flatMap((one) => (one.kind === 'eth' ? [one.spec] : [])),
  };
}

function clientOf(at: Cursor, known: readonly string[]): AnyClient {
  const fields = at.fields(
    ['name', 'kind', 'at', 'rate', 'script', 'args'],
    'a client: {name, kind, at, rate?, args?}',
  );
  if (fields.name === undefined) return at.fail('expected a key name');
  if (fields.kind === undefined) return at.fail('expected a key kind');
  if (fields.at === undefined) return at.fail('expected a key at');
  if (['bank', 'light'].includes(String(fields.kind.raw()))) {
    fields.kind.fail(`clients of kind ${String(fields.kind.raw())} are not supported yet`);
  }
  const kind = fields.kind.oneOf(['evm', 'ws', 'rpc', 'eth'] as const, 'a kind of client');
  const common = {
    name: newName(fields.name, fields.name.text('a name')),
    at: nodeName(fields.at, known),
    period: fields.rate === undefined ? DEFAULT_PERIOD : ratePeriod(fields.rate),
  };
  if (kind === 'ws') return { kind, spec: { ...common, ...subscription(at, fields.args) } };
  if (kind === 'rpc') return { kind, spec: { ...common, ...attack(at, fields.script, fields.args) } };
  if (kind === 'eth') return { kind, spec: common };
  const args = fields.args?.fields(['accounts', 'count'], 'args: {accounts?, count?}') ?? {};
  const spec = {
    ...common,
    script: fields.script?.oneOf(SCRIPTS, 'a script') ?? ('transfers' as const),
    accounts: args.accounts?.integer('a number of accounts', 1, ACCOUNTS_MAX) ?? 3,
    count: args.count?.integer('a number of transactions', 1, 1_000_000) ?? 0,
  };
  return { kind, spec };
}

function attack(
  client: Cursor,
  script: Cursor | undefined,
  at: Cursor | undefined,
): Pick<AttackerSpec, 'script' | 'count'> {
  if (script === undefined) return client.fail('expected a key script');
  const args = at?.fields(['count'], 'args: {count?}');
  return {
    script: script.oneOf(ATTACKS, 'a script'),
    count: args?.count?.integer('a number of requests', 1, ATTACK_MAX) ?? DEFAULT_ATTACK,
  };
}

function subscription(
  client: Cursor,
  at: Cursor | undefined,
): Pick<SubscriberSpec, 'query' | 'reads' | 'roomBytes'> {
  const args = at?.fields(['query', 'reads', 'room'], 'args: {query, reads?, room?}');
  if (args?.query === undefined) return client.fail('expected a key query among the args');
  const query = args.query.text('a query');
  const compiled = compileQuery(query);
  if (!compiled.ok) args.query.fail(compiled.error);
  return {
    query,
    reads: args.reads?.integer('a number of messages', 1, READS_MAX) ?? DEFAULT_READS,
    roomBytes: args.room?.integer('a number of bytes', 1, ROOM_MAX) ?? DEFAULT_ROOM,
  };
}
