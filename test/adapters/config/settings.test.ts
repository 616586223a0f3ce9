import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { APP_TOML } from '../../../adapters/config/appToml.ts';
import { CLIENT_TOML } from '../../../adapters/config/clientToml.ts';
import { CONFIG_TOML } from '../../../adapters/config/configToml.ts';
import { parseDuration } from '../../../adapters/config/duration.ts';
import { nodeConfigOf } from '../../../adapters/config/nodeConfig.ts';
import {
  envNameOf,
  fieldsOf,
  readTable,
  refuseUnknownEnv,
  renderTable,
  type Sources,
} from '../../../adapters/config/table.ts';
import { OperatingError } from '../../../adapters/operatingError.ts';
import { formatDuration } from '../../../core/lib/duration.ts';
import { DEFAULT_NODE_CONFIG } from '../../../core/node/nodeConfig.ts';

const sources = (given: {
  flags?: Record<string, string>;
  env?: Record<string, string>;
  text?: string;
}): Sources => ({
  flags: new Map(Object.entries(given.flags ?? {})),
  env: given.env ?? {},
  file: given.text === undefined ? undefined : { name: 'config.toml', text: given.text },
});

const TABLES = { CONFIG_TOML, APP_TOML, CLIENT_TOML };

describe('where a setting comes from', () => {
  const text = '[rpc]\nladdr = "tcp://127.0.0.1:3"\n';
  const flags = { 'rpc.laddr': 'tcp://127.0.0.1:1' };
  const env = { ORRERY_RPC_LADDR: 'tcp://127.0.0.1:2' };
  test.each([
    ['a flag beats environment and file', { flags, env, text }, 'tcp://127.0.0.1:1'],
    ['the environment beats the file', { env, text }, 'tcp://127.0.0.1:2'],
    ['the file beats the default', { text }, 'tcp://127.0.0.1:3'],
    ['without any, the default holds', {}, 'tcp://127.0.0.1:26657'],
  ])('%s', (_, given, expected) => {
    expect(readTable(CONFIG_TOML, sources(given)).rpc.laddr).toBe(expected);
  });

  test('every setting has an environment name of its own', () => {
    const names = Object.values({ ...TABLES }).flatMap((table) =>
      [...fieldsOf(table)].map(({ path }) => envNameOf(path)),
    );
    expect(new Set(names).size).toBe(names.length);
    expect(envNameOf('json-rpc.ws-address')).toBe('ORRERY_JSON_RPC_WS_ADDRESS');
  });
});

