/** The playground page: choose a scenario and a seed, watch the run, share the address. */

import { factsOf } from '../sim/report/facts.ts';
import type { ScenarioReport } from '../sim/report.ts';
import type { ScenarioError } from '../sim/scenario/cursor.ts';
import { isSeed, SEED } from '../sim/scenario/seed.ts';

interface View {
  add(lines: readonly unknown[]): void;
  finish(report: ScenarioReport, facts: readonly string[]): void;
}
declare const SCENARIOS: Readonly<Record<string, string>>;
/** The worker's program. */
declare const WORKER: string;
interface ViewOptions {
  readonly title: string;
  /** The event that is picked once the run is over. */
  readonly at: number | undefined;
  onPick(event: number): void;
}
declare function orreryView(root: HTMLElement, options: ViewOptions): View;

type Message =
  | { readonly kind: 'lines'; readonly lines: readonly unknown[] }
  | { readonly kind: 'report'; readonly report: ScenarioReport }
  | { readonly kind: 'refused'; readonly error: ScenarioError }
  | { readonly kind: 'failed'; readonly text: string };

const byId = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const choice = byId<HTMLSelectElement>('scenario');
const seed = byId<HTMLInputElement>('seed');
const editor = byId<HTMLTextAreaElement>('text');
const status = byId('status');
const program = URL.createObjectURL(new Blob([WORKER], { type: 'text/javascript' }));
const stop = byId<HTMLButtonElement>('stop');
const FIRST = 'one-equivocator';
let worker: Worker | undefined;
/** The event that is picked, if the user or the address has picked one. */
let at: number | undefined;

const shipped = (name: string): string | undefined =>
  Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined;

/** The seed that a text states, as files do that the shrinker or a sweep wrote. */
const seedOf = (text: string): string | undefined => /^seed: *["']?([\w.-]+)/m.exec(text)?.[1];
let ownSeed: string | undefined;

/** The editor has this text. It is the chosen scenario's, or an edited one. */
function onText(text: string): void {
  if (text !== shipped(choice.value))
    choice.value = Object.keys(SCENARIOS).find((name) => SCENARIOS[name] === text) ?? '';
  const own = seedOf(text);
  if (own !== undefined && own !== ownSeed) seed.value = own;
  if (own === undefined && seed.value === ownSeed) seed.value = '1';
  ownSeed = own;
}

/** The address says it all: a shipped scenario by name, an edited one by its text, and the event that is picked. */
function remember(): void {
  const params = new URLSearchParams({ seed: seed.value });
  if (choice.value !== '') params.set('scenario', choice.value);
  else params.set('text', editor.value);
  if (at !== undefined) params.set('at', String(at));
  history.replaceState(undefined, '', `#${params}`);
}

function start(): void {
  remember();
  worker?.terminate();
  const view = orreryView(byId('view'), {
    title: `${choice.value || 'an edited scenario'}, seed ${seed.value}`,
    at,
    onPick(event) {
      at = event;
      remember();
    },
  });
  if (!isSeed(seed.value)) return end('refused', `expected ${SEED}, found ${JSON.stringify(seed.value)}`);
  status.textContent = 'running …';
  document.body.dataset['state'] = 'running';
  stop.disabled = false;
  worker = new Worker(program);
  worker.onmessage = (event: MessageEvent<Message>) => take(view, event.data);
  worker.onerror = (event) => end('error', event.message);
  worker.postMessage({ text: editor.value, seed: seed.value });
}

/** Another run than the address had: no event of it is picked. */
function startAnew(): void {
  at = undefined;
  onText(editor.value);
  start();
}

function take(view: View, message: Message): void {
  if (message.kind === 'lines') return view.add(message.lines);
  if (message.kind === 'refused') {
    const { line, column, message: text } = message.error;
    showLine(line);
    return end('refused', `line ${line}, column ${column}: ${text}`);
  }
  if (message.kind === 'failed') return end('error', message.text);
  const { report } = message;
  view.finish(report, factsOf(report));
  end(report.passed ? 'passed' : 'failed', `digest ${report.digest}`);
}

/** Opens the text where it is wrong. */
function showLine(line: number): void {
  const before = editor.value.split('\n').slice(0, line - 1);
  const from = before.reduce((sum, one) => sum + one.length + 1, 0);
  const to = editor.value.indexOf('\n', from);
  byId<HTMLDetailsElement>('edit').open = true;
  editor.focus();
  editor.setSelectionRange(from, to < 0 ? editor.value.length : to);
}

function end(state: string, text: string): void {
  stop.disabled = true;
  status.textContent = text;
  document.body.dataset['state'] = state;
}

/** Takes over what the address says. Returns whether there is such a scenario. */
function fromAddress(): boolean {
  const params = new URLSearchParams(location.hash.slice(1));
  const name = params.get('scenario') ?? FIRST;
  const event = Number(params.get('at') ?? Number.NaN);
  at = Number.isSafeInteger(event) ? event : undefined;
  const text = params.get('text') ?? shipped(name);
  choice.value = name;
  editor.value = text ?? '';
  onText(editor.value);
  seed.value = params.get('seed') ?? ownSeed ?? '1';
  if (text !== undefined) return true;
  orreryView(byId('view'), { title: name, at: undefined, onPick() {} });
  end('refused', `there is no scenario ${JSON.stringify(name)}: choose one of the list`);
  return false;
}

const edited = new Option('(edited)', '');
edited.hidden = true;
choice.append(edited, ...Object.keys(SCENARIOS).map((name) => new Option(name, name)));
choice.addEventListener('change', () => {
  editor.value = shipped(choice.value) ?? '';
  onText(editor.value);
  startAnew();
});
editor.addEventListener('input', () => onText(editor.value));
byId('run').addEventListener('click', startAnew);
stop.addEventListener('click', () => {
  worker?.terminate();
  end('stopped', 'stopped before its end');
});
const follow = (): void => {
  worker?.terminate();
  if (fromAddress()) start();
};
addEventListener('hashchange', follow);
follow();
