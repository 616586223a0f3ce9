import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseScenario } from '../../../sim/scenario/parse.ts';
import type { Scenario } from '../../../sim/scenario/scenario.ts';
import { onFile } from '../../disk/files.ts';
import { OperatingError } from '../../operatingError.ts';
import type { World } from '../world.ts';
import { EXIT_BAD_FILE, readScenarioFile, refuseFile, refuseTrace } from './scenarioFile.ts';

export interface ReadScenario {
  readonly file: string;
  readonly text: string;
  readonly scenario: Scenario;
}

/**
 * Reads and checks the files, and all scenarios in named folders. Undefined if any is missing or invalid. Each of them has
 * been reported.
 */
export function readScenarios(names: readonly string[], world: World): readonly ReadScenario[] | undefined {
  const found = names.map((name) => reported(world, () => filesOf(name)));
  const read = found
    .flatMap((files) => files ?? [])
    .map((file) => reported(world, () => readScenario(file, world)));
  return !found.includes(undefined) && read.every((one) => one !== undefined) ? read : undefined;
}

function readScenario(file: string, world: World): ReadScenario | undefined {
  const text = readScenarioFile(file);
  refuseTrace(file, text);
  const parsed = parseScenario(text);
  if (parsed.ok) return { file, text, scenario: parsed.value };
  refuseFile(world, file, parsed.error);
  return undefined;
}

/** Reports what cannot be read and goes on, so that one call lists everything that is wrong. */
function reported<T>(world: World, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof OperatingError)) throw error;
    world.err(`Error: ${error.message}\n`);
    world.exitCode = EXIT_BAD_FILE;
    return undefined;
  }
}

function filesOf(name: string): readonly string[] {
  if (!onFile('read', name, () => statSync(name)).isDirectory()) return [name];
  const files = onFile('read', name, () => readdirSync(name)).filter((one) => /\.ya?ml$/.test(one));
  if (files.length === 0) throw new OperatingError(`${name}: expected *.yaml files in the folder`);
  return files.sort().map((one) => path.join(name, one));
}
