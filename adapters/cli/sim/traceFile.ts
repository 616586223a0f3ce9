import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { ScenarioReport } from '../../../sim/report.ts';
import { onFile } from '../../disk/files.ts';

const BUFFERED_CHARS_MAX = 1 << 20;

/** What a run needs to be done again. */
export interface TraceHead {
  readonly scenario: string;
  /** undefined: that of the scenario. */
  readonly seed: string | undefined;
  /** Depth of `sim pct`; undefined: delays are drawn. */
  readonly pct: number | undefined;
}

/**
 * A trace on the disk: a line that says which scenario and seed it is of, a line a happening, and the report as the
 * last line. Written in large pieces: a trace has millions of lines.
 */
export class TraceFile {
  readonly #path: string;
  readonly #fd: number;
  #lines: string[] = [];
  #chars = 0;

  constructor(path: string, head: TraceHead) {
    this.#path = path;
    this.#fd = onFile('write', path, () => openSync(path, 'w'));
    this.write(JSON.stringify({ kind: 'scenario', ...head }));
  }

  write(line: string): void {
    this.#lines.push(line);
    this.#chars += line.length;
    if (this.#chars >= BUFFERED_CHARS_MAX) this.#flush();
  }

  close(report: ScenarioReport | undefined): void {
    if (report !== undefined) this.write(JSON.stringify({ kind: 'report', report }));
    this.#flush();
    closeSync(this.#fd);
  }

  #flush(): void {
    const text = this.#lines.map((line) => `${line}\n`).join('');
    onFile('write', this.#path, () => writeFileSync(this.#fd, text));
    this.#lines = [];
    this.#chars = 0;
  }
}
