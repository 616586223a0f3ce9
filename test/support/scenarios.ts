import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve(import.meta.dirname, '../../scenarios');

/** The shipped scenarios' names, in order. */
export const scenarioNames: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => path.basename(file, '.yaml'))
  .sort();

/** A shipped scenario, as it stands in its file. */
export const scenarioText = (name: string): string => readFileSync(path.join(folder, `${name}.yaml`), 'utf8');
