// The picture of a run: lanes over virtual time, messages as arrows, and every node's state beside. Plain script, no
// imports: `orrery sim report` puts it into a page that stands alone, and the playground loads the same file.

/** What kind of thing a happening is, for colours and filters. */
const GROUPS = [
  ['proposal', /^(proposal|part) /],
  ['prevote', /^prevote /],
  ['precommit', /^precommit /],
  ['gossip', /./],
];
/** Groups that have a colour of their own. */
const COLOURED = new Set([...GROUPS.map(([group]) => group), 'decided', 'lock', 'fault', 'broken', 'lie']);
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
/** Lanes share the room that there is, within these heights. */
const LANE_MIN = 40;
const LANE_MAX = 72;
const TOP = 46;
const FOOT = 24;
/** The column of names is as wide as the longest of them, within these widths. */
const NAMES_MIN = 76;
const NAMES_MAX = 200;
/** So much nearer than any arrival a click must be to an arrow to mean it. */
const FLIGHT_PX = 6;
/** The shortest span of time that the picture shows. */
const SPAN_MIN_US = 500;
const STEPS =
  'steps: 1 new height, 2 new round, 3 propose, 4 prevote, 5 prevote wait, 6 precommit, 7 precommit wait, 8 commit';

const isLie = (line) => line.lie === true || line.kind === 'withholds';
const groupOf = (line) => {
  if (isLie(line)) return 'lie';
  return line.kind === 'frame' ? GROUPS.find(([, test]) => test.test(line.msg))[0] : line.kind;
};
/** A colour of view.css, which has two of each: for light and for dark pages. */
const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
/** The colours as they are now, each looked up once. */
const colours = () => {
  const known = new Map();
  return (name) => {
    if (!known.has(name)) known.set(name, colourOf(name));
    return known.get(name);
  };
};
const colourName = (line) => (COLOURED.has(line.group) ? line.group : 'other');
const clamp = (value, min, max) => Math.min(Math.max(value, min), max);
const seconds = (micros) => `${(micros / 1e6).toFixed(3)} s`;
const element = (tag, attributes = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), attributes);
  made.append(...children);
  return made;
};

/** All happenings so far and what follows from them for each lane. Grows while a run goes on. */
class Story {
  lines = [];
  nodes = [];
  /** For each node: spans of heights and rounds, of locks, of being down, of being paused. */
  lanes = new Map();
  /** Indices of lines that everything shows: faults, decisions, breaks. */
  marks = [];
  end = 0;

  lane(name) {
    let lane = this.lanes.get(name);
    if (lane === undefined) {
      lane = { rounds: [], locks: [], downs: [], pauses: [], index: this.nodes.length };
      this.lanes.set(name, lane);
      this.nodes.push(name);
    }
    return lane;
  }

  add(line) {
    line.group = groupOf(line);
    const index = this.lines.push(line) - 1;
    this.end = Math.max(this.end, line.t);
    if (['fault', 'broken', 'decided', 'crash', 'halt', 'stable', 'started'].includes(line.kind))
      this.marks.push(index);
    if (line.node === undefined) return;
    const lane = this.lane(line.node);
    const [height, round] = line.at.split('/');
    grow(lane.rounds, `${height}/${round}`, line.t);
    grow(lane.locks, line.lock, line.t);
    if (line.kind === 'crash' || line.kind === 'halt')
      lane.downs.push({ from: line.t, to: undefined, what: line.kind === 'halt' ? 'halted' : 'down' });
    if (line.kind === 'started') for (const down of lane.downs) down.to ??= line.t;
    if (line.kind === 'pause') lane.pauses.push({ from: line.t, to: undefined });
    if (['resume', 'crash', 'halt'].includes(line.kind)) for (const pause of lane.pauses) pause.to ??= line.t;
  }

  /** The last line of each node up to `index`: where it stood then. */
  statesAt(index) {
    const states = new Map();
    for (let i = index; i >= 0 && states.size < this.nodes.length; i--) {
      const line = this.lines[i];
      if (line.node !== undefined && !states.has(line.node)) states.set(line.node, line);
    }
    return states;
  }
}

/** Whether one of these spans contains the time. An open one has no end. */
const covers = (spans, t) => spanAt(spans, t) !== undefined;
const spanAt = (spans, t) => spans.find(({ from, to }) => from <= t && (to === undefined || to > t));

