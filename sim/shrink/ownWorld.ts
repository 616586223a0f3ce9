import type { Action, Scenario } from '../scenario/scenario.ts';
import { at, type Doc } from './document.ts';

/** A candidate, as a document and as parsed. */
export interface Candidate {
  readonly doc: Doc;
  readonly scenario: Scenario;
}

/** How a part of a file may change without the rest of it promising more than before. */
type May = 'differ' | 'lose entries' | 'go';

/** Parts that do not describe the world. */
const FREE: Readonly<Record<string, May>> = {
  name: 'differ',
  seed: 'differ',
  choices: 'differ',
  expect: 'differ',
  until: 'differ',
  search: 'differ',
};
/** Faults may go as well: what is expected to happen also happens without them. */
const CALMER: Readonly<Record<string, May>> = {
  ...FREE,
  byzantine: 'lose entries',
  mutate: 'lose entries',
  timeline: 'lose entries',
  network: 'go',
};

/** By the checker that failed. All other checkers hold in every world. */
const OWN: Readonly<Record<string, Readonly<Record<string, May>>>> = {
  never: FREE,
  eventually: FREE,
  app: FREE,
  guilty: FREE,
  evidence: { ...FREE, clients: 'differ' },
  light: CALMER,
  receipt: CALMER,
  ws: CALMER,
  liveness: CALMER,
  resources: CALMER,
  until: { ...CALMER, clients: 'differ' },
};

/** Actions that end a fault. */
const WAYS_BACK: readonly Action['kind'][] = ['restart', 'resume', 'heal', 'gst', 'addNode'];

/**
 * What a scenario expects by itself it expects of its own world. `evidence: {against: v3}` says nothing about a world
 * in which v3 does not lie, and `until` nothing about one in which half of the nodes stay down. If such an expectation
 * is broken, a candidate must be a world in which a core without the bug meets it. Otherwise the result would show no
 * bug. The standing checkers judge every world, so for them any candidate will do.
 */
export function ownWorld(checker: string, original: Candidate): (candidate: Candidate) => boolean {
  const parts = checker === 'liveness' && !hasDeadline(original.doc) ? undefined : OWN[checker];
  if (parts === undefined) return () => true;
  const before = waysBackOf(original.scenario);
  return ({ doc, scenario }) => {
    const keys = [...new Set([...Object.keys(original.doc), ...Object.keys(doc)])];
    const isOwn = keys.every((key) => {
      const was = key === 'defaults' ? defaultsFor(original.doc, doc) : original.doc[key];
      const is = doc[key];
      if (isAllowed(parts[key], was, is)) return true;
      if (checker === 'evidence') return isThinned(was, is, spare(key, doc, original.doc));
      return checker === 'until' && isQuorum(key, doc);
    });
    // A fault that ended must not last for ever.
    const isCalm = waysBackOf(scenario) === scenario.timeline.length;
    return isOwn && (isCalm || waysBackOf(scenario) === before);
  };
}

function isAllowed(may: May | undefined, before: unknown, after: unknown): boolean {
  if (may === 'differ' || isSame(before, after)) return true;
  if (may === 'go') return after === undefined;
  return may === 'lose entries' && isThinned(before, after, () => true);
}

/** Without a timeline no validator is away, so any number of them decides. */
const isQuorum = (key: string, doc: Doc): boolean => key === 'validators' && doc['timeline'] === undefined;

/** Those of sections that the candidate still has. */
function defaultsFor({ defaults }: Doc, doc: Doc): unknown {
  const left = Object.entries(defaults ?? {}).filter(([section]) => doc[section] !== undefined);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** `after` is `before` without some of the entries that may go. */
function isThinned(before: unknown, after: unknown, mayGo: (entry: unknown) => boolean): boolean {
  if (!Array.isArray(before) || (after !== undefined && !Array.isArray(after))) return false;
  const left = listOf(after);
  let found = 0;
  for (const entry of before) {
    if (found < left.length && isSame(entry, left[found])) found++;
    else if (!mayGo(entry)) return false;
  }
  return found === left.length;
}

const waysBackOf = ({ timeline }: Scenario): number =>
  timeline.filter(({ action }) => WAYS_BACK.includes(action.kind)).length;

/** Whether the file gives liveness a time; `auto` follows from the world as it is. */
const hasDeadline = ({ expect }: Doc): boolean =>
  listOf(expect).some((one) => !['auto', undefined].includes(at(one, ['liveness', 'within']) as string));

/** Which entries may go. Faults can only keep evidence away, and only lies of the accused bring it about. */
function spare(key: string, doc: Doc, original: Doc): (entry: unknown) => boolean {
  const wanted = listOf(doc['expect']).flatMap((one) => at(one, ['evidence']) ?? []);
  const amounts = wanted.map((one) => at(one, ['exactly']));
  if (key === 'timeline') return () => !amounts.includes(0);
  if (key !== 'byzantine' && key !== 'mutate') return () => false;
  const accused = wanted.flatMap((one) => at(one, ['against']));
  const usual = at(original, ['defaults', key, 'who']);
  return (entry) => {
    const liars = [at(entry, ['who']) ?? usual].flat();
    const isKnown = liars.every((one) => !String(one).startsWith('random'));
    return (
      amounts.every((amount) => amount === 0) || (isKnown && !liars.some((one) => accused.includes(one)))
    );
  };
}
