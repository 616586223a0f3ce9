import type { Result } from '../../core/lib/result.ts';
import { DEFAULT_LINK, type LinkFaults } from '../network/link.ts';
import { groupOf, ZERO_GROUPS } from '../world/choices.ts';
import type { Cursor, ScenarioError } from './cursor.ts';
import { choiceOf, scenarioName } from './names.ts';
import { FAULT_KEYS, faultsOf } from './parseAction.ts';
import { parseByzantine, parseMutate } from './parseByzantine.ts';
import { parseClients } from './parseClients.ts';
import { engineOf } from './parseEngine.ts';
import { parseExpect } from './parseExpect.ts';
import { genesisOf } from './parseGenesis.ts';
import { nodesOf, numbered, validatorsOf } from './parseNodes.ts';
import { peersOf } from './parsePeers.ts';
import { searchOf } from './parseSearch.ts';
import { parseTimeline } from './parseTimeline.ts';
import { updatesOf } from './parseUpdates.ts';
import { readYaml } from './readYaml.ts';
import type { Expectation, Scenario, Until } from './scenario.ts';
import { isSeed, SEED } from './seed.ts';
import { duration, positive } from './units.ts';

const KEYS = [
  'name',
  'seed',
  'engine',
  'genesis',
  'defaults',
  'validators',
  'updates',
  'nodes',
  'network',
  'peers',
  'clients',
  'timeline',
  'byzantine',
  'mutate',
  'expect',
  'until',
  'search',
  'choices',
] as const;

type Fields = Partial<Record<(typeof KEYS)[number], Cursor>>;

/** Most heights that a run may go through. */
const HEIGHTS_MAX = 1_000_000;

/** Reads a scenario file strictly: it refuses everything that it does not know, with line and column. */
export const parseScenario = (text: string): Result<Scenario, ScenarioError> => readYaml(text, scenarioOf);

function scenarioOf(root: Cursor): Scenario {
  const fields = withDefaults(root.fields(KEYS, 'a scenario: a map with name, validators, …, until'));
  if (fields.name === undefined) return root.fail('expected a key name');
  if (fields.until === undefined) return root.fail('expected a key until');
  const validators = fields.validators === undefined ? numbered(4, 10) : validatorsOf(fields.validators);
  const voters = validators.map((validator) => validator.name);
  const nodes = fields.nodes === undefined ? [] : nodesOf(fields.nodes, voters);
  const known = [...voters, ...nodes.map((node) => node.name)];
  const clients = parseClients(fields.clients, known, voters);
  const engine = engineOf(fields.engine);
  const genesis = genesisOf(fields.genesis, engine, validators);
  const hasPeers = fields.peers !== undefined;
  const wanted =
    fields.expect === undefined ? undefined : parseExpect(fields.expect, known, clients, hasPeers);
  const until = untilOf(fields.until, genesis.initialHeight, engine.timeMax);
  const network = fields.network === undefined ? DEFAULT_LINK : networkOf(fields.network);
  const isNarrow = network.rate > 0 && network.rate < RATE_MIN * validators.length;
  for (const one of wanted?.expect ?? []) refuseHopeless(one, { fields, engine, genesis, until, isNarrow });
  return {
    name: scenarioName(fields.name),
    seed: fields.seed === undefined ? undefined : seedOf(fields.seed),
    engine,
    genesis,
    validators,
    ...(fields.updates === undefined ? {} : { updates: updatesOf(fields.updates, genesis, validators) }),
    nodes,
    ...searchOf(fields.search, validators, fields.timeline),
    peers: fields.peers === undefined ? undefined : peersOf(fields.peers, known, nodes),
    network,
    ...clients,
    timeline: fields.timeline === undefined ? [] : parseTimeline(fields.timeline, known),
    byzantine: [
      ...(fields.byzantine === undefined ? [] : parseByzantine(fields.byzantine, voters, known)),
      ...(fields.mutate === undefined ? [] : parseMutate(fields.mutate, voters, known)),
    ],
    expect: wanted?.expect ?? [],
    named: wanted?.named ?? new Set(),
    off: wanted?.off ?? new Set(),
    until,
    zeroed: zeroedOf(fields.choices, known),
  };
}

/**
 * The least number of bytes per second and validator with which links carry what a height takes. With fewer, votes may
 * wait for ever longer behind others.
 */
const RATE_MIN = 250;

