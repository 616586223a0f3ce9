/** The playground page: choose a scenario and a seed, watch the run, share the address. */

import { factsOf } from '../sim/report/facts.ts';
import type { ScenarioReport } from '../sim/report.ts';
import type { ScenarioError } from '../sim/scenario/cursor.ts';

interface View {
  add(lines: readonly unknown[]): void;
  finish(report: ScenarioReport, facts: readonly string[]): void;
}
declare const SCENARIOS: Readonly<Record<string, string>>;
/** The worker's program. */
declare const WORKER: string;
declare function orreryView(root: HTMLElement, options: { readonly title: string }): View;

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
let worker: Worker | undefined;

const isShipped = (): boolean => editor.value === SCENARIOS[choice.value];

/** The address says it all: a shipped scenario by name, an edited one by its text. */
function remember(): void {
  const params = new URLSearchParams({ seed: seed.value });
  if (isShipped()) params.set('scenario', choice.value);
  else params.set('text', editor.value);
  history.replaceState(undefined, '', `#${params}`);
}

function start(): void {
  remember();
  worker?.terminate();
  const name = isShipped() ? choice.value : 'an edited scenario';
  const view = orreryView(byId('view'), { title: `${name}, seed ${seed.value}` });
  status.textContent = 'running …';
  document.body.dataset['state'] = 'running';
  worker = new Worker(program);
  worker.onmessage = (event: MessageEvent<Message>) => take(view, event.data);
  worker.onerror = (event) => end('error', event.message);
  worker.postMessage({ text: editor.value, seed: seed.value });
}

function take(view: View, message: Message): void {
  if (message.kind === 'lines') return view.add(message.lines);
  if (message.kind === 'refused') {
    const { line, column, message: text } = message.error;
    return end('refused', `line ${line}, column ${column}: ${text}`);
  }
  if (message.kind === 'failed') return end('error', message.text);
  const { report } = message;
  view.finish(report, factsOf(report));
  end(report.passed ? 'passed' : 'failed', `digest ${report.digest}`);
}

function end(state: string, text: string): void {
  status.textContent = text;
  document.body.dataset['state'] = state;
}

function fromAddress(): void {
  const params = new URLSearchParams(location.hash.slice(1));
  const name = params.get('scenario') ?? 'one-equivocator';
  choice.value = name in SCENARIOS ? name : 'one-equivocator';
  seed.value = params.get('seed') ?? '1';
  editor.value = params.get('text') ?? SCENARIOS[choice.value] ?? '';
}

choice.append(...Object.keys(SCENARIOS).map((name) => new Option(name, name)));
choice.addEventListener('change', () => {
  editor.value = SCENARIOS[choice.value] ?? '';
  start();
});
byId('run').addEventListener('click', start);
addEventListener('hashchange', () => {
  fromAddress();
  start();
});
fromAddress();
start();
