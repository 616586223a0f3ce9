/** One account asked at every door of one node: each must say the same at the same height. */
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { BinaryReader } from 'cosmjs-types/binary';
import { BaseAccount } from 'cosmjs-types/cosmos/auth/v1beta1/auth';
import { QueryAccountRequest, QueryAccountResponse } from 'cosmjs-types/cosmos/auth/v1beta1/query';
import { QueryBalanceRequest, QueryBalanceResponse } from 'cosmjs-types/cosmos/bank/v1beta1/query';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { runCli } from '../support/cli.ts';
import { type Devnet, startDevnet } from './devnet.ts';

const ALICE = 'chain17w0adeg64ky0daxwd2ugyuneellmjgnxkl0eq4';
const ALICE_HEX = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const PUB_KEY = 'A4MYU1tUEF1Keq5gwI/EX5aHGBtP38YlvRp1P6c5f+11';
const AUTH_PATH = '/cosmos.auth.v1beta1.Query/Account';

let devnet: Devnet;
let grpc: Client;
/** Heights after none, one and two transactions of the account. */
const heights: number[] = [];

beforeAll(async () => {
  devnet = await startDevnet();
  grpc = new Client(devnet.grpc, credentials.createInsecure());
  await vi.waitFor(async () => expect(await rpc('eth_blockNumber')).not.toBe('0x0'), { timeout: 120_000 });
  heights.push(1);
  for (let nonce = 0; nonce < 2; nonce++) {
    const hash = await rpc('eth_sendTransaction', {
      from: ALICE_HEX,
      to: `0x${'11'.repeat(20)}`,
      value: '0x5',
    });
    await vi.waitFor(
      async () => {
        const receipt = (await rpc('eth_getTransactionReceipt', hash)) as { blockNumber: string } | null;
        expect(receipt).not.toBeNull();
        heights[nonce + 1] = Number(receipt?.blockNumber);
      },
      { timeout: 120_000 },
    );
  }
});
afterAll(async () => {
  grpc?.close();
  await devnet?.stop();
});

async function rpc(method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(devnet.jsonRpc, { method: 'POST', headers, body });
  return ((await answer.json()) as { result: unknown }).result;
}

async function cli(...args: string[]): Promise<string> {
  const { code, out } = await runCli(...args, '--home', devnet.home, '--rest', devnet.rest);
  expect(code).toBe(0);
  return out;
}

const same = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
const plain = (bytes: Buffer): Uint8Array => new Uint8Array(bytes);
const ask = (path: string, request: Uint8Array, height: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const metadata = new Metadata();
    metadata.set('x-cosmos-block-height', String(height));
    grpc.makeUnaryRequest(path, same, plain, request, metadata, (error, answer) =>
      error === null ? resolve(answer as Uint8Array) : reject(error),
    );
  });

/** What the doors agree on. */
interface Facts {
  readonly address: string;
  readonly number: string;
  readonly sequence: string;
  readonly key: string | null;
  readonly codeHash: string;
}
interface AccountJson {
  readonly base_account: {
    readonly address: string;
    readonly account_number: string;
    readonly sequence: string;
    readonly pub_key: { readonly key: string } | null;
  };
  readonly code_hash: string;
}
const factsOf = ({ base_account: base, code_hash: codeHash }: AccountJson): Facts => ({
  address: base.address,
  number: base.account_number,
  sequence: base.sequence,
  key: base.pub_key?.key ?? null,
  codeHash,
});

async function byGrpc(height: number): Promise<Facts> {
  const request = QueryAccountRequest.encode({ address: ALICE }).finish();
  const { account } = QueryAccountResponse.decode(await ask(AUTH_PATH, request, height));
  const reader = new BinaryReader(account?.value ?? new Uint8Array(0));
  reader.uint32();
  const base = BaseAccount.decode(reader.bytes());
  reader.uint32();
  // The key's message is its one field: tag, length, 33 bytes.
  const key = base.pubKey === undefined ? null : Buffer.from(base.pubKey.value.slice(2)).toString('base64');
  return {
    address: base.address,
    number: String(base.accountNumber),
    sequence: String(base.sequence),
    key,
    codeHash: reader.string(),
  };
}

async function atHeight(height: number): Promise<readonly Facts[]> {
  const query = ['q', 'auth', 'account'];
  const at = ['--height', String(height)];
  const json = JSON.parse(await cli(...query, ALICE, '-o', 'json', ...at)) as AccountJson;
  const yaml = parse(await cli(...query, ALICE_HEX, ...at), { schema: 'failsafe' }) as AccountJson;
  const key = yaml.base_account.pub_key as unknown;
  const rest = await fetch(`${devnet.rest}/cosmos/auth/v1beta1/accounts/${ALICE_HEX}`, {
    headers: { 'x-cosmos-block-height': String(height) },
  });
  expect(rest.headers.get('x-cosmos-block-height')).toBe(String(height));
  const { account } = (await rest.json()) as { account: AccountJson };
  return [
    factsOf(json),
    // The plainest reading of YAML has texts only.
    factsOf(key === 'null' ? { ...yaml, base_account: { ...yaml.base_account, pub_key: null } } : yaml),
    factsOf(account),
    await byGrpc(height),
  ];
}

test.each([0, 1, 2])('after %i transactions every door tells the same account', async (sent) => {
  const height = heights[sent] as number;
  const expected: Facts = {
    address: ALICE,
    number: '0',
    sequence: String(sent),
    key: sent === 0 ? null : PUB_KEY,
    codeHash: '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  };
  for (const facts of await atHeight(height)) expect(facts).toEqual(expected);
  const tag = `0x${height.toString(16)}`;
  const proof = (await rpc('eth_getProof', ALICE_HEX, [], tag)) as { nonce: string; codeHash: string };
  expect([Number(proof.nonce), proof.codeHash]).toEqual([sent, expected.codeHash]);
  expect(Number(await rpc('eth_getTransactionCount', ALICE_HEX, tag))).toBe(sent);
});

test.each([0, 1, 2])('and after %i transactions the same balance', async (sent) => {
  const height = heights[sent] as number;
  const balance = BigInt((await rpc('eth_getBalance', ALICE_HEX, `0x${height.toString(16)}`)) as string);
  const shown = JSON.parse(
    await cli('q', 'bank', 'balances', ALICE, '-o', 'json', '--height', String(height)),
  );
  expect(shown.balances).toEqual([{ denom: 'achain', amount: balance.toString() }]);
  const request = QueryBalanceRequest.encode({ address: ALICE, denom: 'achain' }).finish();
  const answer = QueryBalanceResponse.decode(
    await ask('/cosmos.bank.v1beta1.Query/Balance', request, height),
  );
  expect(answer.balance?.amount).toBe(balance.toString());
});
