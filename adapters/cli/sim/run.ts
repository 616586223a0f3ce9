import type { Command } from 'commander';
import { factsOf } from '../../../sim/report/facts.ts';
import type { ScenarioReport } from '../../../sim/report.ts';
import { withLines } from '../../../sim/scenario/withLines.ts';
import type { World } from '../world.ts';
import { brokenLines } from './broken.ts';
import { CRYPTO_OPTION } from './cryptoFlag.ts';
import { runTwice } from './determinism.ts';
import { PCT_OPTION } from './pctFlag.ts';
import { ProgressLine } from './progress.ts';
import { EXIT_BROKEN, quoted, refuseFile, refuseOutput, refuseTrace, secondsText } from './scenarioFile.ts';
import { type Source, sourceOf } from './source.ts';
import { TraceFile } from './traceFile.ts';

interface RunFlags {
  readonly seed?: string;
  readonly swarm?: boolean;
  readonly crypto?: string;
  readonly pct?: string;
  readonly json?: boolean;
  readonly trace?: string;
  readonly checkDeterminism?: boolean;
}

export function runCommand(sim: Command, world: World): void {
  const command = sim
    .command('run')
    .argument('[file]', 'scenario')
    .option('--seed <seed>', "instead of the scenario's own seed")
    .option('--swarm', 'instead of a file: the world that a swarm sweep draws for the seed')
    .option(...CRYPTO_OPTION)
    .option(...PCT_OPTION)
    .option('--json', 'print the report as JSON')
    .option('--trace <file>', 'write everything that happens to a file, one JSON line each')
    .option('--check-determinism', 'run twice and compare event by event')
    .description('run a scenario; exit code 0: passed, 1: an expectation was broken, 2: the file is wrong');
  command.action((file: string | undefined) => simRun(file, command.opts<RunFlags>(), world));
}

/** Runs the scenario that file or flags name, and prints the result. */
export async function simRun(file: string | undefined, flags: RunFlags, world: World): Promise<void> {
  const source = await sourceOf(file, flags);
  const { text, seed, pct } = source;
  refuseTrace(source.name, text);
  const [{ runScenario }, { parseScenario }, { acceleratedSuite }] = await Promise.all([
    import('../../../sim/run.ts'),
    import('../../../sim/scenario/parse.ts'),
    import('../../crypto/accelerated.ts'),
  ]);
  // Parsed first: an invalid scenario must not overwrite an existing trace.
  const parsed = parseScenario(text);
  if (!parsed.ok) return refuseFile(world, source.name, parsed.error);
  if (flags.trace !== undefined) refuseOutput('--trace', flags.trace, file, 'scenario');
  const suite = await acceleratedSuite();
  const trace =
    flags.trace === undefined ? undefined : new TraceFile(flags.trace, { scenario: text, seed, pct });
  const progress = new ProgressLine(world);
  const stop = (now: number, events: number): boolean => {
    progress.say(() => `${secondsText(now)} s of virtual time, ${events} events`);
    return false;
  };
  const onThrow = (error: unknown): void => {
    if (world.env['ORRERY_TRACE'] !== undefined && error instanceof Error) world.err(`${error.stack}\n`);
  };
  const options = { seed, suite, pct, stop, onThrow, trace: trace && ((line: string) => trace.write(line)) };
  const say = (line: string): void => (flags.json === true ? world.err(line) : world.out(line));
  const isTwice = flags.checkDeterminism === true;
  const result = await (isTwice ? runTwice(text, options, world, say) : runScenario(text, options));
  progress.end();
  if (!result.ok) {
    trace?.close(undefined);
    return refuseFile(world, source.name, result.error);
  }
  const report = { ...result.value, neverHappened: placed(source, result.value) };
  trace?.close(report);
  world.out(flags.json === true ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report));
  if (report.passed) return;
  world.exitCode = EXIT_BROKEN;
  const again = source.args(report.seed);
  world.err(`reproduce: npx orrery sim run ${again}\n`);
  world.err(`make it smaller: npx orrery sim shrink ${again} -o ${quoted(source.smaller(report.seed))}\n`);
}

const placed = ({ written }: Source, { neverHappened }: ScenarioReport): readonly string[] =>
  written === undefined ? neverHappened : withLines(written, neverHappened);

function reportText(report: ScenarioReport): string {
  const { stats, nodes } = report;
  const heights = nodes.map((node) => {
    const traits = [node.isCorrect ? [] : ['byzantine'], node.state === 'up' ? [] : [node.state]].flat();
    return `${node.name} ${node.height}${traits.length === 0 ? '' : ` (${traits.join(', ')})`}`;
  });
  const lines = [
    `scenario: ${report.name}, seed ${report.seed}`,
    `heights: ${heights.join(' · ')}`,
    `ran: ${secondsText(stats.virtualMicros)} s of virtual time, ${stats.events} events, highest round ${stats.roundMax}`,
    `network: ${stats.framesSent} frames sent, ${stats.framesLost} lost; evidence committed: ${stats.evidence}`,
    ...factsOf(report),
  ];
  if (stats.txsSent > 0) lines.push(`transactions: ${stats.txsSent} sent, ${stats.txsConfirmed} confirmed`);
  lines.push(
    ...brokenLines(report),
    `verdict: ${report.passed ? 'passed' : 'failed'}`,
    `digest: ${report.digest}`,
  );
  return `${lines.join('\n')}\n`;
}
