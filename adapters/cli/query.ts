import type { Command } from 'commander';
import { formatAddress, parseAnyAddress } from '../../core/address/kinds.ts';
import { hrpOfHome } from '../config/genesisFile.ts';
import { OperatingError } from '../operatingError.ts';
import { RestClient, type RestOptions } from './restClient.ts';
import type { World } from './world.ts';

interface Query {
  readonly words: readonly [string, string] | readonly [string];
  readonly argument?: string;
  readonly doc: string;
  readonly furnish?: (command: Command) => Command;
  readonly second?: string;
  path(argument: string, options: QueryOptions, hrp: string, second: string): string;
  /** The member of the answer that is printed; absent means all of it. */
  readonly part?: string;
}

interface QueryOptions extends RestOptions {
  readonly query?: string;
  readonly denom?: string;
  readonly page?: string;
  readonly limit?: string;
}

const AUTH = '/cosmos/auth/v1beta1';
const BANK = '/cosmos/bank/v1beta1';
const EVM = '/chain/evm/v1';

const GROUPS: Readonly<Record<string, string>> = {
  auth: 'accounts',
  bank: 'balances',
  evm: "Ethereum's half of the state",
  feemarket: 'the price of gas',
};

const paged = (command: Command): Command =>
  command
    .option('--page <number>', 'page, from 1', '1')
    .option('--limit <number>', 'entries of a page', '100');

/** A number from 1, with few enough digits that page times limit stays a safe integer. */
function counted(flag: string, text: string): number {
  if (!/^[1-9][0-9]{0,6}$/.test(text))
    throw new OperatingError(`--${flag}: expected a whole number from 1, found ${text}`);
  return Number(text);
}

function pageOf({ page = '1', limit = '100' }: QueryOptions): string {
  const size = counted('limit', limit);
  return `pagination.offset=${(counted('page', page) - 1) * size}&pagination.limit=${size}`;
}

