import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { Wal } from '../../adapters/disk/wal.ts';
import { type HostParts, NodeHost } from '../../adapters/host.ts';
import { createSignState, FileSigner } from '../../adapters/signer/fileSigner.ts';
import { validatorKey } from '../../adapters/signer/keyFile.ts';
import { callAfter } from '../../adapters/system.ts';
import { voteSignBytes } from '../../core/codec/signBytes.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import type { Effect, Input, SignAsk } from '../../core/node/contract.ts';
import { Driver } from '../../core/node/driver.ts';
import { tempDir } from './tempDir.ts';

/** A host over a real log and signer, its driver running `step`. */
function world(step: (input: Input, host: NodeHost) => readonly Effect[], parts: Partial<HostParts> = {}) {
  const dir = tempDir();
  const fatal: unknown[] = [];
  const statePath = join(dir, 'priv_validator_state.json');
  createSignState(statePath);
  const key = validatorKey(new Uint8Array(32).fill(1), nobleSuite);
  const host = new NodeHost({
    log: Wal.open(join(dir, 'log'), { onFatal: (error) => void fatal.push(error) }),
    signer: FileSigner.open({ key, statePath, suite: nobleSuite }),
    app: { handle: () => Promise.reject(new Error('no application')) },
    network: { send() {}, drop() {} },
    onHalt: (reason) => void fatal.push(reason),
    onFatal: (error) => void fatal.push(error),
    ...parts,
  });
  const driver = new Driver({ step: (_, input) => step(input, host) }, host as never);
  host.attach(driver);
  return { host, driver, fatal, statePath, key };
}

const DAY_MS = 86_400_000;
const ID = new Uint8Array(32).fill(5);
const ask: SignAsk = {
  kind: 'prevote',
  height: 3,
  round: 0,
  bytes: voteSignBytes('chain_9000-1', {
    type: 'prevote',
    height: 3,
    round: 0,
    blockId: { hash: ID, parts: { total: 1, hash: ID } },
    timestamp: { seconds: 1, nanos: 0 },
  }),
};

