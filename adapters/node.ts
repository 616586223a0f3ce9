/** Composes a production node from store, WAL, signer, core and servers. The order of opening is the order of trust. */
import path from 'node:path';
import { StartError } from '../core/app/create.ts';
import type { CryptoSuite } from '../core/crypto/suite.ts';
import { present } from '../core/lib/assert.ts';
import { type Bytes, toHex } from '../core/lib/bytes.ts';
import { StorageFault } from '../core/lib/storageFault.ts';
import { type CoreNode, createNode } from '../core/node/assembly.ts';
import { CHANNEL_SPECS } from '../core/p2p/channels.ts';
import { BLOCK_PROTOCOL, P2P_PROTOCOL } from '../core/p2p/nodeInfo.ts';
import type { NodeKeys } from '../core/rpc/context.ts';
import { REMEDY } from '../core/store/recovery.ts';
import type { NodeEvent } from '../core/types/nodeEvent.ts';
import { COMETBFT_VERSION, type NodeInfo } from '../core/types/peer.ts';
import { Closing } from './closing.ts';
import { acceleratedSuite } from './crypto/accelerated.ts';
import { makeDir } from './disk/files.ts';
import { refuseOtherGenesis } from './disk/genesisMark.ts';
import { LevelStore } from './disk/level.ts';
import { refuseLogAhead } from './disk/logAhead.ts';
import { DiskSpace } from './disk/space.ts';
import { journalOf, TxJournal } from './disk/txJournal.ts';
import { Wal } from './disk/wal.ts';
import { reportWal } from './disk/walReport.ts';
import { NodeHost } from './host.ts';
import { showAddress } from './http/listenAddress.ts';
import { Vault } from './keyring/vault.ts';
import type { BlockSummary, RunningNode, StartOptions } from './nodeOptions.ts';
import { openFilesMax, withinOpenFiles } from './openFiles.ts';
import { OperatingError } from './operatingError.ts';
import type { PsqlSink, PsqlSinkOptions } from './psql/sink.ts';
import { type Servers, startServers } from './servers.ts';
import type { FileSigner } from './signer/fileSigner.ts';
import { type OpenSignerOptions, openSigner } from './signer/openSigner.ts';
import { lockSigner } from './signer/signerLock.ts';
import { callAfter, randomId, slicedPause, steadyNow, systemNow } from './system.ts';
import { Network } from './tcp/network.ts';

const NO_LISTENER = { host: '127.0.0.1', port: 0 };

/** What exists before the core, and how the node ends and is closed. */
interface Ground {
  readonly suite: CryptoSuite;
  readonly kv: LevelStore;
  readonly space: DiskSpace;
  readonly network: Network;
  readonly closing: Closing;
  readonly ending: Ending;
}

export async function startNode(options: StartOptions): Promise<RunningNode> {
  const suite = await acceleratedSuite();
  const { files } = options.config;
  const space = new DiskSpace(files.data, {
    warn: (text) => options.log.error(text),
    info: (text) => options.log.info(text),
  });
  const closing = new Closing();
  try {
    if (options.validatorKey !== undefined) closing.add(await lockSigner(files.validatorState, files.home));
    makeDir(files.data);
    const kv = await LevelStore.open(path.join(files.data, 'node.db'), files.home, { space });
    closing.add(() => kv.close());
    const network = networkOf(options, suite);
    return await startOn(options, { suite, kv, space, network, closing, ending: new Ending() });
  } catch (error) {
    return closedOver(operatingError(error), closing);
  }
}

/** Starts the core, then the servers, then the network: a node that cannot start is never visible outside. */
async function startOn(options: StartOptions, ground: Ground): Promise<RunningNode> {
  const { network, closing, ending } = ground;
  const { node, host } = await openCore(options, ground);
  const journal = openJournal(node, options);
  closing.add(async () => journal?.close());
  const rpc = rpcOf(options, node, network, journal);
  const endpoints = await serve(options, rpc, closing);
  watch(node, options);
  options.onReadable?.(rpc);
  node.driver.input({ kind: 'start' });
  if (journal !== undefined) await resend(journal, options);
  closing.add(() => network.stop());
  await network.start({
    input: (input) => host.deliver(input),
    get backlog() {
      return node.driver.backlog;
    },
  });
  const [listener] = network.listeners;
  const p2p = listener === undefined ? undefined : `${options.nodeId}@${listener}`;
  return {
    endpoints: { ...endpoints, p2p },
    stopped: ending.promise.then(
      () => closing.close(),
      (error) => closedOver(error, closing),
    ),
    stop: async () => {
      ending.done();
      await ending.promise;
      await closing.close();
    },
  };
}

