import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseScenario } from '../../../sim/scenario/parse.ts';
import type { Scenario } from '../../../sim/scenario/scenario.ts';
import { onFile } from '../../disk/files.ts';
import { OperatingError } from '../../operatingError.ts';
import type { World } from '../world.ts';
import { readScenarioFile, refuseFile } from './scenarioFile.ts';

export interface ReadScenario {
  readonly file: string;
  readonly text: string;
  readonly scenario: Scenario;
}

/**
 * Reads and checks the files, and all scenarios in named folders. Undefined if any is invalid, which has been reported.
 */
export function readScenarios(names: readonly string[], world: World): readonly ReadScenario[] | undefined {
  const good: ReadScenario[] = [];
  const files = names.flatMap(filesOf);
  for (const file of files) {
    const text = readScenarioFile(file);
    const parsed = parseScenario(text);
    if (parsed.ok) good.push({ file, text, scenario: parsed.value });
    else refuseFile(world, file, parsed.error);
  }
  return good.length === files.length ? good : undefined;
}

function filesOf(name: string): readonly string[] {
  if (!onFile('read', name, () => statSync(name)).isDirectory()) return [name];
  const files = onFile('read', name, () => readdirSync(name)).filter((one) => /\.ya?ml$/.test(one));
  if (files.length === 0) throw new OperatingError(`${name}: expected *.yaml files in the folder`);
  return files.sort().map((one) => path.join(name, one));
}
