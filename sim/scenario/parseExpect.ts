import { nearest } from '../../core/lib/nearest.ts';
import type { Expr } from '../expr/expr.ts';
import { parseExpr } from '../expr/parse.ts';
import { ofDecision } from '../expr/sense.ts';
import type { Cursor } from './cursor.ts';
import { choiceOf, nodeNames } from './names.ts';
import type { Clients } from './parseClients.ts';
import {
  type Expectation,
  RESOURCES,
  type ResourceName,
  STANDING_CHECKERS,
  type StandingChecker,
  type Within,
} from './scenario.ts';
import { duration } from './units.ts';

const HEIGHTS_MAX = 1_000_000;
const COUNT_MAX = Number.MAX_SAFE_INTEGER;

export interface Expectations {
  readonly expect: readonly Expectation[];
  readonly named: ReadonlySet<StandingChecker>;
  readonly off: ReadonlySet<StandingChecker>;
}

export function parseExpect(
  at: Cursor,
  known: readonly string[],
  clients: Clients,
  hasPeers: boolean,
): Expectations {
  const expect: Expectation[] = [];
  const named = new Set<StandingChecker>();
  const off = new Set<StandingChecker>();
  for (const item of at.items('a list of expectations')) {
    // The standing checkers are on anyway. Naming one says what the scenario is about.
    if (item.isText) named.add(standingOf(item));
    else readMap(item, known, clients, hasPeers, expect, off);
  }
  const both = [...off].find((checker) => named.has(checker));
  if (both !== undefined) at.fail(`expected ${both} either by itself or switched off, not both`);
  return { expect, named, off };
}

function standingOf(at: Cursor): StandingChecker {
  const word = String(at.raw());
  const checker = STANDING_CHECKERS.find((one) => one === word);
  if (checker !== undefined) return checker;
  if (WORDS.some((one) => one === word)) at.fail(`expected a map, such as {${word}: …}`);
  const near = nearest(word, [...STANDING_CHECKERS, ...WORDS]);
  return at.fail(`expected a checker, one of ${STANDING_CHECKERS.join(', ')}, or a map${near}`);
}

/** Keys of the maps among the expectations. */
const WORDS = [
  'liveness',
  'evidence',
  'guilty',
  'never',
  'eventually',
  'app',
  'receipt',
  'ws',
  'light',
  'resources',
  'off',
] as const;

function readMap(
  at: Cursor,
  known: readonly string[],
  clients: Clients,
  hasPeers: boolean,
  expect: Expectation[],
  off: Set<StandingChecker>,
): void {
  const fields = at.fields([...WORDS, 'within'], `an expectation: ${WORDS.join(', ')}`);
  if (Object.keys(fields).length === 0) at.fail('expected at least one expectation');
  if (fields.liveness !== undefined) expect.push(livenessOf(fields.liveness));
  if (fields.evidence !== undefined) expect.push(evidenceOf(fields.evidence, known));
  expect.push(...sentencesOf(fields, (at) => exprOf(at, known, hasPeers)));
  if (fields.guilty !== undefined) expect.push(guiltyOf(fields.guilty, known));
  if (fields.receipt !== undefined) expect.push(receiptOf(fields.receipt, clients));
  if (fields.ws !== undefined) expect.push(wsOf(fields.ws, clients));
  if (fields.light !== undefined) expect.push(lightOf(fields.light, clients));
  if (fields.resources !== undefined) expect.push(resourcesOf(fields.resources, known));
  if (fields.off === undefined) return;
  const names = fields.off.isList ? fields.off.items('a list of checkers') : [fields.off];
  for (const name of names) off.add(name.oneOf(STANDING_CHECKERS, 'a checker'));
}