/** Spans of one value; undefined is no span. */
function grow(spans, value, t) {
  const last = spans[spans.length - 1];
  if (last !== undefined && last.value === value) {
    last.to = t;
    return;
  }
  if (last !== undefined) last.to = t;
  spans.push({ value, from: t, to: t });
}

class View {
  /** `at`: the event that is picked once the run is over. `onPick`: hears of each event that the user picks. */
  constructor(root, { title, at, onPick }) {
    this.wanted = at;
    this.onPick = onPick;
    this.lane = LANE_MIN;
    this.left = NAMES_MIN;
    this.story = new Story();
    this.at = 0;
    this.from = 0;
    this.to = 1;
    this.follows = true;
    this.hidden = new Set(['gossip', 'timer', 'sync']);
    this.needle = '';
    this.leaving = new AbortController();
    this.build(root, title);
  }

  build(root, title) {
    this.canvas = element('canvas', { id: 'lanes', tabIndex: 0 });
    this.slider = element('input', { type: 'range', min: 0, max: 0, value: 0, id: 'scrub' });
    this.details = element('div', { className: 'details' });
    this.list = element('div', { className: 'list' });
    this.verdict = element('span', { className: 'verdict' });
    this.matches = element('span', { className: 'matches' });
    this.unlabelled = element('span', { className: 'unlabelled' });
    this.facts = element('ul', { className: 'facts' });
    const filters = element('span', { className: 'filters' });
    for (const name of [...GROUPS.map(([group]) => group), 'lie', 'timer', 'sync', 'decided', 'fault']) {
      const box = element('input', { type: 'checkbox', checked: !this.hidden.has(name) });
      box.addEventListener('change', () => {
        if (box.checked) this.hidden.delete(name);
        else this.hidden.add(name);
        this.draw();
      });
      const label = element('label', {}, box, name);
      label.style.color = `var(--${COLOURED.has(name) ? name : 'ink'})`;
      filters.append(label);
    }
    const search = element('input', {
      type: 'search',
      placeholder: 'filter: node or text',
      id: 'needle',
    });
    search.addEventListener('input', () => {
      this.needle = search.value.trim().toLowerCase();
      this.draw();
    });
    const legend = element('span', { className: 'legend' });
    for (const [name, text] of LEGEND) {
      const sample = element('i');
      sample.style.background = `var(--${name})`;
      legend.append(element('span', {}, sample, text));
    }
    const button = (text, act) => {
      const made = element('button', { type: 'button', textContent: text });
      made.addEventListener('click', act);
      return made;
    };
    const steps = element(
      'span',
      {},
      button('◀', () => this.step(-1)),
      button('▶', () => this.step(1)),
      button('whole run', () => this.whole()),
      button('next mark', () => this.nextMark()),
    );
    this.stage = element('div', { className: 'stage' }, this.canvas);
    root.replaceChildren(
      element('header', {}, element('h1', { textContent: title }), this.verdict, legend),
      this.facts,
      element(
        'div',
        { className: 'bar' },
        steps,
        this.slider,
        filters,
        search,
        this.matches,
        this.unlabelled,
      ),
      element('main', {}, this.stage, element('aside', {}, this.details, this.list)),
    );
    this.slider.addEventListener('input', () => this.pickLine(Number(this.slider.value)));
    this.listen();
  }

