import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bytes } from '../../core/lib/bytes.ts';
import { decodeUtf8 } from '../../core/lib/utf8.ts';
import { makeDir, onFile, replaceFile, syncDir } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';
import { decryptJwe, encryptJwe } from './jwe.ts';

/** Named secrets, under the names of the SDK's keyring (`<name>.info`, `<address>.address`). */
export interface Items {
  get(name: string): Bytes | undefined;
  set(name: string, data: Bytes): void;
  remove(name: string): void;
  /** Sorted. */
  names(): readonly string[];
}

/** Items in memory; lost when the process ends. */
export function memoryItems(): Items {
  const items = new Map<string, Bytes>();
  return {
    get: (name) => items.get(name),
    set: (name, data) => void items.set(name, data),
    remove: (name) => void items.delete(name),
    names: () => [...items.keys()].sort(),
  };
}

/** One encrypted file per item, in the layout of 99designs/keyring. All methods throw OperatingError. */
export function fileItems(dir: string, password: string): Items {
  const pathOf = (name: string): string => join(dir, escapeName(name));
  return {
    get(name) {
      const path = pathOf(name);
      if (!existsSync(path)) return undefined;
      return openItem(
        path,
        password,
        onFile('read', path, () => readFileSync(path, 'utf8')),
      );
    },
    set(name, data) {
      const path = pathOf(name);
      const payload = {
        Key: name,
        Data: Buffer.from(data).toString('base64'),
        Label: '',
        Description: '',
        KeychainNotTrustApplication: false,
        KeychainNotSynchronizable: false,
      };
      const text = encryptJwe(password, Buffer.from(JSON.stringify(payload)), new Date().toISOString());
      onFile('write', path, () => {
        makeDir(dir);
        replaceFile(path, Buffer.from(text));
      });
    },
    remove(name) {
      const path = pathOf(name);
      onFile('remove', path, () => {
        rmSync(path);
        syncDir(dir);
      });
    },
    names() {
      if (!existsSync(dir)) return [];
      const files = onFile('read', dir, () => readdirSync(dir));
      return files
        .filter((file) => !file.endsWith('.tmp') && file !== 'keyhash')
        .map(unescapeName)
        .sort();
    },
  };
}

function openItem(path: string, password: string, text: string): Bytes {
  const opened = decryptJwe(password, text);
  if (!opened.ok) throw new OperatingError(`cannot open key file ${path}: ${opened.error.message}`);
  try {
    const { Data } = JSON.parse(decodeUtf8(opened.value) ?? '') as { Data?: unknown };
    if (typeof Data === 'string') return new Uint8Array(Buffer.from(Data, 'base64'));
  } catch {
    // Refused below.
  }
  throw new OperatingError(`cannot open key file ${path}: its content is no keyring item`);
}

/** Escapes only the path separator and the escape character itself. */
const escapeName = (name: string): string => name.replaceAll('%', '%25').replaceAll('/', '%2F');
const unescapeName = (file: string): string => file.replaceAll('%2F', '/').replaceAll('%25', '%');
