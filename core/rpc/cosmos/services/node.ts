/** cosmos.base.node.v1beta1: settings and state of the node itself. */
import { bytes, optional, string, uint64 } from '../../../codec/fields.ts';
import { table } from '../../../codec/proto.ts';
import { TIMESTAMP } from '../../../codec/time.ts';
import { formatProtoTime } from '../../../codec/timeText.ts';
import { toBase64 } from '../../../lib/base64.ts';
import { type Bytes, EMPTY } from '../../../lib/bytes.ts';
import type { Timestamp } from '../../../types/ids.ts';
import { type ServiceMethod, serviceMethod } from '../service.ts';

const SERVICE = 'cosmos.base.node.v1beta1.Service';
const ROOT = '/cosmos/base/node/v1beta1';
const PACKAGE = 'cosmos.base.node.v1beta1';

interface Config {
  readonly minimumGasPrice: string;
  readonly pruningKeepRecent: string;
  readonly pruningInterval: string;
  readonly haltHeight: number;
}
interface Status {
  readonly earliestStoreHeight: number;
  readonly height: number;
  readonly timestamp: Timestamp | undefined;
  readonly appHash: Bytes;
  readonly validatorHash: Bytes;
}

export const nodeMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'Config',
    path: `${ROOT}/config`,
    doc: 'Settings that clients look at: the price of the next block is the least that gets in.',
    request: table<object>(`${PACKAGE}.ConfigRequest`, []),
    response: table<Config>(`${PACKAGE}.ConfigResponse`, [
      string(1, 'minimumGasPrice', 256),
      string(2, 'pruningKeepRecent', 256),
      string(3, 'pruningInterval', 256),
      uint64(4, 'haltHeight'),
    ]),
    run: ({ ctx }) => ({
      minimumGasPrice: `${ctx.chain.leastGasPrice()}${ctx.chain.denom}`,
      pruningKeepRecent: '0',
      pruningInterval: '0',
      haltHeight: 0,
    }),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'Status',
    path: `${ROOT}/status`,
    doc: 'The heights this node has, and the newest.',
    request: table<object>(`${PACKAGE}.StatusRequest`, []),
    response: table<Status>(`${PACKAGE}.StatusResponse`, [
      uint64(1, 'earliestStoreHeight'),
      uint64(2, 'height'),
      optional(3, 'timestamp', TIMESTAMP),
      bytes(4, 'appHash', 64),
      bytes(5, 'validatorHash', 64),
    ]),
    run: ({ ctx }) => {
      const height = ctx.chain.head();
      const header = ctx.chain.blockMeta(height)?.header;
      return {
        earliestStoreHeight: ctx.chain.base(),
        height,
        timestamp: header?.time ?? ctx.genesis.genesisTime,
        appHash: ctx.chain.results(height)?.appHash ?? EMPTY,
        validatorHash: header?.nextValidatorsHash ?? EMPTY,
      };
    },
    renderRest: ({ earliestStoreHeight, height, timestamp, appHash, validatorHash }) => ({
      earliest_store_height: String(earliestStoreHeight),
      height: String(height),
      timestamp: timestamp === undefined ? null : formatProtoTime(timestamp),
      app_hash: toBase64(appHash),
      validator_hash: toBase64(validatorHash),
    }),
  }),
];
