// The picture of a run: lanes over virtual time, messages as arrows, and every node's state beside. Plain script, no
// imports: `orrery sim report` puts it into a page that stands alone, and the playground loads the same file.

/** What kind of thing a happening is, for colours and filters. */
const GROUPS = [
  ['proposal', '#7c3aed', /^(proposal|part) /],
  ['prevote', '#2563eb', /^prevote /],
  ['precommit', '#0d9488', /^precommit /],
  ['gossip', '#94a3b8', /./],
];
const COLOURS = {
  decided: '#16a34a',
  lock: '#f59e0b',
  fault: '#b45309',
  broken: '#dc2626',
  lie: '#db2777',
  down: '#cbd5e1',
  paused: '#a5f3fc',
  later: '#fde68a',
};
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
const LANE = 54;
const TOP = 46;
const LEFT = 76;

const isLie = (line) => line.lie === true || line.kind === 'withholds';
const groupOf = (line) => {
  if (isLie(line)) return 'lie';
  return line.kind === 'frame' ? GROUPS.find(([, , test]) => test.test(line.msg))[0] : line.kind;
};
const colourOfGroup = (group) => GROUPS.find(([name]) => name === group)?.[1] ?? COLOURS[group];
const colourOf = (line) => colourOfGroup(line.group) ?? '#64748b';
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
      lane.downs.push({ from: line.t, to: undefined, why: line.text });
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
const covers = (spans, t) => spans.some(({ from, to }) => from <= t && (to === undefined || to > t));

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
  constructor(root, { title }) {
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
      const colour = colourOfGroup(name) ?? '#334155';
      const label = element('label', {}, box, name);
      label.style.color = colour;
      filters.append(label);
    }
    const search = element('input', {
      type: 'search',
      placeholder: 'filter: node, message, text …',
      id: 'needle',
    });
    search.addEventListener('input', () => {
      this.needle = search.value.trim().toLowerCase();
      this.draw();
    });
    const legend = element('span', { className: 'legend' });
    for (const [name, text] of LEGEND) {
      const sample = element('i');
      sample.style.background = COLOURS[name];
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
    root.replaceChildren(
      element('header', {}, element('h1', { textContent: title }), this.verdict, legend),
      this.facts,
      element('div', { className: 'bar' }, steps, this.slider, filters, search, this.unlabelled),
      element(
        'main',
        {},
        element('div', { className: 'stage' }, this.canvas),
        element('aside', {}, this.details, this.list),
      ),
    );
    this.slider.addEventListener('input', () => this.select(Number(this.slider.value)));
    this.listen();
  }

  listen() {
    const { canvas } = this;
    let drag;
    canvas.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        this.zoom(event.deltaY > 0 ? 1.25 : 0.8, event.offsetX);
      },
      { passive: false },
    );
    canvas.addEventListener('pointerdown', (event) => {
      drag = { x: event.offsetX, from: this.from, to: this.to, moved: false };
    });
    canvas.addEventListener('pointermove', (event) => {
      if (drag === undefined) return;
      const shift = ((drag.x - event.offsetX) / this.width) * (drag.to - drag.from);
      if (Math.abs(drag.x - event.offsetX) > 3) drag.moved = true;
      this.show(drag.from + shift, drag.to + shift);
    });
    canvas.addEventListener('pointerup', (event) => {
      if (drag !== undefined && !drag.moved) this.pick(event.offsetX, event.offsetY);
      drag = undefined;
    });
    const { signal } = this.leaving;
    addEventListener('resize', () => this.draw(), { signal });
    const onKey = (event) => {
      if (event.target.matches?.('input, textarea, select')) return;
      if (event.key === 'ArrowRight') this.step(1);
      else if (event.key === 'ArrowLeft') this.step(-1);
      else if (event.key === '+') this.zoom(0.7, LEFT + this.width / 2);
      else if (event.key === '-') this.zoom(1.4, LEFT + this.width / 2);
    };
    addEventListener('keydown', onKey, { signal });
  }

  /** Another view takes its place. */
  leave() {
    this.leaving.abort();
  }

  get width() {
    return Math.max(50, this.canvas.clientWidth - LEFT - 10);
  }

  x(t) {
    return LEFT + ((t - this.from) / (this.to - this.from)) * this.width;
  }

  y(name) {
    return TOP + this.story.lane(name).index * LANE + LANE / 2;
  }

  add(lines) {
    for (const line of lines) this.story.add(line);
    this.slider.max = Math.max(0, this.story.lines.length - 1);
    if (this.follows) this.whole();
    else this.draw();
  }

  /** `facts`: what readers must know beside the verdict, a line each. */
  finish(report, facts) {
    if (report === undefined) return;
    this.facts.replaceChildren(...facts.map((textContent) => element('li', { textContent })));
    for (const name of report.nodes.map((node) => node.name)) this.story.lane(name);
    const known = new Set(this.story.lines.filter((line) => line.kind === 'broken').map((line) => line.text));
    for (const { checker, message, at } of report.failures)
      if (!known.has(`${checker}: ${message}`))
        this.story.add({ t: at, n: report.stats.events, kind: 'broken', text: `${checker}: ${message}` });
    this.byzantine = new Set(report.nodes.filter((node) => !node.isCorrect).map((node) => node.name));
    this.slider.max = Math.max(0, this.story.lines.length - 1);
    const first = report.failures[0];
    this.verdict.textContent =
      first === undefined ? 'passed' : `broken: ${first.checker}: ${first.message.split('\n')[0]}`;
    // A run that forked, or in which something was not judged, passes as well.
    const isDoubtful = report.forks.length + report.notJudged.length > 0;
    this.verdict.classList.add(first !== undefined ? 'bad' : isDoubtful ? 'doubtful' : 'good');
    const broken = this.story.lines.findIndex((line) => line.kind === 'broken');
    this.whole();
    this.select(broken >= 0 ? broken : this.story.lines.length - 1);
  }

  isShown(line) {
    if (this.hidden.has(line.group)) return false;
    if (this.needle === '') return true;
    return `${line.node ?? ''} ${line.from ?? ''} ${line.msg ?? ''} ${line.text ?? ''} ${line.kind} ${line.at ?? ''} ${isLie(line) ? 'a lie' : ''}`
      .toLowerCase()
      .includes(this.needle);
  }

  show(from, to) {
    this.follows = false;
    const span = Math.max(500, to - from);
    this.from = from;
    this.to = from + span;
    this.draw();
  }

  whole() {
    this.from = 0;
    // An empty picture is a second long.
    this.to = (this.story.end || 1_000_000) * 1.01;
    this.draw();
  }

  zoom(factor, x) {
    const t = this.from + ((x - LEFT) / this.width) * (this.to - this.from);
    this.show(t - (t - this.from) * factor, t + (this.to - t) * factor);
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
      if (this.isShown(this.story.lines[i])) return this.select(i);
  }

  nextMark() {
    const next = this.story.marks.find((index) => index > this.at && this.isShown(this.story.lines[index]));
    this.select(next ?? this.story.marks[0] ?? 0);
  }

  /** The shown happening nearest to a click, by arrival and by flight. */
  pick(x, y) {
    let best;
    for (const [index, line] of this.story.lines.entries()) {
      if (!this.isShown(line) || line.t < this.from || line.t > this.to) continue;
      const at = [this.x(line.t), line.node === undefined ? y : this.y(line.node)];
      const far = Math.hypot(at[0] - x, at[1] - y);
      if (best === undefined || far < best.far) best = { far, index };
    }
    if (best !== undefined) this.select(best.index);
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
    const height = TOP + Math.max(1, story.nodes.length) * LANE + 24;
    const scale = devicePixelRatio || 1;
    canvas.style.height = `${height}px`;
    canvas.width = canvas.clientWidth * scale;
    canvas.height = height * scale;
    const g = canvas.getContext('2d');
    g.scale(scale, scale);
    g.clearRect(0, 0, canvas.clientWidth, height);
    g.font = '11px system-ui, sans-serif';
    this.paintAxis(g, height);
    g.save();
    g.beginPath();
    g.rect(LEFT, 0, this.width + 10, height);
    g.clip();
    for (const name of story.nodes) this.paintLane(g, name);
    this.paintArrows(g);
    this.paintMarks(g, height);
    this.paintCursor(g, height);
    g.restore();
    for (const name of story.nodes) {
      g.fillStyle = this.byzantine?.has(name) ? COLOURS.broken : '#0f172a';
      g.fillText(name, 8, this.y(name) + 4);
    }
  }

  paintAxis(g, height) {
    const rough = (this.to - this.from) / 8;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const tick = [1, 2, 5, 10].map((times) => times * unit).find((one) => one >= rough);
    g.fillStyle = '#64748b';
    g.strokeStyle = '#eef2f7';
    for (let t = Math.ceil(this.from / tick) * tick; t <= this.to; t += tick) {
      const x = this.x(t);
      if (x < LEFT) continue;
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
      g.fillStyle = r > 0 ? COLOURS.later : h % 2 === 0 ? '#e0e7ff' : '#f1f5f9';
      g.fillRect(x0, y - 11, Math.max(1, x1 - x0), 22);
      if (x1 - x0 < 26) continue;
      g.fillStyle = '#475569';
      g.fillText(r > 0 ? `${h} round ${r}` : `${h}`, Math.max(x0, LEFT) + 3, y - 14);
    }
    g.fillStyle = COLOURS.lock;
    for (const span of lane.locks)
      if (span.value !== undefined && isIn(span))
        g.fillRect(this.x(span.from), y + 12, Math.max(2, this.x(span.to) - this.x(span.from)), 3);
    g.fillStyle = COLOURS.paused;
    for (const { from, to } of lane.pauses) {
      const [x0, x1] = [this.x(from), this.x(to ?? this.story.end)];
      g.fillRect(x0, y - 11, Math.max(2, x1 - x0), 22);
    }
    for (const { from, to } of lane.downs) {
      const [x0, x1] = [this.x(from), this.x(to ?? this.story.end)];
      g.fillStyle = COLOURS.down;
      g.fillRect(x0, y - 11, Math.max(2, x1 - x0), 22);
      g.strokeStyle = COLOURS.broken;
      g.lineWidth = 2;
      g.beginPath();
      g.moveTo(x0 - 5, y - 5);
      g.lineTo(x0 + 5, y + 5);
      g.moveTo(x0 - 5, y + 5);
      g.lineTo(x0 + 5, y - 5);
      g.stroke();
      g.lineWidth = 1;
    }
    g.strokeStyle = '#94a3b8';
    g.beginPath();
    g.moveTo(LEFT, y);
    g.lineTo(LEFT + this.width, y);
    g.stroke();
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
      g.strokeStyle = g.fillStyle = colourOf(line);
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
      g.fillStyle = colourOf(line);
      g.fillRect(this.x(line.t) - 1, this.y(line.node) - 3, 2, 6);
    }
  }

  paintMarks(g, height) {
    const labels = [];
    for (const index of this.story.marks) {
      const line = this.story.lines[index];
      if (line.t < this.from || line.t > this.to || this.hidden.has(line.kind)) continue;
      const x = this.x(line.t);
      if (line.kind === 'decided') {
        const y = this.y(line.node);
        g.fillStyle = COLOURS.decided;
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
        g.strokeStyle = g.fillStyle = line.kind === 'broken' ? COLOURS.broken : COLOURS.fault;
        g.setLineDash(line.kind === 'broken' ? [] : [4, 3]);
        g.beginPath();
        g.moveTo(x, 2);
        g.lineTo(x, height - 20);
        g.stroke();
        g.setLineDash([]);
        labels.push({ x, text: shortened(line.text || line.kind), colour: g.fillStyle });
      }
    }
    this.paintLabels(g, labels);
  }

  /** Beside their lines, in the first of three rows that has room. Where none has, the line stands alone and is counted. */
  paintLabels(g, labels) {
    const rows = [[], [], []];
    let hidden = 0;
    for (const { x, text, colour } of labels) {
      const { width } = g.measureText(text);
      // What would run out of the picture stands before its line.
      const left = x + 3 + width > LEFT + this.width + 10 ? x - 3 - width : x + 3;
      const row = rows.findIndex((taken) => taken.every(([a, b]) => left + width < a || left > b));
      if (row < 0) {
        hidden++;
        continue;
      }
      rows[row].push([left - 6, left + width + 6]);
      g.fillStyle = 'rgba(255, 255, 255, 0.85)';
      g.fillRect(left, 2 + row * 12, width, 12);
      g.fillStyle = colour;
      g.fillText(text, left, 11 + row * 12);
    }
    this.unlabelled.textContent =
      hidden === 0 ? '' : `${hidden} labels have no room: zoom in, or use "next mark"`;
  }

  paintCursor(g, height) {
    const line = this.story.lines[this.at];
    if (line === undefined) return;
    const x = this.x(line.t);
    g.fillStyle = 'rgba(15, 23, 42, 0.12)';
    g.fillRect(x - 2, 0, 4, height);
    if (line.node === undefined) return;
    g.lineWidth = 2;
    g.strokeStyle = '#0f172a';
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
    const line = story.lines[at];
    if (line === undefined) return;
    const states = story.statesAt(at);
    const rows = story.nodes.map((name) => {
      const state = states.get(name);
      const { downs, pauses } = story.lane(name);
      const at = `${state?.at ?? '-'}${covers(pauses, line.t) ? ' paused' : ''}`;
      const cells = [name, covers(downs, line.t) ? 'down' : at, state?.lock ?? '', state?.state ?? ''];
      const row = element('tr', {}, ...cells.map((text) => element('td', { textContent: text })));
      if (name === line.node) row.className = 'here';
      return row;
    });
    const head = element(
      'tr',
      {},
      ...['node', 'height/round/step', 'lock', 'state'].map((text) => element('th', { textContent: text })),
    );
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
        row.addEventListener('click', () => this.select(index));
        return row;
      }),
    );
  }
}

const LABEL_MAX = 60;

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
