import { present } from '../../../core/lib/assert.ts';
import { toBase64 } from '../../../core/lib/base64.ts';
import { type Bytes, hex, to0xHex } from '../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { difference, type Fields, quantity } from '../../clients/answers/answers.ts';
import { type FeeMarket, leastPriceAfter } from '../../clients/answers/feeMarket.ts';
import { protoMomentOf } from '../../reference/goTime.ts';
import { comet, eth, fieldsOf, firstOf, listOf, rest, unlike } from '../questions.ts';

const NODE = '/cosmos/base/node/v1beta1';
const TENDERMINT = '/cosmos/base/tendermint/v1beta1';
const EVM = '/chain/evm/v1';
const TEXT = encodeUtf8('hello');
/** Precompiles from 0x01 to 0x11, and 0x100 (EIP-7951). */
const PRECOMPILES = 18;

const NO_BLOCK = `0x${'5e'.repeat(32)}`;
/** There are no blobs, no miners and no bad blocks here, whatever happens. */
const FIXED = [
  ['eth_blobBaseFee'],
  ['eth_hashrate'],
  ['eth_protocolVersion'],
  ['net_listening'],
  ['debug_getBadBlocks'],
  ['debug_traceBadBlock', NO_BLOCK],
] as const;
const FIXED_ANSWERS = [
  '0x1',
  '0x0',
  '0x41',
  true,
  [],
  { refused: { code: -32000, message: `bad block ${NO_BLOCK} not found` } },
];

/** The CRC-32 of IEEE 802.3 as a number divided by the polynomial, bit by bit. */
function checksum(bytes: Bytes): string {
  let rest = 0xffff_ffff;
  for (const byte of bytes)
    for (let bit = 0; bit < 8; bit++)
      rest = ((rest ^ (byte >>> bit)) & 1) === 1 ? (rest >>> 1) ^ 0xedb8_8320 : rest >>> 1;
  return `0x${(~rest >>> 0).toString(16).padStart(8, '0')}`;
}

/** What a node says of itself is right and the same in every API. */
export async function wrongNode(rpc: RpcContext, market: FeeMarket): Promise<string | undefined> {
  const { chain } = rpc;
  const { header } = present(chain.blockMeta(chain.head()), 'the head');
  const price = leastPriceAfter(present(chain.ethBlock(chain.head()), 'the head').header, market);
  const status = await rest(rpc, `${NODE}/status`);
  const config = await rest(rpc, `${NODE}/config`);
  const { seconds, nanos } = header.time;
  return (
    difference(`${NODE}/status`, status, {
      earliest_store_height: String(chain.base()),
      height: String(chain.head()),
      app_hash: toBase64(present(chain.results(chain.head()), 'results of the head').appHash),
      validator_hash: toBase64(header.nextValidatorsHash),
    }) ??
    unlike(`the time of ${NODE}/status`, protoMomentOf(status['timestamp']), { seconds, nanos }) ??
    unlike(`${NODE}/config`, config['minimum_gas_price'], `${price}${chain.denom}`) ??
    (await wrongSyncing(rpc)) ??
    (await wrongIdentity(rpc)) ??
    (await wrongRules(rpc)) ??
    (await wrongFacts(rpc)) ??
    (await wrongPeers(rpc))
  );
}

async function wrongSyncing(rpc: RpcContext): Promise<string | undefined> {
  const isBehind = rpc.catchingUp();
  const { syncing } = await rest(rpc, `${TENDERMINT}/syncing`);
  const { sync_info } = await comet(rpc, 'status', {});
  const told = [syncing, (sync_info as Fields)['catching_up'], (await eth(rpc, 'eth_syncing', [])) !== false];
  return unlike('whether it is behind', told, [isBehind, isBehind, isBehind]);
}

async function wrongIdentity(rpc: RpcContext): Promise<string | undefined> {
  const shown = fieldsOf(await rest(rpc, `${TENDERMINT}/node_info`), 'default_node_info');
  const told = fieldsOf(await comet(rpc, 'status', {}), 'node_info');
  const { id, moniker, network, version, channels, protocol_version, listen_addr, other } = told;
  return (
    difference('node_info', shown, {
      protocol_version,
      listen_addr,
      other,
      default_node_id: id,
      moniker,
      network,
      version,
      channels: toBase64(hex(String(channels).toLowerCase())),
    }) ?? unlike('the network', network, rpc.chain.chainId)
  );
}

/** The fork and parameters by which the chain runs. */
async function wrongRules(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const { params } = await rest(rpc, `${EVM}/params`);
  const truth = { evm_denom: chain.denom, evm_chain_id: String(chain.evmChainId), fork: chain.fork };
  const problem = unlike(`${EVM}/params`, params, truth);
  if (problem !== undefined || chain.fork !== 'osaka') return problem;
  const config = fieldsOf(await rest(rpc, `${EVM}/config`), 'config');
  const forks = Object.entries(config).filter(([name]) => /_(block|time)$/.test(name));
  const late = forks.filter(([, since]) => since !== '0').map(([name]) => name);
  const current = fieldsOf((await eth(rpc, 'eth_config', [])) as Fields, 'current');
  const precompiles = Object.values(fieldsOf(current, 'precompiles'));
  const genesis = chain.ethBlock(0);
  return (
    unlike('forks that are yet to come', late, []) ??
    difference(`${EVM}/config`, config, {
      chain_id: String(chain.evmChainId),
      denom: chain.denom,
      decimals: '18',
    }) ??
    unlike('the chain in eth_config', current['chainId'], quantity(chain.evmChainId)) ??
    (genesis === undefined
      ? undefined
      : unlike('the forks in eth_config', current['forkId'], checksum(genesis.hash))) ??
    unlike('how many precompiles are in eth_config', new Set(precompiles).size, PRECOMPILES)
  );
}

