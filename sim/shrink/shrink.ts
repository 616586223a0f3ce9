import { compareText } from '../../core/lib/bytes.ts';
import { err, ok, type Result } from '../../core/lib/result.ts';
import type { Micros } from '../../core/types/ids.ts';
import { faultyNames } from '../makeWorld.ts';
import type { Failure } from '../report.ts';
import { DEFAULT_SEED, type RunOptions, runParsed } from '../run.ts';
import type { ScenarioError } from '../scenario/cursor.ts';
import { parseScenario } from '../scenario/parse.ts';
import { clientsOf, type Scenario } from '../scenario/scenario.ts';
import { seedValue } from '../scenario/seed.ts';
import { varied } from '../search/vary.ts';
import { causeOf } from '../sweep/cause.ts';
import { type Doc, docText, readDoc } from './document.ts';
import { idlePlaces, without } from './idle.ts';
import { type Candidate, ownWorld } from './ownWorld.ts';
import { PASSES } from './passes.ts';

/** Candidate runs at most, unless the caller says otherwise. */
const SHRINK_RUNS_MAX = 400;
/** A candidate is given up when nothing breaks within twice the time of the best, and this much more. */
const PATIENCE_MICROS: Micros = 5_000_000;
/** Seeds tried for a candidate besides its own: cutting a piece shifts some choices. */
const OTHER_SEEDS: readonly string[] = ['1', '2', '3'];

export interface ShrinkOptions {
  /** Replaces the scenario's own. */
  readonly seed?: string | undefined;
  readonly run?: RunOptions | undefined;
  readonly runsMax?: number | undefined;
  /** Ends the search early, e.g. when real time is up. */
  readonly isEnough?: (() => boolean) | undefined;
  /** Called after each candidate, with the size of the best so far. */
  readonly onRun?: ((runs: number, best: ScenarioSize) => void) | undefined;
  /** Called with each smaller scenario that was found. The last one may still become smaller. */
  readonly onStep?: ((best: Best) => void) | undefined;
}

/** The failure that must persist: the same checker for the same cause, not just any failure. */
export interface BrokenPromise {
  readonly checker: string;
  readonly cause: string;
  /** As stated by the run of the best scenario. */
  readonly message: string;
}

export interface Best {
  /** A complete scenario, with its seed and its zeroed choices. */
  readonly text: string;
  readonly broken: BrokenPromise;
}

export interface Shrunk extends Best {
  readonly runs: number;
  readonly before: ScenarioSize;
  readonly after: ScenarioSize;
}

export interface ScenarioSize {
  /** Entries of `timeline` and `byzantine` together. */
  readonly faultLines: number;
  readonly validators: number;
  readonly clients: number;
  readonly height: number | undefined;
}

export type ShrinkError =
  | { readonly kind: 'scenario'; readonly error: ScenarioError }
  /** The scenario passes with this seed. */
  | { readonly kind: 'passes'; readonly seed: string };

/** A smaller scenario that breaks the same promise (delta debugging over the scenario file, then over its choices). */
export async function shrinkScenario(
  written: string,
  { seed: given, ...rest }: ShrinkOptions,
): Promise<Result<Shrunk, ShrinkError>> {
  const original = parseScenario(written);
  if (!original.ok) return err({ kind: 'scenario', error: original.error });
  const options = { ...rest, seed: given ?? original.value.seed ?? DEFAULT_SEED };
  const text = varied(written, options.seed);
  const parsed = parseScenario(text);
  if (!parsed.ok) return err({ kind: 'scenario', error: parsed.error });
  const first = await firstFailure(parsed.value, { ...options.run, seed: options.seed });
  if (first === undefined) return err({ kind: 'passes', seed: options.seed });
  const broken: BrokenPromise = {
    checker: first.checker,
    cause: causeOf(first, namesOf(parsed.value)),
    message: sentenceOf(first),
  };
  // The result has to run without options, so the scheme becomes part of the scenario, from which it may be removed.
  const { crypto, ...run } = options.run ?? {};
  const start: Doc = { ...withCrypto(readDoc(text), crypto), seed: seedValue(options.seed) };
  const search = new Search(broken, { ...options, run }, { doc: start, scenario: parsed.value });
  const doc = await search.smallest(start, first.at);
  const body = docText(doc);
  return ok({
    text: body,
    broken: { ...broken, message: search.message },
    runs: search.runs,
    before: sizeOf(parsed.value),
    after: sizeOf(scenarioOf(body)),
  });
}

