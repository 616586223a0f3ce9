import type { Command } from 'commander';
import { CLIENT_TOML } from '../config/clientToml.ts';
import { clientTomlPath } from '../config/home.ts';
import { readSettings } from '../config/nodeConfig.ts';
import { readTable } from '../config/table.ts';
import { OperatingError } from '../operatingError.ts';
import { getJson, httpUrl } from './getJson.ts';
import { type GlobalOptions, homeFrom, type World } from './world.ts';

export function statusCommand(command: Command, world: World): void {
  command
    .option('-n, --node <url>', 'consensus RPC of the node (default: node of client.toml)')
    .action(() => status(command.optsWithGlobals(), world));
}

/** The `result` of the consensus RPC's status, on one line. */
async function status(options: GlobalOptions & { readonly node?: string }, world: World): Promise<void> {
  const file = readSettings(clientTomlPath(homeFrom(options, world)));
  const client = readTable(CLIENT_TOML, { flags: new Map(), env: world.env, file });
  const url = `${httpUrl(options.node ?? client[''].node)}/status`;
  const { status: code, body } = await getJson(url);
  const { result } = (body ?? {}) as { readonly result?: unknown };
  if (code !== 200 || result === undefined)
    throw new OperatingError(`unexpected answer of ${url}: ${JSON.stringify(body)}`);
  world.out(`${JSON.stringify(result)}\n`);
}
