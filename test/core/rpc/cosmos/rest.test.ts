import { readFileSync } from 'node:fs';
import { QueryAccountRequest, QueryAccountResponse } from 'cosmjs-types/cosmos/auth/v1beta1/query';
import { beforeAll, describe, expect, test } from 'vitest';
import { toEip55 } from '../../../../core/address/eip55.ts';
import { formatAddress } from '../../../../core/address/kinds.ts';
import { authKey } from '../../../../core/app/auth/keeper.ts';
import { decode } from '../../../../core/codec/proto.ts';
import { EMPTY } from '../../../../core/lib/bytes.ts';
import { answerAbciQuery } from '../../../../core/rpc/cosmos/abciQuery.ts';
import { ETH_ACCOUNT } from '../../../../core/rpc/cosmos/accountTables.ts';
import { ethAccountOf } from '../../../../core/rpc/cosmos/ethAccount.ts';
import { apiPage } from '../../../../core/rpc/cosmos/openApi.ts';
import { handleRest } from '../../../../core/rpc/cosmos/rest.ts';
import { SERVICE_METHODS } from '../../../../core/rpc/cosmos/table.ts';
import { bytesHex, type Loose, RpcWorld } from '../support/rpcWorld.ts';

const EMPTY_CODE_HASH = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';
const accountRequest = (address: string): Uint8Array => QueryAccountRequest.encode({ address }).finish();
let world: RpcWorld;
let bech32: string;
beforeAll(async () => {
  world = await RpcWorld.open();
  await world.commit();
  await world.get('eth_sendTransaction', {
    from: bytesHex(world.dev.address),
    to: bytesHex(world.other.address),
    value: '0x1',
  });
  await world.commit();
  bech32 = formatAddress('acc', 'chain', world.dev.address);
});

async function rest(path: string, headers: Record<string, string> = {}) {
  const [bare = '', query = ''] = path.split('?');
  const answer = await handleRest(world.ctx, { method: 'GET', path: bare, query, headers, body: '' });
  return { status: answer.status, headers: answer.headers, body: JSON.parse(answer.body) };
}

const ask = (path: string, data: Uint8Array) =>
  answerAbciQuery(world.ctx, { path, data, height: 0n, prove: false });

const account = (sequence: string, pubKey: unknown) => ({
  account: {
    '@type': '/chain.types.v1.EthAccount',
    base_account: { address: bech32, pub_key: pubKey, account_number: '0', sequence },
    code_hash: EMPTY_CODE_HASH,
  },
});
const KEY = {
  '@type': '/chain.crypto.v1.ethsecp256k1.PubKey',
  key: expect.stringMatching(/^A[0-9A-Za-z+/]{43}$/),
};

describe('an account', () => {
  test('has every field, by Bech32 and by EIP-55', async () => {
    for (const address of [bech32, toEip55(world.dev.address)]) {
      const { status, body, headers } = await rest(`/cosmos/auth/v1beta1/accounts/${address}`);
      expect([status, headers['x-cosmos-block-height']]).toEqual([200, '2']);
      expect(headers['grpc-metadata-x-cosmos-block-height']).toBe('2');
      expect(body).toEqual(account('1', KEY));
    }
  });

  test('is told as it was at an earlier height', async () => {
    const { body, headers } = await rest(`/cosmos/auth/v1beta1/accounts/${bech32}`, {
      'x-cosmos-block-height': '1',
    });
    expect(body).toEqual(account('0', null));
    expect(headers['x-cosmos-block-height']).toBe('1');
    const late = await rest(`/cosmos/auth/v1beta1/accounts/${bech32}`, { 'x-cosmos-block-height': '9' });
    expect([late.status, late.body.code]).toEqual([400, 3]);
    expect(late.body.message).toBe('cannot query with height in the future; please provide a valid height');
  });

  test('that nobody has is code 5 and HTTP 404, a bad address code 3 and HTTP 400', async () => {
    const nobody = formatAddress('acc', 'chain', new Uint8Array(20).fill(9));
    expect(await rest(`/cosmos/auth/v1beta1/accounts/${nobody}`)).toMatchObject({
      status: 404,
      body: {
        code: 5,
        message: `rpc error: code = NotFound desc = account ${nobody} not found: key not found`,
        details: [],
      },
    });
    const bad = await rest('/cosmos/auth/v1beta1/accounts/chain1xyz');
    expect([bad.status, bad.body.code]).toEqual([400, 3]);
    expect(bad.body.message).toMatch(/^decoding bech32 failed: /);
    const valoper = formatAddress('val', 'chain', world.dev.address);
    expect((await rest(`/cosmos/auth/v1beta1/accounts/${valoper}`)).status).toBe(400);
  });

  test('comes through an ABCI query as the protobuf that the SDK has', async () => {
    const answer = await ask('/cosmos.auth.v1beta1.Query/Account', accountRequest(bech32));
    expect([answer.code, answer.height]).toEqual([0, 2]);
    const { account } = QueryAccountResponse.decode(answer.value);
    expect(account?.typeUrl).toBe('/chain.types.v1.EthAccount');
    expect(decode(ETH_ACCOUNT, account?.value ?? EMPTY)).toEqual({
      ok: true,
      value: ethAccountOf(world.ctx.chain.latest(), world.dev.address, 'chain'),
    });
    const missing = await ask(
      '/cosmos.auth.v1beta1.Query/Account',
      accountRequest(formatAddress('acc', 'chain', new Uint8Array(20).fill(9))),
    );
    expect(missing).toMatchObject({ code: 22, codespace: 'sdk' });
    expect(missing.log).toMatch(
      /^rpc error: code = NotFound desc = account chain1\w+ not found: key not found$/,
    );
  });
});

