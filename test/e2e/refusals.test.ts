import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { run } from '../../adapters/cli/main.ts';
import { type Devnet, EPHEMERAL_FLAGS, startDevnet } from './devnet.ts';

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startDevnet();
});
afterAll(() => devnet?.stop());

async function start(home: string, ...flags: readonly string[]): Promise<string> {
  let said = '';
  const say = (text: string): void => {
    said += text;
  };
  const args = ['start', '--home', home, ...EPHEMERAL_FLAGS, '--p2p.laddr', '', ...flags];
  const code = await run(args, { env: {}, exitCode: 0, out: say, err: say });
  return `${code} ${said}`;
}

describe('a second node', () => {
  test('on the same home is refused in one line that names who holds it', async () => {
    const state = join(devnet.home, 'data', 'priv_validator_state.json');
    const refusal = `1 Error: validator state ${state} is locked by another process (pid ${process.pid}): home ${devnet.home}\n`;
    expect(await start(devnet.home)).toBe(refusal);
    expect(await start(devnet.home, '--db_dir', 'data2')).toBe(refusal);
  });

  test('on a port that is taken is refused in one line, and leaves its own home free', async () => {
    const home = mkdtempSync(join(tmpdir(), 'orrery-e2e-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    cpSync(join(devnet.home, 'config'), join(home, 'config'), { recursive: true });
    cpSync(
      join(devnet.home, 'data', 'priv_validator_state.json'),
      join(home, 'data', 'priv_validator_state.json'),
    );
    for (const [flag, url, name] of [
      ['--json-rpc.address', devnet.jsonRpc, 'json-rpc'],
      ['--json-rpc.ws-address', devnet.evmWs, 'evm websocket'],
      ['--rpc.laddr', devnet.consensusRpc, 'consensus rpc'],
      ['--api.address', devnet.rest, 'rest'],
    ] as const) {
      const address = new URL(url).host;
      expect(await start(home, flag, `tcp://${address}`)).toBe(
        `1 Error: cannot listen on ${address} (${name}): address already in use\n`,
      );
    }
  });
});
