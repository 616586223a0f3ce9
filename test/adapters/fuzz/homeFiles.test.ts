import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { loadNodeKey, saveNodeKey } from '../../../adapters/config/nodeKey.ts';
import { damaged } from '../../../adapters/fuzz/target.ts';
import { OperatingError } from '../../../adapters/operatingError.ts';
import { FileSigner } from '../../../adapters/signer/fileSigner.ts';
import { loadValidatorKey, saveValidatorKey, validatorKey } from '../../../adapters/signer/keyFile.ts';
import { loadAddressBook, saveAddressBook } from '../../../adapters/tcp/addressBookFile.ts';
import { loadBans, saveBans } from '../../../adapters/tcp/banFile.ts';
import { parseGenesis, renderGenesis } from '../../../core/codec/genesis.ts';
import { nobleSuite as suite } from '../../../core/crypto/noble.ts';
import { AddressBook } from '../../../core/p2p/addressBook.ts';
import { makeCluster } from '../../../sim/cluster.ts';

const dir = mkdtempSync(join(tmpdir(), 'orrery-test-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const file = join(dir, 'file');
const key = validatorKey(new Uint8Array(32).fill(7), suite);
const id = 'ab'.repeat(20);
const book = (): AddressBook =>
  new AddressBook({ self: 'cd'.repeat(20), isStrict: true, privateIds: new Set(), choose: () => 0 });

const written = (save: () => void): string => {
  save();
  return readFileSync(file, 'utf8');
};
const full = book();
full.add({ id, host: '8.8.8.8', port: 26656 }, id);

const FILES: readonly [string, string, () => unknown][] = [
  ['node_key.json', written(() => saveNodeKey(file, key.seed, suite)), () => loadNodeKey(file, suite)],
  [
    'priv_validator_key.json',
    written(() => saveValidatorKey(file, key)),
    () => loadValidatorKey(file, suite),
  ],
  [
    'priv_validator_state.json',
    '{"height":"50","round":0,"step":3,"signature":"OPKgazm3borvVCi7lzeK30gnhp6aosqZlP2zDkrIV/oEc5OuKVo7LmmHit2U2QzwEEjVICGsgMNPOUkQzyfyAQ==","signbytes":"71080211320000000000000022480A20"}',
    () => FileSigner.open({ key, statePath: file, suite }),
  ],
  ['addrbook.json', written(() => saveAddressBook(file, full)), () => loadAddressBook(file, book())],
  [
    'bans.json',
    written(() => saveBans(file, [{ peer: id, reason: 'rude', until: 4e15, times: 2 }])),
    () => loadBans(file),
  ],
];

test.each(FILES)('%s, damaged, is taken or refused in words, and nothing else', (_, text, load) => {
  writeFileSync(file, text);
  load();
  let refused = 0;
  fc.assert(
    fc.property(fc.oneof(damaged(fc.constant(text)), fc.json(), fc.string()), (content) => {
      writeFileSync(file, content);
      try {
        load();
      } catch (error) {
        if (!(error instanceof OperatingError)) throw error;
        refused += 1;
        expect(error.message).toContain(file);
      }
    }),
    { numRuns: 150 },
  );
  expect(refused).toBeGreaterThan(0);
});

test('genesis.json, damaged, is a genesis that is written and read again the same, or an error with a place', () => {
  const text = renderGenesis(makeCluster(suite, [{ name: 'v0', power: 10, twinOf: undefined }]).genesis);
  let [taken, refused] = [0, 0];
  fc.assert(
    fc.property(fc.oneof(damaged(fc.constant(text)), fc.json()), (content) => {
      const parsed = parseGenesis(content);
      if (parsed.ok) {
        taken += 1;
        expect(parseGenesis(renderGenesis(parsed.value))).toEqual(parsed);
      } else refused += 1;
    }),
    { numRuns: 200 },
  );
  expect(Math.min(taken, refused)).toBeGreaterThan(0);
});
