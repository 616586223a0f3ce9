import type { Command } from 'commander';
import { formatAddress, parseAnyAddress } from '../../core/address/kinds.ts';
import { APP_TOML } from '../config/appToml.ts';
import { CLIENT_TOML } from '../config/clientToml.ts';
import { hrpOfHome } from '../config/genesisFile.ts';
import { appTomlPath, clientTomlPath } from '../config/home.ts';
import { readSettings } from '../config/nodeConfig.ts';
import { readTable } from '../config/table.ts';
import { OperatingError } from '../operatingError.ts';
import { getJson } from './getJson.ts';
import { type GlobalOptions, homeFrom, type World } from './world.ts';
import { toYaml } from './yaml.ts';

interface QueryOptions extends GlobalOptions {
  readonly rest?: string;
  readonly output?: string;
}

export function queryCommand(command: Command, world: World): void {
  const account = command
    .command('auth')
    .description('accounts')
    .command('account')
    .argument('<address>', 'bech32 or hex')
    .option('--rest <url>', "REST of the node that is asked (default: api.address of the home's app.toml)")
    .option('-o, --output <form>', 'text or json')
    .description('an account: number, sequence, public key, code hash');
  account.action((text: string) => queryAccount(text, account.optsWithGlobals(), world));
}

async function queryAccount(text: string, options: QueryOptions, world: World): Promise<void> {
  const home = homeFrom(options, world);
  const flags = new Map(options.output === undefined ? [] : [['output', options.output] as const]);
  const client = readTable(CLIENT_TOML, { flags, env: world.env, file: readSettings(clientTomlPath(home)) });
  const address = accountAddress(text, hrpOfHome(home));
  const url = `${restOf(options, home, world)}/cosmos/auth/v1beta1/accounts/${address}`;
  const answer = await getJson(url);
  if (answer.status !== 200) throw new OperatingError(queryError(answer.body));
  const { account } = answer.body as { account: unknown };
  world.out(client[''].output === 'json' ? `${JSON.stringify(account)}\n` : toYaml(account));
}

/** Hex is taken too; what is neither is sent as it is, and the node says what is wrong with it. */
function accountAddress(text: string, hrp: string): string {
  const parsed = parseAnyAddress(text, hrp);
  return parsed.ok && parsed.value.kind === 'hex'
    ? formatAddress('acc', hrp, parsed.value.address)
    : encodeURIComponent(text);
}

function restOf(options: QueryOptions, home: string, world: World): string {
  if (options.rest !== undefined) return withScheme(options.rest);
  const file = readSettings(appTomlPath(home));
  const { api } = readTable(APP_TOML, { flags: new Map(), env: world.env, file });
  return withScheme(api.address);
}

/** `tcp://127.0.0.1:10337` → `http://127.0.0.1:10337`. */
const withScheme = (address: string): string =>
  /^https?:/.test(address)
    ? address.replace(/\/+$/, '')
    : `http://${address.replace(/^tcp:\/\//, '').replace(/^0\.0\.0\.0:/, '127.0.0.1:')}`;

const CODES: Readonly<Record<number, string>> = {
  2: 'Unknown',
  3: 'InvalidArgument',
  5: 'NotFound',
  13: 'Internal',
};

/** As the SDK's client wraps the status that a node answers. */
function queryError(body: unknown): string {
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code !== 'number') return `unexpected answer of the node: ${JSON.stringify(body)}`;
  return `rpc error: code = ${CODES[code] ?? code} desc = ${message}`;
}
