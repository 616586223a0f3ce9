import { StartError } from '../../core/app/create.ts';
import { parseGenesis } from '../../core/codec/genesis.ts';
import { decodeLogRecord } from '../../core/consensus/log.ts';
import { validatorAddress } from '../../core/crypto/addresses.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { toHex } from '../../core/lib/bytes.ts';
import { err, ok, type Result } from '../../core/lib/result.ts';
import { type CoreNode, createNode } from '../../core/node/assembly.ts';
import type { Effect, LogRecord } from '../../core/node/contract.ts';
import { DEFAULT_NODE_CONFIG } from '../../core/node/nodeConfig.ts';
import { BlockStore } from '../../core/store/blockStore.ts';
import type { KvStore } from '../../core/store/kv.ts';
import { MemoryKv } from '../../core/store/memoryKv.ts';
import { REMEDY } from '../../core/store/recovery.ts';
import type { Genesis } from '../../core/types/genesis.ts';
import type { HeightHashes, Recording } from './recording.ts';

export interface Rerun {
  /** Heights decided again from the log, counted from the first. */
  readonly heights: number;
  /** Where the replay got something else than the production node had stored. */
  readonly differences: readonly string[];
  /** Why the replay ended before the node's head; undefined when it reached it. */
  readonly ended: string | undefined;
}

type AppEffect = Extract<Effect, { kind: 'app' }>;

/** The hashes of one stored height. */
export function hashesAt(kv: Pick<KvStore, 'get'>, height: number): HeightHashes | undefined {
  const { reads } = new BlockStore(kv as KvStore);
  const [meta, results, roots] = [reads.loadMeta(height), reads.loadResults(height), reads.loadRoots(height)];
  if (meta === undefined || results === undefined || roots === undefined) return undefined;
  return {
    height,
    block: toHex(meta.blockId.hash),
    app: toHex(results.appHash),
    state: toHex(roots.stateRoot),
    modules: toHex(roots.modulesRoot),
  };
}

/**
 * Runs a production node's log again, height by height, through the same core on an empty store: each input that
 * mattered, with the time at which it was handled. No key is needed, because the signer's answers are in the log.
 */
export async function rerun(
  recording: Recording,
  suite: CryptoSuite,
  onHeight?: (height: number) => void,
): Promise<Result<Rerun, string>> {
  const genesis = parseGenesis(recording.genesis);
  if (!genesis.ok) return err(`genesis: ${genesis.error.message}`);
  const kv = new MemoryKv();
  const differences: string[] = [];
  const byHeight = new Map<number, LogRecord[]>();
  for (const record of recording.records) {
    const log = byHeight.get(record.height);
    if (log === undefined) byHeight.set(record.height, [record]);
    else log.push(record);
  }
  const first = genesis.value.initialHeight;
  const last = recording.heights.at(-1)?.height ?? first - 1;
  for (let height = first; height <= last; height++) {
    const rerun = await rerunHeight(recording, genesis.value, kv, suite, byHeight.get(height) ?? []);
    if (!rerun.ok) return rerun;
    const ended = rerun.value;
    const found = ended === undefined ? hashesAt(kv, height) : undefined;
    if (found === undefined)
      return ok({
        heights: height - first,
        differences,
        ended: `height ${height}: ${ended ?? 'not stored'}`,
      });
    const wanted = recording.heights.find((one) => one.height === height);
    if (wanted !== undefined) differences.push(...differencesOf(wanted, found));
    onHeight?.(height);
  }
  return ok({ heights: last - first + 1, differences, ended: undefined });
}

function differencesOf(wanted: HeightHashes, found: HeightHashes): readonly string[] {
  const fields = ['block', 'app', 'state', 'modules'] as const;
  return fields
    .filter((field) => wanted[field] !== found[field])
    .map((field) => `height ${wanted.height}: ${field} is ${found[field]}, the node had ${wanted[field]}`);
}

/**
 * Decides one height from its records.
 * @returns Why it could not, or an error if the recording is damaged.
 */
async function rerunHeight(
  recording: Recording,
  genesis: Genesis,
  kv: KvStore,
  suite: CryptoSuite,
  log: readonly LogRecord[],
): Promise<Result<string | undefined, string>> {
  const lastRecord = log.at(-1);
  if (lastRecord === undefined)
    return ok(
      'the log has no record of it (older than the log, fetched by block sync, or set aside by rollback --hard)',
    );
  const damaged = (problem: string): Result<never, string> =>
    err(`height ${lastRecord.height}: ${problem} (damaged, or of another version of the program)`);
  const decoded = decodeLogRecord(lastRecord);
  if (!decoded.ok) return damaged(decoded.error.message);
  try {
    return ok(await decideAgain(recording, genesis, kv, suite, log, decoded.value.now));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    // What the message advises is about a home, and not about a recording.
    return error.code === 'genesis' ? err(error.message) : damaged(error.message.replace(`: ${REMEDY}`, ''));
  }
}

async function decideAgain(
  { validator }: Recording,
  genesis: Genesis,
  kv: KvStore,
  suite: CryptoSuite,
  log: readonly LogRecord[],
  now: number,
): Promise<string | undefined> {
  const asked: AppEffect[] = [];
  const before = new BlockStore(kv).reads.head();
  const core = await makeCore(genesis, kv, suite, log, validator, now, asked);
  core.driver.input({ kind: 'start' });
  const head = (): number => new BlockStore(kv).reads.head();
  for (let effect = asked.shift(); effect !== undefined && head() === before; effect = asked.shift()) {
    const reply = await core.appService.handle(effect.ask);
    core.driver.input({ kind: 'app', call: effect.call, reply });
  }
  return head() > before ? undefined : 'the log does not reach its decision';
}

function makeCore(
  genesis: Genesis,
  kv: KvStore,
  suite: CryptoSuite,
  log: readonly LogRecord[],
  key: Uint8Array | undefined,
  now: number,
  asked: AppEffect[],
): Promise<CoreNode> {
  const pubKey = key === undefined ? undefined : ({ type: 'ed25519', bytes: key } as const);
  return createNode({
    genesis,
    kv,
    suite,
    config: DEFAULT_NODE_CONFIG,
    log,
    identity: {
      nodeId: 'replay',
      moniker: 'replay',
      version: 'simulated',
      listenAddress: '',
      rpcAddress: '',
      validator: pubKey === undefined ? undefined : { address: validatorAddress(pubKey), pubKey },
    },
    keys: { addresses: [], secret: () => undefined },
    pause: async () => {},
    randomId: () => new Uint8Array(16),
    clock: () => now,
    outside: () => ({
      now: () => now,
      append: (_records, durable) => durable(),
      perform(effect) {
        if (effect.kind === 'app') asked.push(effect);
      },
    }),
  });
}