describe('a wrong setting is refused with its file, its key and what was expected', () => {
  test.each([
    [
      { text: '[rpc]\nladr = ""\n' },
      'config.toml: unknown key rpc.ladr: expected in [rpc] one of laddr, cors',
    ],
    [
      { text: '[rcp]\nladdr = ""\n' },
      'config.toml: unknown key rcp: expected at the top of the file one of moniker',
    ],
    [{ text: 'rpc = 3\n' }, 'config.toml: rpc: expected a section [rpc]'],
    [
      { text: '[mempool]\nsize = -1\n' },
      'config.toml: mempool.size: expected a whole number of at least 1, found -1',
    ],
    [
      { text: '[mempool]\nsize = 1.5\n' },
      'config.toml: mempool.size: expected a whole number of at least 1, found 1.5',
    ],
    [
      { text: '[mempool]\nsize = "9"\n' },
      'config.toml: mempool.size: expected a whole number of at least 1, found "9"',
    ],
    [{ text: 'moniker = 3\n' }, 'config.toml: moniker: expected a string, found 3'],
    [
      { text: 'log_level = "loud"\n' },
      'log_level: expected one of "debug", "info", "warn", "error", "none", found "loud"',
    ],
    [
      { text: '[consensus]\ntimeout_commit = 5\n' },
      'config.toml: consensus.timeout_commit: expected a duration such as "500ms", "3s" or "1m30s", found 5',
    ],
    [{ text: '[consensus]\nskip_timeout_commit = "yes"\n' }, 'expected true or false, found "yes"'],
    [{ text: '[rpc]\nladdr = "here"\n' }, 'config.toml: rpc.laddr: expected an address such as'],
    [{ text: '[rpc]\ncors_allowed_origins = "x"\n' }, 'expected an array of strings, found "x"'],
    [{ text: 'moniker = \n' }, 'config.toml:1:11: '],
    [
      { env: { ORRERY_MEMPOOL_SIZE: 'many' } },
      'environment variable ORRERY_MEMPOOL_SIZE: expected a whole number',
    ],
    [{ flags: { 'mempool.size': '0x9' } }, 'flag --mempool.size: expected a whole number'],
  ])('%j', (given, message) => {
    const read = () => readTable(CONFIG_TOML, sources(given));
    expect(read).toThrow(OperatingError);
    expect(read).toThrow(message);
  });

  test('a namespace that does not exist is refused', () => {
    expect(() => readTable(APP_TOML, sources({ flags: { 'json-rpc.api': 'eth,admin' } }))).toThrow(
      'flag --json-rpc.api: expected namespaces out of eth,web3,net,txpool,debug,personal',
    );
  });

  test('a variable of a section that has no such key is refused, and no other', () => {
    const refuse = (name: string) => () => refuseUnknownEnv([CONFIG_TOML, APP_TOML], { [name]: '1' });
    expect(refuse('ORRERY_RPC_LADR')).toThrow(
      'unknown environment variable ORRERY_RPC_LADR: no setting has it; did you mean ORRERY_RPC_LADDR?',
    );
    expect(refuse('ORRERY_JSON_RPC_ENTIRELY_ELSE')).toThrow(/ELSE: no setting has it$/);
    for (const name of ['ORRERY_HOME', 'ORRERY_BENCH_PROFILE', 'ORRERY_GRPC', 'RPC_FOO']) refuse(name)();
    for (const { path } of [...fieldsOf(CONFIG_TOML), ...fieldsOf(APP_TOML)]) refuse(envNameOf(path))();
  });

  test('environment variables of Kubernetes and Docker service links are not taken for settings', () => {
    const told = [
      'SERVICE_HOST',
      'SERVICE_PORT',
      'SERVICE_PORT_COMET_RPC',
      'PORT',
      'PORT_26657_TCP',
      'PORT_26657_TCP_ADDR',
      'PORT_26657_TCP_PORT',
      'PORT_26657_TCP_PROTO',
    ];
    for (const section of ['RPC', 'P2P', 'JSON_RPC', 'GRPC'])
      for (const name of told)
        refuseUnknownEnv([CONFIG_TOML, APP_TOML], { [`ORRERY_${section}_${name}`]: 'tcp://10.0.0.1:26657' });
    for (const { path } of [...fieldsOf(CONFIG_TOML), ...fieldsOf(APP_TOML)])
      expect(envNameOf(path)).not.toMatch(/_PORT$|_HOST$/);
  });

  test('two servers on one port are refused', () => {
    const app = readTable(APP_TOML, sources({ flags: { 'json-rpc.ws-address': '127.0.0.1:8545' } }));
    expect(() => nodeConfigOf('/home', readTable(CONFIG_TOML, sources({})), app)).toThrow(
      'json-rpc.address and json-rpc.ws-address both want port 8545',
    );
  });

  test('an index in PostgreSQL is refused unless a setting says where', () => {
    const app = readTable(APP_TOML, sources({}));
    const nodeOf = (flags: Record<string, string>) =>
      nodeConfigOf('/home', readTable(CONFIG_TOML, sources({ flags })), app);
    const flags = { 'tx_index.indexer': 'psql' };
    expect(() => nodeOf(flags)).toThrow('tx_index.psql-conn must name a database');
    const psqlConnection = 'postgresql://localhost/events';
    expect(nodeOf({ ...flags, 'tx_index.psql-conn': psqlConnection }).index).toEqual({
      indexer: 'psql',
      psqlConnection,
    });
  });
});