/** net_info shows peers as the node's network reports them: here one that it dialled and one that dialled it. */
async function wrongPeers(rpc: RpcContext): Promise<string | undefined> {
  const { identity, chain } = rpc;
  const info = {
    protocol: { p2p: 8, block: 11, app: 1 },
    id: identity.nodeId,
    listenAddress: 'tcp://10.0.0.2:26656',
    network: chain.chainId,
    version: 'v',
    channels: Uint8Array.of(0x40, 0x21),
    moniker: 'peer',
    other: { txIndex: 'on', rpcAddress: '' },
  };
  const peers = [true, false].map((isOutbound, i) => ({
    info,
    ip: `10.0.0.${i}`,
    isOutbound,
    upMicros: 2_000_000,
    bytesSent: 1_000 + i,
    bytesReceived: 4_000 + i,
    channels: [{ id: 0x21, queueMax: 9, queued: 3 + i, priority: 5, recentlySent: 7 }],
  }));
  const network = { listeners: ['10.0.0.9:26656'], peerStatuses: () => peers };
  const told = listOf(await comet({ ...rpc, network }, 'net_info', {}), 'peers');
  return unlike(
    'the peers of net_info',
    told.map((peer) => {
      const { Duration, SendMonitor, RecvMonitor, Channels } = fieldsOf(peer, 'connection_status');
      const [sent, received] = [SendMonitor as Fields, RecvMonitor as Fields];
      return [
        [peer['remote_ip'], peer['is_outbound'], fieldsOf(peer, 'node_info')['id'], Duration],
        [sent['Bytes'], sent['AvgRate'], received['Bytes'], received['AvgRate']],
        Channels,
      ];
    }),
    peers.map(({ ip, isOutbound, bytesSent, bytesReceived, channels }) => [
      [ip, isOutbound, identity.nodeId, '2000000000'],
      [bytesSent, Math.round(bytesSent / 2), bytesReceived, Math.round(bytesReceived / 2)].map(String),
      channels.map(({ id, queueMax, queued, priority, recentlySent }) => ({
        ID: id,
        SendQueueCapacity: String(queueMax),
        SendQueueSize: String(queued),
        Priority: String(priority),
        RecentlySent: String(recentlySent),
      })),
    ]),
  );
}

async function wrongFacts(rpc: RpcContext): Promise<string | undefined> {
  const { chain, suite, identity } = rpc;
  const head = present(chain.ethBlock(chain.head()), 'the head');
  const oldest = chain.ethBlock(0) === undefined ? firstOf(chain) : chain.genesisNumber();
  const told = (await eth(rpc, 'eth_capabilities', [])) as Fields;
  const kept = ['state', 'tx', 'logs', 'receipts', 'blocks', 'stateproofs'].map(
    (name) => fieldsOf(told, name)['oldestBlock'],
  );
  const own = identity.validator;
  const fixed: unknown[] = [];
  for (const [method, ...params] of FIXED) fixed.push(await eth(rpc, method, params));
  return (
    unlike('what never changes', fixed, FIXED_ANSWERS) ??
    unlike(
      'who it is',
      [
        await eth(rpc, 'web3_clientVersion', []),
        await eth(rpc, 'net_version', []),
        await eth(rpc, 'rpc_modules', []),
        await eth(rpc, 'eth_accounts', []),
      ],
      [
        `Orrery/v${identity.version}`,
        String(chain.evmChainId),
        Object.fromEntries([...rpc.limits.namespaces, 'rpc'].map((name) => [name, '1.0'])),
        rpc.keys.addresses.map(to0xHex),
      ],
    ) ??
    unlike('eth_capabilities', told['head'], {
      number: quantity(head.header.number),
      hash: to0xHex(head.hash),
    }) ??
    unlike(
      'what eth_capabilities begins with',
      kept,
      kept.map(() => quantity(oldest)),
    ) ??
    (own === undefined
      ? undefined
      : unlike('eth_coinbase', await eth(rpc, 'eth_coinbase', []), to0xHex(own.address))) ??
    unlike('eth_mining', await eth(rpc, 'eth_mining', []), own !== undefined) ??
    unlike('web3_sha3', await eth(rpc, 'web3_sha3', [to0xHex(TEXT)]), to0xHex(suite.keccak256(TEXT))) ??
    unlike(
      'net_peerCount',
      await eth(rpc, 'net_peerCount', []),
      quantity(Number((await comet(rpc, 'net_info', {}))['n_peers'])),
    )
  );
}
