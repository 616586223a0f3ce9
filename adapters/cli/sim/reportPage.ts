import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { asScript, PAGE_MODULES, reportPage } from '../../../sim/report/page.ts';
import { onFile } from '../../disk/files.ts';
import { packageRoot } from '../../packageRoot.ts';
import type { World } from '../world.ts';
import { readTrace } from './readTrace.ts';
import { readScenarioFile, refuseOutput } from './scenarioFile.ts';

/** Reads a file that the page shares with the playground. */
const partOf = (name: string): string => {
  const file = path.join(packageRoot(), 'playground', name);
  return onFile('read', file, () => readFileSync(file, 'utf8'));
};

export function reportCommand(sim: Command, world: World): void {
  const command = sim
    .command('report')
    .argument('<trace>', 'what `sim run --trace` wrote')
    .requiredOption('-o, --output <file>', 'the page to write')
    .description(
      'make one web page of a trace: lanes, messages, faults, locks, decisions; it needs no network',
    );
  command.action((file: string) => {
    const { output } = command.opts<{ readonly output: string }>();
    refuseOutput('--output', output, file, 'trace');
    const trace = readTrace(file, readScenarioFile(file));
    const script = asScript(PAGE_MODULES.map(partOf));
    const page = reportPage(trace, { script, style: partOf('view.css') });
    onFile('write', output, () => writeFileSync(output, page));
    if (trace.report === undefined) world.err(`${file} has no end: the run that wrote it was interrupted\n`);
    world.out(`${output}: ${trace.lines.length} happenings, ${Math.ceil(page.length / 1024)} KiB\n`);
  });
}
