import type { ScenarioReport } from '../report.ts';
import { parseScenario } from '../scenario/parse.ts';
import { factsOf } from './facts.ts';

/** The modules of the page's script, in the folder `playground`. Each comes after those that it imports. */
export const PAGE_MODULES = ['story.js', 'picture.js', 'view.js'] as const;

/** The modules as one script without imports: a page that was opened from a file cannot load any. */
export const asScript = (modules: readonly string[]): string =>
  modules.map((text) => text.replace(/^import [^;]*;\n/gm, '').replace(/^export /gm, '')).join('\n');

export interface PageParts {
  readonly script: string;
  readonly style: string;
}

export interface PageTrace {
  readonly head: { readonly scenario: string; readonly seed?: string };
  readonly lines: readonly string[];
  readonly report: ScenarioReport | undefined;
}

/** Text inside a script element may not close it. */
const inScript = (json: string): string => json.replaceAll('<', '\\u003c');

/** A page that stands alone: it contains script, style and the whole trace, and loads nothing. */
export function reportPage({ head, lines, report }: PageTrace, { script, style }: PageParts): string {
  const parsed = parseScenario(head.scenario);
  const name = parsed.ok ? parsed.value.name : 'trace';
  const title = `${name}, seed ${report?.seed ?? head.seed ?? '?'}`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title.replaceAll('<', '&lt;')}</title>
<style>
${style}</style>
<div id="view"></div>
<script type="application/json" id="trace">{"report":${inScript(JSON.stringify(report ?? null))},"facts":${inScript(JSON.stringify(report === undefined ? [] : factsOf(report)))},"lines":[
${inScript(lines.join(',\n'))}
]}</script>
<script>
${script}
const trace = JSON.parse(document.getElementById('trace').textContent);
// The address names the event that is picked: page.html#at=120.
const picked = () => {
  const at = Number(new URLSearchParams(location.hash.slice(1)).get('at') ?? Number.NaN);
  return Number.isSafeInteger(at) ? at : undefined;
};
const onPick = (n) => history.replaceState(undefined, '', '#at=' + n);
const title = ${inScript(JSON.stringify(title))};
const view = orreryView(document.getElementById('view'), { title, at: picked(), onPick });
view.add(trace.lines);
view.finish(trace.report ?? undefined, trace.facts);
addEventListener('hashchange', () => view.goTo(picked()));
</script>
</html>
`;
}
