// The page around the picture: controls, the line that is picked, and every node's state at that line.
import { clamp, Picture } from './picture.js';
import { COLOURED, covers, Filter, GROUPS, Story, seconds, spanAt, textOf } from './story.js';

/** What the colours of the lanes say. */
const LEGEND = [
  ['decided', 'decided'],
  ['later', 'a later round'],
  ['lock', 'locked'],
  ['down', 'down'],
  ['paused', 'paused'],
  ['fault', 'fault'],
  ['broken', 'promise broken, or a Byzantine name'],
  ['lie', 'lie'],
];
const STEPS =
  'steps: 1 new height, 2 new round, 3 propose, 4 prevote, 5 prevote wait, 6 precommit, 7 precommit wait, 8 commit';

/** Lines listed up to the picked one, and after it. */
const [BEFORE_MAX, AFTER_MAX] = [14, 10];

const element = (tag, attributes = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), attributes);
  made.append(...children);
  return made;
};
const button = (text, act, title = '') => {
  const made = element('button', { type: 'button', textContent: text, title, ariaLabel: title || null });
  made.addEventListener('click', act);
  return made;
};
/** A patch of a colour, beside the word for it: not every colour can be read as the colour of a text. */
const sampleOf = (name) => {
  const sample = element('i', { className: 'sample' });
  sample.style.background = `var(--${name})`;
  return sample;
};

/** A box for each kind of happening that can be hidden. */
function filterBoxes({ hidden }, onChange) {
  const boxes = element('span', { className: 'filters' });
  for (const name of [...GROUPS.map(([group]) => group), 'lie', 'timer', 'sync', 'decided', 'fault']) {
    const box = element('input', { type: 'checkbox', checked: !hidden.has(name) });
    box.addEventListener('change', () => {
      if (box.checked) hidden.delete(name);
      else hidden.add(name);
      onChange();
    });
    const sample = COLOURED.has(name) ? [sampleOf(name)] : [];
    boxes.append(element('label', {}, box, ...sample, name));
  }
  return boxes;
}

function searchBox(filter, onChange) {
  const search = element('input', {
    type: 'search',
    placeholder: 'filter: node or text',
    ariaLabel: 'filter: node or text',
    id: 'needle',
  });
  search.addEventListener('input', () => {
    filter.needle = search.value.trim().toLowerCase();
    onChange();
  });
  return search;
}

function legend() {
  const samples = LEGEND.map(([name, text]) => element('span', {}, sampleOf(name), text));
  return element('span', { className: 'legend' }, ...samples);
}

class View {
  /** `at`: the event that is picked once the run is over. `onPick`: hears of each event that the user picks. */
  constructor(root, { title, at, onPick }) {
    this.wanted = at;
    this.onPick = onPick;
    this.story = new Story();
    this.filter = new Filter();
    this.at = 0;
    this.follows = true;
    this.leaving = new AbortController();
    this.build(root, title);
  }

  build(root, title) {
    const lanes = 'lanes of the nodes over time; the arrow keys step through the events, + and - zoom';
    this.canvas = element('canvas', { id: 'lanes', tabIndex: 0, role: 'img', ariaLabel: lanes });
    this.slider = element('input', {
      type: 'range',
      min: 0,
      max: 0,
      value: 0,
      id: 'scrub',
      ariaLabel: 'event',
    });
    this.details = element('div', { className: 'details' });
    this.list = element('div', { className: 'list' });
    this.verdict = element('span', { className: 'verdict' });
    this.matches = element('span', { className: 'matches' });
    this.unlabelled = element('span', { className: 'unlabelled' });
    this.facts = element('ul', { className: 'facts' });
    const draw = () => this.draw();
    const steps = element(
      'span',
      {},
      button('◀', () => this.step(-1), 'previous event'),
      button('▶', () => this.step(1), 'next event'),
      button('whole run', () => this.whole()),
      button('next mark', () => this.nextMark()),
    );
    const [filters, search] = [filterBoxes(this.filter, draw), searchBox(this.filter, draw)];
    const { slider, matches, unlabelled } = this;
    const stage = element('div', { className: 'stage' }, this.canvas);
    this.picture = new Picture(this.canvas, stage, this.story, this.filter);
    root.replaceChildren(
      element('header', {}, element('h1', { textContent: title }), this.verdict, legend()),
      this.facts,
      element('div', { className: 'bar' }, steps, slider, filters, search, matches, unlabelled),
      element('main', {}, stage, element('aside', {}, this.details, this.list)),
    );
    slider.addEventListener('input', () => this.pickLine(Number(slider.value)));
    this.listen();
  }