describe('the real host', () => {
  test('stops the node when it has more than 4096 timers', () => {
    const { host, fatal } = world(() => []);
    const timer: Effect = { kind: 'timer', key: { machine: 'gossip', kind: 'tick' }, afterMs: 2 ** 31 };
    for (let i = 0; i < 4096; i++) host.perform(timer);
    expect(fatal).toEqual([]);
    host.perform(timer);
    expect(fatal).toEqual([new RangeError('more than 4096 timers')]);
    host.stop();
  });

  test('forgets timeouts of heights and rounds that were left, however far ahead they are', () => {
    const { host, fatal } = world(() => []);
    for (let height = 1; height <= 3000; height++)
      for (const round of [0, 1]) {
        const key = { machine: 'consensus', kind: 'emptyBlock', height, round } as const;
        host.perform({ kind: 'timer', key, afterMs: DAY_MS });
      }
    expect(fatal).toEqual([]);
    host.stop();
  });

  test('performs what depends on a record only when the record is durable', async () => {
    const order: string[] = [];
    await new Promise<void>((resolve) => {
      const { driver } = world(
        () => [
          { kind: 'send', to: ['peer'], channel: 0x22, bytes: ID },
          { kind: 'persist', record: { height: 3, bytes: ID } },
        ],
        {
          log: {
            append(_, durable) {
              setImmediate(() => {
                order.push('durable');
                durable();
              });
            },
            turnover() {},
          },
          network: {
            send(to) {
              order.push(`send ${to.join()}`);
              resolve();
            },
            drop() {},
          },
        },
      );
      driver.input({ kind: 'start' });
      order.push('stepped');
    });
    expect(order).toEqual(['stepped', 'durable', 'send peer']);
  });

  test('answers sign, app and timer effects with inputs', async () => {
    const inputs: Input[] = [];
    const reply = { kind: 'proposed', txs: [] } as const;
    const key = { machine: 'consensus', kind: 'propose', height: 3, round: 0 } as const;
    const { key: validator } = await new Promise<ReturnType<typeof world>>((resolve) => {
      const made = world(
        (input) => {
          if (input.kind === 'start') {
            return [
              { kind: 'timer', key, afterMs: 1 },
              { kind: 'sign', call: 7, ask },
              { kind: 'app', call: 8, ask: { kind: 'checkTx', tx: ID, recheck: false } },
            ];
          }
          inputs.push(input);
          if (inputs.length === 3) resolve(made);
          return [];
        },
        { app: { handle: () => Promise.resolve(reply) } },
      );
      made.driver.input({ kind: 'start' });
    });
    const signature = nobleSuite.ed25519Sign(validator.seed, ask.bytes);
    expect(inputs).toContainEqual({ kind: 'timer', key });
    expect(inputs).toContainEqual({ kind: 'app', call: 8, reply });
    expect(inputs).toContainEqual({
      kind: 'signed',
      call: 7,
      result: { ok: true, value: { signature, bytes: ask.bytes } },
    });
  });

  test('stops at a fault of the application, and lets nothing out afterwards', async () => {
    const bug = new Error('storage fault');
    const sent: string[] = [];
    const error = await new Promise<unknown>((resolve) => {
      const { driver, host } = world(
        () => [{ kind: 'app', call: 1, ask: { kind: 'checkTx', tx: ID, recheck: false } }],
        {
          app: { handle: () => Promise.reject(bug) },
          network: { send: () => void sent.push('sent'), drop() {} },
          onFatal(failure) {
            host.perform({ kind: 'send', to: ['peer'], channel: 0x22, bytes: ID });
            resolve(failure);
          },
        },
      );
      driver.input({ kind: 'start' });
    });
    expect(error).toBe(bug);
    expect(sent).toEqual([]);
  });

  test('stops at a broken invariant of the machine', async () => {
    const key = { machine: 'gossip', kind: 'tick' } as const;
    const error = await new Promise<unknown>((onFatal) => {
      const { driver } = world(
        (input) => {
          if (input.kind === 'timer') throw new Error('broken invariant');
          return [{ kind: 'timer', key, afterMs: 0 }];
        },
        { onFatal },
      );
      driver.input({ kind: 'start' });
    });
    expect(error).toEqual(new Error('broken invariant'));
  });

  test('waits as long as it was told, also longer than the timers of its runtime can', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const key = { machine: 'consensus', kind: 'newHeight', height: 1, round: 0 } as const;
      const fired: Input[] = [];
      const { driver } = world((input) => {
        if (input.kind === 'start') return [{ kind: 'timer', key, afterMs: 100 * DAY_MS }];
        fired.push(input);
        return [];
      });
      driver.input({ kind: 'start' });
      vi.advanceTimersByTime(100 * DAY_MS - 1);
      expect(fired).toEqual([]);
      vi.advanceTimersByTime(1);
      expect(fired).toEqual([{ kind: 'timer', key }]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('lets nothing that may take a month be over at once', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const calls: string[] = [];
      callAfter(30 * DAY_MS, () => void calls.push('called'));
      vi.advanceTimersByTime(DAY_MS);
      expect(calls).toEqual([]);
      vi.advanceTimersByTime(29 * DAY_MS);
      expect(calls).toEqual(['called']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('says why it halts, and forgets its timers', () => {
    const { driver, fatal } = world(() => [
      { kind: 'timer', key: { machine: 'gossip', kind: 'tick' }, afterMs: 60_000 },
      { kind: 'halt', reason: 'app hash differs' },
      { kind: 'send', to: ['peer'], channel: 0x22, bytes: ID },
    ]);
    driver.input({ kind: 'start' });
    expect(fatal).toEqual(['app hash differs']);
  });
});
