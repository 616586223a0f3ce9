/** cosmos.base.tendermint.v1beta1.GetNodeInfoResponse: the node as its peers see it, and its application version. */
import { bytes, optional, repeated, string, uint64 } from '../../codec/fields.ts';
import { table } from '../../codec/proto.ts';
import { type Bytes, hex } from '../../lib/bytes.ts';
import { nodeInfoJson } from '../comet/methods/node.ts';
import type { RpcContext } from '../context.ts';

const PACKAGE = 'cosmos.base.tendermint.v1beta1';
const TEXT_MAX = 4096;
/** The Cosmos SDK release whose services are served. Clients (relayers, wallets) choose their queries by it. */
const COSMOS_SDK_VERSION = 'v0.50.14';

interface ProtocolVersion {
  readonly p2p: number;
  readonly block: number;
  readonly app: number;
}
const PROTOCOL_VERSION = table<ProtocolVersion>('tendermint.p2p.ProtocolVersion', [
  uint64(1, 'p2p'),
  uint64(2, 'block'),
  uint64(3, 'app'),
]);

interface OtherInfo {
  readonly txIndex: string;
  readonly rpcAddress: string;
}
const OTHER_INFO = table<OtherInfo>('tendermint.p2p.DefaultNodeInfoOther', [
  string(1, 'txIndex', TEXT_MAX),
  string(2, 'rpcAddress', TEXT_MAX),
]);

interface DefaultNodeInfo {
  readonly protocolVersion: ProtocolVersion | undefined;
  readonly defaultNodeId: string;
  readonly listenAddr: string;
  readonly network: string;
  readonly version: string;
  readonly channels: Bytes;
  readonly moniker: string;
  readonly other: OtherInfo | undefined;
}
const DEFAULT_NODE_INFO = table<DefaultNodeInfo>('tendermint.p2p.DefaultNodeInfo', [
  optional(1, 'protocolVersion', PROTOCOL_VERSION),
  string(2, 'defaultNodeId', TEXT_MAX),
  string(3, 'listenAddr', TEXT_MAX),
  string(4, 'network', TEXT_MAX),
  string(5, 'version', TEXT_MAX),
  bytes(6, 'channels', 64),
  string(7, 'moniker', TEXT_MAX),
  optional(8, 'other', OTHER_INFO),
]);

interface Module {
  readonly path: string;
  readonly version: string;
  readonly sum: string;
}
const MODULE = table<Module>(`${PACKAGE}.Module`, [
  string(1, 'path', TEXT_MAX),
  string(2, 'version', TEXT_MAX),
  string(3, 'sum', TEXT_MAX),
]);

interface VersionInfo {
  readonly name: string;
  readonly appName: string;
  readonly version: string;
  readonly gitCommit: string;
  readonly buildTags: string;
  readonly goVersion: string;
  readonly buildDeps: readonly Module[];
  readonly cosmosSdkVersion: string;
}
const VERSION_INFO = table<VersionInfo>(`${PACKAGE}.VersionInfo`, [
  string(1, 'name', TEXT_MAX),
  string(2, 'appName', TEXT_MAX),
  string(3, 'version', TEXT_MAX),
  string(4, 'gitCommit', TEXT_MAX),
  string(5, 'buildTags', TEXT_MAX),
  string(6, 'goVersion', TEXT_MAX),
  repeated(7, 'buildDeps', MODULE, 1),
  string(8, 'cosmosSdkVersion', TEXT_MAX),
]);

export interface NodeInfoAnswer {
  readonly defaultNodeInfo: DefaultNodeInfo | undefined;
  readonly applicationVersion: VersionInfo | undefined;
}
export const NODE_INFO_ANSWER = table<NodeInfoAnswer>(`${PACKAGE}.GetNodeInfoResponse`, [
  optional(1, 'defaultNodeInfo', DEFAULT_NODE_INFO),
  optional(2, 'applicationVersion', VERSION_INFO),
]);

export function nodeInfo(ctx: RpcContext): NodeInfoAnswer {
  const { protocol_version, id, listen_addr, network, version, channels, moniker, other } = nodeInfoJson(ctx);
  const { p2p, block, app } = protocol_version;
  return {
    defaultNodeInfo: {
      protocolVersion: { p2p: Number(p2p), block: Number(block), app: Number(app) },
      defaultNodeId: id,
      listenAddr: listen_addr,
      network,
      version,
      channels: hex(channels),
      moniker,
      other: { txIndex: other.tx_index, rpcAddress: other.rpc_address },
    },
    applicationVersion: {
      name: 'orrery',
      appName: 'orrery',
      version: ctx.identity.version,
      gitCommit: '',
      buildTags: '',
      goVersion: '',
      buildDeps: [],
      cosmosSdkVersion: COSMOS_SDK_VERSION,
    },
  };
}
