// What a trace tells: its happenings, and what follows from them for each lane.

/** What kind of thing a happening is, for colours and filters. */
export const GROUPS = [
  ['proposal', /^(proposal|part) /],
  ['prevote', /^prevote /],
  ['precommit', /^precommit /],
  ['gossip', /./],
];
/** Groups that have a colour of their own. */
export const COLOURED = new Set([
  ...GROUPS.map(([group]) => group),
  'decided',
  'lock',
  'fault',
  'broken',
  'lie',
]);

export const isLie = (line) => line.lie === true || line.kind === 'withholds';
const groupOf = (line) => {
  if (isLie(line)) return 'lie';
  return line.kind === 'frame' ? GROUPS.find(([, test]) => test.test(line.msg))[0] : line.kind;
};
export const colourName = (line) => (COLOURED.has(line.group) ? line.group : 'other');
export const seconds = (micros) => `${(micros / 1e6).toFixed(3)} s`;

/** All happenings so far and what follows from them for each lane. Grows while a run goes on. */
export class Story {
  lines = [];
  nodes = [];
  /** For each node: spans of heights and rounds, of locks, of being down, of being paused. */
  lanes = new Map();
  /** Indices of lines that everything shows: faults, decisions, breaks. */
  marks = [];
  /** Names of Byzantine nodes, once the run is over. */
  byzantine = new Set();
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
export const covers = (spans, t) => spanAt(spans, t) !== undefined;
export const spanAt = (spans, t) => spans.find(({ from, to }) => from <= t && (to === undefined || to > t));

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

/** Which happenings are shown. */
export class Filter {
  hidden = new Set(['gossip', 'timer', 'sync']);
  /** Only lines with this text, in lower case. */
  needle = '';

  shows(line) {
    if (this.hidden.has(line.group)) return false;
    return this.needle === '' || wordsOf(line).includes(this.needle);
  }
}

/** What the filter searches. */
function wordsOf(line) {
  const { node, from, msg, text, kind, at } = line;
  line.words ??= [node, from, msg, text, kind, at, isLie(line) && 'a lie']
    .filter(Boolean)
    .join(' ')
    .toLowerCase();
  return line.words;
}

export const textOf = (line) =>
  line.kind === 'frame'
    ? `${line.from} → ${line.node}: ${line.msg}${isLie(line) ? ' (a lie)' : ''}`
    : [line.node ?? 'world', line.kind, line.msg, line.text].filter(Boolean).join(' ');
