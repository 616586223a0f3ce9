import { existsSync } from 'node:fs';
import path from 'node:path';
import { OperatingError } from './operatingError.ts';

/** The folder of the package.json above this file, be it source, compiled or bundled. */
export function packageRoot(): string {
  for (let dir = import.meta.dirname; ; dir = path.dirname(dir)) {
    if (existsSync(path.join(dir, 'package.json'))) return dir;
    if (dir === path.dirname(dir)) throw new OperatingError('the package.json of orrery is missing');
  }
}