describe('the files that are written', () => {
  test.each(Object.entries(TABLES))('%s, written with defaults, reads back as the defaults', (_, table) => {
    const defaults = readTable(table, sources({}));
    const text = renderTable(table, defaults, 'title');
    expect(readTable(table, sources({ text }))).toEqual(defaults);
  });

  test.each(Object.entries(TABLES))('the defaults of %s do not change unnoticed', async (name, table) => {
    const text = renderTable(table, readTable(table, sources({})), name);
    await expect(text).toMatchFileSnapshot(`defaults/${name.toLowerCase().replace('_', '.')}`);
  });

  test('values other than the defaults survive writing and reading', () => {
    fc.assert(
      fc.property(
        fc.record({
          moniker: fc.string({ unit: 'binary' }),
          origins: fc.array(fc.string()),
          size: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
          timeout: fc.integer({ min: 0, max: 1e12 }),
          skip: fc.boolean(),
        }),
        ({ moniker, origins, size, timeout, skip }) => {
          const defaults = readTable(CONFIG_TOML, sources({}));
          const values = {
            ...defaults,
            '': { ...defaults[''], moniker },
            rpc: { ...defaults.rpc, cors_allowed_origins: origins },
            mempool: { ...defaults.mempool, size },
            consensus: { ...defaults.consensus, timeout_propose: timeout, skip_timeout_commit: skip },
          };
          const text = renderTable(CONFIG_TOML, values, 'title');
          expect(readTable(CONFIG_TOML, sources({ text }))).toEqual(values);
        },
      ),
      {
        numRuns: 50,
        examples: [[{ moniker: 'a\x7fb', origins: ['\x7f'], size: 1, timeout: 0, skip: true }]],
      },
    );
  });

  test('without files a node runs as the core runs by default', () => {
    const config = readTable(CONFIG_TOML, sources({}));
    const node = nodeConfigOf('/home', config, readTable(APP_TOML, sources({})));
    expect(node.core).toEqual(DEFAULT_NODE_CONFIG);
    expect(node.files.genesis).toBe('/home/config/genesis.json');
    expect(node.jsonRpc.listen).toEqual({ host: '127.0.0.1', port: 8545 });
  });

  test('a server is off when its address is empty or it is not enabled', () => {
    const config = readTable(CONFIG_TOML, sources({ flags: { 'rpc.laddr': '', 'p2p.laddr': '' } }));
    const app = readTable(
      APP_TOML,
      sources({ flags: { 'json-rpc.enable': 'false', 'api.enable': 'false' } }),
    );
    const node = nodeConfigOf('/home', config, app);
    const servers = [node.consensusRpc, node.p2p, node.jsonRpc, node.evmWs, node.rest];
    expect(servers.map(({ listen }) => listen)).toEqual(servers.map(() => undefined));
  });

  test('a fee cap survives writing and reading', () => {
    const defaults = readTable(APP_TOML, sources({}));
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (cap) => {
        const values = { ...defaults, 'json-rpc': { ...defaults['json-rpc'], 'txfee-cap': cap } };
        const text = renderTable(APP_TOML, values, 'title');
        expect(readTable(APP_TOML, sources({ text }))['json-rpc']['txfee-cap']).toBe(cap);
      }),
    );
  });

  test('the fee cap is exact to the last digit', () => {
    const app = readTable(APP_TOML, sources({ flags: { 'json-rpc.txfee-cap': '0.000000000000000001' } }));
    expect(app['json-rpc']['txfee-cap']).toBe(1n);
  });
});

describe('durations', () => {
  test.each([
    ['0', 0],
    ['0s', 0],
    ['250ms', 250],
    ['1.5s', 1500],
    ['1m30s', 90_000],
    ['168h', 604_800_000],
  ])('%s is %d ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

  test.each(['', '5', '1 s', '-1s', '1d', 's', '1h2'])('"%s" is not a duration', (text) =>
    expect(parseDuration(text)).toBeUndefined(),
  );

  test('a printed duration is read back as the same duration', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});
