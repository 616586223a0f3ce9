// The picture of a run on a canvas: lanes over virtual time, and messages as arrows between them.
import { colourName, isLie } from './story.js';

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
const LABEL_MAX = 60;

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
export const clamp = (value, min, max) => Math.min(Math.max(value, min), max);

/** Shows what the filter lets through of the time from `from` to `to`. */
export class Picture {
  from = 0;
  to = 1;
  /** Height of a lane, and width of the column of names. */
  lane = LANE_MIN;
  left = NAMES_MIN;

  /** The stage is the element around the canvas, and has the room that there is for the lanes. */
  constructor(canvas, stage, story, filter) {
    this.canvas = canvas;
    this.stage = stage;
    this.story = story;
    this.filter = filter;
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

  /** An empty picture is a second long. */
  get wholeSpan() {
    return Math.max(SPAN_MIN_US, (this.story.end || 1_000_000) * 1.01);
  }

  show(from, to) {
    const span = clamp(to - from, SPAN_MIN_US, this.wholeSpan);
    this.from = clamp(from, 0, this.wholeSpan - span);
    this.to = this.from + span;
  }

  whole() {
    this.from = 0;
    this.to = this.wholeSpan;
  }

  /** Shows less or more of the time around the one at `x`. */
  zoom(factor, x) {
    const t = this.from + ((x - this.left) / this.width) * (this.to - this.from);
    this.show(t - (t - this.from) * factor, t + (this.to - t) * factor);
  }

  has({ t }) {
    return t >= this.from && t <= this.to;
  }

  /** The index of the shown happening nearest to a click. A message is also picked on its way, unless something arrives nearby. */
  nearest(x, y) {
    let best;
    for (const [index, line] of this.story.lines.entries()) {
      if (!this.filter.shows(line) || !this.has(line)) continue;
      const at = [this.x(line.t), line.node === undefined ? y : this.y(line.node)];
      const arrival = Math.hypot(at[0] - x, at[1] - y);
      const far = line.kind === 'frame' ? Math.min(arrival, FLIGHT_PX + this.flight(line, x, y)) : arrival;
      if (best === undefined || far < best.far) best = { far, index };
    }
    return best?.index;
  }

  /** Distance of a point from the arrow of a message. */
  flight(line, x, y) {
    const [x0, y0, x1, y1] = [this.x(line.sent), this.y(line.from), this.x(line.t), this.y(line.node)];
    const [dx, dy] = [x1 - x0, y1 - y0];
    const along = clamp(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy), 0, 1);
    return Math.hypot(x0 + along * dx - x, y0 + along * dy - y);
  }

  /** Draws with a cursor at the line of this index. Returns the number of labels that have no room. */
  paint(index) {
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
    if (story.nodes.length === 0) return 0;
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
    const unlabelled = this.paintMarks(g, height);
    this.paintCursor(g, height, this.story.lines[index]);
    g.restore();
    for (const name of story.nodes) {
      g.fillStyle = this.colour(story.byzantine.has(name) ? 'broken' : 'ink');
      g.fillText(fitting(g, name, this.left - 14), 8, this.y(name) + 4);
    }
    return unlabelled;
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
      const text = `${(t / 1e6).toFixed(tick < 1e5 ? (tick < 1e3 ? 5 : 3) : 1)}s`;
      // The last one would run out of the picture.
      const room = this.left + this.width + 8 - g.measureText(text).width;
      g.fillText(text, Math.min(x - 12, room), height - 8);
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
      (line) =>
        line.kind === 'frame' && line.t >= this.from && line.sent <= this.to && this.filter.shows(line),
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
      if (line.kind === 'frame' || line.node === undefined) continue;
      if (!this.has(line) || !this.filter.shows(line)) continue;
      if (['crash', 'halt', 'started', 'moved', 'decided'].includes(line.kind)) continue;
      g.fillStyle = this.colour(colourName(line));
      g.fillRect(this.x(line.t) - 1, this.y(line.node) - 3, 2, 6);
    }
  }

  /** Decisions on their lanes; faults and failures through all lanes, with labels. Returns what paintLabels does. */
  paintMarks(g, height) {
    const [failures, labels] = [[], []];
    for (const index of this.story.marks) {
      const line = this.story.lines[index];
      if (!this.has(line) || this.filter.hidden.has(line.kind)) continue;
      const isBroken = line.kind === 'broken';
      const isOfAll =
        isBroken || line.kind === 'stable' || (line.kind === 'fault' && line.node === undefined);
      if (line.kind === 'decided') this.paintDecision(g, line);
      if (!isOfAll) continue;
      this.paintMoment(g, line, height);
      const label = { x: this.x(line.t), text: shortened(line.text || line.kind), colour: g.fillStyle };
      // What broke gets its place first.
      if (isBroken) failures.push(label);
      else labels.push(label);
    }
    return this.paintLabels(g, [...failures, ...labels]);
  }

  /** A diamond. */
  paintDecision(g, line) {
    const [x, y] = [this.x(line.t), this.y(line.node)];
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
  }

  /** A line through all lanes. */
  paintMoment(g, { kind, t }, height) {
    const isBroken = kind === 'broken';
    const x = this.x(t);
    g.strokeStyle = g.fillStyle = this.colour(isBroken ? 'broken' : 'fault');
    g.setLineDash(isBroken ? [] : [4, 3]);
    g.beginPath();
    g.moveTo(x, 2);
    g.lineTo(x, height - 20);
    g.stroke();
    g.setLineDash([]);
  }

  /**
   * Beside their lines, in the first of three rows that has room. Returns the number of labels for which none has.
   */
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
    return hidden;
  }

  paintCursor(g, height, line) {
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
