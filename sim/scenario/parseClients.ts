import { compileQuery } from '../../core/events/query/query.ts';
import type { Cursor } from './cursor.ts';
import { newName, nodeName } from './names.ts';
import { ATTACKS, type AttackerSpec, type ClientSpec, type SubscriberSpec } from './scenario.ts';
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
}

/** Clients of the nodes named `known`; their own names differ. */
export function parseClients(at: Cursor | undefined, known: readonly string[]): Clients {
  const clients: ClientSpec[] = [];
  const subscribers: SubscriberSpec[] = [];
  const attackers: AttackerSpec[] = [];
  const names = new Set<string>();
  for (const item of at?.items('a list of clients') ?? []) {
    const spec = clientOf(item, known);
    if (names.has(spec.name)) at?.fail(`two clients are called ${spec.name}`);
    names.add(spec.name);
    if ('query' in spec) subscribers.push(spec);
    else if ('script' in spec) attackers.push(spec);
    else clients.push(spec);
  }
  return { clients, subscribers, attackers };
}

function clientOf(at: Cursor, known: readonly string[]): ClientSpec | SubscriberSpec | AttackerSpec {
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
  const kind = fields.kind.oneOf(['evm', 'ws', 'rpc'] as const, 'a kind of client');
  const common = {
    name: newName(fields.name, fields.name.text('a name')),
    at: nodeName(fields.at, known),
    period: fields.rate === undefined ? DEFAULT_PERIOD : ratePeriod(fields.rate),
  };
  if (kind === 'ws') return { ...common, ...subscription(at, fields.args) };
  if (kind === 'rpc') return { ...common, ...attack(at, fields.script, fields.args) };
  fields.script?.oneOf(['transfers'] as const, 'a script');
  const args = fields.args?.fields(['accounts', 'count'], 'args: {accounts?, count?}') ?? {};
  return {
    ...common,
    accounts: args.accounts?.integer('a number of accounts', 1, ACCOUNTS_MAX) ?? 3,
    count: args.count?.integer('a number of transactions', 1, 1_000_000) ?? 0,
  };
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
