import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { initGenesis } from '../../core/app/genesis.ts';
import { parseGenesis } from '../../core/codec/genesis.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { to0xHex } from '../../core/lib/bytes.ts';
import { runCli, type Said } from '../support/cli.ts';
import { startDevnet } from './devnet.ts';

const ALICE = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
/** Writes 5 to slot 0x99 and 7 to keccak256(its creator), and leaves one byte of code. */
const WRITER = '0x6005609955335f5260205f2060079055' + '60015ff3';

const dirs: string[] = [];
const newDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'orrery-export-'));
  dirs.push(dir);
  return dir;
};
afterAll(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

const orrery = (home: string, ...args: string[]): Promise<Said> => runCli('--home', home, ...args);

// biome-ignore lint/suspicious/noExplicitAny: what a node answers.
async function ask(url: string, method: string, ...params: unknown[]): Promise<any> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await answer.json()) as { result: unknown }).result;
}

/** What a chain says of the account and of the contract. */
async function facts(node: { jsonRpc: string; rest: string }, contract: string) {
  const answer = await fetch(`${node.rest}/cosmos/auth/v1beta1/accounts/${ALICE}`);
  const { account } = (await answer.json()) as {
    account: { base_account: { sequence: string; pub_key: unknown } };
  };
  const proof = await ask(node.jsonRpc, 'eth_getProof', contract, ['0x99'], 'latest');
  return { account, storage: [proof.storageHash, proof.storageProof[0].value, proof.codeHash] };
}

test('the state of a stopped chain is the genesis of another, to the last slot', async () => {
  const home = newDir();
  const first = await startDevnet(home, { keep: true });
  const hash = await ask(first.jsonRpc, 'eth_sendTransaction', { from: ALICE, data: WRITER });
  const receipt = await vi.waitFor(
    async () => {
      const found = await ask(first.jsonRpc, 'eth_getTransactionReceipt', hash);
      expect(found).not.toBeNull();
      return found;
    },
    { timeout: 120_000 },
  );
  expect(receipt.status).toBe('0x1');
  const before = await facts(first, receipt.contractAddress);
  const height = Number(receipt.blockNumber);
  const block = await ask(first.jsonRpc, 'eth_getBlockByNumber', receipt.blockNumber, false);
  await first.stop();

  const exported = await orrery(home, 'export', '--height', String(height));
  expect([exported.code, exported.err]).toEqual([0, '']);
  const genesis = parseGenesis(exported.out);
  if (!genesis.ok) throw new Error(genesis.error.message);
  expect(genesis.value.initialHeight).toBe(height + 1);
  const made = initGenesis({ get: () => undefined }, genesis.value, nobleSuite);
  expect(made.ok && to0xHex(made.value.stateRoot)).toBe(block.stateRoot);
  const file = join(newDir(), 'exported.json');
  const only = await orrery(home, 'export', '--modules-to-export', 'bank', '--output-document', file);
  expect(only.code).toBe(0);
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).app_state)).toEqual(['bank']);
  expect((await orrery(home, 'export', '--height', '999999')).err).toMatch(/expected a height from 1 to/);

  const next = newDir();
  cpSync(join(home, 'config'), join(next, 'config'), { recursive: true });
  writeFileSync(join(next, 'config/genesis.json'), exported.out);
  expect((await orrery(next, 'genesis', 'validate')).code).toBe(0);
  mkdirSync(join(next, 'data'));
  const nothingSigned = JSON.stringify({ height: '0', round: 0, step: 0 });
  writeFileSync(join(next, 'data/priv_validator_state.json'), nothingSigned, { mode: 0o600 });
  const second = await startDevnet(next);
  try {
    await vi.waitFor(
      async () => expect(Number(await ask(second.jsonRpc, 'eth_blockNumber'))).toBeGreaterThan(height),
      { timeout: 120_000 },
    );
    expect(await facts(second, receipt.contractAddress)).toEqual(before);
    expect(before.account.base_account.sequence).toBe('1');
    expect(before.account.base_account.pub_key).not.toBeNull();
  } finally {
    await second.stop();
  }
});
