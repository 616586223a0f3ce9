import { existsSync } from 'node:fs';
import path from 'node:path';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { parseIp } from '../../core/p2p/ip.ts';
import { formatPeerAddress, type PeerAddress } from '../../core/p2p/peerAddress.ts';
import type { Micros } from '../../core/types/ids.ts';
import { makeDir, onFile } from '../disk/files.ts';
import type { UnlockedKey } from '../nodeOptions.ts';
import { OperatingError } from '../operatingError.ts';
import { loadValidatorKey, saveValidatorKey, type ValidatorKey, validatorKey } from '../signer/keyFile.ts';
import { DEV_BALANCE } from './devAccounts.ts';
import { newGenesis } from './genesisFile.ts';
import { initHome } from './initHome.ts';
import { loadNodeKey, nodeIdOf, saveNodeKey } from './nodeKey.ts';

export interface TestnetOptions {
  readonly dir: string;
  readonly chainId: string;
  readonly namePrefix: string;
  /** Voting power of each validator. Each gets one home. */
  readonly powers: readonly bigint[];
  /** Where the nodes run: on this machine with separate ports, or on hosts with consecutive addresses. */
  readonly place:
    | { readonly kind: 'local'; readonly basePort: number | undefined }
    | { readonly kind: 'hosts'; readonly firstIp: string };
  /** Additional settings of every node, by path. */
  readonly settings: ReadonlyMap<string, string>;
  readonly accounts: readonly UnlockedKey[];
  readonly suite: CryptoSuite;
  readonly randomSeed: () => Bytes;
  readonly now: Micros;
}

/** Ports of the first node; each further node adds PORT_STEP. */
const PORTS = { p2p: 26656, rpc: 26657, jsonRpc: 8545, evmWs: 8546, rest: 10337, grpc: 9090, metrics: 26660 };
const PORT_STEP = 10;

type Ports = Readonly<Record<keyof typeof PORTS, number>>;

export const testnetHome = (dir: string, namePrefix: string, index: number): string =>
  path.join(dir, `${namePrefix}${index}`);

/**
 * Writes one home per validator, with the same genesis, its own keys, and all others as persistent peers. Returns the
 * homes.
 */
export function makeTestnet(options: TestnetOptions): readonly string[] {
  const { dir, namePrefix, powers, suite } = options;
  const homes = powers.map((_, i) => testnetHome(dir, namePrefix, i));
  for (const home of homes) {
    const genesis = path.join(home, 'config', 'genesis.json');
    if (existsSync(genesis)) throw new OperatingError(`genesis.json file already exists: ${genesis}`);
  }
  const keys = homes.map((home) => keysAt(home, options));
  const genesis = newGenesis({
    chainId: options.chainId,
    hrp: undefined,
    denom: undefined,
    now: options.now,
    validators: keys.map(({ validator }, i) => ({
      address: validator.address,
      pubKey: { type: 'ed25519', bytes: validator.publicKey },
      power: powers[i] as bigint,
      name: `${namePrefix}${i}`,
    })),
    accounts: options.accounts.map(({ address }) => ({ address, balance: DEV_BALANCE })),
  });
  const peers = keys.map(({ nodeSeed }, i) => peerAt(options, i, nodeIdOf(nodeSeed, suite)));
  for (const [i, home] of homes.entries()) {
    const others = peers.filter((_, j) => j !== i).map(formatPeerAddress);
    initHome({
      home,
      chainId: options.chainId,
      suite,
      settings: new Map([
        ['moniker', `${namePrefix}${i}`],
        ['p2p.persistent_peers', others.join(',')],
        ['p2p.addr_book_strict', 'false'],
        ...placeSettings(options, i),
        ...options.settings,
      ]),
      overwrite: false,
      randomSeed: options.randomSeed,
      genesis: () => genesis,
    });
  }
  return homes;
}

/** Creates the keys first, because each node's settings name all nodes. Existing keys are kept. */
function keysAt(
  home: string,
  { suite, randomSeed }: TestnetOptions,
): { readonly validator: ValidatorKey; readonly nodeSeed: Bytes } {
  const config = path.join(home, 'config');
  onFile('create folder', config, () => makeDir(config));
  const validatorFile = path.join(config, 'priv_validator_key.json');
  const nodeFile = path.join(config, 'node_key.json');
  if (!existsSync(validatorFile)) saveValidatorKey(validatorFile, validatorKey(randomSeed(), suite));
  if (!existsSync(nodeFile)) saveNodeKey(nodeFile, randomSeed(), suite);
  return { validator: loadValidatorKey(validatorFile, suite), nodeSeed: loadNodeKey(nodeFile, suite) };
}

function portsOf(basePort: number | undefined, index: number): Ports {
  const step = index * PORT_STEP;
  const names = Object.keys(PORTS) as (keyof Ports)[];
  const ports = Object.fromEntries(
    names.map((name, i) => [name, (basePort === undefined ? PORTS[name] : basePort + i) + step]),
  );
  for (const port of Object.values(ports)) {
    if (port > 65535)
      throw new OperatingError(`node ${index} would need port ${port}; choose a lower --base-port`);
  }
  return ports as Ports;
}

function peerAt({ place }: TestnetOptions, index: number, id: string): PeerAddress {
  return place.kind === 'local'
    ? { id, host: '127.0.0.1', port: portsOf(place.basePort, index).p2p }
    : { id, host: addressAfter(place.firstIp, index), port: PORTS.p2p };
}

function placeSettings({ place }: TestnetOptions, index: number): readonly (readonly [string, string])[] {
  if (place.kind === 'hosts') return [];
  const ports = portsOf(place.basePort, index);
  return [
    ['p2p.laddr', `tcp://127.0.0.1:${ports.p2p}`],
    ['p2p.allow_duplicate_ip', 'true'],
    ['rpc.laddr', `tcp://127.0.0.1:${ports.rpc}`],
    ['json-rpc.address', `127.0.0.1:${ports.jsonRpc}`],
    ['json-rpc.ws-address', `127.0.0.1:${ports.evmWs}`],
    ['api.address', `tcp://127.0.0.1:${ports.rest}`],
    ['grpc.address', `127.0.0.1:${ports.grpc}`],
    ['instrumentation.prometheus_listen_addr', `127.0.0.1:${ports.metrics}`],
  ];
}

/** The address `steps` after the first: 192.168.0.1 and 2 give 192.168.0.3. */
function addressAfter(first: string, steps: number): string {
  const ip = parseIp(first);
  if (ip?.length !== 4)
    throw new OperatingError(`--starting-ip-address: expected an IPv4 address, found ${first}`);
  const last = (ip[3] as number) + steps;
  if (last > 254)
    throw new OperatingError(`--starting-ip-address: there are no ${steps + 1} addresses after ${first}`);
  return `${ip[0]}.${ip[1]}.${ip[2]}.${last}`;
}