function livenessOf(at: Cursor): Expectation {
  const fields = at.fields(['heights', 'within'], 'liveness: {heights, within}');
  if (fields.heights === undefined) return at.fail('expected a key heights');
  const heights = fields.heights.integer('a number of heights', 1, HEIGHTS_MAX);
  const within = fields.within?.raw();
  const isAuto = within === undefined || within === 'auto';
  if (/^\d+ heights?$/.test(String(within)))
    fields.within?.fail('expected a duration, such as 60s, or auto: heights are what it counts');
  return { kind: 'liveness', heights, within: isAuto ? 'auto' : duration(fields.within as Cursor) };
}

function evidenceOf(at: Cursor, known: readonly string[]): Expectation {
  const fields = at.fields(
    ['against', 'within_heights', 'exactly'],
    'evidence: {against, within_heights?, exactly?}',
  );
  if (fields.against === undefined) return at.fail('expected a key against');
  return {
    kind: 'evidence',
    against: nodeNames(fields.against, known),
    withinHeights: fields.within_heights?.integer('a number of heights', 1, HEIGHTS_MAX),
    exactly: fields.exactly?.integer('a number of pieces of evidence', 0, HEIGHTS_MAX),
  };
}

/** `never: EXPR`, `app: EXPR`, `eventually: EXPR` with `within`. */
function sentencesOf(
  fields: Partial<Record<'never' | 'app' | 'eventually' | 'within', Cursor>>,
  read: (at: Cursor) => Sentence,
): readonly Expectation[] {
  const { never, app, eventually, within } = fields;
  if (eventually === undefined) within?.fail('expected within next to eventually only');
  const until = within === undefined ? undefined : withinOf(within);
  return [
    ...(never === undefined ? [] : [{ kind: 'never' as const, ...read(never) }]),
    ...(app === undefined ? [] : [{ kind: 'app' as const, ...atEnd(app, read(app)) }]),
    ...(eventually === undefined
      ? []
      : [{ kind: 'eventually' as const, ...read(eventually), within: until }]),
  ];
}

interface Sentence {
  readonly expr: Expr;
  readonly text: string;
}

function exprOf(at: Cursor, known: readonly string[], hasPeers: boolean): Sentence {
  const text = at.text('an expression in quotes');
  const parsed = parseExpr(text, known, hasPeers);
  if (parsed.ok) return { expr: parsed.value, text };
  const { offset, message } = parsed.error;
  return at.fail(`${message}, at character ${offset + 1} of the expression`);
}

/** At the end of the run no block is being decided, so that the comparison would be false in every run. */
function atEnd(at: Cursor, sentence: Sentence): Sentence {
  const [word] = ofDecision(sentence.expr);
  return word === undefined
    ? sentence
    : at.fail(
        `expected no ${word}, which nothing has at the end of the run; block(5) is a block by its height`,
      );
}

/** `30s`, `20 heights`, or `auto`. */
function withinOf(at: Cursor): Within {
  if (at.raw() === 'auto') return 'auto';
  const match = /^(\d{1,6}) heights?$/.exec(String(at.raw()));
  return match === null ? { micros: duration(at) } : { heights: Number(match[1]) };
}

function guiltyOf(at: Cursor, known: readonly string[]): Expectation {
  const fields = at.fields(['power_at_least', 'equals'], 'guilty: {power_at_least?, equals?}');
  const share = fields.power_at_least?.text('a share of the power, such as 1/3') ?? '1/3';
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(share);
  const [numerator, denominator] = [BigInt(match?.[1] ?? 0), BigInt(match?.[2] ?? 0)];
  if (denominator === 0n || numerator > denominator)
    fields.power_at_least?.fail('expected a share of the power, such as 1/3');
  return {
    kind: 'guilty',
    powerAtLeast: { numerator, denominator },
    equals: fields.equals === undefined ? undefined : nodeNames(fields.equals, known),
  };
}

type Named = { readonly name: string };

