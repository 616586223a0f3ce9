import * as fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { encodeBech32 } from '../../../core/address/bech32.ts';
import type { DecodedCosmosTx } from '../../../core/app/cosmos/decodeCosmosTx.ts';
import { isSignedBy } from '../../../core/app/cosmos/verify.ts';
import { decodeTx } from '../../../core/app/tx/decodeTx.ts';
import { aminoPrefix } from '../../../core/crypto/amino.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { runCli, type Said } from '../../support/cli.ts';
import { tempDir } from '../tempDir.ts';

let home = '';

const orrery = (...args: string[]): Promise<Said> => runCli('--home', home, ...args);

beforeEach(async () => {
  home = tempDir();
  const words = path.join(home, 'words');
  fs.writeFileSync(words, 'test test test test test test test test test test test junk');
  await orrery('keys', 'add', 'a', '--source', words, '--keyring-backend', 'test');
});

const TEST = ['--keyring-backend', 'test', '--offline'];
const TO = '0x1111111111111111111111111111111111111111';

function saved(name: string, text: string): string {
  const file = path.join(home, name);
  fs.writeFileSync(file, text);
  return file;
}

describe('without a node', () => {
  test('a file that is no transaction is refused in one line', async () => {
    const { code, err } = await orrery(
      'tx',
      'sign',
      saved('no.json', 'not\njson\n'),
      '--from',
      'a',
      ...TEST,
      '--chain-id',
      'c_1-1',
      '-a',
      '0',
      '-s',
      '0',
    );
    expect([code, err]).toEqual([1, expect.stringMatching(/^Error: not a transaction in JSON: [^\n]+\n$/)]);
  });

  test('a transaction that writes out a timeout of nought is decoded', async () => {
    // A body with such a timeout, an empty auth info, no signature.
    const { code, out } = await orrery('tx', 'decode', '0a0218001200');
    expect([code, JSON.parse(out).body.timeout_height]).toEqual([0, '0']);
  });

  test.each([
    ['direct', 'send', [TO]],
    ['amino-json', 'send', [TO]],
    ['direct', 'multi-send', [TO, '0x2222222222222222222222222222222222222222']],
    ['amino-json', 'multi-send', [TO, '0x2222222222222222222222222222222222222222']],
  ] as const)(
    'a transaction is made, signed by mode %s, and turned into bytes: bank %s',
    async (mode, kind, to) => {
      const made = await orrery(
        'tx',
        'bank',
        kind,
        'a',
        ...to,
        '5achain',
        '--generate-only',
        '--fees',
        '7achain',
        '--timeout-height',
        '9',
        '--note',
        'hi',
        ...TEST,
      );
      expect(made.err).toBe('');
      const unsigned = saved('u.json', made.out);
      const signing = ['--sign-mode', mode, '--chain-id', 'chain_9000-1', '-a', '3', '-s', '4'];
      const signed = await orrery('tx', 'sign', unsigned, '--from', 'a', ...signing, ...TEST);
      const { out } = await orrery('tx', 'encode', saved('s.json', signed.out));
      const bytes = new Uint8Array(Buffer.from(out, 'base64'));
      const tx = decodeTx(bytes, nobleSuite, 'achain');
      if (!tx.ok) throw new Error(JSON.stringify(tx.error));
      const decoded = tx.value as DecodedCosmosTx;
      expect(decoded).toMatchObject({ memo: 'hi', timeoutHeight: 9n, feeAmount: 7n, sequence: 4n });
      expect(decoded.messages[0]?.payments).toHaveLength(to.length);
      expect(decoded.mode).toBe(mode === 'direct' ? 'direct' : 'aminoJson');
      const data = { chainId: 'chain_9000-1', accountNumber: 3n, sequence: 4n };
      const key = decoded.pubKey as Uint8Array;
      expect(isSignedBy(decoded, key, data, 9000n, nobleSuite)).toBe(true);
      expect(isSignedBy(decoded, key, { ...data, accountNumber: 2n }, 9000n, nobleSuite)).toBe(false);
    },
  );

  test.each([
    [['bank', 'send', 'a', TO, '5achain'], '--offline needs --fees or --gas-prices'],
    [['bank', 'send', 'a', TO, '5achain', '--fees', '1achain'], '--offline: nothing can be sent'],
    [['bank', 'send', 'a', TO, '5achain', '--gas', 'auto'], '--offline: a node must be there'],
    [['bank', 'multi-send', 'a', '5achain'], 'expected receivers and, last, coins'],
    [
      ['bank', 'send', 'a', TO, '5achain', '--timeout-height', 'x'],
      '--timeout-height: expected a whole number',
    ],
  ])('%j is refused', async (args, message) => {
    const { code, err } = await orrery('tx', ...args, ...TEST);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });

  test('--generate-only takes an address instead of a key', async () => {
    const make = (...more: string[]) =>
      orrery('tx', 'bank', 'send', TO, TO, '5achain', '--gas-prices', '0.00001achain', ...TEST, ...more);
    const { out, err } = await make('--generate-only');
    expect(err).toBe('');
    const { body, auth_info } = JSON.parse(out);
    expect(body.messages[0].from_address).toBe(body.messages[0].to_address);
    expect(auth_info.fee.amount).toEqual([{ denom: 'achain', amount: '2' }]);
    expect((await make()).err).toMatch(/^Error: key with address 1{40} not found\n$/);
    expect((await make('--generate-only', '--gas-prices', 'x')).err).toBe(
      'Error: --gas-prices: expected prices like 0.5achain, found x\n',
    );
  });

  test('offline signing needs the values that a node would answer', async () => {
    const made = await orrery(
      'tx',
      'bank',
      'send',
      'a',
      TO,
      '5achain',
      '--generate-only',
      '--fees',
      '7achain',
      ...TEST,
    );
    const sign = (...more: string[]) =>
      orrery('tx', 'sign', saved('u.json', made.out), '--from', 'a', ...TEST, ...more);
    expect((await sign()).err).toMatch('--offline needs --account-number and --sequence');
    expect((await sign('-a', '0', '-s', '0')).err).toMatch('--offline needs --chain-id');
    expect((await sign('-a', '0', '-s', '0', '--chain-id', 'c_1-1', '--sign-mode', 'textual')).err).toMatch(
      '--sign-mode: expected direct or amino-json, found textual',
    );
  });
});

