import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OperatingError } from '../../../adapters/operatingError.ts';
import { createSignState, FileSigner } from '../../../adapters/signer/fileSigner.ts';
import { loadValidatorKey, saveValidatorKey, validatorKey } from '../../../adapters/signer/keyFile.ts';
import { voteSignBytes } from '../../../core/codec/signBytes.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import type { SignAsk } from '../../../core/node/contract.ts';
import { parseLastSigned } from '../../../core/node/signGuard.ts';
import type { Silence } from '../../../core/node/silence.ts';
import { failingSync } from '../failingSync.ts';
import { tempDir } from '../tempDir.ts';

const key = validatorKey(new Uint8Array(32).fill(3), nobleSuite);

function prevote(height: number, fill: number, seconds = 1): SignAsk {
  const id = new Uint8Array(32).fill(fill);
  const blockId = { hash: id, parts: { total: 1, hash: id } };
  const part = { type: 'prevote', height, round: 0, blockId, timestamp: { seconds, nanos: 0 } } as const;
  return { kind: 'prevote', height, round: 0, bytes: voteSignBytes('chain_9000-1', part) };
}

function openSigner(dir: string, silence?: Silence): FileSigner {
  const statePath = join(dir, 'priv_validator_state.json');
  createSignState(statePath);
  return FileSigner.open({ key, statePath, suite: nobleSuite, silence });
}

const stateOf = (dir: string) =>
  parseLastSigned(readFileSync(join(dir, 'priv_validator_state.json'), 'utf8'));

describe('the file signer', () => {
  test('signs, and the state on disk says so before the signature is out', async () => {
    const dir = tempDir();
    const signer = openSigner(dir);
    const ask = prevote(4, 1);
    const signed = await signer.sign(ask).then((result) => {
      expect(stateOf(dir)).toMatchObject({
        ok: true,
        value: { height: 4, round: 0, step: 2, bytes: ask.bytes },
      });
      return result;
    });
    expect(signed.ok && nobleSuite.ed25519Verify(key.publicKey, ask.bytes, signed.value.signature)).toBe(
      true,
    );
    expect(statSync(join(dir, 'priv_validator_state.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['priv_validator_state.json']);
  });

  test('keeps to its word after a restart', async () => {
    const dir = tempDir();
    const first = await openSigner(dir).sign(prevote(4, 1));
    const again = openSigner(dir);
    expect(await again.sign(prevote(4, 1, 99))).toEqual(first);
    expect(await again.sign(prevote(4, 2))).toEqual({
      ok: false,
      error: { code: 'conflict', message: 'conflicting data' },
    });
    expect(await again.sign(prevote(3, 1))).toMatchObject({ error: { code: 'regression' } });
  });

  test('answers asks made at once in their order, as if one by one', async () => {
    const signer = openSigner(tempDir());
    const results = await Promise.all(
      [prevote(1, 1), prevote(1, 2), prevote(2, 1)].map((ask) => signer.sign(ask)),
    );
    expect(results.map((result) => (result.ok ? 'signed' : result.error.code))).toEqual([
      'signed',
      'conflict',
      'signed',
    ]);
  });

  test.each(['fdatasync', 'fsync'] as const)(
    'lets no signature out whose state a failed %s may lose',
    async (kind) => {
      const signer = openSigner(tempDir());
      failingSync(kind, 'EIO');
      await expect(signer.sign(prevote(1, 1))).rejects.toThrow(OperatingError);
      expect(signer.last.height).toBe(0);
    },
  );

  test('signs again once the disk has room for the state', async () => {
    const dir = tempDir();
    const signer = openSigner(dir);
    const restore = failingSync('fdatasync', 'ENOSPC');
    expect(await signer.sign(prevote(1, 1))).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    expect(stateOf(dir)).toMatchObject({ ok: true, value: { height: 0 } });
    restore();
    expect(await signer.sign(prevote(1, 2))).toMatchObject({ ok: true });
    expect(stateOf(dir)).toMatchObject({ ok: true, value: { height: 1 } });
  });

  test('lets no signature out when the state cannot be written', async () => {
    const dir = tempDir();
    const signer = openSigner(dir);
    rmSync(dir, { recursive: true });
    await expect(signer.sign(prevote(1, 1))).rejects.toThrow(OperatingError);
    expect(signer.last.height).toBe(0);
  });

  test('is silent up to a height whose log was damaged, but for what it has signed already', async () => {
    const dir = tempDir();
    const first = await openSigner(dir).sign(prevote(5, 1));
    const signer = openSigner(dir, { height: 6, mode: 'silent' });
    expect(await signer.sign(prevote(5, 1, 3))).toEqual(first);
    expect(await signer.sign(prevote(6, 1))).toMatchObject({ error: { code: 'unavailable' } });
    expect(await signer.sign(prevote(7, 1))).toMatchObject({ ok: true });
  });

  test('does not start without its state, or with one it cannot read', () => {
    const statePath = join(tempDir(), 'priv_validator_state.json');
    const options = { key, statePath, suite: nobleSuite };
    expect(() => FileSigner.open(options)).toThrow(/^validator state .* is missing/);
    writeFileSync(statePath, '{"height":"7","round":0,');
    expect(() => FileSigner.open(options)).toThrow(/^validator state .* is not usable: not JSON/);
    createSignState(statePath);
    expect(readFileSync(statePath, 'utf8')).toBe('{"height":"7","round":0,');
  });
});

describe('priv_validator_key.json', () => {
  test('is read back as it was written', () => {
    const path = join(tempDir(), 'key.json');
    saveValidatorKey(path, key);
    expect(loadValidatorKey(path, nobleSuite)).toEqual(key);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('that contradicts itself is refused with the place', () => {
    const path = join(tempDir(), 'key.json');
    saveValidatorKey(path, key);
    const json = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    const other = validatorKey(new Uint8Array(32).fill(4), nobleSuite);
    const otherPath = join(tempDir(), 'other.json');
    saveValidatorKey(otherPath, other);
    const otherJson = JSON.parse(readFileSync(otherPath, 'utf8')) as Record<string, unknown>;
    for (const [name, text] of [
      ['pub_key', 'pub_key: expected the public key of priv_key'],
      ['address', 'address: expected the address of priv_key'],
    ] as const) {
      writeFileSync(path, JSON.stringify({ ...json, [name]: otherJson[name] }));
      expect(() => loadValidatorKey(path, nobleSuite)).toThrow(
        `validator key ${path} is not usable: ${text}`,
      );
    }
    writeFileSync(path, 'no json');
    expect(() => loadValidatorKey(path, nobleSuite)).toThrow(OperatingError);
    expect(() => loadValidatorKey(`${path}.gone`, nobleSuite)).toThrow(/no such file or directory$/);
  });
});
