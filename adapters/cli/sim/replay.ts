import type { Command } from 'commander';
import { isRecording } from '../../../sim/record/recording.ts';
import { type NodeSnapshot, replayTo } from '../../../sim/replay/snapshot.ts';
import { parseScenario } from '../../../sim/scenario/parse.ts';
import { parseDuration } from '../../../sim/scenario/units.ts';
import { acceleratedSuite } from '../../crypto/accelerated.ts';
import { OperatingError } from '../../operatingError.ts';
import type { World } from '../world.ts';
import { brokenLines } from './broken.ts';
import { CRYPTO_OPTION } from './cryptoFlag.ts';
import { PCT_OPTION } from './pctFlag.ts';
import { ProgressLine } from './progress.ts';
import { lineOfFile, readTrace } from './readTrace.ts';
import { replayRecording } from './record.ts';
import { EXIT_BROKEN, refuseFile, secondsText, wholeOf } from './scenarioFile.ts';
import { type Source, sourceOf } from './source.ts';

/** Lines of the transcript shown before the stop. */
const TAIL_DEFAULT = '40';
const TAIL_MAX = 10_000_000;

interface ReplayFlags {
  readonly seed?: string;
  readonly swarm?: boolean;
  readonly crypto?: string;
  readonly pct?: string;
  readonly until?: string;
  readonly tail: string;
  readonly node?: string;
}

export function replayCommand(sim: Command, world: World): void {
  const command = sim
    .command('replay')
    .argument('[file]', 'scenario, a trace that `sim run --trace` wrote, or a recording of `sim record`')
    .option('--seed <seed>', "instead of the scenario's own seed")
    .option('--swarm', 'instead of a file: the world that a swarm sweep draws for the seed')
    .option(...CRYPTO_OPTION)
    .option(...PCT_OPTION)
    .option(
      '--until <event|time>',
      'stop after the event of this number, or before the first after this virtual time, e.g. 12.5s',
    )
    .option('--tail <n>', 'number of the newest events to print', TAIL_DEFAULT)
    .option('--node <name>', 'only events of this node')
    .description('run again up to a point, and print what happened last and what every node holds there');
  command.action((file: string | undefined) => replay(file, command.opts<ReplayFlags>(), world));
}

async function replay(file: string | undefined, flags: ReplayFlags, world: World): Promise<void> {
  const given = await sourceOf(file, flags);
  if (isRecording(given.text)) {
    expectNoChoice('a recording is of one node', flags);
    if (flags.until !== undefined || flags.node !== undefined)
      throw new OperatingError('--until and --node: a recording is of one node and is run to its end');
    return replayRecording(given.name, given.text, world);
  }
  const { source, written, isTrace, isWhole } = fromTrace(given, flags);
  const stop = stopOf(flags.until);
  const tailMax = wholeOf('--tail', flags.tail, 0, TAIL_MAX);
  if (flags.node !== undefined) expectNode(source.text, flags.node);
  let tail: string[] = [];
  let compared = 0;
  let parted: { readonly line: number; readonly written: string; readonly now: string } | undefined;
  const progress = new ProgressLine(world);
  const result = await replayTo(source.text, {
    ...stop,
    seed: source.seed,
    pct: source.pct,
    suite: await acceleratedSuite(),
    trace(line) {
      const index = compared++;
      const expected = written[index];
      if (expected !== undefined && expected !== line)
        parted ??= { line: lineOfFile(index), written: expected, now: line };
      const happening = JSON.parse(line) as Happening;
      progress.say(() => `${secondsText(happening.t)} s of virtual time`);
      if (flags.node !== undefined && happening.node !== flags.node) return;
      tail.push(transcriptLine(happening));
      if (tail.length >= 2 * tailMax + 1000) tail = tail.slice(-tailMax);
    },
  });
  progress.end();
  if (!result.ok) return refuseFile(world, source.name, result.error);
  const { report, nodes, events, virtualMicros, isCut } = result.value;
  if (tailMax > 0) world.out(`${tail.slice(-tailMax).join('\n')}\n\n`);
  world.out(
    `scenario ${report.name}, seed ${report.seed}, after event ${events} at ${secondsText(virtualMicros)} s\n\n`,
  );
  if (flags.until !== undefined && !isCut) world.out(`the run has ended before ${flags.until}\n\n`);
  for (const node of nodes) world.out(nodeText(node));
  for (const line of brokenLines(report)) world.out(`${line}\n`);
  const isLonger = isWhole && compared > written.length;
  if (!isCut && (compared < written.length || isLonger))
    parted ??= {
      line: lineOfFile(Math.min(compared, written.length)),
      written: written[compared] ?? 'has ended',
      now: isLonger ? 'goes on' : 'has ended',
    };
  if (isTrace && !isWhole && compared > written.length)
    world.err(
      `the trace has no end, the run that wrote it was interrupted: nothing after line ${lineOfFile(written.length - 1)} was compared\n`,
    );
  if (parted !== undefined)
    world.err(
      `line ${parted.line}: the trace tells another run, of another version of the program perhaps:\n  trace: ${parted.written}\n  now:   ${parted.now}\n`,
    );
  if (parted !== undefined || !report.passed) world.exitCode = EXIT_BROKEN;
}

