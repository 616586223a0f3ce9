import { createWalletClient, defineChain, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runCli } from '../support/cli.ts';
import { type Devnet, KEYS, startDevnet } from './devnet.ts';

const ADDRESS = 'chain17w0adeg64ky0daxwd2ugyuneellmjgnxkl0eq4';
const EMPTY_CODE_HASH = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startDevnet();
});
afterAll(() => devnet?.stop());

const query = (address: string, ...args: readonly string[]) =>
  runCli('q', 'auth', 'account', address, '--home', devnet.home, '--rest', devnet.rest, ...args);

const accountOf = (pubKey: unknown, sequence: string) => ({
  '@type': '/chain.types.v1.EthAccount',
  base_account: { address: ADDRESS, pub_key: pubKey, account_number: '0', sequence },
  code_hash: EMPTY_CODE_HASH,
});

async function sendTransfer(): Promise<void> {
  const chain = defineChain({
    id: 9000,
    name: 'devnet',
    nativeCurrency: { name: 'chain', symbol: 'CHAIN', decimals: 18 },
    rpcUrls: { default: { http: [devnet.jsonRpc] } },
  });
  const account = privateKeyToAccount(KEYS[0]);
  const wallet = createWalletClient({ chain, transport: http(), account, pollingInterval: 20 });
  const hash = await wallet.sendTransaction({ to: account.address, value: 1n });
  await wallet.extend(publicActions).waitForTransactionReceipt({ hash });
}

describe('one account, asked for by command and by REST', () => {
  test('has every field, before its first transaction and after', async () => {
    const before = accountOf(null, '0');
    const asked = await fetch(`${devnet.rest}/cosmos/auth/v1beta1/accounts/${ADDRESS}`);
    expect(await asked.json()).toEqual({ account: before });
    expect(JSON.parse((await query(ADDRESS, '--output', 'json')).out)).toEqual(before);
    await sendTransfer();
    // The compressed public key of the first well-known secret.
    const pubKey = {
      '@type': '/chain.crypto.v1.ethsecp256k1.PubKey',
      key: 'A4MYU1tUEF1Keq5gwI/EX5aHGBtP38YlvRp1P6c5f+11',
    };
    const { code, out } = await query(ADDRESS, '--output', 'json');
    expect(code).toBe(0);
    const account = JSON.parse(out);
    expect(account).toEqual(accountOf(pubKey, '1'));
    const text = (await query(ADDRESS)).out;
    // As in the SDK's text form, hex stands without quotes: only numbers in decimal are quoted.
    expect(parse(text, { schema: 'failsafe' })).toEqual(account);
    expect(text.split('\n')[0]).toBe("'@type': /chain.types.v1.EthAccount");
  });

  test('is the same by its Ethereum address', async () => {
    const { out } = await query('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', '--output', 'json');
    expect(JSON.parse(out).base_account.address).toBe(ADDRESS);
  });

  test('is the same by the consensus RPC, as are blocks, supply and pages of accounts', async () => {
    for (const words of [
      ['auth', 'account', ADDRESS],
      ['auth', 'accounts', '--limit', '2', '--page', '2'],
      ['bank', 'balances', ADDRESS, '--height', '1'],
      ['bank', 'denom-metadata'],
      ['txs', '--query', 'tx.height>0'],
      ['block', '1'],
    ]) {
      const ask = (...node: string[]) => runCli('q', ...words, '--home', devnet.home, '-o', 'json', ...node);
      const byRest = await ask('--rest', devnet.rest);
      expect(byRest.code).toBe(0);
      expect(await ask('--node', devnet.consensusRpc)).toEqual(byRest);
    }
  });

  test('that does not exist is the same error by the consensus RPC', async () => {
    const who = '0x00000000000000000000000000000000000a11ce';
    const byRest = await query(who);
    const node = ['--home', devnet.home, '--node', devnet.consensusRpc];
    expect(await runCli('q', 'auth', 'account', who, ...node)).toEqual(byRest);
    const height = await runCli('q', 'bank', 'total', '--height', '99999999', ...node);
    expect(height.err).toBe(
      'Error: rpc error: code = InvalidArgument desc = cannot query with height in the future; please provide a valid height: invalid request\n',
    );
  });

  test('that does not exist is an error, on stderr and with exit code 1', async () => {
    const { code, out, err } = await query('0x00000000000000000000000000000000000a11ce');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('not found');
  });
});
