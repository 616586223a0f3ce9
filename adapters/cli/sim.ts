import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { ScenarioReport } from '../../sim/report.ts';
import { onFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';
import type { World } from './world.ts';

const EXIT_BROKEN = 1;
const EXIT_BAD_FILE = 2;

interface SimRunOptions {
  readonly seed?: string;
  readonly json?: boolean;
  readonly trace?: string;
}

export function simCommand(command: Command, world: World): void {
  const run = command
    .command('run')
    .argument('<file>', 'scenario')
    .option('--seed <number>', "instead of the scenario's own seed")
    .option('--json', 'print the report as JSON')
    .option('--trace <file>', 'write everything that happens to a file, one JSON line each')
    .description('run a scenario; exit code 0: passed, 1: an expectation was broken, 2: the file is wrong');
  run.action((file: string) => simRun(file, run.opts(), world));
}

async function simRun(file: string, options: SimRunOptions, world: World): Promise<void> {
  const { seed } = options;
  if (seed !== undefined && !/^\d{1,20}$/.test(seed))
    throw new OperatingError(`--seed: expected a whole number, found ${seed}`);
  const text = onFile('read', file, () => readFileSync(file, 'utf8'));
  const [{ runScenario }, { acceleratedSuite }] = await Promise.all([
    import('../../sim/run.ts'),
    import('../crypto/accelerated.ts'),
  ]);
  const trace = options.trace === undefined ? undefined : new TraceFile(options.trace);
  const result = await runScenario(text, {
    seed,
    suite: await acceleratedSuite(),
    trace: trace === undefined ? undefined : (line) => trace.write(line),
  });
  trace?.close();
  if (!result.ok) {
    const { line, column, message } = result.error;
    world.err(`${file}:${line}:${column}: ${message}\n`);
    world.exitCode = EXIT_BAD_FILE;
    return;
  }
  const report = result.value;
  world.out(options.json === true ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report));
  if (report.passed) return;
  world.err(`reproduce: npx orrery sim run ${quoted(file)} --seed ${report.seed}\n`);
  world.exitCode = EXIT_BROKEN;
}

function reportText(report: ScenarioReport): string {
  const { stats, nodes } = report;
  const heights = nodes.map((node) => {
    const traits = [node.isCorrect ? [] : ['byzantine'], node.state === 'up' ? [] : [node.state]].flat();
    return `${node.name} ${node.height}${traits.length === 0 ? '' : ` (${traits.join(', ')})`}`;
  });
  const lines = [
    `scenario: ${report.name}, seed ${report.seed}`,
    `heights: ${heights.join(' · ')}`,
    `ran: ${seconds(stats.virtualMicros)} s of virtual time, ${stats.events} events, highest round ${stats.roundMax}`,
    `network: ${stats.framesSent} frames sent, ${stats.framesLost} lost; evidence committed: ${stats.evidence}`,
  ];
  if (stats.txsSent > 0) lines.push(`transactions: ${stats.txsSent} sent, ${stats.txsConfirmed} confirmed`);
  for (const failure of report.failures)
    lines.push(`broken: ${failure.checker} at ${seconds(failure.at)} s: ${failure.message}`);
  lines.push(`verdict: ${report.passed ? 'passed' : 'failed'}`, `digest: ${report.digest}`);
  return `${lines.join('\n')}\n`;
}

const seconds = (micros: number): string => (micros / 1_000_000).toFixed(3);

/** As a POSIX shell takes it. */
const quoted = (text: string): string =>
  /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

const BUFFERED_CHARS_MAX = 1 << 20;

/** Lines written in large pieces: a trace has millions. */
class TraceFile {
  readonly #path: string;
  readonly #fd: number;
  #lines: string[] = [];
  #chars = 0;

  constructor(path: string) {
    this.#path = path;
    this.#fd = onFile('write', path, () => openSync(path, 'w'));
  }

  write(line: string): void {
    this.#lines.push(line);
    this.#chars += line.length;
    if (this.#chars >= BUFFERED_CHARS_MAX) this.#flush();
  }

  close(): void {
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