const QUERIES: readonly Query[] = [
  {
    words: ['auth', 'account'],
    argument: '<address>',
    doc: 'an account: number, sequence, public key, code hash',
    path: (address, _, hrp) => `${AUTH}/accounts/${accountAddress(address, hrp)}`,
    part: 'account',
  },
  {
    words: ['auth', 'accounts'],
    doc: 'all accounts',
    furnish: paged,
    path: (_, o) => `${AUTH}/accounts?${pageOf(o)}`,
  },
  { words: ['auth', 'params'], doc: 'parameters of the module', path: () => `${AUTH}/params` },
  { words: ['auth', 'module-accounts'], doc: 'accounts of modules', path: () => `${AUTH}/module_accounts` },
  {
    words: ['auth', 'address-by-acc-num'],
    argument: '<number>',
    doc: 'the address of an account number',
    path: (number) => `${AUTH}/address_by_id/${encodeURIComponent(number)}`,
  },
  {
    words: ['bank', 'balances'],
    argument: '<address>',
    doc: 'what an address holds',
    furnish: (command) => paged(command).option('--denom <denom>', 'only this denomination'),
    path: (address, options, hrp) => {
      const at = `${BANK}/balances/${accountAddress(address, hrp)}`;
      return options.denom === undefined
        ? `${at}?${pageOf(options)}`
        : `${at}/by_denom?denom=${encodeURIComponent(options.denom)}`;
    },
  },
  { words: ['bank', 'total'], doc: 'how much there is', path: () => `${BANK}/supply` },
  {
    words: ['bank', 'denom-metadata'],
    argument: '[denom]',
    doc: 'units and names of denominations',
    path: (denom) => (denom === '' ? `${BANK}/denoms_metadata` : `${BANK}/denoms_metadata/${denom}`),
  },
  { words: ['bank', 'params'], doc: 'parameters of the module', path: () => `${BANK}/params` },
  ...['account', 'cosmos-account', 'code'].map(
    (word): Query => ({
      words: ['evm', word],
      argument: '<address>',
      doc: word === 'code' ? 'the code of a contract' : 'an account as Ethereum or as Cosmos sees it',
      path: (address, _, hrp) =>
        `${EVM}/${word === 'code' ? 'codes' : word.replace('-', '_')}/${accountAddress(address, hrp)}`,
    }),
  ),
  {
    words: ['evm', 'storage'],
    argument: '<address>',
    second: '<slot>',
    doc: 'one slot of a contract',
    path: (address, _, hrp, slot) =>
      `${EVM}/storage/${accountAddress(address, hrp)}/${encodeURIComponent(slot)}`,
  },
  ...['params', 'config', 'base-fee', 'min-gas-price'].map(
    (word): Query => ({
      words: ['evm', word],
      doc: `${word.replaceAll('-', ' ')} of the EVM`,
      path: () => `${EVM}/${word.replaceAll('-', '_')}`,
    }),
  ),
  ...['params', 'base-fee', 'block-gas'].map(
    (word): Query => ({
      words: ['feemarket', word],
      doc: `${word.replaceAll('-', ' ')} of the fee market`,
      path: () => `/chain/feemarket/v1/${word.replaceAll('-', '_')}`,
    }),
  ),
  {
    words: ['tx'],
    argument: '<hash>',
    doc: 'a transaction by its hash',
    path: (hash) => `/cosmos/tx/v1beta1/txs/${encodeURIComponent(hash)}`,
    part: 'tx_response',
  },
  {
    words: ['txs'],
    doc: 'transactions whose events meet a query',
    furnish: (command) =>
      paged(command).requiredOption('--query <query>', 'like "transfer.recipient=\'chain1…\'"'),
    path: (_, { query = '', page = '1', limit = '100' }) =>
      `/cosmos/tx/v1beta1/txs?query=${encodeURIComponent(query)}&page=${counted('page', page)}&limit=${counted('limit', limit)}`,
  },
  {
    words: ['block'],
    argument: '[height]',
    doc: 'a block, the newest unless told',
    path: (height) => `/cosmos/base/tendermint/v1beta1/blocks/${height === '' ? 'latest' : height}`,
  },
];

export function queryCommand(command: Command, world: World): void {
  const groups = new Map<string, Command>();
  for (const row of QUERIES) {
    const [first, second] = row.words;
    let parent = command;
    if (second !== undefined) {
      parent = groups.get(first) ?? command.command(first).description(GROUPS[first] ?? first);
      groups.set(first, parent);
    }
    add(row, parent.command(second ?? first), world);
  }
}

function add(row: Query, sub: Command, world: World): void {
  if (row.argument !== undefined)
    sub.argument(row.argument, row.argument === '<address>' ? 'bech32 or hex' : '');
  if (row.second !== undefined) sub.argument(row.second);
  row.furnish?.(sub);
  sub
    .option('--rest <url>', "REST server of the node (default: api.address of the home's app.toml)")
    .option('-n, --node <url>', 'query the consensus RPC of a node instead, like tcp://localhost:26657')
    .option('--height <height>', 'query the state of this height')
    .option('-o, --output <form>', 'text or json')
    .description(row.doc);
  sub.action(async (given: unknown, then: unknown) => {
    const options: QueryOptions = sub.optsWithGlobals();
    const client = new RestClient(options, world);
    const argument = typeof given === 'string' ? given : '';
    const body = await client.get<Record<string, unknown>>(
      row.path(argument, options, hrpOfHome(client.home), typeof then === 'string' ? then : ''),
    );
    client.print(row.part === undefined ? body : body[row.part]);
  });
}

/** Converts a hex address to Bech32. Other texts are sent unchanged, and the node reports what is wrong. */
function accountAddress(text: string, hrp: string): string {
  const parsed = parseAnyAddress(text, hrp);
  return parsed.ok && parsed.value.kind === 'hex'
    ? formatAddress('acc', hrp, parsed.value.address)
    : encodeURIComponent(text);
}
