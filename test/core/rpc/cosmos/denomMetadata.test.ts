import { expect, test } from 'vitest';
import { handleRest } from '../../../../core/rpc/cosmos/rest.ts';
import { testGenesis } from '../../app/support/chain.ts';
import { type Loose, RpcWorld } from '../support/rpcWorld.ts';

const METADATA = {
  description: 'About it.',
  denom_units: [
    { denom: 'achain', exponent: 0, aliases: ['attochain', 'least'] },
    { denom: 'gchain', exponent: 9, aliases: [] },
    { denom: 'chain', exponent: 18, aliases: ['whole'] },
  ],
  base: 'achain',
  display: 'chain',
  name: 'Chain',
  symbol: 'CHN',
  uri: 'ipfs://it',
  uri_hash: 'ab12',
};

const genesisWith = (metadata: readonly unknown[]) => {
  const genesis = testGenesis({ accounts: [] });
  const { bank, ...rest } = genesis.appState as Loose;
  return { ...genesis, appState: { ...rest, bank: { ...bank, denom_metadata: metadata } } };
};

async function told(metadata: readonly unknown[], path: string, query = ''): Promise<Loose> {
  const { ctx } = await RpcWorld.openOn(genesisWith(metadata));
  const asked = { method: 'GET', path: `/cosmos/bank/v1beta1/${path}`, query, headers: {}, body: '' };
  return JSON.parse((await handleRest(ctx, asked)).body);
}

test('a denomination is told as genesis has it, by each way to ask', async () => {
  expect((await told([METADATA], 'denoms_metadata')).metadatas).toEqual([METADATA]);
  expect(await told([METADATA], 'denoms_metadata/achain')).toEqual({ metadata: METADATA });
  expect(await told([METADATA], 'denoms_metadata_by_query_string', 'denom=achain')).toEqual({
    metadata: METADATA,
  });
});

test('a denomination may hold slashes, and one that is not there is named whole', async () => {
  const slashed = { ...METADATA, base: 'ibc/AB/c' };
  expect(await told([METADATA, slashed], 'denoms_metadata/ibc/AB/c')).toEqual({ metadata: slashed });
  expect((await told([METADATA], 'denoms_metadata/ibc/AB/c')).message).toContain('denom ibc/AB/c');
});

test('what genesis leaves out is empty', async () => {
  const { metadatas } = await told(
    [{ base: 'achain', denom_units: [{ denom: 'achain' }] }],
    'denoms_metadata',
  );
  expect(metadatas).toEqual([
    {
      description: '',
      denom_units: [{ denom: 'achain', exponent: 0, aliases: [] }],
      base: 'achain',
      display: '',
      name: '',
      symbol: '',
      uri: '',
      uri_hash: '',
    },
  ]);
});