  listen() {
    const { canvas, picture } = this;
    const { signal } = this.leaving;
    let drag;
    canvas.addEventListener('wheel', (event) => this.onWheel(event), { passive: false });
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      drag = { x: event.offsetX, from: picture.from, to: picture.to, moved: false };
    });
    canvas.addEventListener('pointermove', (event) => {
      if (drag === undefined) return;
      const shift = ((drag.x - event.offsetX) / picture.width) * (drag.to - drag.from);
      if (Math.abs(drag.x - event.offsetX) > 3) drag.moved = true;
      if (drag.moved) this.show(drag.from + shift, drag.to + shift);
    });
    canvas.addEventListener('pointerup', (event) => {
      if (drag !== undefined && !drag.moved) this.pick(event.offsetX, event.offsetY);
      drag = undefined;
    });
    canvas.addEventListener('pointercancel', () => {
      drag = undefined;
    });
    addEventListener('resize', () => this.draw(), { signal });
    addEventListener('keydown', (event) => this.onKey(event), { signal });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw(), { signal });
    // On paper the picture has another width and the light colours, and no frame comes before it is printed.
    matchMedia('print').addEventListener('change', () => picture.paint(this.at), { signal });
    // The room for the lanes also changes when something above them opens.
    const observer = new ResizeObserver(() => this.draw());
    observer.observe(picture.stage);
    signal.addEventListener('abort', () => observer.disconnect());
  }

  /** Zooms, or pans if the wheel turns sideways. Over the names it scrolls the lanes, as anywhere on a page. */
  onWheel(event) {
    const { picture } = this;
    if (event.offsetX < picture.left) return;
    event.preventDefault();
    // A mouse reports 100 or so for a notch, or a few lines; a trackpad a little at a time.
    const unit = event.deltaMode === 0 ? 1 : 40;
    const [x, y] = [event.deltaX * unit, event.deltaY * unit];
    if (Math.abs(x) > Math.abs(y)) {
      const shift = (x / picture.width) * (picture.to - picture.from);
      this.show(picture.from + shift, picture.to + shift);
    } else this.zoom(Math.exp(clamp(y, -120, 120) / 500), event.offsetX);
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches?.('textarea, select, input:not([type="range"], [type="checkbox"])')) return;
    const middle = this.picture.left + this.picture.width / 2;
    if (event.key === 'ArrowRight') this.step(1);
    else if (event.key === 'ArrowLeft') this.step(-1);
    else if (event.key === '+') this.zoom(0.7, middle);
    else if (event.key === '-') this.zoom(1.4, middle);
    else return;
    event.preventDefault();
  }

  /** Another view takes its place. */
  leave() {
    this.leaving.abort();
    clearTimeout(this.telling);
  }

  add(lines) {
    for (const line of lines) this.story.add(line);
    this.slider.max = Math.max(0, this.story.lines.length - 1);
    if (this.follows) this.whole();
    else this.draw();
  }

  /** `facts`: what readers must know beside the verdict, a line each. */
  finish(report, facts) {
    if (report === undefined) {
      this.verdict.textContent = 'no verdict: the trace has no end';
      this.verdict.classList.add('doubtful');
      this.whole();
      return this.goTo(this.wanted);
    }
    this.facts.replaceChildren(...facts.map((textContent) => element('li', { textContent })));
    for (const name of report.nodes.map((node) => node.name)) this.story.lane(name);
    const known = new Set(this.story.lines.filter((line) => line.kind === 'broken').map((line) => line.text));
    for (const { checker, message, at } of report.failures)
      if (!known.has(`${checker}: ${message}`))
        this.story.add({ t: at, n: report.stats.events, kind: 'broken', text: `${checker}: ${message}` });
    this.story.byzantine = new Set(report.nodes.filter((node) => !node.isCorrect).map((node) => node.name));
    this.slider.max = Math.max(0, this.story.lines.length - 1);
    const [first] = report.failures;
    const broken = report.failures.map(({ checker, message }) => `broken: ${checker}: ${message}`);
    this.verdict.title = broken.join('\n');
    const more = broken.length > 1 ? `${broken.length} ` : '';
    this.verdict.textContent = first === undefined ? 'passed' : `${more}${broken[0].split('\n')[0]}`;
    // A run that forked, or in which something was not judged, passes as well.
    const isDoubtful = report.forks.length + report.notJudged.length > 0;
    this.verdict.classList.add(first !== undefined ? 'bad' : isDoubtful ? 'doubtful' : 'good');
    this.whole();
    this.goTo(this.wanted);
  }

  /** Picks the first line of this event; without one, what broke, or the end. */
  goTo(event) {
    const { lines } = this.story;
    const isIt = event === undefined ? ({ kind }) => kind === 'broken' : ({ n }) => n >= event;
    const index = lines.findIndex(isIt);
    this.select(index >= 0 ? index : lines.length - 1);
  }

  show(from, to) {
    this.follows = false;
    this.picture.show(from, to);
    this.draw();
  }

  whole() {
    this.picture.whole();
    this.draw();
  }

  zoom(factor, x) {
    this.follows = false;
    this.picture.zoom(factor, x);
    this.draw();
  }

  /** What the user picks. Who scrubs passes many events, and stays with one. */
  pickLine(index) {
    this.select(index);
    clearTimeout(this.telling);
    const line = this.story.lines[this.at];
    if (line !== undefined) this.telling = setTimeout(() => this.onPick?.(line.n), 200);
  }

  select(index) {
    this.at = Math.min(Math.max(0, index), Math.max(0, this.story.lines.length - 1));
    this.slider.value = this.at;
    const line = this.story.lines[this.at];
    if (line !== undefined)
      this.slider.ariaValueText = `event ${line.n} at ${seconds(line.t)}: ${textOf(line)}`;
    const { from, to } = this.picture;
    if (line !== undefined && !this.picture.has(line)) {
      const half = (to - from) / 2;
      this.show(line.t - half, line.t + half);
    } else this.draw();
  }

  /** To the next line that the filters show. */
  step(by) {
    this.follows = false;
    for (let i = this.at + by; i >= 0 && i < this.story.lines.length; i += by)
      if (this.filter.shows(this.story.lines[i])) return this.pickLine(i);
  }

  nextMark() {
    const next = this.story.marks.find(
      (index) => index > this.at && this.filter.shows(this.story.lines[index]),
    );
    this.pickLine(next ?? this.story.marks[0] ?? 0);
  }

  /** What a click on the picture means. */
  pick(x, y) {
    const index = this.picture.nearest(x, y);
    if (index !== undefined) this.pickLine(index);
  }

  draw() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      const hidden = this.picture.paint(this.at);
      this.unlabelled.textContent =
        hidden === 0
          ? ''
          : `${hidden} label${hidden === 1 ? ' has' : 's have'} no room: zoom in, or use "next mark"`;
      this.tell();
    });
  }

  /** The text beside: the happening, every node at that moment, and what came before and after. */
  tell() {
    const { story, at, filter } = this;
    const found = filter.needle === '' ? 0 : story.lines.filter((one) => filter.shows(one)).length;
    this.matches.textContent = filter.needle === '' ? '' : found === 1 ? '1 match' : `${found} matches`;
    const line = story.lines[at];
    if (line === undefined) return;
    this.details.replaceChildren(
      element('h2', { textContent: `event ${line.n} at ${seconds(line.t)}` }),
      element('p', { textContent: textOf(line) }),
      this.tableAt(at),
    );
    this.list.replaceChildren(...this.around(at).map((index) => this.listed(index)));
  }

  /** Where every node stood at this line. */
  tableAt(index) {
    const { story } = this;
    const { t, node } = story.lines[index];
    const states = story.statesAt(index);
    const rows = story.nodes.map((name) => {
      const state = states.get(name);
      const { downs, pauses } = story.lane(name);
      const at = `${state?.at ?? '-'}${covers(pauses, t) ? ' paused' : ''}`;
      const down = spanAt(downs, t);
      const standing = [at, state?.lock ?? '', state?.state ?? ''];
      const cells = [name, ...(down === undefined ? standing : [down.what, '', ''])];
      const row = element('tr', {}, ...cells.map((text) => element('td', { textContent: text })));
      if (name === node) row.className = 'here';
      return row;
    });
    const titles = ['node', 'height/round/step', 'lock', 'state'];
    const head = element('tr', {}, ...titles.map((text) => element('th', { textContent: text })));
    head.title = STEPS;
    return element('table', {}, head, ...rows);
  }

  /** The indices of this line and of the shown ones next to it. */
  around(index) {
    const { lines } = this.story;
    const near = [];
    for (let i = index; i >= 0 && near.length < BEFORE_MAX; i--)
      if (i === index || this.filter.shows(lines[i])) near.unshift(i);
    for (let i = index + 1, more = 0; i < lines.length && more < AFTER_MAX; i++)
      if (this.filter.shows(lines[i])) {
        near.push(i);
        more++;
      }
    return near;
  }

  listed(index) {
    const line = this.story.lines[index];
    const row = element('div', { textContent: `${seconds(line.t)}  ${textOf(line)}` });
    if (index === this.at) row.className = 'here';
    row.addEventListener('click', () => this.pickLine(index));
    return row;
  }
}

let shown;
globalThis.orreryView = (root, options) => {
  shown?.leave();
  shown = new View(root, options);
  return shown;
};
