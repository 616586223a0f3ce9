import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { present } from '../../core/lib/assert.ts';
import { tempDir } from '../adapters/tempDir.ts';
import { EPHEMERAL_FLAGS } from './devnet.ts';

const FULL = '/dev/full';
const PROGRAM = join(import.meta.dirname, '../../bin/orrery.js');

/** Free a moment ago. What is written cannot tell which one the node has taken. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function heightOf(url: string): Promise<number> {
  try {
    const answer = await fetch(`${url}/status`);
    const { result } = (await answer.json()) as { result: { sync_info: { latest_block_height: string } } };
    return Number(result.sync_info.latest_block_height);
  } catch {
    return 0;
  }
}

test.skipIf(!existsSync(FULL))(
  'a node whose log cannot be written goes on, and says so when it is stopped',
  { timeout: 60_000 },
  async () => {
    const full = openSync(FULL, 'w');
    onTestFinished(() => closeSync(full));
    const port = await freePort();
    const home = ['--home', tempDir(), '--rpc.laddr', `tcp://127.0.0.1:${port}`, '--block-time', '100ms'];
    const child = spawn(process.execPath, [PROGRAM, 'devnet', ...EPHEMERAL_FLAGS, ...home], {
      stdio: ['ignore', full, 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    present(child.stderr, 'a pipe').on('data', (chunk) => {
      said += chunk;
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await expect
      .poll(() => heightOf(`http://127.0.0.1:${port}`), { timeout: 40_000 })
      .toBeGreaterThanOrEqual(3);
    child.kill('SIGTERM');
    expect(await ended).toBe(1);
    expect(said).toMatch(/^Error: cannot write the output: ENOSPC.*\n$/);
  },
);
