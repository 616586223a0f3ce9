import { execFileSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LevelStore } from '../../adapters/disk/level.ts';
import { Wal } from '../../adapters/disk/wal.ts';
import { decodeLogRecord, type LogEntry } from '../../core/consensus/log.ts';
import { toHex } from '../../core/lib/bytes.ts';
import { parseLastSigned } from '../../core/node/signGuard.ts';
import type { KvOp } from '../../core/types/kvOp.ts';
import { makeNetwork, type TestNode, type Testnet } from './testnet.ts';

/** Time to stop a node between two heights on a busy machine. */
const REST = new Map([
  ['consensus.timeout_commit', '500ms'],
  ['consensus.skip_timeout_commit', 'false'],
]);

let net: Testnet;
let node: TestNode;
beforeAll(async () => {
  net = await makeNetwork(1, REST);
  node = net.nodes[0] as TestNode;
});
afterAll(() => net.stop());

const data = (name: string): string => join(node.home, 'data', name);
const stateOf = (): { height: number; bytes: Uint8Array | undefined } => {
  const state = parseLastSigned(readFileSync(data('priv_validator_state.json'), 'utf8'));
  if (!state.ok) throw new Error(state.error.message);
  return state.value;
};

/** Starts, makes some blocks, and checks that nothing of before was taken back. */
async function goesOn(): Promise<void> {
  const before = stateOf().height;
  node.log = '';
  node.start();
  await node.reaches(before + 3);
}

/**
 * Stops the node between two heights. Within one, a lone validator that has lost its last record may rightly stay
 * silent for good: nobody else could tell it what it has promised.
 */
async function restsAfterBlocks(): Promise<void> {
  for (;;) {
    await goesOn();
    await node.kill('SIGTERM');
    const committed = [...node.log.matchAll(/committed height=(\d+)/g)].at(-1)?.[1];
    if (stateOf().height <= Number(committed)) return;
  }
}

async function refusesToStart(line: RegExp): Promise<void> {
  node.log = '';
  node.start();
  expect(await node.ended()).toBe(1);
  expect(node.log).toMatch(line);
}

/** Everything that the log says was signed, by height, round and kind: twice only if it is the same. */
function signsNothingTwice(): void {
  const signed = new Map<string, string>();
  const wal = Wal.open(data('cs.wal'), { onFatal: () => {} });
  for (const record of wal.history()) {
    const decoded = decodeLogRecord(record);
    if (!decoded.ok || decoded.value.entry.kind !== 'signed') continue;
    const { of, round, bytes, signature } = decoded.value.entry as Extract<LogEntry, { kind: 'signed' }>;
    if (signature.length === 0) continue;
    const place = `${record.height}/${round}/${of}`;
    const text = toHex(bytes);
    expect(signed.get(place) ?? text).toBe(text);
    signed.set(place, text);
  }
  expect(signed.size).toBeGreaterThan(0);
}

