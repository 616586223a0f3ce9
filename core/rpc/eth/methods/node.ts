/** web3, net, personal, and facts about the node. */
import { to0xHex } from '../../../lib/bytes.ts';
import { headNumber } from '../blockId.ts';
import { quantity } from '../goHex.ts';
import { type EthMethod, method } from '../method.ts';
import { DATA } from '../params.ts';
import { ownAddresses } from '../submit.ts';

const ALWAYS_ON = 'rpc';

export const nodeMethods: readonly EthMethod[] = [
  method({
    method: 'web3_clientVersion',
    params: [],
    result: 'string',
    doc: 'Name and version of the node.',
    run: ({ ctx }) => `Orrery/v${ctx.identity.version}`,
  }),
  method({
    method: 'web3_sha3',
    params: [DATA],
    result: '32-byte hash',
    doc: 'keccak256 of the bytes.',
    run: ({ ctx }, data) => to0xHex(ctx.suite.keccak256(data)),
  }),
  method({
    method: 'net_version',
    params: [],
    result: 'decimal string',
    doc: 'The EVM chain id in decimal.',
    run: ({ ctx }) => ctx.chain.evmChainId.toString(),
  }),
  method({
    method: 'net_listening',
    params: [],
    result: 'boolean',
    doc: 'Whether the node takes connections.',
    run: () => true,
  }),
  method({
    method: 'net_peerCount',
    params: [],
    result: 'quantity',
    doc: 'Connected p2p peers.',
    run: ({ ctx }) => quantity(ctx.peerCount?.() ?? 0),
  }),
  method({
    method: 'eth_chainId',
    params: [],
    result: 'quantity',
    doc: 'The EVM chain id (EIP-155).',
    run: ({ ctx }) => quantity(ctx.chain.evmChainId),
  }),
  method({
    method: 'eth_syncing',
    params: [],
    result: 'false or object',
    doc: 'false, or the progress while the node is behind its peers.',
    run: ({ ctx }) => {
      if (!ctx.catchingUp()) return false;
      const head = quantity(headNumber(ctx.chain));
      return { startingBlock: quantity(ctx.chain.base()), currentBlock: head, highestBlock: head };
    },
  }),
  method({
    method: 'eth_accounts',
    params: [],
    result: 'address[]',
    doc: 'Accounts the node can sign for.',
    run: ({ ctx }) => ownAddresses(ctx),
  }),
  method({
    method: 'rpc_modules',
    params: [],
    result: '{namespace: version}',
    doc: 'Enabled namespaces.',
    run: ({ ctx }) => Object.fromEntries([...ctx.limits.namespaces, ALWAYS_ON].map((name) => [name, '1.0'])),
  }),
];