/** Checkers that report at the end what has not happened: an earlier end would make them fail for no reason. */
const AT_THE_END: readonly string[] = [
  'liveness',
  'evidence',
  'guilty',
  'eventually',
  'app',
  'receipt',
  'ws',
  'light',
];

const sentenceOf = ({ message }: Failure): string => message.split('\n', 1)[0] as string;

/** The first failure that counts. The run stops there, or after `timeMax` virtual µs. */
async function firstFailure(
  scenario: Scenario,
  options: RunOptions,
  counts: (failure: Failure) => boolean = () => true,
  timeMax: Micros = Number.POSITIVE_INFINITY,
): Promise<Failure | undefined> {
  let first: Failure | undefined;
  await runParsed(scenario, {
    ...options,
    onFailure: (failure) => {
      if (counts(failure)) first ??= failure;
    },
    stop: (now) => first !== undefined || now > timeMax,
  });
  return first;
}

const withCrypto = (doc: Doc, crypto: string | undefined): Doc =>
  crypto === undefined ? doc : { ...doc, engine: { ...(doc['engine'] as Doc | undefined), crypto } };

function scenarioOf(text: string): Scenario {
  const parsed = parseScenario(text);
  if (!parsed.ok) throw new RangeError(`the shrinker kept an unreadable scenario: ${parsed.error.message}`);
  return parsed.value;
}

const namesOf = (scenario: Scenario): readonly string[] =>
  [...scenario.validators, ...scenario.nodes, ...clientsOf(scenario)]
    .map(({ name }) => name)
    .sort(compareText);

/** Whether less than a third of the power is declared faulty. `random K` names nobody yet and is not counted. */
export function isTolerable(scenario: Scenario): boolean {
  const faulty = faultyNames(scenario);
  const powerOf = (isCounted: (name: string) => boolean): number =>
    scenario.validators.reduce((sum, { name, power }) => sum + (isCounted(name) ? power : 0), 0);
  return 3 * powerOf((name) => faulty.has(name)) < powerOf(() => true);
}

const endOf = ({ until }: Scenario): string => JSON.stringify(until);

/** The end that candidates have to keep. The parser itself refuses heights that are too low for liveness. */
const endToKeep = (checker: string, original: Scenario): string | undefined =>
  AT_THE_END.includes(checker) && !(checker === 'liveness' && original.until.kind === 'height')
    ? endOf(original)
    : undefined;

export const sizeOf = (scenario: Scenario): ScenarioSize => ({
  // Nodes that one line names share its trigger.
  faultLines: scenario.timeline.length + new Set(scenario.byzantine.map(({ trigger }) => trigger)).size,
  validators: scenario.validators.length,
  clients: clientsOf(scenario).length,
  height: scenario.until.kind === 'height' ? scenario.until.height : undefined,
});

/** The search for a smaller document: repeats the passes until none finds anything, or a limit is reached. */
class Search {
  runs = 0;
  /** The failure of the best. */
  message: string;
  readonly #broken: BrokenPromise;
  readonly #tolerable: boolean;
  /** The end that candidates have to keep. */
  readonly #end: string | undefined;
  readonly #isOwnWorld: (candidate: Candidate) => boolean;
  readonly #options: Omit<ShrinkOptions, 'seed'>;
  readonly #refused = new Set<string>();
  #best: Doc = {};
  /** When the best failed. */
  #brokenAt: Micros = 0;

