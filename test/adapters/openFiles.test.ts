import { expect, test } from 'vitest';
import { APP_TOML } from '../../adapters/config/appToml.ts';
import { CONFIG_TOML } from '../../adapters/config/configToml.ts';
import { type NodeConfig, nodeConfigOf } from '../../adapters/config/nodeConfig.ts';
import { readTable } from '../../adapters/config/table.ts';
import { openFilesMax, withinOpenFiles } from '../../adapters/openFiles.ts';

const configOf = (flags: Readonly<Record<string, string>> = {}): NodeConfig => {
  const sources = { flags: new Map(Object.entries(flags)), env: {}, file: undefined };
  return nodeConfigOf('/home', readTable(CONFIG_TOML, sources), readTable(APP_TOML, sources));
};

const connectionsOf = ({
  consensusRpc,
  jsonRpc,
  evmWs,
  rest,
  grpc,
  metrics,
}: NodeConfig): readonly number[] =>
  [consensusRpc, jsonRpc, evmWs, rest, grpc, metrics].map(({ connectionsMax }) => connectionsMax);

test('connection limits are reduced in proportion to the open file limit, with a warning', () => {
  const warned: string[] = [];
  const fitted = (max: number | undefined, config = configOf()): readonly number[] =>
    connectionsOf(withinOpenFiles(config, max, (text) => warned.push(text)));
  const asked = [900, 1000, 1000, 1000, 1000, 3];
  for (const enough of [undefined, 1_048_576, 5350]) expect(fitted(enough)).toEqual(asked);
  expect(warned).toEqual([]);
  // 4096 files, less 400 of its own and 50 for peers; metrics are off.
  expect(fitted(4096)).toEqual([669, 744, 744, 744, 744, 3]);
  expect(warned).toEqual([expect.stringMatching(/^no more than 4096 files .* clients may want 4900: /)]);
  expect(fitted(256)).toEqual([4, 4, 4, 4, 4, 3]);
  const few = { 'rpc.max_open_connections': '2', 'api.enable': 'false', 'grpc.enable': 'false' };
  expect(fitted(256, configOf(few))).toEqual([2, 4, 4, 1000, 1000, 3]);
});

test('the limit is read from /proc/self/limits', () => {
  expect(
    openFilesMax(
      () => 'Max processes   7 7 processes\nMax open files            1024      4096      files\n',
    ),
  ).toBe(1024);
  expect(
    openFilesMax(() => 'Max open files            unlimited            unlimited            files\n'),
  ).toBeUndefined();
  expect(
    openFilesMax(() => {
      throw new Error('no such file');
    }),
  ).toBeUndefined();
});