interface Replayed {
  readonly source: Source;
  /** The events in the trace; empty for a scenario, which runs again. */
  readonly written: readonly string[];
  readonly isTrace: boolean;
  /** The trace is complete. */
  readonly isWhole: boolean;
}

/** For a trace, takes the scenario and seed from its first line. */
function fromTrace(source: Source, flags: ReplayFlags): Replayed {
  if (!source.text.startsWith('{"kind":"scenario"'))
    return { source, written: [], isTrace: false, isWhole: false };
  expectNoChoice('a trace is of one run', flags);
  const { head, lines, report } = readTrace(source.name, source.text);
  return {
    source: { ...source, text: head.scenario, seed: head.seed, pct: head.pct },
    written: lines,
    isTrace: true,
    isWhole: report !== undefined,
  };
}

function expectNoChoice(why: string, { seed, crypto, pct }: ReplayFlags): void {
  if (seed !== undefined || crypto !== undefined || pct !== undefined)
    throw new OperatingError(`--seed, --crypto and --pct: ${why}`);
}

/** Checks that the scenario has this node. An invalid scenario is refused later, by the run. */
function expectNode(scenario: string, node: string): void {
  const parsed = parseScenario(scenario);
  if (!parsed.ok) return;
  const names = [...parsed.value.validators, ...parsed.value.nodes].map(({ name }) => name);
  if (!names.includes(node))
    throw new OperatingError(`--node: expected one of ${names.join(', ')}, found ${node}`);
}

function stopOf(text: string | undefined): { readonly untilEvent?: number; readonly untilTime?: number } {
  if (text === undefined) return {};
  if (/^[1-9]\d{0,11}$/.test(text)) return { untilEvent: Number(text) };
  const untilTime = parseDuration(text);
  if (untilTime === undefined)
    throw new OperatingError(
      `--until: expected the number of an event, from 1, or a time such as 12.5s, found ${text}`,
    );
  return { untilTime };
}

interface Happening {
  readonly t: number;
  readonly n: number;
  readonly node?: string;
  readonly kind: string;
  readonly from?: string;
  readonly msg?: string;
  readonly text?: string;
  readonly at?: string;
  readonly lock?: string;
}

function transcriptLine({ t, n, node, kind, from, msg, text, at, lock }: Happening): string {
  const what =
    kind === 'frame' ? `<- ${from}: ${msg}` : [kind, text].filter((word) => word !== undefined).join(' ');
  const held = lock === undefined ? '' : `  lock ${lock}`;
  return `${secondsText(t).padStart(9)} ${String(n).padStart(7)} ${(node ?? '*').padEnd(6)} ${(at ?? '').padEnd(8)} ${what}${held}`;
}

function nodeText(node: NodeSnapshot): string {
  const lines = [
    `${node.name} (${node.state}): at ${node.at}, decided ${node.decided}, state ${node.stateHash}`,
    `  proposer ${node.proposer}, proposal ${node.proposal}, locked ${node.locked}, valid ${node.valid}`,
    ...node.votes.map((line) => `  round ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}
