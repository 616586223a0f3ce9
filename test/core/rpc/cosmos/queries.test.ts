/** The chain's own query services, and what curl sees of every kind of refusal. */
import { beforeAll, describe, expect, test } from 'vitest';
import { formatAddress } from '../../../../core/address/kinds.ts';
import type { EventSearch } from '../../../../core/events/index/search.ts';
import { ok } from '../../../../core/lib/result.ts';
import { handleRest } from '../../../../core/rpc/cosmos/rest.ts';
import { VALIDATOR } from '../../app/support/chain.ts';
import { bytesHex, RpcWorld } from '../support/rpcWorld.ts';

let world: RpcWorld;
let alice: string;
let contract: string;

beforeAll(async () => {
  world = await RpcWorld.open();
  await world.commit();
  // Stores 5 in slot 0x99; the code returns that slot, or reverts when it is sent coins.
  const init = '6005609955' + '6011600f5f39' + '60115ff3';
  // CALLVALUE PUSH1 13 JUMPI, PUSH1 0x99 SLOAD PUSH0 MSTORE PUSH1 32 PUSH0 RETURN, JUMPDEST PUSH0 PUSH0 REVERT
  const runtime = '34600d57' + '6099545f5260205ff3' + '5b5f5ffd';
  const data = `0x${init}${runtime}`;
  const hash = await world.get('eth_sendTransaction', {
    from: bytesHex(world.dev.address),
    data,
    gas: '0x100000',
  });
  await world.commit();
  const receipt = await world.get('eth_getTransactionReceipt', hash);
  expect(receipt.status).toBe('0x1');
  contract = receipt.contractAddress;
  alice = formatAddress('acc', 'chain', world.dev.address);
});

async function rest(path: string, headers: Record<string, string> = {}, method = 'GET', body = '') {
  const [bare = '', query = ''] = path.split('?');
  const answer = await handleRest(world.ctx, { method, path: bare, query, headers, body });
  return { status: answer.status, type: answer.headers['content-type'], body: JSON.parse(answer.body) };
}
const base64 = (value: unknown): string =>
  encodeURIComponent(Buffer.from(JSON.stringify(value)).toString('base64'));

