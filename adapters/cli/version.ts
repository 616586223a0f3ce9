import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { OperatingError } from '../operatingError.ts';
import type { World } from './world.ts';

/** The version in the package.json above this file, compiled or not. */
export function packageVersion(): string {
  for (let dir = import.meta.dirname; ; dir = path.dirname(dir)) {
    const file = path.join(dir, 'package.json');
    if (existsSync(file)) {
      const manifest = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
      return manifest.version;
    }
    if (dir === path.dirname(dir)) throw new OperatingError('the package.json of orrery is missing');
  }
}

export function versionCommand(command: Command, world: World): void {
  command
    .option('--long', 'with the runtime')
    .option('-o, --output <form>', 'text or json', 'text')
    .action((options: { long?: boolean; output: string }) => {
      const facts: Record<string, string> = { name: 'orrery', version: packageVersion() };
      if (options.long === true) {
        facts['node'] = process.version;
        facts['platform'] = `${process.platform}/${process.arch}`;
      }
      if (options.output === 'json') world.out(`${JSON.stringify(facts)}\n`);
      else if (options.output !== 'text')
        throw new OperatingError(`--output: expected text or json, found ${options.output}`);
      else if (options.long === true)
        world.out(
          Object.entries(facts)
            .map(([key, value]) => `${key}: ${value}\n`)
            .join(''),
        );
      else world.out(`${packageVersion()}\n`);
    });
}