describe('a failed sync', () => {
  const fault = (): string => data('fault');
  test.each([
    ['log', /^Error: cannot write the log .*cs\.wal.*: input\/output error$/m],
    ['state', /^Error: cannot write .*priv_validator_state\.json: input\/output error$/m],
  ])(
    'of the %s stops the node with one line, and the next start goes on',
    { timeout: 120_000 },
    async (what, line) => {
      node.environment = {
        NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'failingDisk.mjs')).href}`,
        ORRERY_TEST_FAULT: fault(),
      };
      await goesOn();
      writeFileSync(fault(), what);
      expect(await node.ended()).toBe(1);
      expect(node.log).toMatch(line);
      const signed = stateOf();
      rmSync(fault());
      node.environment = {};
      await goesOn();
      await node.kill('SIGTERM');
      expect(stateOf().height).toBeGreaterThan(signed.height);
      signsNothingTwice();
    },
  );
});

describe('one flipped byte in the log', () => {
  /** The newest segment, which holds the height in progress. */
  const segment = (): string => {
    const names = readdirSync(data('cs.wal')).filter((name) => name.endsWith('.wal'));
    return data(join('cs.wal', names.sort().at(-1) as string));
  };
  const flip = (at: (length: number) => number): void => {
    const bytes = readFileSync(segment());
    const offset = at(bytes.length);
    bytes[offset] = (bytes[offset] as number) ^ 0x10;
    writeFileSync(segment(), bytes);
  };
  test.each([
    ['first record', () => 40, /warn.* the log is damaged at byte \d+ of .*: nothing is lost/i],
    [
      'middle',
      (length: number) => length >> 1,
      /warn.* the log is damaged at byte \d+ of .*: nothing is lost/i,
    ],
    [
      'last record',
      (length: number) => length - 1,
      /info.* the last \d+ bytes, from byte \d+ of .* were cut off/i,
    ],
  ])('in its %s is told in one line, and the chain goes on', { timeout: 120_000 }, async (_, at, line) => {
    await restsAfterBlocks();
    flip(at);
    await goesOn();
    expect(node.log).toMatch(line);
    await node.kill('SIGTERM');
    signsNothingTwice();
  });
});

test('a validator that has lost its key refuses to start, and says what to do', {
  timeout: 60_000,
}, async () => {
  await goesOn();
  await node.kill('SIGTERM');
  const key = join(node.home, 'config', 'priv_validator_key.json');
  renameSync(key, `${key}.away`);
  await refusesToStart(
    /^Error: validator key .* is missing, but .* knows of signatures up to height \d+: restore the key/m,
  );
  renameSync(`${key}.away`, key);
  await goesOn();
  await node.kill('SIGTERM');
});

test('a chain does not go on with the genesis of another, and says what to do', {
  timeout: 60_000,
}, async () => {
  await goesOn();
  await node.kill('SIGTERM');
  const file = join(node.home, 'config', 'genesis.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(text), genesis_time: '2020-01-01T00:00:00Z' }));
  await refusesToStart(/^Error: the genesis of this home is not the one .*: restore genesis\.json/m);
  writeFileSync(file, text);
  await goesOn();
  await node.kill('SIGTERM');
});

test('a database whose evidence was altered is refused in one line that says what to do', {
  timeout: 60_000,
}, async () => {
  await goesOn();
  await node.kill('SIGTERM');
  const change = async (op: KvOp): Promise<void> => {
    const kv = await LevelStore.open(data('node.db'), node.home);
    await kv.batch([op]);
    await kv.close();
  };
  const key = new TextEncoder().encode('evidence/pending/0');
  await change({ type: 'put', key, value: new Uint8Array(40) });
  await refusesToStart(/^Error: storage fault: record altered .*: restore the data directory from a backup/m);
  await change({ type: 'del', key });
  await goesOn();
  await node.kill('SIGTERM');
});

test.each([[[]], [['--hard']]])('a node that was rolled back with flags %j goes on', async (flags) => {
  await goesOn();
  await node.kill('SIGTERM');
  const program = process.env['ORRERY_TEST_PROGRAM'] ?? 'bin/orrery.js';
  const said = execFileSync(process.execPath, [program, 'rollback', ...flags, '--home', node.home], {
    encoding: 'utf8',
  });
  expect(said).toMatch(/^Rolled back .* to height \d+ and hash [0-9A-F]{64}\n$/);
  node.log = '';
  if (flags.length === 0) {
    await goesOn();
  } else {
    // The only validator has signed the block that is gone, and nobody else can decide that height for it.
    node.start();
    const advice = await node.says(/If there are no others, .* set "height" in .* to \d+ and remove/);
    await node.kill('SIGTERM');
    const height = / to (\d+) and remove$/.exec(advice)?.[1] as string;
    writeFileSync(data('priv_validator_state.json'), JSON.stringify({ height, round: 0, step: 3 }));
    await goesOn();
  }
  await node.kill('SIGTERM');
});

const free = (dir: string): number => {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
};
const DISK = 'a small file system of its own';
/** Why no file system can be mounted here; undefined when one can. */
function whyNoMount(dir: string): string | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'orrery-test', dir], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr ?? error).trim();
  }
}

test(`on ${DISK} that fills up a node stops making blocks, says so, and goes on when there is room`, {
  timeout: 120_000,
}, async ({ skip }) => {
  const dir = join(node.home, 'data');
  const kept = join(node.home, 'kept');
  cpSync(dir, kept, { recursive: true });
  const why = whyNoMount(dir);
  if (why !== undefined) {
    process.stdout.write(`skipped: this machine mounts no file system for a test (${why})\n`);
    skip();
  }
  try {
    cpSync(kept, dir, { recursive: true });
    await goesOn();
    const ballast = join(dir, 'ballast');
    const chunk = new Uint8Array(1 << 20);
    const fd = openSync(ballast, 'w');
    // Room for what is being written this moment, but less than the node wants to have in reserve.
    while (free(dir) > 32 << 20) writeSync(fd, chunk);
    await node.says(/the disk of .* is almost full: not voting and storing no block until there is room/);
    try {
      for (;;) writeSync(fd, chunk);
    } catch (error) {
      expect((error as { code?: string }).code).toBe('ENOSPC');
    }
    const stuck = await node.height();
    closeSync(fd);
    rmSync(ballast);
    await node.says(/the disk of .* has room again: going on/);
    await node.reaches(stuck + 3);
    await node.kill('SIGTERM');
    signsNothingTwice();
  } finally {
    await node.kill();
    execFileSync('umount', ['-l', dir]);
  }
});