test('an ABCI query reads a raw entry of the module store, and names an unknown path', async () => {
  const key = authKey(world.dev.address);
  const entry = await ask('/store/modules/key', key);
  expect(entry.value).toEqual(world.ctx.chain.latest().module(key));
  const missing = await ask('/store/modules/key', new Uint8Array(3));
  expect(missing.value).toEqual(EMPTY);
  expect(await ask('/app/version', EMPTY)).toMatchObject({
    code: 0,
    value: new TextEncoder().encode(world.ctx.identity.version),
  });
  expect(await ask('/nothing', EMPTY)).toMatchObject({
    code: 6,
    codespace: 'sdk',
  });
});

test('balances, parameters, node info, blocks and syncing have the shapes of the SDK', async () => {
  const { body: balances } = await rest(`/cosmos/bank/v1beta1/balances/${bech32}`);
  expect(balances.pagination).toEqual({ next_key: null, total: '1' });
  expect(balances.balances[0].denom).toBe('achain');
  expect(BigInt(balances.balances[0].amount)).toBe(
    BigInt(await world.get('eth_getBalance', bytesHex(world.dev.address), 'latest')),
  );
  expect((await rest('/cosmos/auth/v1beta1/params')).body.params.max_memo_characters).toBe('256');
  const { body: info } = await rest('/cosmos/base/tendermint/v1beta1/node_info');
  expect(info.default_node_info).toEqual({
    protocol_version: { p2p: '8', block: '11', app: '0' },
    default_node_id: world.ctx.identity.nodeId,
    listen_addr: 'tcp://0.0.0.0:26656',
    network: 'chain_9000-1',
    version: '0.38.26',
    channels: 'QCAhIiMwOGBhAA==',
    moniker: 'tester',
    other: { tx_index: 'on', rpc_address: 'tcp://127.0.0.1:26657' },
  });
  expect(info.default_node_info).toMatchObject({ channels: 'QCAhIiMwOGBhAA==', other: { tx_index: 'on' } });
  expect(info.application_version).toMatchObject({ cosmos_sdk_version: 'v0.50.14', build_deps: [] });
  expect((await rest('/cosmos/base/tendermint/v1beta1/syncing')).body).toEqual({ syncing: false });
  const { body: latest } = await rest('/cosmos/base/tendermint/v1beta1/blocks/latest');
  expect(latest.block.header).toMatchObject({ height: '2', chain_id: 'chain_9000-1' });
  expect(latest.sdk_block.header.proposer_address).toMatch(/^chainvalcons1/);
  expect((await rest('/cosmos/base/tendermint/v1beta1/blocks/2')).body).toEqual(latest);
  expect((await rest('/cosmos/base/tendermint/v1beta1/blocks/9')).status).toBe(400);
});