describe('the evm query service', () => {
  test('calls a contract, returns a revert as part of the answer, and estimates gas', async () => {
    const called = await rest(`/chain/evm/v1/eth_call?args=${base64({ to: contract })}`);
    expect(called.status).toBe(200);
    expect(Buffer.from(called.body.ret, 'base64').toString('hex')).toBe('5'.padStart(64, '0'));
    expect(called.body).toMatchObject({ hash: '', logs: [], vm_error: '' });
    expect(Number(called.body.gas_used)).toBeGreaterThan(21_000);
    const paid = { from: bytesHex(world.dev.address), to: contract, value: '0x1' };
    const reverted = await rest(`/chain/evm/v1/eth_call?args=${base64(paid)}`);
    expect([reverted.status, reverted.body.vm_error]).toEqual([200, 'execution reverted']);
    const estimate = await rest(`/chain/evm/v1/estimate_gas?args=${base64({ to: contract })}`);
    expect(BigInt(estimate.body.gas)).toBe(BigInt(await world.get('eth_estimateGas', { to: contract })));
    expect((await rest(`/chain/evm/v1/estimate_gas?args=${base64(paid)}`)).body).toEqual({
      gas: '0',
      ret: null,
      vm_error: 'execution reverted',
    });
  });

  test('applies state overrides', async () => {
    const overrides = base64({
      [contract]: { stateDiff: { [`0x${'99'.padStart(64, '0')}`]: `0x${'7'.padStart(64, '0')}` } },
    });
    const called = await rest(
      `/chain/evm/v1/eth_call?args=${base64({ to: contract })}&overrides=${overrides}`,
    );
    expect(Buffer.from(called.body.ret, 'base64').toString('hex')).toBe('7'.padStart(64, '0'));
    for (const bad of [base64([1]), '%21', base64({ [contract]: { state: {}, stateDiff: {} } })])
      expect(
        await rest(`/chain/evm/v1/eth_call?args=${base64({ to: contract })}&overrides=${bad}`),
      ).toMatchObject({ status: 400, body: { code: 3 } });
  });

  test('shows executions as the debug namespace does', async () => {
    const json = (body: { data: string }) => JSON.parse(Buffer.from(body.data, 'base64').toString('utf8'));
    const block = await world.get('eth_getBlockByNumber', '0x2', false);
    const [hash] = block.transactions;
    const tracer = { tracer: 'callTracer' };
    const config = base64(tracer);
    const traced = await rest(`/chain/evm/v1/trace_tx?hash=${hash}&trace_config=${config}`);
    expect(json(traced.body)).toEqual(await world.get('debug_traceTransaction', hash, tracer));
    expect(json(traced.body).type).toBe('CREATE');
    const blocks = await rest(`/chain/evm/v1/trace_block?block_number=2&trace_config=${config}`);
    expect(json(blocks.body)).toEqual(await world.get('debug_traceBlockByNumber', '0x2', tracer));
    const byHash = await rest(`/chain/evm/v1/trace_block?block_hash=${block.hash}&trace_config=${config}`);
    expect(byHash.body).toEqual(blocks.body);
    const call = await rest(
      `/chain/evm/v1/trace_call?args=${base64({ to: contract })}&trace_config=${config}`,
    );
    expect(json(call.body)).toEqual(await world.get('debug_traceCall', { to: contract }, 'latest', tracer));
    const steps = await rest(`/chain/evm/v1/trace_tx?hash=${hash}`);
    expect(json(steps.body)).toEqual(await world.get('debug_traceTransaction', hash));
  });

  test('says what cannot be traced', async () => {
    const unknown = `0x${'ab'.repeat(32)}`;
    expect(await rest(`/chain/evm/v1/trace_tx?hash=${unknown}`)).toMatchObject({
      status: 404,
      body: { code: 5 },
    });
    for (const path of [
      'trace_tx?hash=0x12',
      'trace_block',
      `trace_call?args=%21`,
      `trace_tx?hash=${unknown}&trace_config=${base64(3)}`,
    ])
      expect(await rest(`/chain/evm/v1/${path}`)).toMatchObject({ status: 400, body: { code: 3 } });
    expect((await rest('/chain/evm/v1/trace_block?block_number=99')).status).toBe(404);
  });

  test('tells the active forks, the least price, and slots by number', async () => {
    const { config } = (await rest('/chain/evm/v1/config')).body;
    expect(config).toMatchObject({
      london_block: '0',
      osaka_time: '0',
      chain_id: '9000',
      denom: 'achain',
      decimals: '18',
    });
    expect((await rest('/chain/evm/v1/min_gas_price')).body).toEqual({ min_gas_price: '0' });
    expect((await rest(`/chain/evm/v1/storage/${contract}/0x0`)).body.value).toBe(`0x${'0'.repeat(64)}`);
  });

  test('takes no more gas than asked for, and refuses other chains and broken arguments', async () => {
    const little = await rest(`/chain/evm/v1/eth_call?args=${base64({ to: contract })}&gas_cap=21010`);
    expect(little.body.vm_error).toMatch(/out of gas/);
    for (const query of [
      `args=${base64({ to: contract })}&chain_id=1`,
      `args=${base64({ to: '0x1' })}`,
      'args=%21',
      `args=${base64('x')}`,
      `args=${base64({ gasPrice: '0x1', maxFeePerGas: '0x1' })}`,
    ])
      expect(await rest(`/chain/evm/v1/eth_call?${query}`)).toMatchObject({ status: 400, body: { code: 3 } });
  });

  test('tells accounts, storage, code, parameters and the account of a validator', async () => {
    expect((await rest(`/chain/evm/v1/storage/${contract}/0x99`)).body.value).toBe(
      `0x${'5'.padStart(64, '0')}`,
    );
    const { body: code } = await rest(`/chain/evm/v1/codes/${contract}`);
    expect(`0x${Buffer.from(code.code, 'base64').toString('hex')}`).toBe(
      await world.get('eth_getCode', contract, 'latest'),
    );
    const { body: account } = await rest(`/chain/evm/v1/account/${alice}`);
    expect(account.nonce).toBe('1');
    expect((await rest(`/chain/evm/v1/balances/${alice}`)).body.balance).toBe(account.balance);
    expect((await rest(`/chain/evm/v1/cosmos_account/${bytesHex(world.dev.address)}`)).body).toEqual({
      cosmos_address: alice,
      sequence: '1',
      account_number: '0',
    });
    expect((await rest('/chain/evm/v1/params')).body.params).toEqual({
      evm_denom: 'achain',
      evm_chain_id: '9000',
      fork: world.ctx.chain.fork,
    });
    const cons = formatAddress('cons', 'chain', VALIDATOR);
    expect((await rest(`/chain/evm/v1/validator_account/${cons}`)).body.account_address).toBe(
      formatAddress('acc', 'chain', VALIDATOR),
    );
    const nobody = formatAddress('cons', 'chain', new Uint8Array(20).fill(3));
    expect(await rest(`/chain/evm/v1/validator_account/${nobody}`)).toMatchObject({
      status: 404,
      body: { code: 5 },
    });
    expect((await rest(`/chain/evm/v1/validator_account/${alice}`)).status).toBe(400);
  });
});