/** Opens the WAL, lets the core replay it, and gives the core the host that performs its effects. */
async function openCore(
  options: StartOptions,
  { suite, kv, space, network, closing, ending }: Ground,
): Promise<{ readonly node: CoreNode; readonly host: NodeHost }> {
  const { genesis, config, log } = options;
  const { data } = config.files;
  const onFatal = (error: unknown): void => ending.fail(operatingError(error));
  refuseOtherGenesis(kv, genesis, data, suite);
  const wal = Wal.open(path.join(data, 'cs.wal'), { onFatal, space });
  closing.add(() => wal.close());
  for (const { level, text } of reportWal(wal)) log[level](text);
  refuseLogAhead(kv, wal.records(), genesis.initialHeight, data);
  let host = undefined as NodeHost | undefined;
  const node = await createNode({
    genesis,
    kv,
    suite,
    config: { ...config.core, blocksync: expectsPeers(options) },
    log: wal.records(),
    identity: identityOf(options),
    keys: keysOf(options),
    pause: slicedPause(),
    randomId,
    clock: systemNow,
    indexer: config.index.indexer,
    after: callAfter,
    outside: ({ appService }) => {
      host = new NodeHost({
        log: wal,
        // Only now is the store known to be intact, so the signer's state can be compared with it.
        signer: signerOf(options, { kv, wal, suite }),
        app: appService,
        network,
        onHalt: (reason) => ending.fail(new OperatingError(`the chain cannot go on safely: ${reason}`)),
        onFatal,
      });
      return host;
    },
  });
  wal.forget();
  const made = present(host, 'createNode asks for the host');
  closing.add(async () => made.stop());
  made.attach(node.driver);
  return { node, host: made };
}

/** The core's RPC context, extended by the network and the journal. */
const rpcOf = (
  { watchedEvm }: StartOptions,
  { rpc }: CoreNode,
  network: Network,
  journal: TxJournal | undefined,
) => ({
  ...rpc,
  evm: watchedEvm?.(rpc.evm) ?? rpc.evm,
  submit: (journal ?? rpc).submit,
  network,
  peerCount: () => network.peerStatuses().length,
});

/** Returns the addresses where the servers listen. */
async function serve(
  { config, genesis, log }: StartOptions,
  rpc: ReturnType<typeof rpcOf>,
  closing: Closing,
): Promise<Servers['endpoints']> {
  if (config.index.indexer === 'psql') {
    const { chain, hub } = rpc;
    const { initialHeight } = genesis;
    const sink = await openPsqlSink({
      connection: config.index.psqlConnection,
      chain,
      initialHeight,
      hub,
      log,
    });
    closing.add(() => sink.stop());
  }
  const served = withinOpenFiles(config, openFilesMax(), (text) => log.warn(text));
  const onError = (error: unknown): void => log.error(`request failed: ${String(error)}`);
  const servers = await startServers(rpc, served, onError);
  closing.add(() => servers.stop());
  return servers.endpoints;
}

/** Converts errors that the operator must act on to one line; returns others unchanged. */
function operatingError(error: unknown): unknown {
  if (error instanceof StartError) return new OperatingError(error.message);
  return error instanceof StorageFault ? new OperatingError(`${error.message}: ${REMEDY}`) : error;
}

/** Loaded only if configured. */
async function openPsqlSink(options: PsqlSinkOptions): Promise<PsqlSink> {
  const { PsqlSink } = await import('./psql/sink.ts');
  return PsqlSink.open(options);
}

function openJournal({ rpc }: CoreNode, { config, log }: StartOptions): TxJournal | undefined {
  if (!config.journal) return undefined;
  return new TxJournal({
    file: journalOf(config.files.data),
    submit: rpc.submit,
    pooled: () => rpc.pool.list?.(config.core.mempool.txsMax) ?? [],
    warn: (text) => log.warn(text),
  });
}

async function resend(journal: TxJournal, { log }: StartOptions): Promise<void> {
  const { read, taken } = await journal.load();
  if (read > 0) log.info(`${taken} of ${read} transactions sent before the restart still wait`);
}

