import * as fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPlayground } from '../../../scripts/playground.mjs';
import { asScript, PAGE_MODULES, reportPage } from '../../../sim/report/page.ts';
import { runScenario } from '../../../sim/run.ts';
import { Browser, CHROMIUM } from '../../support/browser.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const scenario = fs.readFileSync(path.join(root, 'scenarios', 'one-equivocator.yaml'), 'utf8');
const partOf = (name: string): string => fs.readFileSync(path.join(root, 'playground', name), 'utf8');
const PARTS = { script: asScript(PAGE_MODULES.map(partOf)), style: partOf('view.css') };
const STATE = 'document.body?.dataset.state';
/** The picture, once what has just happened is drawn. */
const FRAME = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(document.getElementById('lanes').toDataURL()))))`;

describe.skipIf(CHROMIUM === undefined)('in a real browser (needs chromium in the PATH)', () => {
  let folder = '';
  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orrery-page-'));
  });
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  test('the playground runs what its address says, with the digest that Node has', async () => {
    await buildPlayground(folder);
    const server = createServer((request, response) => {
      const name = path.basename((request.url ?? '/').split('?')[0] as string) || 'index.html';
      const file = path.join(folder, name);
      const type = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }[path.extname(name)];
      if (!fs.existsSync(file)) return response.writeHead(404).end();
      return response.writeHead(200, { 'content-type': type ?? 'text/plain' }).end(fs.readFileSync(file));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const page = await Browser.open();
    try {
      await page.goTo(`http://127.0.0.1:${port}/index.html#scenario=one-equivocator&seed=3`);
      await page.until(`${STATE} !== undefined && ${STATE} !== 'running'`);
      const node = await runScenario(scenario, { seed: '3' });
      if (!node.ok) throw new Error(node.error.message);
      expect(await page.evaluate("document.getElementById('status').textContent")).toBe(
        `digest ${node.value.digest}`,
      );
      expect(await page.evaluate(STATE)).toBe('passed');
      expect(await page.evaluate('location.hash')).toBe('#seed=3&scenario=one-equivocator');
      // What is typed into the text is no order to the picture, and a picture that was replaced is not drawn any more.
      const key = "new KeyboardEvent('keydown', { key: '+', bubbles: true })";
      const scene = await page.evaluate(FRAME);
      await page.evaluate(
        `{ window.former = document.getElementById('lanes'); document.getElementById('text').dispatchEvent(${key}); }`,
      );
      expect(await page.evaluate(FRAME)).toBe(scene);
      await page.evaluate(`{ document.body.dispatchEvent(${key}); }`);
      expect(await page.evaluate(FRAME)).not.toBe(scene);
      await page.evaluate("document.getElementById('run').click()");
      await page.until(`${STATE} !== 'running'`);
      await page.evaluate("{ former.width = 7; dispatchEvent(new Event('resize')); }");
      await page.evaluate(FRAME);
      expect(await page.evaluate('former.width')).toBe(7);
      // What cannot be run is refused in words, and where the text is wrong it is open at that line.
      const status = "document.getElementById('status').textContent";
      const refusals = {
        'scenario=nope&seed=1': 'there is no scenario "nope": choose one of the list',
        'scenario=__proto__&seed=1': 'there is no scenario "__proto__": choose one of the list',
        'scenario=one-equivocator&seed=a+b':
          'expected a seed: 1 to 64 letters, digits, dots, dashes or underscores, found "a b"',
        'text=name%3A+x%0Auntil%3A+soon%0A&seed=1': 'line 2, column 8: until: expected ',
      };
      for (const [address, text] of Object.entries(refusals)) {
        await page.evaluate(`{ location.hash = ${JSON.stringify(address)}; }`);
        await page.until(`${STATE} === 'refused' && ${status}.startsWith(${JSON.stringify(text)})`);
      }
      const editor = "document.getElementById('text')";
      expect(
        await page.evaluate(`${editor}.value.slice(${editor}.selectionStart, ${editor}.selectionEnd)`),
      ).toBe('until: soon');
      // A text that states its seed runs with it, as on the command line.
      const own = 'name: own\nseed: x7\nengine: {crypto: keyed-hash}\nuntil: {time: 1h}\n';
      await page.evaluate(
        `{ const t = ${editor}; t.value = ${JSON.stringify(own)}; t.dispatchEvent(new Event('input')); document.getElementById('run').click(); }`,
      );
      expect(
        await page.evaluate("['scenario', 'seed'].map((id) => document.getElementById(id).value)"),
      ).toEqual(['', 'x7']);
      await page.evaluate("document.getElementById('stop').click()");
      expect(await page.evaluate(STATE)).toBe('stopped');
      // Without any server.
      await page.goTo(`${pathToFileURL(path.join(folder, 'index.html')).href}#scenario=four-honest&seed=1`);
      await page.until(`${STATE} !== undefined && ${STATE} !== 'running'`);
      expect(await page.evaluate(STATE)).toBe('passed');
      expect(page.complaints).toEqual([]);
    } finally {
      await page.close();
      server.close();
    }
  });

  test('a lie is seen where it lies on the same line as a true message', async () => {
    const lines: string[] = [];
    const text = fs.readFileSync(path.join(root, 'scenarios', 'one-equivocator.yaml'), 'utf8');
    const trace = (line: string): void => void lines.push(line);
    const result = await runScenario(text, { seed: '7', crypto: 'keyed-hash', trace });
    if (!result.ok) throw new Error(result.error.message);
    const file = path.join(folder, 'lies.html');
    fs.writeFileSync(file, reportPage({ head: { scenario: text }, lines, report: result.value }, PARTS));
    const page = await Browser.open();
    try {
      await page.goTo(pathToFileURL(file).href);
      await page.until("document.querySelector('.details table') !== null");
      // Nearly the colour of lies: red and blue well above green.
      const isPink = `(() => { const c = document.getElementById('lanes'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 128 && d[i] > 180 && d[i + 1] < 90 && d[i + 2] > 90) return true; return false; })()`;
      await page.until(isPink);
    } finally {
      await page.close();
    }
  });

  test('a report shows what its verdict leaves out, and pauses', async () => {
    const lines: string[] = [];
    const text = `name: page
engine: {crypto: keyed-hash}
timeline: [{at: 1s, do: {pause: v1}, for: 2s}, {at: 1s, do: heal}]
until: {time: 4s}
`;
    const result = await runScenario(text, { trace: (line) => lines.push(line) });
    if (!result.ok) throw new Error(result.error.message);
    const UNJUDGED = { promise: 'agreement', why: 'a third or more of the power is faulty', isNamed: true };
    const report = { ...result.value, forks: ['height 3: two blocks'], notJudged: [UNJUDGED] };
    const file = path.join(folder, 'facts.html');
    fs.writeFileSync(file, reportPage({ head: { scenario: text }, lines, report }, PARTS));
    const page = await Browser.open();
    try {
      await page.goTo(pathToFileURL(file).href);
      await page.until("document.querySelector('.details table') !== null");
      expect(
        await page.evaluate("[...document.querySelectorAll('.facts li')].map((one) => one.textContent)"),
      ).toEqual([
        'forked at height 3: two blocks',
        'never happened: timeline[1] heal',
        'expected and not judged, as a third or more of the power is faulty: agreement',
      ]);
      expect(await page.evaluate("document.querySelector('.verdict').className")).toBe('verdict doubtful');
      const isShaded = `(() => { const c = document.getElementById('lanes'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; for (let i = 0; i < d.length; i += 4) if (d[i] === 0xa5 && d[i + 1] === 0xf3 && d[i + 2] === 0xfc) return true; return false; })()`;
      await page.until(isShaded);
    } finally {
      await page.close();
    }
  });

  test('a report leads to the event of its address, takes keys anywhere but in text, and stays within the run', async () => {
    const lines: string[] = [];
    const text = `name: long
engine: {crypto: keyed-hash}
validators: {a-validator-with-a-rather-long-n: {}, b: {}, c: {}, d: {}}
until: {height: 3}
`;
    const result = await runScenario(text, { trace: (line) => lines.push(line) });
    if (!result.ok) throw new Error(result.error.message);
    const file = path.join(folder, 'keys.html');
    fs.writeFileSync(file, reportPage({ head: { scenario: text }, lines, report: result.value }, PARTS));
    const page = await Browser.open();
    try {
      await page.beDark();
      await page.goTo(`${pathToFileURL(file).href}#at=100`);
      const event = "Number(/\\d+/.exec(document.querySelector('.details h2')?.textContent ?? '')?.[0])";
      await page.until(`${event} === 100`);
      const press = (key: string, id: string, more = ''): Promise<unknown> =>
        page.evaluate(
          `{ document.querySelector('${id}').dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true${more} })); }`,
        );
      // Who hears the page instead of seeing it hears what each thing is, and at which event the slider stands.
      const unnamed = `[...document.querySelectorAll('button, input, canvas')].filter((one) => !(one.ariaLabel || one.labels?.length || /\\w/.test(one.textContent)))`;
      expect(await page.evaluate(`${unnamed}.map((one) => one.outerHTML)`)).toEqual([]);
      expect(await page.evaluate("document.getElementById('scrub').ariaValueText")).toMatch(
        /^event 100 at \d\.\d{3} s: /,
      );
      // A filter that was just clicked and the slider have the focus, and the keys do the same.
      await press('ArrowRight', '.filters input');
      await press('ArrowRight', '#scrub');
      await page.until(`${event} > 100 && location.hash === '#at=' + ${event}`);
      const scene = await page.evaluate(FRAME);
      for (const key of ['-', '+']) await press(key, '#lanes', ', ctrlKey: true');
      await press('ArrowLeft', '#needle');
      await press('-', '#lanes');
      expect(await page.evaluate(FRAME)).toBe(scene);
      await page.evaluate("{ location.hash = '#at=7'; }");
      await page.until(`${event} === 7`);
      // A long name has room beside the lanes: none of their shades is under it.
      const isShaded =
        "(() => { const c = document.getElementById('lanes'); const d = c.getContext('2d').getImageData(100, 0, 10, c.height).data; for (let i = 0; i < d.length; i += 4) if ([0x25305a, 0x1b2435].includes((d[i] << 16) | (d[i + 1] << 8) | d[i + 2])) return true; return false; })()";
      expect(await page.evaluate(isShaded)).toBe(false);
      // On paper the picture is as wide as its place there, and is drawn in the colours of a light page.
      await page.evaluate(
        "{ window.printed = []; matchMedia('print').addEventListener('change', () => { const c = document.getElementById('lanes'); printed.push(c.width - c.clientWidth * devicePixelRatio, view.picture.colour('ink')); }); }",
      );
      const screen = "document.getElementById('lanes').width";
      const width = await page.evaluate(screen);
      await page.print();
      await page.until(`printed.length === 4 && ${screen} === ${width}`);
      expect(await page.evaluate('printed')).toEqual([0, '#0f172a', 0, '#e2e8f0']);
      // A click on the way of a message picks it.
      await page.evaluate(
        "{ window.sought = view.story.lines.find(({ msg }) => msg?.startsWith('precommit')); view.show(sought.sent - 5_000, sought.t + 5_000); }",
      );
      await page.evaluate(FRAME);
      await page.evaluate(
        '{ const { picture } = view; view.pick((picture.x(sought.sent) + picture.x(sought.t)) / 2, (picture.y(sought.from) + picture.y(sought.node)) / 2); }',
      );
      const picked = 'view.story.lines[view.at]';
      expect(await page.evaluate(`[${picked}.from, ${picked}.node, ${picked}.t]`)).toEqual(
        await page.evaluate('[sought.from, sought.node, sought.t]'),
      );
      // The run that wrote a trace may have been interrupted.
      const cut = { head: { scenario: text }, lines: lines.slice(0, 50), report: undefined };
      fs.writeFileSync(file, reportPage(cut, PARTS));
      await page.goTo(`${pathToFileURL(file).href}?cut`);
      await page.until(
        "document.querySelector('.verdict')?.textContent === 'no verdict: the trace has no end'",
      );
    } finally {
      await page.close();
    }
  });

  test('a report of 20k events is drawn, scrubbed and filtered from a file alone', async () => {
    const lines: string[] = [];
    const text = fs.readFileSync(path.join(root, 'scenarios', 'mixed-trouble.yaml'), 'utf8');
    const result = await runScenario(text, { crypto: 'keyed-hash', trace: (line) => lines.push(line) });
    if (!result.ok) throw new Error(result.error.message);
    expect(lines.length).toBeGreaterThan(20_000);
    const file = path.join(folder, 'report.html');
    fs.writeFileSync(file, reportPage({ head: { scenario: text }, lines, report: result.value }, PARTS));
    const page = await Browser.open();
    try {
      await page.goTo(pathToFileURL(file).href);
      await page.until("document.querySelector('.details table') !== null");
      expect(await page.evaluate("document.querySelectorAll('.details tr').length")).toBe(8);
      const title = "document.querySelector('.details h2').textContent";
      const last = await page.evaluate(title);
      await page.evaluate(
        "{ const s = document.getElementById('scrub'); s.value = 100; s.dispatchEvent(new Event('input')); }",
      );
      await page.until(`${title} !== ${JSON.stringify(last)}`);
      await page.evaluate(
        "{ const s = document.getElementById('needle'); s.value = 'crash'; s.dispatchEvent(new Event('input')); }",
      );
      const isDrawn = `(() => { const c = document.getElementById('lanes'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; return d.some((value) => value !== 0); })()`;
      await page.until(isDrawn);
    } finally {
      await page.close();
    }
  });
});

test('every colour of the picture is there for light and for dark pages', () => {
  const { script, style } = PARTS;
  const page = partOf('index.html');
  const [light, dark] = style
    .split('@media screen and (prefers-color-scheme: dark)')
    .map((part) => new Set([...part.matchAll(/^ +--([a-z-]+):/gm)].map((match) => match[1])));
  expect(dark).toEqual(light);
  const used = [...`${script}${style}${page}`.matchAll(/var\(--([a-z-]+)\)|colour\('([a-z-]+)'\)/g)];
  for (const [, inCss, inScript] of used) expect(light).toContain(inCss ?? inScript);
});