/** @param able Clients of which this can be expected. */
function clientIn<C extends Named>(
  at: Cursor | undefined,
  parent: Cursor,
  able: readonly C[],
  clients: Clients,
): C {
  if (at === undefined) return parent.fail('expected a key for');
  const client = at.text('the name of a client');
  const isThere = Object.values(clients).some((list: readonly Named[]) =>
    list.some(({ name }) => name === client),
  );
  const choice = choiceOf(able.map(({ name }) => name));
  return (
    able.find(({ name }) => name === client) ??
    at.fail(
      isThere
        ? `expected another kind of client than that of "${client}"${choice}`
        : `unknown client "${client}"${choice}`,
    )
  );
}

/** `5 heights`, or `5`. */
function heightsOf(at: Cursor): number {
  const match = /^(\d{1,6})(?: heights?)?$/.exec(String(at.raw()));
  return match === null ? at.fail('expected a number of heights, such as 5 heights') : Number(match[1]);
}

/** Accepts a word that repeats a promise which is checked for every client anyway. */
function says(at: Cursor | undefined, word: string): void {
  at?.oneOf([word], 'what always holds');
}

function receiptOf(at: Cursor, clients: Clients): Expectation {
  const { included_within, each, nonce, ...fields } = at.fields(
    ['for', 'at_least', 'each', 'included_within', 'nonce'],
    'receipt: {for, at_least?, each?, included_within?, nonce?}',
  );
  says(each, 'once');
  says(nonce, 'gapless');
  const wallet = clientIn(fields.for, at, [...clients.clients, ...clients.bankers], clients);
  return {
    kind: 'receipts',
    client: wallet.name,
    atLeast:
      fields.at_least?.integer(
        'a number of what it sends',
        1,
        wallet.count === 0 ? HEIGHTS_MAX : wallet.count,
      ) ?? 1,
    ...(included_within === undefined ? {} : { includedWithin: heightsOf(included_within) }),
  };
}

function wsOf(at: Cursor, clients: Clients): Expectation {
  const { heads, logs, before_commit, ...fields } = at.fields(
    ['for', 'client', 'at_least', 'cut_off', 'heads', 'logs', 'before_commit'],
    'ws: {for | client, at_least?, cut_off?, heads?, logs?, before_commit?}',
  );
  says(heads, 'contiguous');
  says(logs, 'equal getLogs after reconnect');
  says(before_commit, 'never');
  if (fields.for !== undefined) fields.client?.fail('expected only one of for and client');
  const able = [...clients.subscribers, ...clients.listeners, ...clients.watchers];
  return {
    kind: 'ws',
    client: clientIn(fields.for ?? fields.client, at, able, clients).name,
    atLeast: fields.at_least?.integer('a number', 0, HEIGHTS_MAX) ?? (fields.cut_off === undefined ? 1 : 0),
    cutOff: fields.cut_off?.integer('a number', 0, HEIGHTS_MAX) ?? 0,
  };
}

function lightOf(at: Cursor, clients: Clients): Expectation {
  const fields = at.fields(['for', 'at_least'], 'light: {for, at_least?}');
  return {
    kind: 'light',
    client: clientIn(fields.for, at, clients.lights, clients).name,
    atLeast: fields.at_least?.integer('a number', 1, HEIGHTS_MAX) ?? 1,
  };
}

/** `{node?, pool_txs_max: 100, …}`: at least one bound. */
function resourcesOf(at: Cursor, known: readonly string[]): Expectation {
  const keys = RESOURCES.map((name) => `${name}_max` as const);
  const fields = at.fields(['node', ...keys], `resources: {node?, ${keys.join('?, ')}?}`);
  const limits = new Map<ResourceName, number>();
  for (const name of RESOURCES) {
    const most = fields[`${name}_max`];
    if (most === undefined) continue;
    // Only a stall is measured in time.
    limits.set(
      name,
      name === 'consensus_stall' ? duration(most) : most.integer('the most that may be held', 0, COUNT_MAX),
    );
  }
  if (limits.size === 0) at.fail(`expected one of ${keys.join(', ')}`);
  return {
    kind: 'resources',
    nodes: fields.node === undefined ? undefined : nodeNames(fields.node, known),
    limits,
  };
}