test('the fee market tells its parameters, the fee to come and those that were', async () => {
  expect((await rest('/chain/feemarket/v1/params')).body.params).toMatchObject({
    no_base_fee: false,
    elasticity_multiplier: '2',
    base_fee_change_denominator: '8',
  });
  const { body } = await rest('/chain/feemarket/v1/base_fee');
  expect(body.base_fee).toBe(world.ctx.chain.nextBaseFee().toString());
  const before = await rest('/chain/feemarket/v1/base_fee', { 'x-cosmos-block-height': '1' });
  const block = await world.get('eth_getBlockByNumber', '0x1', false);
  expect(BigInt(before.body.base_fee)).toBe(BigInt(block.baseFeePerGas));
  const newest = await world.get('eth_getBlockByNumber', '0x2', false);
  expect(world.ctx.chain.head()).toBe(2);
  for (const service of ['evm', 'feemarket']) {
    const own = await rest(`/chain/${service}/v1/base_fee`, { 'x-cosmos-block-height': '2' });
    expect(BigInt(own.body.base_fee)).toBe(BigInt(newest.baseFeePerGas));
    expect(own.body.base_fee).not.toBe(body.base_fee);
  }
  expect(BigInt((await rest('/chain/feemarket/v1/block_gas')).body.gas)).toBe(BigInt(newest.gasUsed));
});

test('an ABCI query of a store or of the application goes through REST, and none of a service', async () => {
  const ask = (path: string, data = '') =>
    rest(`/cosmos/base/tendermint/v1beta1/abci_query?path=${encodeURIComponent(path)}&data=${data}`);
  const address = encodeURIComponent(Buffer.from(world.dev.address).toString('base64'));
  const { body } = await ask('/store/ethereum/key', address);
  expect([body.code, body.key]).toEqual([0, decodeURIComponent(address)]);
  const version = (await ask('/app/version')).body;
  expect(Buffer.from(version.value, 'base64').toString()).toBe(world.ctx.identity.version);
  expect((await ask('/p2p/filter')).body.code).toBe(6);
  for (const path of [
    '/cosmos.base.tendermint.v1beta1.Service/ABCIQuery',
    '/cosmos.auth.v1beta1.Query/Bech32Prefix',
    '/stores/ethereum/key',
    '/nothing',
    '',
  ])
    expect(await ask(path)).toMatchObject({
      status: 400,
      body: { code: 3, message: `unsupported ABCI query path: ${path}` },
    });
});

test('one path gives the text of base64 bytes and the bytes of a Bech32 text', async () => {
  const bytes = Buffer.from(world.dev.address).toString('base64');
  for (const form of [
    encodeURIComponent(bytes),
    bytes.replaceAll('+', '-').replaceAll('/', '_').replace('=', ''),
  ])
    expect((await rest(`/cosmos/auth/v1beta1/bech32/${form}`)).body).toEqual({ address_string: alice });
  expect((await rest(`/cosmos/auth/v1beta1/bech32/${alice}`)).body).toEqual({ address_bytes: bytes });
  expect(await rest('/cosmos/auth/v1beta1/bech32/nonsense')).toMatchObject({
    status: 400,
    body: { code: 3 },
  });
});

