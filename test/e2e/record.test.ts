import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { devAccounts } from '../../adapters/config/devAccounts.ts';
import { to0xHex } from '../../core/lib/bytes.ts';
import { runCli } from '../support/cli.ts';
import { startDevnet } from './devnet.ts';

const TXS = 5;

async function ask<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = (await reply.json()) as { result: T; error?: unknown };
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return result;
}

/** A real node makes blocks with transactions, in two lives. */
async function makeChain(home: string): Promise<void> {
  for (let life = 0; life < 2; life++) {
    const node = await startDevnet(home, { keep: true });
    try {
      const from = to0xHex(devAccounts()[0]?.address as Uint8Array);
      const to = '0x00000000000000000000000000000000000051a0';
      for (let value = 1; value <= TXS; value++) {
        const hash = await ask<string>(node.jsonRpc, 'eth_sendTransaction', [
          { from, to, value: `0x${value.toString(16)}` },
        ]);
        while ((await ask(node.jsonRpc, 'eth_getTransactionReceipt', [hash])) === null);
      }
    } finally {
      await node.stop();
    }
  }
}

test("a production node's log runs again in the simulator to the same hashes at every height", async () => {
  const home = mkdtempSync(join(tmpdir(), 'orrery-record-'));
  try {
    await makeChain(home);
    const file = join(home, 'recording.jsonl');
    const recorded = await runCli('sim', '--home', home, 'record', '-o', file);
    expect(recorded).toMatchObject({ code: 0 });
    const text = readFileSync(file, 'utf8');
    const heights = text.split('\n').filter((line) => line.startsWith('{"kind":"height"')).length;
    expect(heights).toBeGreaterThan(TXS);

    const replayed = await runCli('sim', 'replay', file);
    expect(replayed).toEqual({
      code: 0,
      err: '',
      out: `${heights} heights replayed: every hash is that of the node\n`,
    });

    // A hash that the log does not lead to is told.
    const forged = text.replace(/("height":3,.*"state":")[0-9a-f]{64}/, `$1${'00'.repeat(32)}`);
    expect(forged).not.toBe(text);
    writeFileSync(file, forged);
    const compared = await runCli('sim', 'replay', file);
    expect(compared.code).toBe(1);
    expect(compared.out + compared.err).toMatch(/^height 3: state is [0-9a-f]{64}, the node had 0{64}\n/);

    // A damaged recording is refused as such.
    const lines = text.split('\n');
    const record = lines.findIndex((line) => line.startsWith('{"kind":"record"'));
    for (const [damaged, problem] of [
      [
        lines.toSpliced(record + 2, 1).join('\n'),
        /height 1: the log cannot be replayed: .* \(damaged, or of/,
      ],
      [text.replace('denom_metadata', 'denom_metadatX'), /: genesis: app_state\.bank: unknown field/],
      [text.replace('"app":"', '"app":"x'), /: line 2 is not a line of a recording/],
    ] as const) {
      writeFileSync(file, damaged);
      expect(await runCli('sim', 'replay', file)).toMatchObject({
        code: 2,
        err: expect.stringMatching(problem),
      });
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
