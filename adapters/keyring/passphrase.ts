/** The password of the `file` backend. A bcrypt hash in `keyhash` detects a wrong password before any key is opened. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bcrypt, bcryptVerify } from 'hash-wasm';
import { makeDir, onFile, replaceFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';

export const PASSPHRASE_CHARS_MIN = 8;
const ATTEMPTS = 3;
/** The SDK's effective cost: it asks for 2, but its library uses at least 4. */
const COST = 4;
/** bcrypt ignores the rest of a longer password. */
const PASSWORD_BYTES_MAX = 72;

/** Asks the user for a text that must not be displayed. */
export type AskHidden = (question: string) => Promise<string>;

const usable = (password: string): boolean =>
  password.length >= PASSPHRASE_CHARS_MIN && Buffer.byteLength(password) <= PASSWORD_BYTES_MAX;

/**
 * The password of the keyring in `dir`; the user chooses it on first use. Throws OperatingError after three attempts.
 */
export async function unlock(
  dir: string,
  askHidden: AskHidden,
  tell: (text: string) => void,
): Promise<string> {
  const path = join(dir, 'keyhash');
  const known = existsSync(path) ? onFile('read', path, () => readFileSync(path, 'utf8')).trim() : undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const password = await askHidden(`Enter keyring passphrase (attempt ${attempt}/${ATTEMPTS}):`);
    if (!usable(password)) {
      tell(
        `password must be at least ${PASSPHRASE_CHARS_MIN} characters and at most ${PASSWORD_BYTES_MAX} bytes\n`,
      );
    } else if (known !== undefined) {
      if (await isRight(password, known, path)) return password;
      tell('incorrect passphrase\n');
    } else if ((await askHidden('Re-enter keyring passphrase:')) === password) {
      const hash = await bcrypt({ password, salt: randomBytes(16), costFactor: COST, outputType: 'encoded' });
      onFile('write', path, () => {
        makeDir(dir);
        replaceFile(path, Buffer.from(hash));
      });
      return password;
    } else {
      tell('passphrase do not match\n');
    }
  }
  throw new OperatingError('too many failed passphrase attempts');
}

async function isRight(password: string, hash: string, path: string): Promise<boolean> {
  try {
    return await bcryptVerify({ password, hash });
  } catch {
    throw new OperatingError(`${path} holds no bcrypt hash`);
  }
}
