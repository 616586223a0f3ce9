import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { isHrp } from '../../core/address/bech32.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { DEVNET_CHAIN_ID } from '../config/devnetHome.ts';
import { checkChainId, newGenesis } from '../config/genesisFile.ts';
import { initHome } from '../config/initHome.ts';
import { OperatingError } from '../operatingError.ts';
import { systemNow } from '../system.ts';
import { type GlobalOptions, homeFrom, type World } from './world.ts';

const VALIDATOR_POWER = 10n;

interface InitFlags extends GlobalOptions {
  readonly chainId: string;
  readonly overwrite?: boolean;
  readonly defaultDenom?: string;
  readonly bech32Prefix?: string;
}

export function initCommand(command: Command, world: World): void {
  command
    .argument('<moniker>', 'name of this node')
    .option('--chain-id <id>', 'name_EVMID-EPOCH', DEVNET_CHAIN_ID)
    .option('-o, --overwrite', 'replace genesis.json and settings; keys stay')
    .option('--default-denom <denom>', 'smallest unit of the native coin (default achain)')
    .option('--bech32-prefix <prefix>', 'of account addresses (default chain)')
    .action((moniker: string) => init(moniker, command.optsWithGlobals(), world));
}

/** The new chain has this node as its only validator and no coins; both are to be edited into genesis.json. */
function init(moniker: string, flags: InitFlags, world: World): void {
  const chainId = checkChainId(flags.chainId);
  const { bech32Prefix: hrp, defaultDenom: denom } = flags;
  if (hrp !== undefined && !isHrp(hrp))
    throw new OperatingError(`--bech32-prefix: '${hrp}' is not a Bech32 prefix`);
  if (denom !== undefined && !/^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/.test(denom))
    throw new OperatingError(`invalid denom: ${denom}`);
  const { genesis, nodeId } = initHome({
    home: homeFrom(flags, world),
    chainId,
    suite: nobleSuite,
    settings: new Map([['moniker', moniker]]),
    overwrite: flags.overwrite === true,
    randomSeed: () => new Uint8Array(randomBytes(32)),
    genesis: ({ address, publicKey }) =>
      newGenesis({
        chainId,
        hrp,
        denom,
        now: systemNow(),
        validators: [
          { address, pubKey: { type: 'ed25519', bytes: publicKey }, power: VALIDATOR_POWER, name: moniker },
        ],
        accounts: [],
      }),
  });
  const told = { moniker, chain_id: chainId, node_id: nodeId, gentxs_dir: '', app_message: genesis.appState };
  world.err(`${JSON.stringify(told)}\n`);
}