describe('what Cosmos tools know and this chain does not', () => {
  test.each([
    [['keys', 'add', 'm', '--multisig', 'a,b'], /--multisig: there are no multisig keys/],
    [['keys', 'add', 'm', '--multisig-threshold', '2'], /--multisig-threshold: there are no multisig keys/],
    [['keys', 'add', 'm', '--ledger'], /--ledger: keys of hardware devices/],
    [['keys', 'show', 'a', 'b'], /show one key at a time: there are no multisig keys/],
    [['keys', 'show', 'a', '-d'], /--device: keys of hardware devices/],
    [['keys', 'add', 'm', '--key-type', 'secp256k1'], /nothing on this chain can sign for it/],
    [['keys', 'import-hex', 'm', '11', '--algo', 'x'], /unknown option '--algo'/],
    [['keys', 'import-hex', 'm', '11', '--key-type', 'ed25519'], /expected eth_secp256k1, found ed25519/],
    [
      ['genesis', 'add-genesis-account', TO, '1achain', '--vesting-amount', '1achain'],
      /--vesting-amount: .*cannot be locked/,
    ],
    [['genesis', 'add-genesis-account', TO, '1achain', '--vesting-end-time', '1'], /cannot be locked/],
  ])('%j is refused with the reason', async (args, message) => {
    const { code, err } = await orrery(...args);
    expect(code).toBe(1);
    expect(err).toMatch(message);
  });
});

test('debug pubkey-raw reads Bech32, with the prefix and length of amino before the key or bare', async () => {
  const { out } = await orrery('keys', 'show', 'a', '-p', '--keyring-backend', 'test');
  const key = Buffer.from(JSON.parse(out).key, 'base64');
  const raw = (text: string) => orrery('debug', 'pubkey-raw', text, '-t', 'eth_secp256k1');
  const want = (await raw(key.toString('hex'))).out;
  expect(want).toContain('Address: F39FD6E51AAD88F6F4CE6AB8827279CFFFB92266');
  const amino = Buffer.concat([aminoPrefix('ethermint/PubKeyEthSecp256k1'), Buffer.from([33]), key]);
  expect((await raw(encodeBech32('chainpub', amino))).out).toBe(want);
  expect((await raw(encodeBech32('chainvaloperpub', key))).out).toBe(want);
  expect((await raw(encodeBech32('chain', key))).err).toMatch(/expected 33 bytes in hex, base64 or Bech32/);
  amino[0] = 0;
  expect((await raw(encodeBech32('chainpub', amino))).code).toBe(1);
});
