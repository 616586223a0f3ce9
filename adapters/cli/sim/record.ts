import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { BlockStore } from '../../../core/store/blockStore.ts';
import { type HeightHashes, parseRecording, recordingLines } from '../../../sim/record/recording.ts';
import { hashesAt, rerun } from '../../../sim/record/rerun.ts';
import { loadNodeConfig } from '../../config/nodeConfig.ts';
import { acceleratedSuite } from '../../crypto/accelerated.ts';
import { isThere, onFile } from '../../disk/files.ts';
import { Wal } from '../../disk/wal.ts';
import { OperatingError } from '../../operatingError.ts';
import { loadValidatorKey } from '../../signer/keyFile.ts';
import { onStoppedNode } from '../stoppedNode.ts';
import { type GlobalOptions, homeFrom, type World } from '../world.ts';
import { EXIT_BROKEN, refuseOutput } from './scenarioFile.ts';

export function recordCommand(sim: Command, world: World): void {
  sim
    .command('record')
    .configureHelp({ showGlobalOptions: true })
    .requiredOption('-o, --output <file>', 'write the recording there')
    .description(
      "take the log of a stopped node's home, and the hashes of what it stored, for `sim replay`; no key is in it",
    )
    .action(async (_options: unknown, command: Command) => {
      const options: GlobalOptions & { output: string } = command.optsWithGlobals();
      const { output } = options;
      refuseOutput('--output', output, undefined, 'home');
      const { records, heights } = await record(homeFrom(options, world), output, world);
      world.out(`${records} records and the hashes of ${heights} heights written to ${output}\n`);
    });
}

/** The node must be stopped, because its database is opened. */
async function record(
  home: string,
  output: string,
  world: World,
): Promise<{ readonly records: number; readonly heights: number }> {
  const { files } = loadNodeConfig(home, new Map(), world.env);
  const suite = await acceleratedSuite();
  return onStoppedNode(files, 'record', async (kv) => {
    const { reads } = new BlockStore(kv);
    const heights: HeightHashes[] = [];
    for (let height = Math.max(1, reads.base()); height <= reads.head(); height++) {
      const hashes = hashesAt(kv, height);
      if (hashes !== undefined) heights.push(hashes);
    }
    const wal = Wal.open(path.join(files.data, 'cs.wal'), { onFatal: () => {} });
    const records = [...wal.history()];
    await wal.close();
    const validator = isThere(files.validatorKey)
      ? loadValidatorKey(files.validatorKey, suite).publicKey
      : undefined;
    const genesis = onFile('read', files.genesis, () => readFileSync(files.genesis, 'utf8'));
    const lines = [...recordingLines({ genesis, validator, heights, records })];
    onFile('write', output, () => writeFileSync(output, `${lines.join('\n')}\n`));
    return { records: records.length, heights: heights.length };
  });
}

/** `sim replay` of a recording: replays the WAL and compares every height. */
export async function replayRecording(name: string, text: string, world: World): Promise<void> {
  const recording = parseRecording(text);
  if (!recording.ok) throw new OperatingError(`${name}: ${recording.error}`);
  const result = await rerun(recording.value, await acceleratedSuite());
  if (!result.ok) throw new OperatingError(`${name}: ${result.error}`);
  const { heights, differences, ended } = result.value;
  for (const difference of differences) world.out(`${difference}\n`);
  const isGood = ended === undefined && differences.length === 0;
  world.out(`${heights} heights replayed${isGood ? ': every hash is that of the node' : ''}\n`);
  if (ended !== undefined) world.out(`ended early: ${ended}\n`);
  if (!isGood) world.exitCode = EXIT_BROKEN;
}