  constructor(broken: BrokenPromise, options: Omit<ShrinkOptions, 'seed'>, original: Candidate) {
    // If less than a third of the power lies, it must stay less: otherwise other promises would be judged.
    this.#tolerable = isTolerable(original.scenario);
    this.#end = endToKeep(broken.checker, original.scenario);
    this.#isOwnWorld = ownWorld(broken.checker, original);
    this.#broken = broken;
    this.message = broken.message;
    this.#options = options;
  }

  async smallest(start: Doc, brokenAt: Micros): Promise<Doc> {
    this.#best = start;
    this.#brokenAt = brokenAt;
    for (let before = ''; docText(this.#best) !== before && !this.#isSpent; ) {
      before = docText(this.#best);
      for (const pass of PASSES) {
        if (this.#isSpent) break;
        await pass.run(
          () => this.#best,
          (doc) => this.#tryDoc(doc, pass.mayReseed),
        );
      }
    }
    await this.#dropIdle();
    return this.#best;
  }

  /** Drops what has done nothing in the run of the best. That leaves the world as it is, whatever the promise. */
  async #dropIdle(): Promise<void> {
    const scenario = scenarioOf(docText(this.#best));
    const { neverHappened } = await runParsed(scenario, { ...this.#options.run, judges: this.#judges });
    const doc = idlePlaces(this.#best, neverHappened).reduce(without, this.#best);
    const text = docText(doc);
    if (text === docText(this.#best)) return;
    const failure = await this.#breakOf(doc, text, () => true);
    if (failure !== undefined) this.#keep(doc, failure);
  }

  get #isSpent(): boolean {
    return this.runs >= (this.#options.runsMax ?? SHRINK_RUNS_MAX) || this.#options.isEnough?.() === true;
  }

  #keep(doc: Doc, failure: Failure): void {
    this.#best = doc;
    this.#brokenAt = failure.at;
    this.message = sentenceOf(failure);
    this.#options.onStep?.({ text: docText(doc), broken: { ...this.#broken, message: this.message } });
  }

  /** Whether the promise is still broken in the candidate; if so it is the best from now on. */
  async #tryDoc(doc: Doc, mayReseed: boolean): Promise<boolean> {
    const seeds = mayReseed ? [doc['seed'], ...OTHER_SEEDS.map(Number)] : [doc['seed']];
    for (const seed of new Set(seeds)) {
      const candidate = { ...doc, seed };
      const text = docText(candidate);
      if (this.#isSpent || this.#refused.has(text)) continue;
      const failure = await this.#breakOf(candidate, text, this.#isOwnWorld);
      if (failure !== undefined) {
        this.#keep(candidate, failure);
        return true;
      }
      this.#refused.add(text);
    }
    return false;
  }

  /**
   * Only the checker that failed has to judge. Any checker may find that a node throws (no_crash), so then all judge.
   */
  get #judges(): RunOptions['judges'] {
    const { checker } = this.#broken;
    return checker === 'no_crash' ? undefined : (name) => name === checker;
  }

  async #breakOf(
    doc: Doc,
    text: string,
    isOwnWorld: (candidate: Candidate) => boolean,
  ): Promise<Failure | undefined> {
    const parsed = parseScenario(text);
    if (!parsed.ok || (this.#tolerable && !isTolerable(parsed.value))) return undefined;
    if (!isOwnWorld({ doc, scenario: parsed.value })) return undefined;
    if (this.#end !== undefined && endOf(parsed.value) !== this.#end) return undefined;
    const names = namesOf(parsed.value);
    this.runs++;
    const failure = await firstFailure(
      parsed.value,
      { ...this.#options.run, judges: this.#judges },
      (one) => one.checker === this.#broken.checker && causeOf(one, names) === this.#broken.cause,
      2 * this.#brokenAt + PATIENCE_MICROS,
    );
    this.#options.onRun?.(this.runs, sizeOf(scenarioOf(docText(this.#best))));
    return failure;
  }
}