  listen() {
    const { canvas } = this;
    const { signal } = this.leaving;
    let drag;
    canvas.addEventListener('wheel', (event) => this.onWheel(event), { passive: false });
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      drag = { x: event.offsetX, from: this.from, to: this.to, moved: false };
    });
    canvas.addEventListener('pointermove', (event) => {
      if (drag === undefined) return;
      const shift = ((drag.x - event.offsetX) / this.width) * (drag.to - drag.from);
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
    // The room for the lanes also changes when something above them opens.
    const observer = new ResizeObserver(() => this.draw());
    observer.observe(this.stage);
    signal.addEventListener('abort', () => observer.disconnect());
  }

  /** Zooms, or pans if the wheel turns sideways. Over the names it scrolls the lanes, as anywhere on a page. */
  onWheel(event) {
    if (event.offsetX < this.left) return;
    event.preventDefault();
    // A mouse reports 100 or so for a notch, or a few lines; a trackpad a little at a time.
    const unit = event.deltaMode === 0 ? 1 : 40;
    const [x, y] = [event.deltaX * unit, event.deltaY * unit];
    if (Math.abs(x) > Math.abs(y)) {
      const shift = (x / this.width) * (this.to - this.from);
      this.show(this.from + shift, this.to + shift);
    } else this.zoom(Math.exp(clamp(y, -120, 120) / 500), event.offsetX);
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches?.('textarea, select, input:not([type="range"], [type="checkbox"])')) return;
    const middle = this.left + this.width / 2;
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

  get width() {
    return Math.max(50, this.canvas.clientWidth - this.left - 10);
  }

  x(t) {
    return this.left + ((t - this.from) / (this.to - this.from)) * this.width;
  }

  y(name) {
    return TOP + (this.story.lane(name).index + 0.5) * this.lane;
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
    this.byzantine = new Set(report.nodes.filter((node) => !node.isCorrect).map((node) => node.name));
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

  isShown(line) {
    if (this.hidden.has(line.group)) return false;
    if (this.needle === '') return true;
    return wordsOf(line).includes(this.needle);
  }

  show(from, to) {
    this.follows = false;
    const span = clamp(to - from, SPAN_MIN_US, this.wholeSpan);
    this.from = clamp(from, 0, this.wholeSpan - span);
    this.to = this.from + span;
    this.draw();
  }

  /** An empty picture is a second long. */
  get wholeSpan() {
    return Math.max(SPAN_MIN_US, (this.story.end || 1_000_000) * 1.01);
  }

  whole() {
    this.from = 0;
    this.to = this.wholeSpan;
    this.draw();
  }

  zoom(factor, x) {
    const t = this.from + ((x - this.left) / this.width) * (this.to - this.from);
    this.show(t - (t - this.from) * factor, t + (this.to - t) * factor);
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
    if (line !== undefined && (line.t < this.from || line.t > this.to)) {
      const half = (this.to - this.from) / 2;
      this.show(line.t - half, line.t + half);
    } else this.draw();
  }

  /** To the next line that the filters show. */
  step(by) {
    this.follows = false;
    for (let i = this.at + by; i >= 0 && i < this.story.lines.length; i += by)
      if (this.isShown(this.story.lines[i])) return this.pickLine(i);
  }

  nextMark() {
    const next = this.story.marks.find((index) => index > this.at && this.isShown(this.story.lines[index]));
    this.pickLine(next ?? this.story.marks[0] ?? 0);
  }

  /** The shown happening nearest to a click. A message is also picked on its way, unless something arrives nearby. */
  pick(x, y) {
    let best;
    for (const [index, line] of this.story.lines.entries()) {
      if (!this.isShown(line) || line.t < this.from || line.t > this.to) continue;
      const at = [this.x(line.t), line.node === undefined ? y : this.y(line.node)];
      const arrival = Math.hypot(at[0] - x, at[1] - y);
      const far = line.kind === 'frame' ? Math.min(arrival, FLIGHT_PX + this.flight(line, x, y)) : arrival;
      if (best === undefined || far < best.far) best = { far, index };
    }
    if (best !== undefined) this.pickLine(best.index);
  }

  /** Distance of a point from the arrow of a message. */
  flight(line, x, y) {
    const [x0, y0, x1, y1] = [this.x(line.sent), this.y(line.from), this.x(line.t), this.y(line.node)];
    const [dx, dy] = [x1 - x0, y1 - y0];
    const along = clamp(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy), 0, 1);
    return Math.hypot(x0 + along * dx - x, y0 + along * dy - y);
  }

  draw() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      this.paint();
      this.tell();
    });
  }

  paint() {
    const { canvas, story } = this;
    const count = Math.max(1, story.nodes.length);
    const room = this.stage.clientHeight - TOP - FOOT;
    this.lane = Math.floor(clamp(room / count, LANE_MIN, LANE_MAX));
    const height = TOP + count * this.lane + FOOT;
    const scale = devicePixelRatio || 1;
    canvas.style.height = `${height}px`;
    canvas.width = canvas.clientWidth * scale;
    canvas.height = height * scale;
    const g = canvas.getContext('2d');
    g.scale(scale, scale);
    g.clearRect(0, 0, canvas.clientWidth, height);
    if (story.nodes.length === 0) return;
    g.font = '11px system-ui, sans-serif';
    this.colour = colours();
    const widest = Math.max(0, ...story.nodes.map((name) => g.measureText(name).width));
    this.left = Math.ceil(clamp(Math.min(widest + 18, canvas.clientWidth / 4), NAMES_MIN, NAMES_MAX));
    this.paintAxis(g, height);
    g.save();
    g.beginPath();
    g.rect(this.left, 0, this.width + 10, height);
    g.clip();
    for (const name of story.nodes) this.paintLane(g, name);
    this.paintArrows(g);
    for (const name of story.nodes) this.paintRounds(g, name);
    this.paintMarks(g, height);
    this.paintCursor(g, height);
    g.restore();
    for (const name of story.nodes) {
      g.fillStyle = this.colour(this.byzantine?.has(name) ? 'broken' : 'ink');
      g.fillText(fitting(g, name, this.left - 14), 8, this.y(name) + 4);
    }
  }

  paintAxis(g, height) {
    const rough = (this.to - this.from) / 8;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const tick = [1, 2, 5, 10].map((times) => times * unit).find((one) => one >= rough);
    g.fillStyle = this.colour('quiet');
    g.strokeStyle = this.colour('grid');
    for (let t = Math.ceil(this.from / tick) * tick; t <= this.to; t += tick) {
      const x = this.x(t);
      if (x < this.left) continue;
      g.beginPath();
      g.moveTo(x, TOP);
      g.lineTo(x, height);
      g.stroke();
      g.fillText(`${(t / 1e6).toFixed(tick < 1e5 ? (tick < 1e3 ? 5 : 3) : 1)}s`, x - 12, height - 8);
    }
  }

  paintLane(g, name) {
    const y = this.y(name);
    const lane = this.story.lane(name);
    const isIn = ({ from, to }) => to >= this.from && from <= this.to;
    for (const span of lane.rounds) {
      if (!isIn(span)) continue;
      const [h, r] = span.value.split('/').map(Number);
      const [x0, x1] = [this.x(span.from), this.x(span.to)];
      g.fillStyle = this.colour(r > 0 ? 'later' : h % 2 === 0 ? 'even' : 'odd');
      g.fillRect(x0, y - 11, Math.max(1, x1 - x0), 22);
    }
    g.fillStyle = this.colour('lock');
    for (const span of lane.locks)
      if (span.value !== undefined && isIn(span))
        g.fillRect(this.x(span.from), y + 12, Math.max(2, this.x(span.to) - this.x(span.from)), 3);
    g.fillStyle = this.colour('paused');
    for (const { from, to } of lane.pauses) {
      const [x0, x1] = [this.x(from), this.x(to ?? this.story.end)];
      g.fillRect(x0, y - 11, Math.max(2, x1 - x0), 22);
    }
    for (const { from, to } of lane.downs) {
      const [x0, x1] = [this.x(from), this.x(to ?? this.story.end)];
      g.fillStyle = this.colour('down');
      g.fillRect(x0, y - 11, Math.max(2, x1 - x0), 22);
      g.strokeStyle = this.colour('broken');
      g.lineWidth = 2;
      g.beginPath();
      g.moveTo(x0 - 5, y - 5);
      g.lineTo(x0 + 5, y + 5);
      g.moveTo(x0 - 5, y + 5);
      g.lineTo(x0 + 5, y - 5);
      g.stroke();
      g.lineWidth = 1;
    }
    g.strokeStyle = this.colour('line');
    g.beginPath();
    g.moveTo(this.left, y);
    g.lineTo(this.left + this.width, y);
    g.stroke();
  }

  /** The height above each of its spans, and the round if it is a later one: in full, in short, or not at all. */
  paintRounds(g, name) {
    const y = this.y(name);
    for (const { value, from, to } of this.story.lane(name).rounds) {
      if (to < this.from || from > this.to) continue;
      const x = Math.max(this.x(from), this.left) + 3;
      const room = Math.min(this.x(to), this.left + this.width) - x;
      const [h, r] = value.split('/');
      const texts = r === '0' ? [h] : [`${h} round ${r}`, value];
      const text = room < 6 ? undefined : texts.find((one) => g.measureText(one).width + 2 <= room);
      if (text === undefined) continue;
      g.fillStyle = this.colour('label');
      g.fillRect(x - 1, y - 24, g.measureText(text).width + 2, 12);
      g.fillStyle = this.colour('number');
      g.fillText(text, x, y - 14);
    }
  }

  paintArrows(g) {
    const seen = this.story.lines.filter(
      (line) => line.kind === 'frame' && line.t >= this.from && line.sent <= this.to && this.isShown(line),
    );
    const isCrowded = seen.length > 1500;
    // Lies last: one that goes with a true message between the same two nodes lies on the same line as it.
    const [truths, lies] = [seen.filter((line) => !isLie(line)), seen.filter(isLie)];
    for (const line of [...truths, ...lies]) {
      const alpha = isCrowded ? Math.max(0.08, 400 / seen.length) : 0.75;
      g.globalAlpha = isLie(line) ? 0.9 : alpha;
      const [x0, y0, x1, y1] = [this.x(line.sent), this.y(line.from), this.x(line.t), this.y(line.node)];
      g.strokeStyle = g.fillStyle = this.colour(colourName(line));
      g.lineWidth = isLie(line) ? 2 : 1;
      g.beginPath();
      g.moveTo(x0, y0);
      g.lineTo(x1, y1);
      g.stroke();
      if (!isCrowded) arrowHead(g, x0, y0, x1, y1);
    }
    g.globalAlpha = 1;
    g.lineWidth = 1;
    for (const line of this.story.lines) {
      if (
        line.kind === 'frame' ||
        line.node === undefined ||
        line.t < this.from ||
        line.t > this.to ||
        !this.isShown(line)
      )
        continue;
      if (['crash', 'halt', 'started', 'moved', 'decided'].includes(line.kind)) continue;
      g.fillStyle = this.colour(colourName(line));
      g.fillRect(this.x(line.t) - 1, this.y(line.node) - 3, 2, 6);
    }
  }

  paintMarks(g, height) {
    const [failures, labels] = [[], []];
    for (const index of this.story.marks) {
      const line = this.story.lines[index];
      if (line.t < this.from || line.t > this.to || this.hidden.has(line.kind)) continue;
      const x = this.x(line.t);
      if (line.kind === 'decided') {
        const y = this.y(line.node);
        g.fillStyle = this.colour('decided');
        g.beginPath();
        for (const [dx, dy] of [
          [0, -6],
          [6, 0],
          [0, 6],
          [-6, 0],
        ])
          g.lineTo(x + dx, y + dy);
        g.fill();
      } else if (
        line.kind === 'broken' ||
        (line.kind === 'fault' && line.node === undefined) ||
        line.kind === 'stable'
      ) {
        const isBroken = line.kind === 'broken';
        g.strokeStyle = g.fillStyle = this.colour(isBroken ? 'broken' : 'fault');
        g.setLineDash(isBroken ? [] : [4, 3]);
        g.beginPath();
        g.moveTo(x, 2);
        g.lineTo(x, height - 20);
        g.stroke();
        g.setLineDash([]);
        const label = { x, text: shortened(line.text || line.kind), colour: g.fillStyle };
        // What broke gets its place first.
        if (isBroken) failures.push(label);
        else labels.push(label);
      }
    }
    this.paintLabels(g, [...failures, ...labels]);
  }

  /** Beside their lines, in the first of three rows that has room. Where none has, the line stands alone and is counted. */
  paintLabels(g, labels) {
    const rows = [[], [], []];
    let hidden = 0;
    for (const { x, text, colour } of labels) {
      const { width } = g.measureText(text);
      // What would run out of the picture stands before its line.
      const isOutside = x + 3 + width > this.left + this.width + 10;
      const left = isOutside ? Math.max(this.left, x - 3 - width) : x + 3;
      const row = rows.findIndex((taken) => taken.every(([a, b]) => left + width < a || left > b));
      if (row < 0) {
        hidden++;
        continue;
      }
      rows[row].push([left - 6, left + width + 6]);
      g.fillStyle = this.colour('label');
      g.fillRect(left, 2 + row * 12, width, 12);
      g.fillStyle = colour;
      g.fillText(text, left, 11 + row * 12);
    }
    this.unlabelled.textContent =
      hidden === 0
        ? ''
        : `${hidden} label${hidden === 1 ? ' has' : 's have'} no room: zoom in, or use "next mark"`;
  }

  paintCursor(g, height) {
    const line = this.story.lines[this.at];
    if (line === undefined) return;
    const x = this.x(line.t);
    g.fillStyle = this.colour('cursor');
    g.fillRect(x - 2, 0, 4, height);
    if (line.node === undefined) return;
    g.lineWidth = 2;
    g.strokeStyle = this.colour('ink');
    g.beginPath();
    g.arc(x, this.y(line.node), 8, 0, 7);
    g.stroke();
    if (line.kind === 'frame') {
      g.beginPath();
      g.moveTo(this.x(line.sent), this.y(line.from));
      g.lineTo(x, this.y(line.node));
      g.stroke();
    }
    g.lineWidth = 1;
  }

  /** The text beside: the happening, every node at that moment, and what came before and after. */
  tell() {
    const { story, at } = this;
    const found = this.needle === '' ? 0 : story.lines.filter((one) => this.isShown(one)).length;
    this.matches.textContent = this.needle === '' ? '' : found === 1 ? '1 match' : `${found} matches`;
    const line = story.lines[at];
    if (line === undefined) return;
    const states = story.statesAt(at);
    const rows = story.nodes.map((name) => {
      const state = states.get(name);
      const { downs, pauses } = story.lane(name);
      const at = `${state?.at ?? '-'}${covers(pauses, line.t) ? ' paused' : ''}`;
      const down = spanAt(downs, line.t);
      const standing = [at, state?.lock ?? '', state?.state ?? ''];
      const cells = [name, ...(down === undefined ? standing : [down.what, '', ''])];
      const row = element('tr', {}, ...cells.map((text) => element('td', { textContent: text })));
      if (name === line.node) row.className = 'here';
      return row;
    });
    const head = element(
      'tr',
      {},
      ...['node', 'height/round/step', 'lock', 'state'].map((text) => element('th', { textContent: text })),
    );
    head.title = STEPS;
    this.details.replaceChildren(
      element('h2', { textContent: `event ${line.n} at ${seconds(line.t)}` }),
      element('p', { textContent: textOf(line) }),
      element('table', {}, head, ...rows),
    );
    const near = [];
    for (let i = at; i >= 0 && near.length < 14; i--)
      if (i === at || this.isShown(story.lines[i])) near.unshift(i);
    for (let i = at + 1, more = 0; i < story.lines.length && more < 10; i++)
      if (this.isShown(story.lines[i])) {
        near.push(i);
        more++;
      }
    this.list.replaceChildren(
      ...near.map((index) => {
        const row = element('div', {
          textContent: `${seconds(story.lines[index].t)}  ${textOf(story.lines[index])}`,
        });
        if (index === at) row.className = 'here';
        row.addEventListener('click', () => this.pickLine(index));
        return row;
      }),
    );
  }
}