test('a block in protobuf has its proposer in Bech32 too, as sdk_block', async () => {
  const { code, value } = await ask('/cosmos.base.tendermint.v1beta1.Service/GetLatestBlock', EMPTY);
  expect(code).toBe(0);
  expect(new TextDecoder('latin1').decode(value)).toMatch(/chainvalcons1[0-9a-z]{38}/);
});

test('the switches of transfers are paged, unless they are asked for by name', async () => {
  const path = '/cosmos/bank/v1beta1/send_enabled';
  expect((await rest(path)).body).toEqual({
    send_enabled: [],
    pagination: { next_key: null, total: '0' },
  });
  expect((await rest(`${path}?denoms=achain`)).body).toEqual({ send_enabled: [], pagination: null });
});

test("a boolean query parameter takes every form that Go's ParseBool takes", async () => {
  const statusFor = async (text: string) => {
    const path = '/cosmos/bank/v1beta1/send_enabled';
    return (await rest(`${path}?pagination.limit=1&pagination.reverse=${text}`)).status;
  };
  for (const text of ['1', 't', 'T', 'true', 'TRUE', 'True', '0', 'f', 'F', 'false', 'FALSE', 'False'])
    expect([text, await statusFor(text)]).toEqual([text, 200]);
  for (const text of ['yes', 'tRUE', '2', 'null']) expect([text, await statusFor(text)]).toEqual([text, 400]);
});

test('a transaction of another chain is taken apart as the SDK does it, and put together again', async () => {
  const path = '/cosmos/tx/v1beta1';
  const post = async (what: string, body: unknown) => {
    const request = {
      method: 'POST',
      path: `${path}/${what}`,
      query: '',
      headers: {},
      body: JSON.stringify(body),
    };
    return (await handleRest(world.ctx, request)).body;
  };
  const { tx, decoded } = JSON.parse(
    readFileSync(new URL('../../../vectors/cosmos/decoded-tx.json', import.meta.url), 'utf8'),
  );
  expect(await post('decode', { tx_bytes: tx })).toBe(JSON.stringify(decoded));
  expect(JSON.parse(await post('encode', decoded))).toEqual({ tx_bytes: tx });
});

test('a transaction without body or auth info decodes with empty ones', async () => {
  const body = JSON.stringify({ tx_bytes: 'GgEH' });
  const request = { method: 'POST', path: '/cosmos/tx/v1beta1/decode', query: '', headers: {}, body };
  expect(JSON.parse((await handleRest(world.ctx, request)).body)).toEqual({
    tx: {
      body: {
        messages: [],
        memo: '',
        timeout_height: '0',
        extension_options: [],
        non_critical_extension_options: [],
      },
      auth_info: { signer_infos: [], fee: null, tip: null },
      signatures: ['Bw=='],
    },
  });
});

test('the list of validators shows the total on every page', async () => {
  const path = '/cosmos/base/tendermint/v1beta1/validatorsets/latest';
  for (const query of ['', '?pagination.limit=1', '?pagination.offset=1&pagination.limit=5']) {
    const { body } = await rest(`${path}${query}`);
    expect(body.pagination).toEqual({ next_key: null, total: '1' });
  }
});

test('an unknown path is 501 Not Implemented', async () => {
  for (const path of ['/cosmos', '/cosmos/nothing', '/cosmos/auth/v1beta1/accounts/%zz']) {
    expect(await rest(path)).toMatchObject({
      status: 501,
      body: { code: 12, message: 'Not Implemented', details: [] },
    });
  }
});

