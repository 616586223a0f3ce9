import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { formatAddress } from '../../core/address/kinds.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { toBase64 } from '../../core/lib/base64.ts';
import { BLOCK_PROTOCOL, P2P_PROTOCOL } from '../../core/p2p/nodeInfo.ts';
import { COMETBFT_VERSION } from '../../core/types/peer.ts';
import { hrpOfFile } from '../config/genesisFile.ts';
import { loadNodeConfig, type NodeConfig } from '../config/nodeConfig.ts';
import { loadNodeKey, nodeIdOf } from '../config/nodeKey.ts';
import { makeDir, onFile } from '../disk/files.ts';
import { genesisMarkOf } from '../disk/genesisMark.ts';
import { LevelStore } from '../disk/level.ts';
import { journalOf } from '../disk/txJournal.ts';
import { OperatingError } from '../operatingError.ts';
import { createSignState } from '../signer/fileSigner.ts';
import { loadValidatorKey } from '../signer/keyFile.ts';
import { silencePath } from '../signer/silence.ts';
import { banFileOf } from '../tcp/banFile.ts';
import { whileNoneSigns } from './stoppedNode.ts';
import { type GlobalOptions, homeFrom, type World } from './world.ts';

/** The ABCI version whose wire formats and RPC this node implements. */
const ABCI = '2.0.0';

export function cometCommand(command: Command, world: World): void {
  const configOf = (from: Command): NodeConfig =>
    loadNodeConfig(homeFrom(from.optsWithGlobals<GlobalOptions>(), world), new Map(), world.env);
  const add = (
    name: string,
    summary: string,
    work: (config: NodeConfig, self: Command) => void | Promise<void>,
  ): Command => {
    const sub = command.command(name).description(summary);
    return sub.action(() => work(configOf(sub), sub));
  };
  add('show-node-id', 'the id by which peers know this node', ({ files }) =>
    world.out(`${nodeIdOf(loadNodeKey(files.nodeKey, nobleSuite), nobleSuite)}\n`),
  );
  add('show-validator', 'the public key of this validator', ({ files }) => {
    const { publicKey } = loadValidatorKey(files.validatorKey, nobleSuite);
    const shown = { '@type': '/cosmos.crypto.ed25519.PubKey', key: toBase64(publicKey) };
    world.out(`${JSON.stringify(shown)}\n`);
  });
  add('show-address', 'the consensus address of this validator', ({ files }) => {
    const { address } = loadValidatorKey(files.validatorKey, nobleSuite);
    world.out(`${formatAddress('cons', hrpOfFile(files.genesis), address)}\n`);
  });
  add('version', 'protocol versions', () => {
    const facts = {
      cometbft: COMETBFT_VERSION,
      abci: ABCI,
      block_protocol: BLOCK_PROTOCOL,
      p2p_protocol: P2P_PROTOCOL,
    };
    world.out(`${JSON.stringify(facts, undefined, 2)}\n`);
  });
  add(
    'unsafe-reset-all',
    'delete all blocks and state; keys stay, but what was signed is forgotten',
    (config, self) => resetAll(config, self.opts<{ keepAddrBook?: boolean }>().keepAddrBook === true, world),
  ).option('--keep-addr-book', 'keep the known addresses of peers');
}

/** Refuses while a node runs, also one whose flags name another database than the settings do. */
const resetAll = (config: NodeConfig, keepsAddressBook: boolean, world: World): Promise<void> =>
  whileNoneSigns(config.files.validatorState, config.files.home, () =>
    reset(config, keepsAddressBook, world),
  );

/** Unsafe: a validator that already signed on a running chain may double-sign after this. */
async function reset({ files, p2p }: NodeConfig, keepsAddressBook: boolean, world: World): Promise<void> {
  const remove = (file: string): void =>
    onFile('delete', file, () => rmSync(file, { recursive: true, force: true }));
  const database = path.join(files.data, 'node.db');
  if (existsSync(database)) await refuseWhileRunning(database, files.home);
  if (!keepsAddressBook) {
    remove(p2p.addressBookFile);
    remove(banFileOf(p2p.addressBookFile));
  }
  remove(database);
  remove(path.join(files.data, 'cs.wal'));
  remove(genesisMarkOf(files.data));
  remove(journalOf(files.data));
  world.out(`Removed all blockchain history: ${files.data}\n`);
  onFile('create folder', files.data, () => makeDir(files.data));
  if (!existsSync(files.validatorKey)) return;
  remove(files.validatorState);
  remove(silencePath(files.validatorState));
  createSignState(files.validatorState);
  world.out(`Reset private validator file to genesis state: ${files.validatorState}\n`);
}

/** Refuses if another process uses the database. A damaged database may be deleted. */
async function refuseWhileRunning(database: string, home: string): Promise<void> {
  try {
    await (await LevelStore.open(database, home)).close();
  } catch (error) {
    if (!(error instanceof OperatingError) || error.message.startsWith('database is locked')) throw error;
  }
}
