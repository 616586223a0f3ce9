import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { ScenarioReport } from '../../../sim/report.ts';
import { onFile } from '../../disk/files.ts';

const BUFFERED_CHARS_MAX = 1 << 20;

/** All that is needed to repeat a run. */
export interface TraceHead {
  readonly scenario: string;
  /** undefined means the scenario's own seed. */
  readonly seed: string | undefined;
  /** Depth for `sim pct`; undefined means random delays. */
  readonly pct: number | undefined;
}

/**
 * A trace file: a first line with the scenario and seed, one line per event, and the report as the last line. Written
 * in large chunks, because a trace has millions of lines.
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
