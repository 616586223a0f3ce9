// Imported, because the global `performance` is removed while simulated nodes run.
import { performance } from 'node:perf_hooks';
import type { World } from '../world.ts';

const PLAIN_EVERY_MS = 10_000;
const TTY_EVERY_MS = 200;
const BAR_WIDTH = 24;

/** Reports progress: rewrites one line on a terminal, else prints a line every ten seconds. */
export class ProgressLine {
  readonly #world: World;
  readonly #startedAt = performance.now();
  #saidAt = performance.now();

  constructor(world: World) {
    this.#world = world;
  }

  get wallSeconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  /** @param line Makes the text without line end; called only when a report is due. */
  say(line: (isTty: boolean) => string): void {
    const isTty = this.#world.errIsTty === true;
    const now = performance.now();
    if (now - this.#saidAt < (isTty ? TTY_EVERY_MS : PLAIN_EVERY_MS)) return;
    this.#saidAt = now;
    // A line that wraps cannot be rewritten.
    this.#world.err(isTty ? `\r\x1b[K${line(isTty).slice(0, this.room)}` : `${line(isTty)}\n`);
  }

  /** Characters that one line of the terminal has room for. */
  protected get room(): number {
    return Math.max(1, (this.#world.errColumns ?? Number.POSITIVE_INFINITY) - 1);
  }

  /** Clears the line on a terminal. */
  end(): void {
    if (this.#world.errIsTty === true) this.#world.err('\r\x1b[K');
  }
}

/** Progress of a campaign. */
export class Progress extends ProgressLine {
  readonly #total: number;
  #done = 0;
  #failed = 0;
  #virtualMicros = 0;

  constructor(world: World, total: number) {
    super(world);
    this.#total = total;
  }

  count(isFailed: boolean, virtualMicros: number): void {
    this.#done++;
    if (isFailed) this.#failed++;
    this.#virtualMicros += virtualMicros;
    this.say((isTty) => {
      const line = this.#line();
      const withBar = `${this.#bar()} ${line}`;
      return isTty && withBar.length <= this.room ? withBar : line;
    });
  }

  #bar(): string {
    const filled = Math.floor((this.#done / this.#total) * BAR_WIDTH);
    return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`;
  }

  #line(): string {
    const rate = this.#done / this.wallSeconds;
    const speed = this.#virtualMicros / 1_000_000 / this.wallSeconds;
    const left = clock((this.#total - this.#done) / rate);
    return `${this.#done}/${this.#total} runs, ${this.#failed} failed, ${rate.toFixed(1)} runs/s, ${speed.toFixed(0)} virtual s/s, ${left} left`;
  }
}

/** Seconds as 1:02:03. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}