const LABEL_MAX = 60;

/** What the filter searches. */
function wordsOf(line) {
  const { node, from, msg, text, kind, at } = line;
  line.words ??= [node, from, msg, text, kind, at, isLie(line) && 'a lie']
    .filter(Boolean)
    .join(' ')
    .toLowerCase();
  return line.words;
}

/** As much of a text as this width holds. */
function fitting(g, text, width) {
  if (g.measureText(text).width <= width) return text;
  let length = text.length - 1;
  while (length > 1 && g.measureText(`${text.slice(0, length)}…`).width > width) length--;
  return `${text.slice(0, length)}…`;
}

const shortened = (text) => (text.length > LABEL_MAX ? `${text.slice(0, LABEL_MAX - 1)}…` : text);

function arrowHead(g, x0, y0, x1, y1) {
  const angle = Math.atan2(y1 - y0, x1 - x0);
  g.beginPath();
  g.moveTo(x1, y1);
  for (const turn of [2.75, -2.75])
    g.lineTo(x1 + 7 * Math.cos(angle + turn), y1 + 7 * Math.sin(angle + turn));
  g.fill();
}

const textOf = (line) =>
  line.kind === 'frame'
    ? `${line.from} → ${line.node}: ${line.msg}${isLie(line) ? ' (a lie)' : ''}`
    : [line.node ?? 'world', line.kind, line.msg, line.text].filter(Boolean).join(' ');

let shown;
globalThis.orreryView = (root, options) => {
  shown?.leave();
  shown = new View(root, options);
  return shown;
};