/** The network has no peers until `start`. */
function networkOf(options: StartOptions, suite: CryptoSuite): Network {
  const { config, genesis, nodeId, nodeSeed, log } = options;
  const { moniker, listenAddress, rpcAddress } = identityOf(options);
  const { app } = genesis.params.version;
  const info: NodeInfo = {
    protocol: { p2p: P2P_PROTOCOL, block: BLOCK_PROTOCOL, app },
    id: nodeId,
    listenAddress,
    network: genesis.chainId,
    version: COMETBFT_VERSION,
    channels: Uint8Array.from(CHANNEL_SPECS.map((spec) => spec.id)),
    // Peers refuse a node without a moniker.
    moniker: moniker.trim() === '' ? nodeId : moniker,
    other: { txIndex: config.index.indexer === 'null' ? 'off' : 'on', rpcAddress },
  };
  const { txBytesMax } = config.core.mempool;
  return new Network({ config: config.p2p, nodeSeed, info, suite, log, txBytesMax });
}

/** How a node ends: stopped, or with an error. Only the first outcome counts. */
class Ending {
  readonly promise: Promise<void>;
  #resolve: () => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // An error during the start is thrown by startNode itself.
    this.promise.catch(() => {});
  }

  done(): void {
    this.#resolve();
  }

  fail(error: unknown): void {
    this.#reject(error);
  }
}

/** Closes everything, then throws the reason. Errors while closing are consequences and less informative. */
async function closedOver(reason: unknown, closing: Closing): Promise<never> {
  await closing.close().catch(() => {});
  throw reason;
}

/** A node without configured peers must not wait for others before it makes blocks. */
const expectsPeers = ({ config: { p2p } }: StartOptions): boolean =>
  p2p.persistentPeers.length > 0 || p2p.seeds.length > 0;

function signerOf(
  { validatorKey, config, log }: StartOptions,
  parts: Pick<OpenSignerOptions, 'kv' | 'wal' | 'suite'>,
): FileSigner | undefined {
  if (validatorKey === undefined) return undefined;
  const statePath = config.files.validatorState;
  return openSigner({ ...parts, key: validatorKey, statePath, warn: (text) => log.warn(text) });
}

function identityOf({ config, nodeId, version, validatorKey }: StartOptions) {
  return {
    nodeId,
    moniker: config.moniker,
    version,
    // The address that peers are told. Clients of the consensus RPC refuse an empty text; nobody can use port 0.
    listenAddress: `tcp://${showAddress(config.p2p.external ?? config.p2p.listen ?? NO_LISTENER)}`,
    rpcAddress:
      config.consensusRpc.listen === undefined ? '' : `tcp://${showAddress(config.consensusRpc.listen)}`,
    validator:
      validatorKey === undefined
        ? undefined
        : {
            address: validatorKey.address,
            pubKey: { type: 'ed25519', bytes: validatorKey.publicKey } as const,
          },
  };
}

/** Permanently unlocked keys come first. A node without any does not accept keys from requests either. */
function keysOf({ unlocked, config }: StartOptions): NodeKeys {
  const secrets = new Map(unlocked.map((key) => [toHex(key.address), key.secret]));
  const own = unlocked.map((key) => key.address);
  const secret = (address: Bytes): Bytes | undefined => secrets.get(toHex(address));
  if (own.length === 0) return { addresses: own, secret };
  const clocks = { wall: () => systemNow() / 1000, steady: () => steadyNow() / 1000 };
  const vault = new Vault(path.join(config.files.home, 'keystore'), clocks);
  return {
    get addresses() {
      return [...own, ...vault.addresses.filter((address) => secret(address) === undefined)];
    },
    secret: (address) => secret(address) ?? vault.secret(address),
    vault,
  };
}

/** Reports blocks and log messages to the operator. */
function watch(node: CoreNode, { onBlock, log }: StartOptions): void {
  node.hub.listen((event: NodeEvent) => {
    if (event.kind === 'note') log[event.level](event.text);
    if (event.kind !== 'committed') return;
    const { header, txs } = event.block;
    const eth = node.rpc.chain.ethBlock(header.height);
    const summary: BlockSummary = {
      height: header.height,
      round: node.rpc.chain.seenCommit(header.height)?.round ?? 0,
      hash: event.blockId.hash,
      ethHash: eth?.hash ?? new Uint8Array(32),
      time: header.time,
      txs: txs.length,
      gasUsed: eth?.header.gasUsed ?? 0n,
    };
    onBlock(summary);
  });
}
