import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OperatingError } from '../../../adapters/operatingError.ts';
import { createSignState } from '../../../adapters/signer/fileSigner.ts';
import { lockSigner } from '../../../adapters/signer/signerLock.ts';
import { tempDir } from '../tempDir.ts';

function stateIn(home: string): string {
  const statePath = join(home, 'priv_validator_state.json');
  createSignState(statePath);
  return statePath;
}

describe('the lock of a validator state', () => {
  test('held by another process is refused in one line, and free when that was killed', async () => {
    const home = tempDir();
    const statePath = stateIn(home);
    const script = `
      const { lockSigner } = await import(${JSON.stringify(join(process.cwd(), 'adapters/signer/signerLock.ts'))});
      await lockSigner(process.argv[1], process.argv[2]);
      console.log('locked');
      setInterval(() => {}, 1000);`;
    const args = ['--import', 'tsx', '--input-type=module', '-e', script, statePath, home];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const refusal = await lockSigner(statePath, home).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(OperatingError);
    expect((refusal as Error).message).toBe(
      `validator state ${statePath} is locked by another process: home ${home}`,
    );
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    await (await lockSigner(statePath, home))();
  });

  test('is that of the file, whatever link leads to it', async () => {
    const [home, other] = [tempDir(), tempDir()];
    const link = join(other, 'state.json');
    symlinkSync(stateIn(home), link);
    const free = await lockSigner(stateIn(home), home);
    await expect(lockSigner(link, other)).rejects.toThrow(/is locked by another process/);
    await free();
    await (await lockSigner(link, other))();
  });

  test.each(['torn', 'lost'])('is taken where a power failure left it %s', async (damage) => {
    const home = tempDir();
    const statePath = stateIn(home);
    const folder = `${statePath}.lock`;
    await (await lockSigner(statePath, home))();
    for (const name of readdirSync(folder)) {
      if (name === 'LOCK') continue;
      if (damage === 'torn') writeFileSync(join(folder, name), 'damaged');
      else if (name !== 'CURRENT') rmSync(join(folder, name));
    }
    const free = await lockSigner(statePath, home);
    await expect(lockSigner(statePath, home)).rejects.toThrow(/is locked by another process/);
    await free();
  });

  test('is not needed where there is no state', async () => {
    const home = tempDir();
    await (await lockSigner(join(home, 'state.json'), home))();
    expect(readdirSync(home)).toEqual([]);
  });
});
