import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { OperatingError } from '../operatingError.ts';
import { packageRoot } from '../packageRoot.ts';
import type { World } from './world.ts';

/** The version in the package.json of orrery. */
export function packageVersion(): string {
  const text = readFileSync(path.join(packageRoot(), 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
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
