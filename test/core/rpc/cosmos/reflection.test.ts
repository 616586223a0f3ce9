/** cosmos.base.reflection, as clients read it that are built from a running chain. */
import { beforeAll, expect, test } from 'vitest';
import { INTERFACES } from '../../../../core/rpc/cosmos/interfaces.ts';
import { anyTable } from '../../../../core/rpc/cosmos/registry.ts';
import { handleRest } from '../../../../core/rpc/cosmos/rest.ts';
import { SERVICE_METHODS } from '../../../../core/rpc/cosmos/table.ts';
import { RpcWorld } from '../support/rpcWorld.ts';

let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open();
});

const ROOT = '/cosmos/base/reflection/v1beta1';
async function rest(path: string) {
  const request = { method: 'GET', path: ROOT + path, query: '', headers: {}, body: '' };
  const answer = await handleRest(world.ctx, request);
  return { status: answer.status, body: JSON.parse(answer.body) };
}

test('lists interfaces, and what implements each', async () => {
  const { interface_names: names } = (await rest('/interfaces')).body;
  expect(names).toContain('cosmos.base.v1beta1.Msg');
  for (const name of names) {
    const found = (await rest(`/interfaces/${name}/implementations`)).body.implementation_message_names;
    expect(found.length).toBeGreaterThan(0);
    expect(found).toEqual([...found].sort());
    for (const typeUrl of found) expect(anyTable(typeUrl), typeUrl).toBeDefined();
  }
  const of = async (name: string) =>
    (await rest(`/interfaces/${name}/implementations`)).body.implementation_message_names;
  expect(await of('cosmos.auth.v1beta1.AccountI')).toEqual([
    '/chain.types.v1.EthAccount',
    '/cosmos.auth.v1beta1.BaseAccount',
    '/cosmos.auth.v1beta1.ModuleAccount',
  ]);
  expect(await of('cosmos.tx.v1beta1.MsgResponse')).toEqual([
    '/chain.evm.v1.MsgEthereumTxResponse',
    '/cosmos.bank.v1beta1.MsgMultiSendResponse',
    '/cosmos.bank.v1beta1.MsgSendResponse',
  ]);
  const unknown = await rest('/interfaces/cosmos.gov.v1beta1.Content/implementations');
  expect(unknown).toEqual({ status: 200, body: { implementation_message_names: [] } });
});

test('describes the chain, its accounts, its signatures and its messages', async () => {
  const part = async (path: string) => (await rest(`/app_descriptor/${path}`)).body;
  expect(await part('chain')).toEqual({ chain: { id: world.ctx.genesis.chainId } });
  expect(await part('configuration')).toEqual({ config: { bech32_account_address_prefix: 'chain' } });
  const mode = { authn_info_provider_method_fullname: '' };
  expect((await part('authn')).authn.sign_modes).toEqual([
    { name: 'SIGN_MODE_DIRECT', number: 1, ...mode },
    { name: 'SIGN_MODE_LEGACY_AMINO_JSON', number: 127, ...mode },
  ]);
  const { tx } = await part('tx_descriptor');
  expect(tx.fullname).toBe('cosmos.tx.v1beta1.Tx');
  expect(tx.msgs).toContainEqual({ msg_type_url: '/cosmos.bank.v1beta1.MsgSend' });
  const { codec } = await part('codec');
  expect(codec.interfaces.map(({ fullname }: { fullname: string }) => fullname)).toEqual([
    ...INTERFACES.keys(),
  ]);
  expect(codec.interfaces).toContainEqual({
    fullname: 'cosmos.tx.v1beta1.Tx',
    interface_accepting_messages: [],
    interface_implementers: [{ fullname: 'cosmos.tx.v1beta1.Tx', type_url: '/cosmos.tx.v1beta1.Tx' }],
  });
});

test('names every query, itself too, by its path', async () => {
  const { queries } = (await rest('/app_descriptor/query_services')).body;
  const paths = queries.query_services.flatMap(({ methods }: { methods: { full_query_path: string }[] }) =>
    methods.map((method) => method.full_query_path),
  );
  expect(paths.sort()).toEqual(SERVICE_METHODS.map(({ grpcPath }) => grpcPath).sort());
});
