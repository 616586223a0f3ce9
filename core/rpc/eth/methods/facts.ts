/** Facts about the chain and this node, for wallets, routers and operators. */

import { HISTORY_ADDRESS } from '../../../app/evm/systemContracts.ts';
import { EMPTY, to0xHex } from '../../../lib/bytes.ts';
import { crc32 } from '../../../lib/crc32.ts';
import { FORKS, type ForkName } from '../../../types/fork.ts';
import type { RpcContext } from '../../context.ts';
import { serverError } from '../../rpcError.ts';
import { headNumber } from '../blockId.ts';
import { quantity } from '../goHex.ts';
import { type EthMethod, method } from '../method.ts';

/** Precompiles with their EIP-7910 names. */
const PRECOMPILES: readonly (readonly [string, number, ForkName])[] = [
  ['ECREC', 0x01, 'berlin'],
  ['SHA256', 0x02, 'berlin'],
  ['RIPEMD160', 0x03, 'berlin'],
  ['ID', 0x04, 'berlin'],
  ['MODEXP', 0x05, 'berlin'],
  ['BN254_ADD', 0x06, 'berlin'],
  ['BN254_MUL', 0x07, 'berlin'],
  ['BN254_PAIRING', 0x08, 'berlin'],
  ['BLAKE2F', 0x09, 'berlin'],
  ['KZG_POINT_EVALUATION', 0x0a, 'cancun'],
  ['BLS12_G1ADD', 0x0b, 'prague'],
  ['BLS12_G1MSM', 0x0c, 'prague'],
  ['BLS12_G2ADD', 0x0d, 'prague'],
  ['BLS12_G2MSM', 0x0e, 'prague'],
  ['BLS12_PAIRING_CHECK', 0x0f, 'prague'],
  ['BLS12_MAP_FP_TO_G1', 0x10, 'prague'],
  ['BLS12_MAP_FP2_TO_G2', 0x11, 'prague'],
  ['P256VERIFY', 0x100, 'osaka'],
];

/** The EIP-7910 configuration. The rules apply from genesis on and never change; blobs are never accepted. */
function configJson(ctx: RpcContext) {
  const { chain } = ctx;
  const rank = FORKS.indexOf(chain.fork);
  const precompiles = PRECOMPILES.filter(([, , since]) => FORKS.indexOf(since) <= rank).map(([name, id]) => [
    name,
    `0x${id.toString(16).padStart(40, '0')}`,
  ]);
  const genesisHash = chain.ethBlock(0)?.hash;
  const forkId = genesisHash === undefined ? 0 : crc32(genesisHash);
  const hasHistory = rank >= FORKS.indexOf('prague');
  return {
    activationTime: 0,
    blobSchedule: rank >= FORKS.indexOf('cancun') ? { baseFeeUpdateFraction: 0, max: 0, target: 0 } : null,
    chainId: quantity(chain.evmChainId),
    forkId: `0x${forkId.toString(16).padStart(8, '0')}`,
    precompiles: Object.fromEntries(precompiles),
    systemContracts: hasHistory ? { HISTORY_STORAGE_ADDRESS: to0xHex(HISTORY_ADDRESS) } : {},
  };
}

function capabilitiesJson({ chain }: RpcContext) {
  const head = chain.head();
  const hash = chain.ethBlock(head)?.hash ?? EMPTY;
  const oldest = chain.ethBlock(0) === undefined ? chain.base() : chain.genesisNumber();
  const kept = { disabled: false, oldestBlock: quantity(oldest) };
  return {
    head: { number: quantity(headNumber(chain)), hash: to0xHex(hash) },
    state: kept,
    tx: kept,
    logs: kept,
    receipts: kept,
    blocks: kept,
    stateproofs: kept,
  };
}

/** The account that receives the tips of blocks that this node proposes. */
function coinbase(ctx: RpcContext): string {
  const validator = ctx.identity.validator;
  if (validator === undefined) throw serverError('etherbase must be explicitly specified');
  return to0xHex(validator.address);
}

export const factMethods: readonly EthMethod[] = [
  method({
    method: 'eth_config',
    params: [],
    result: '{current, next, last}',
    doc: 'Rules in force (EIP-7910). They hold from genesis on, so there is no next and no last.',
    run: ({ ctx }) => ({ current: configJson(ctx), next: null, last: null }),
  }),
  method({
    method: 'eth_capabilities',
    params: [],
    result: 'object',
    doc: 'The head, and from which block on state, transactions, logs, receipts, blocks and proofs are kept.',
    run: ({ ctx }) => capabilitiesJson(ctx),
  }),
  method({
    method: 'eth_coinbase',
    params: [],
    result: 'address',
    doc: 'Account that earns the tips of blocks proposed here. Not a validator: -32000.',
    run: ({ ctx }) => coinbase(ctx),
  }),
  method({
    method: 'eth_blobBaseFee',
    params: [],
    result: 'quantity',
    doc: 'Always the least, 1 wei: no blobs are taken.',
    run: () => '0x1',
  }),
  method({
    method: 'eth_protocolVersion',
    params: [],
    result: 'quantity',
    doc: 'Version of the Ethereum wire protocol whose transactions and blocks are spoken of: 65.',
    run: () => '0x41',
  }),
  method({
    method: 'eth_mining',
    params: [],
    result: 'boolean',
    doc: 'Whether this node may propose blocks.',
    run: ({ ctx }) => ctx.identity.validator !== undefined,
  }),
  method({
    method: 'eth_hashrate',
    params: [],
    result: 'quantity',
    doc: 'Always zero: there is no proof of work.',
    run: () => '0x0',
  }),
];
