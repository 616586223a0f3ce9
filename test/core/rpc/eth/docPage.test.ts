import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { docPage } from '../../../../core/rpc/eth/docPage.ts';
import { ETH_METHODS } from '../../../../core/rpc/eth/table.ts';
import { RpcWorld } from '../support/rpcWorld.ts';

test('docs/json-rpc.md is what scripts/jsonRpcDoc.mjs writes', () => {
  const page = readFileSync(new URL('../../../../docs/json-rpc.md', import.meta.url), 'utf8');
  expect(page).toBe(docPage(ETH_METHODS));
});

test('rpc.discover describes exactly the enabled namespaces', async () => {
  const world = await RpcWorld.open({ namespaces: ['eth', 'net'] });
  const { openrpc, methods } = await world.get('rpc.discover');
  expect(openrpc).toBe('1.3.2');
  const prefixes = new Set(methods.map(({ name }: { name: string }) => name.split(/[._]/)[0]));
  expect([...prefixes].sort()).toEqual(['eth', 'net', 'rpc']);
  expect((await world.rpc('debug_traceTransaction', '0x')).error?.code).toBe(-32601);
  expect((await world.rpc('txpool_status')).error?.code).toBe(-32601);
});

test('rpc.discover says which parameters a method cannot be without', async () => {
  const world = await RpcWorld.open();
  const { methods } = await world.get('rpc.discover');
  const call = methods.find(({ name }: { name: string }) => name === 'eth_call');
  expect(call).toMatchObject({
    paramStructure: 'by-position',
    params: [
      { name: 'transaction', required: true, schema: { type: 'object' } },
      { name: 'block', required: false },
      { name: 'stateOverrides', required: false },
      { name: 'blockOverrides', required: false },
    ],
    tags: [{ name: 'eth' }],
  });
});
