/** `orrery tx` and `orrery q` against a running node. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEther, Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCli, type Said } from '../support/cli.ts';
import { type Devnet, KEYS, startDevnet } from './devnet.ts';

let devnet: Devnet;
let home: string;
const TO = '0x00000000000000000000000000000000000A11cE';

const orrery = (...args: readonly string[]): Promise<Said> => runCli(...args, '--home', home);

const node = (...args: readonly string[]) => orrery(...args, '--rest', devnet.rest, '--output', 'json');
const balance = async (address: string): Promise<string> =>
  JSON.parse((await node('q', 'bank', 'balances', address, '--denom', 'achain')).out).balance.amount;

beforeAll(async () => {
  devnet = await startDevnet();
  home = devnet.home;
  await orrery('keys', 'import-hex', 'alice', KEYS[0]);
});
afterAll(() => devnet?.stop());

describe('orrery tx', () => {
  test('sends coins with gas it has simulated, and finds the transaction', async () => {
    const sent = await node('tx', 'bank', 'send', 'alice', TO, '1234achain', '--gas', 'auto', '-y');
    expect(sent.err).toMatch(/^gas estimate: \d+\n$/);
    const { code, txhash } = JSON.parse(sent.out);
    expect(code).toBe(0);
    await vi.waitFor(async () => expect(await balance(TO)).toBe('1234'), { timeout: 120_000 });
    const found = JSON.parse((await node('q', 'tx', txhash)).out);
    expect(found).toMatchObject({ txhash, code: 0, tx: { '@type': '/cosmos.tx.v1beta1.Tx' } });
    // Nothing was there before the block that brought it.
    const before = await node('q', 'bank', 'balances', TO, '--height', String(Number(found.height) - 1));
    expect(JSON.parse(before.out).balances).toEqual([]);
    const listed = JSON.parse((await node('q', 'txs', '--query', `tx.hash='${txhash}'`)).out);
    expect(listed.tx_responses[0].txhash).toBe(txhash);
  });

  test('makes, signs, encodes, decodes and submits in steps', async () => {
    const made = await node(
      'tx',
      'bank',
      'send',
      'alice',
      TO,
      '1achain',
      '--generate-only',
      '--note',
      'in steps',
    );
    const file = join(home, 'tx.json');
    writeFileSync(file, made.out);
    const signed = await node('tx', 'sign', file, '--from', 'alice');
    writeFileSync(file, signed.out);
    const encoded = (await orrery('tx', 'encode', file)).out.trim();
    const decoded = JSON.parse((await orrery('tx', 'decode', encoded)).out);
    expect(decoded).toEqual(JSON.parse(signed.out));
    expect(decoded.body.memo).toBe('in steps');
    const sent = await node('tx', 'broadcast', file);
    expect(JSON.parse(sent.out).code).toBe(0);
    await vi.waitFor(async () => expect(await balance(TO)).toBe('1235'), { timeout: 120_000 });
  });

  test('submits what an Ethereum wallet has signed, on the same nonce', async () => {
    const { base_account } = JSON.parse(
      (await node('q', 'auth', 'account', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')).out,
    );
    const raw = await new Wallet(KEYS[0]).signTransaction({
      type: 2,
      chainId: 9000,
      nonce: Number(base_account.sequence),
      to: TO,
      value: parseEther('1'),
      gasLimit: 21_000,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 1n,
    });
    expect(JSON.parse((await node('tx', 'evm', 'raw', raw)).out).code).toBe(0);
  });

  test('says what is wrong', async () => {
    expect((await node('tx', 'bank', 'send', 'nobody', TO, '1achain', '-y')).err).toBe(
      'Error: nobody: key not found\n',
    );
    expect((await node('tx', 'bank', 'send', 'alice', TO, 'many', '-y')).err).toContain(
      'expected coins like 1000achain',
    );
    expect((await node('q', 'tx', 'ab'.repeat(32))).err).toContain('code = NotFound desc = tx not found');
  });
});
