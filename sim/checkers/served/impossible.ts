import { toEip55 } from '../../../core/address/eip55.ts';
import { hex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { eth, fieldsOf, unlike } from '../questions.ts';
import { CONTRACT, IDENTITY, MOVED } from './pretences.ts';

const SERVER_ERROR = -32000;
const shown = (address: string): string => toEip55(hex(address.slice(2)));

/** Arguments that fit no call, and the refusal: in geth's words, and for blobs as for blob transactions. */
interface Impossible {
  readonly call?: Fields;
  readonly state?: Fields;
  readonly block?: Fields;
  readonly words: string;
}

const impossible = ({ chain }: RpcContext): readonly Impossible[] => [
  {
    state: { [CONTRACT]: { state: {}, stateDiff: {} } },
    words: `account ${shown(CONTRACT)} has both 'state' and 'stateDiff'`,
  },
  {
    state: { [CONTRACT]: { movePrecompileToAddress: MOVED } },
    words: `account ${shown(CONTRACT)} is not a precompile`,
  },
  {
    state: { [IDENTITY]: { movePrecompileToAddress: MOVED }, [MOVED]: { nonce: '0x1' } },
    words: `account ${shown(MOVED)} is already overridden`,
  },
  {
    block: { withdrawals: [] },
    words: 'block override "withdrawals" is not supported for this RPC method',
  },
  {
    block: { beaconRoot: `0x${'00'.repeat(32)}` },
    words: 'block override "beaconRoot" is not supported for this RPC method',
  },
  ...['maxFeePerGas', 'maxPriorityFeePerGas'].map((field) => ({
    call: { gasPrice: '0x1', [field]: '0x1' },
    words: 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
  })),
  {
    call: { chainId: quantity(chain.evmChainId + 1n) },
    words: `chainId does not match node's (have=${chain.evmChainId + 1n}, want=${chain.evmChainId})`,
  },
  { call: { blobVersionedHashes: [] }, words: 'transaction type not supported' },
];

/** A call with impossible arguments or overrides is refused by every method that runs one, with the right reason. */
export async function wrongImpossible(rpc: RpcContext): Promise<string | undefined> {
  const asking = (
    call: Fields,
    state: Fields,
    block: Fields,
  ): readonly (readonly [method: string, params: readonly unknown[]])[] => [
    ['eth_call', [call, 'latest', state, block]],
    ['eth_estimateGas', [call, 'latest', state, block]],
    ['debug_traceCall', [call, 'latest', { stateOverrides: state, blockOverrides: block }]],
    ...(Object.keys(block).length === 0
      ? ([['eth_createAccessList', [call, 'latest', state]]] as const)
      : []),
  ];
  for (const { call = {}, state = {}, block = {}, words } of impossible(rpc))
    for (const [method, params] of asking({ to: CONTRACT, ...call }, state, block)) {
      const told = (await eth(rpc, method, params)) as Fields;
      const { code, message } = fieldsOf(told ?? {}, 'refused');
      const problem = unlike(`${method} that cannot be`, [code, message], [SERVER_ERROR, words]);
      if (problem !== undefined) return problem;
    }
  const creation = { data: '0x00', authorizationList: [] };
  const told = (await eth(rpc, 'eth_call', [creation, 'latest'])) as Fields;
  const words = 'EIP-7702 transaction cannot be used to create contract';
  return unlike('a creation with authorizations', fieldsOf(told ?? {}, 'refused')['message'], words);
}