/** Refuses an expectation for which the rest of the scenario leaves no time. */
function refuseHopeless(
  one: Expectation,
  {
    fields,
    engine,
    genesis,
    until,
    isNarrow,
  }: Pick<Scenario, 'engine' | 'genesis' | 'until'> & { readonly fields: Fields; readonly isNarrow: boolean },
): void {
  const { createEmptyBlocks, createEmptyBlocksIntervalMs } = engine.consensus;
  const isAuto = (one.kind === 'liveness' || one.kind === 'eventually') && one.within === 'auto';
  if (isAuto && !createEmptyBlocks && createEmptyBlocksIntervalMs === 0)
    fields.expect?.fail(
      `expected a duration as within of ${one.kind}: with empty_blocks: false a height may take for ever`,
    );
  if (isAuto && isNarrow)
    fields.expect?.fail(
      `expected a duration as within of ${one.kind}: with less than ${RATE_MIN}B/s for each validator as rate of the network a height may take for ever`,
    );
  if (
    one.kind === 'liveness' &&
    until.kind === 'height' &&
    until.height - genesis.initialHeight + 1 < one.heights
  )
    fields.until?.fail(
      `expected a later end: by then not all ${one.heights} heights of liveness can be decided`,
    );
}

/** Sections whose entries can have common keys. */
const DEFAULTED = ['validators', 'nodes', 'clients', 'timeline', 'byzantine', 'mutate'] as const;

/** `defaults: {clients: {at: v0}, …}`: keys that each entry of a section has unless it sets them itself. */
function withDefaults(fields: Fields): Fields {
  const given = fields.defaults?.fields(DEFAULTED, `defaults: {${DEFAULTED.join('?, ')}?}`) ?? {};
  const out = { ...fields };
  for (const key of DEFAULTED) {
    const [section, values] = [fields[key], given[key]];
    if (values === undefined) continue;
    if (!values.isMap) values.fail(`expected a map of keys that entries of ${key} have in common`);
    out[key] = (section ?? values.fail(`expected a key ${key} in the scenario to give defaults for`)).giving(
      values,
    );
  }
  return out;
}

/** `choices: {zero: [link, sync]}`: every choice below these labels is 0, the harmless one. */
function zeroedOf(at: Cursor | undefined, known: readonly string[]): readonly string[] {
  const zero = at?.fields(['zero'], 'choices: {zero}').zero;
  return zero?.items('a list of labels, such as [link, sync]').map((one) => labelOf(one, known)) ?? [];
}

function labelOf(at: Cursor, known: readonly string[]): string {
  const label = at.text('a label');
  const isKnown = ZERO_GROUPS.some((group) => group === groupOf(label));
  if (!isKnown) at.fail(`expected a label of ${ZERO_GROUPS.join(', ')}, or below`);
  const ends = /^link\/([^/>]+)>([^/>]+)/.exec(label)?.slice(1) ?? [];
  const stranger = ends.find((name) => !known.includes(name));
  return stranger === undefined ? label : at.fail(`unknown node "${stranger}"${choiceOf(known)}`);
}

function seedOf(at: Cursor): string {
  const text = typeof at.raw() === 'boolean' ? '' : (at.spelled() ?? '');
  return isSeed(text) ? text : at.fail(`expected ${SEED}`);
}

const networkOf = (at: Cursor): LinkFaults => ({
  ...DEFAULT_LINK,
  ...faultsOf(at.fields(FAULT_KEYS, `network: {${FAULT_KEYS.join('?, ')}?}`)),
});

/** `first` is the initial height of the chain. Refuses an end beyond the engine's time limit. */
function untilOf(at: Cursor, first: number, timeMax: number): Until {
  const fields = at.fields(['height', 'time', 'quiet', 'first'], 'until: {height | time | quiet | first}');
  const given = Object.values(fields).filter((one) => one !== undefined);
  if (given.length !== 1) return at.fail('expected exactly one of height, time, quiet, first');
  if (fields.height !== undefined)
    return { kind: 'height', height: fields.height.integer('a height', first, first - 1 + HEIGHTS_MAX) };
  if (fields.time !== undefined) return { kind: 'time', time: upTo(timeMax, fields.time, positive) };
  if (fields.quiet !== undefined) return { kind: 'quiet', time: upTo(timeMax, fields.quiet) };
  const ends = (fields.first as Cursor).items('a list of ends');
  if (ends.length === 0) fields.first?.fail('expected at least one end');
  return { kind: 'first', of: ends.map((one) => untilOf(one, first, timeMax)) };
}

function upTo(timeMax: number, at: Cursor, read = duration): number {
  const time = read(at);
  return time <= timeMax ? time : at.fail(`expected at most engine.time_max, ${timeMax / 1_000_000}s`);
}