describe('what curl sees', () => {
  const NOBODY = formatAddress('acc', 'chain', new Uint8Array(20).fill(9));
  const HASH = 'AB'.repeat(32);
  test.each([
    [`/cosmos/auth/v1beta1/accounts/${NOBODY}`, 404, 5, /account chain1\w+ not found: key not found$/],
    [`/cosmos/auth/v1beta1/account_info/${NOBODY}`, 404, 5, /not found: key not found$/],
    [
      '/cosmos/auth/v1beta1/address_by_id/999',
      404,
      5,
      /account address not found with account number 999: key not found$/,
    ],
    ['/cosmos/auth/v1beta1/module_accounts/nobody', 404, 5, /account nobody not found: key not found$/],
    ['/cosmos/bank/v1beta1/denoms_metadata/other', 404, 5, /client metadata for denom other: key not found$/],
    [`/cosmos/tx/v1beta1/txs/${HASH}`, 404, 5, new RegExp(`^tx not found: ${HASH}$`)],
    ['/cosmos/auth/v1beta1/accounts/chain1qqqq', 400, 3, /^decoding bech32 failed: /],
    ['/cosmos/auth/v1beta1/accounts/0x12', 400, 3, /^decoding bech32 failed: /],
    [`/cosmos/bank/v1beta1/balances/${NOBODY}x`, 400, 3, /^decoding bech32 failed: /],
    [`/cosmos/bank/v1beta1/balances/${NOBODY}/by_denom?denom=%20`, 400, 3, /^invalid denom/],
    ['/cosmos/auth/v1beta1/address_by_id/many', 400, 3, /account_id: expected a whole number/],
    ['/cosmos/auth/v1beta1/accounts?pagination.limit=x', 400, 3, /pagination\.limit/],
    [
      '/cosmos/auth/v1beta1/accounts?pagination.offset=1&pagination.key=AAAA',
      400,
      3,
      /either offset or key is expected, got both/,
    ],
    [
      '/cosmos/tx/v1beta1/txs?query=a%3D1&order_by=UP',
      400,
      3,
      /order_by: expected one of ORDER_BY_UNSPECIFIED, ORDER_BY_ASC, /,
    ],
    ['/cosmos/base/tendermint/v1beta1/validatorsets/99', 400, 3, /bigger then the chain length/],
    ...[-1, 0].flatMap((height): [string, number, number, RegExp][] =>
      ['validatorsets', 'blocks'].map((what) => [
        `/cosmos/base/tendermint/v1beta1/${what}/${height}`,
        500,
        2,
        new RegExp(`^height must be greater than 0, but got ${height}$`),
      ]),
    ),
    ...[-1, 0, 99].map((height): [string, number, number, RegExp] => [
      `/cosmos/tx/v1beta1/txs/block/${height}`,
      500,
      2,
      new RegExp(
        `^requested height ${height} but height must not be less than 1 or greater than the current height \\d+: invalid height$`,
      ),
    ]),
    [
      '/cosmos/base/tendermint/v1beta1/validatorsets/latest?pagination.offset=99&pagination.limit=1',
      500,
      2,
      /^page should be within \[1, 1\] range, given 100$/,
    ],
    [
      '/cosmos/tx/v1beta1/txs?query=a%3D1&page=99',
      500,
      13,
      /^page should be within \[1, 1\] range, given 99$/,
    ],
    ['/cosmos/tx/v1beta1/txs/zz', 500, 2, /^encoding\/hex: invalid byte: U\+007A 'z'$/],
    ['/cosmos/tx/v1beta1/txs/abc', 500, 2, /^encoding\/hex: odd length hex string$/],
    ['/cosmos/auth/v1beta1/address_by_id/0?id=1', 400, 3, /^requesting with id isn't supported/],
    ['/cosmos/tx/v1beta1/txs', 400, 3, /query cannot be empty/],
    ['/cosmos/tx/v1beta1/txs?query=a%20b', 400, 3, /./],
    ['/cosmos/base/tendermint/v1beta1/blocks/99', 400, 3, /bigger then the chain length/],
    ['/cosmos/nothing/v1', 501, 12, /^Not Implemented$/],
  ])('%s: %i', async (path, status, code, message) => {
    const answer = await rest(path);
    expect([answer.status, answer.type]).toEqual([status, 'application/json']);
    expect(answer.body).toEqual({ code, message: expect.stringMatching(message), details: [] });
  });

  test('bodies of POST that are no JSON, or hold no transaction', async () => {
    const post = (path: string, body: string) => rest(`/cosmos/tx/v1beta1/${path}`, {}, 'POST', body);
    expect(await post('txs', '{')).toMatchObject({ status: 400, body: { code: 3 } });
    expect(await post('txs', '{"tx_bytes":""}')).toMatchObject({
      status: 400,
      body: { message: 'invalid empty tx' },
    });
    for (const mode of ['"BROADCAST_MODE_UNSPECIFIED"', '"BROADCAST_MODE_BLOCK"', 9])
      expect(await post('txs', `{"tx_bytes":"AAAA","mode":${mode}}`)).toMatchObject({
        status: 500,
        body: { code: 2, message: 'unsupported return type unspecified; supported types: sync, async' },
      });
    expect(await post('decode', '{"tx_bytes":"AAAA"}')).toMatchObject({ status: 400, body: { code: 3 } });
    expect(await post('encode', '{}')).toMatchObject({ status: 400, body: { code: 3 } });
    const broken = await post('txs', '{"tx_bytes":"AAAA","mode":"BROADCAST_MODE_SYNC"}');
    expect(broken.body.tx_response).toMatchObject({ code: 2, codespace: 'sdk', height: '0' });
  });

  test('a message that is never nil may be left out of JSON', async () => {
    const body = (account: object) =>
      JSON.stringify({
        tx: { body: { messages: [{ '@type': '/cosmos.auth.v1beta1.ModuleAccount', ...account }] } },
      });
    const post = (account: object) => rest('/cosmos/tx/v1beta1/encode', {}, 'POST', body(account));
    const whole = await post({ name: 'a', base_account: { address: '', account_number: '0' } });
    expect(whole.status).toBe(200);
    expect(await post({ name: 'a' })).toEqual(whole);
  });

  test('bytes may be a list of numbers, as evmosjs sends a transaction', async () => {
    const post = (txBytes: unknown) =>
      rest(
        '/cosmos/tx/v1beta1/txs',
        {},
        'POST',
        JSON.stringify({ tx_bytes: txBytes, mode: 'BROADCAST_MODE_SYNC' }),
      );
    expect((await post([0, 0, 0])).body).toEqual((await post('AAAA')).body);
    for (const bad of [[256], [-1], [1.5], ['AAAA'], [null]])
      expect(await post(bad)).toMatchObject({ status: 400, body: { code: 3 } });
  });
});

test('a transaction that is pruned between search and answer is left out', async () => {
  const places = [
    { height: world.ctx.chain.base() - 1, index: 0 },
    { height: world.ctx.chain.head(), index: 0 },
  ];
  const search = { txs: async () => ok(places) } as unknown as EventSearch;
  const ctx = { ...world.ctx, indexing: { kind: 'kv', search } as const };
  const path = '/cosmos/tx/v1beta1/txs';
  const { status, body } = await handleRest(ctx, {
    method: 'GET',
    path,
    query: 'query=tx.height%3E0',
    headers: {},
    body: '',
  });
  const { total, tx_responses } = JSON.parse(body as string);
  expect([status, total, tx_responses.map(({ height }: { height: string }) => height)]).toEqual([
    200,
    '1',
    [String(world.ctx.chain.head())],
  ]);
});

test('a page of a block shows the total of its transactions, and a page beyond them is refused', async () => {
  const path = `/cosmos/tx/v1beta1/txs/block/${world.ctx.chain.head()}`;
  const { txs, pagination } = (await rest(`${path}?pagination.limit=1`)).body;
  expect([txs.length, pagination]).toEqual([1, { next_key: null, total: '1' }]);
  const beyond = await rest(`${path}?pagination.offset=1&pagination.limit=5`);
  const message = 'out of range: cannot paginate 1 txs with offset 1 and limit 5: invalid request';
  expect(beyond).toMatchObject({ status: 500, body: { code: 2, message } });
  const empty = await rest('/cosmos/tx/v1beta1/txs/block/1?pagination.offset=1');
  expect(empty).toMatchObject({ status: 200, body: { txs: [], pagination: { total: '0' } } });
});