test('the API describes itself: every row of the table for machines, and on a page', async () => {
  const { body } = await rest('/openapi.json');
  expect(body.openapi).toBe('3.0.3');
  for (const row of SERVICE_METHODS) {
    const operation = body.paths[row.path.replaceAll('=**', '')][row.verb.toLowerCase()];
    expect(operation.operationId).toBe(`${row.service}.${row.name}`);
  }
  const text = JSON.stringify(body);
  for (const [, name] of text.matchAll(/#\/components\/schemas\/([^"]+)/g)) {
    expect(body.components.schemas[name as string]).toBeDefined();
  }
  expect(apiPage(SERVICE_METHODS)).toContain('/cosmos/bank/v1beta1/supply');
});

test('the description says where each field stands and what it is', async () => {
  const { paths, components } = (await rest('/openapi.json')).body;
  const parametersOf = (path: string): Loose[] => paths[path].get.parameters;
  const places = (path: string) =>
    Object.fromEntries(parametersOf(path).map(({ name, in: place, required }) => [name, [place, required]]));
  expect(places('/cosmos/bank/v1beta1/denom_owners/{denom}')).toEqual({
    denom: ['path', true],
    'pagination.key': ['query', false],
    'pagination.offset': ['query', false],
    'pagination.limit': ['query', false],
    'pagination.count_total': ['query', false],
    'pagination.reverse': ['query', false],
    'x-cosmos-block-height': ['header', false],
  });
  const formats = Object.fromEntries(
    parametersOf('/cosmos/bank/v1beta1/balances/{address}').map(({ name, schema }) => [name, schema]),
  );
  expect(formats).toMatchObject({
    'pagination.key': { type: 'string', format: 'byte' },
    'pagination.limit': { type: 'string', format: 'uint64' },
    'pagination.reverse': { type: 'boolean' },
  });
  const denoms = parametersOf('/cosmos/bank/v1beta1/send_enabled').find(({ name }) => name === 'denoms');
  expect(denoms.schema).toEqual({ type: 'array', items: { type: 'string' } });
  // One path, two verbs.
  expect(Object.keys(paths['/cosmos/tx/v1beta1/txs']).sort()).toEqual(['get', 'post']);
  const { get, post } = paths['/cosmos/tx/v1beta1/txs'];
  expect(get.requestBody).toBeUndefined();
  expect(post.parameters.map(({ name }: Loose) => name)).toEqual(['x-cosmos-block-height']);
  expect(post.requestBody.content['application/json'].schema).toEqual({
    $ref: '#/components/schemas/cosmos.tx.v1beta1.BroadcastTxRequest',
  });
  expect(components.schemas['cosmos.base.abci.v1beta1.TxResponse'].properties).toMatchObject({
    height: { type: 'string', format: 'int64' },
    code: { type: 'integer' },
    events: { type: 'array', items: { $ref: '#/components/schemas/tendermint.abci.Event' } },
  });
  expect(components.schemas['cosmos.tx.v1beta1.ModeInfo.Single'].properties.mode.enum).toContain(
    'SIGN_MODE_DIRECT',
  );
  const [row] = SERVICE_METHODS;
  const odd = { ...(row as (typeof SERVICE_METHODS)[number]), doc: '<b>"&</b>' };
  expect(apiPage([odd])).toContain('&#60;b&#62;&#34;&#38;&#60;/b&#62;');
});

test.each(['pagination.limit=%zz', '%zz=1'])('the broken escape in %s is refused', async (query) => {
  expect(await rest(`/cosmos/auth/v1beta1/accounts?${query}`)).toMatchObject({
    status: 400,
    body: { code: 3, message: `invalid URL escape in ${query}` },
  });
});

test('accounts are paged by number, found by it, and summed up by the bank', async () => {
  const first = await rest('/cosmos/auth/v1beta1/accounts?pagination.limit=1');
  expect(first.body.accounts).toHaveLength(1);
  const key = encodeURIComponent(first.body.pagination.next_key);
  const second = await rest(`/cosmos/auth/v1beta1/accounts?pagination.limit=1&pagination.key=${key}`);
  expect(second.body.accounts[0].base_account.account_number).toBe('1');
  const both = await rest(`/cosmos/auth/v1beta1/accounts?pagination.offset=1&pagination.key=${key}`);
  expect(both).toMatchObject({ status: 400, body: { code: 3 } });
  const { address } = first.body.accounts[0].base_account;
  expect((await rest('/cosmos/auth/v1beta1/address_by_id/0')).body.account_address).toBe(address);
  expect((await rest('/cosmos/auth/v1beta1/address_by_id/999')).status).toBe(404);
  const owners = await rest('/cosmos/bank/v1beta1/denom_owners/achain?pagination.limit=1000');
  let sum = 0n;
  for (const { balance } of owners.body.denom_owners) {
    expect(balance.amount).not.toBe('0');
    sum += BigInt(balance.amount);
  }
  const strangers = await rest('/cosmos/bank/v1beta1/denom_owners/other');
  expect(strangers).toMatchObject({ status: 200, body: { denom_owners: [] } });
  const { body: supply } = await rest('/cosmos/bank/v1beta1/supply/by_denom?denom=achain');
  expect(supply.amount.amount).toBe(sum.toString());
});
