import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { CHAIN_ID, COIN, FRIEND, HTTP } from './node.mjs';

const KEY = '0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356';
const OWNER = '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955';

async function cast(...args) {
  const { stdout, stderr } = await promisify(execFile)('node_modules/.bin/cast', args, {
    env: { ...process.env, NO_COLOR: '1', ETH_RPC_URL: HTTP },
    maxBuffer: 64 << 20,
  });
  // The launcher of the npm package ends with 0 whatever happens.
  if (stderr.startsWith('Error: ')) throw new Error(stderr);
  return stdout.trim();
}

test('cast', async (t) => {
  assert.equal(await cast('chain-id'), String(CHAIN_ID));
  const deployed = JSON.parse(
    await cast(
      'send',
      '--private-key',
      KEY,
      '--json',
      '--create',
      COIN.bytecode,
      'constructor(uint256)',
      '1000',
    ),
  );
  const address = deployed.contractAddress;

  await t.test('calls, sends and estimates', async () => {
    const sent = JSON.parse(
      await cast('send', '--private-key', KEY, '--json', address, 'transfer(address,uint256)', FRIEND, '5'),
    );
    assert.equal(sent.status, '0x1');
    assert.equal(await cast('call', address, 'balanceOf(address)(uint256)', FRIEND), '5');
    const gas = await cast('estimate', '--from', OWNER, address, 'transfer(address,uint256)', FRIEND, '1');
    assert.ok(Number(gas) > 21_000);
    const logs = JSON.parse(await cast('logs', '--json', '--address', address, '--from-block', '0'));
    assert.equal(logs.length, 2);
  });

  await t.test('shows why a call reverts', async () => {
    await assert.rejects(
      cast('call', '--from', OWNER, address, 'transfer(address,uint256)', FRIEND, '9999'),
      /e450d38c/,
    );
  });

  await t.test('reads blocks, receipts, code, storage, nonces and fees', async () => {
    assert.match(await cast('block', 'latest'), /baseFeePerGas/);
    assert.match(await cast('receipt', deployed.transactionHash), /status +1/);
    assert.match(await cast('tx', deployed.transactionHash), /blockHash/);
    assert.match(await cast('code', address), /^0x60/);
    assert.match(await cast('storage', address, '2'), /03e8$/);
    assert.ok(Number(await cast('nonce', OWNER)) >= 2);
    assert.ok(Number(await cast('gas-price')) > 0);
    assert.match(await cast('run', '--quick', deployed.transactionHash), /Traces/);
  });

  await t.test('publishes a raw transaction and reads the pool', async () => {
    const raw = await cast('mktx', '--private-key', KEY, FRIEND, '--value', '1');
    assert.match(await cast('publish', '--async', raw), /^"?0x[0-9a-f]{64}/);
    assert.match(await cast('tx-pool', 'status'), /pending/);
  });
});
