import { present } from '../../../core/lib/assert.ts';
import { to0xHex, toHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type PrecompileCall, precompileCalls } from '../../reference/precompileCalls.ts';
import { eth, unlike } from '../questions.ts';
import { CONTRACT, isPretended, word } from './pretences.ts';

/** Calls for each node: few, because pairings take long. */
const CALLS = 2;
/** Gas given to the precompile, all of which a failure uses up. */
const GAS = 1_000_000n;
/** PUSH0, PUSH0, CALLDATASIZE, PUSH0, PUSH2, PUSH4, STATICCALL of a warm address, GAS. */
const CALLING = 4n * 2n + 2n * 3n + 100n + 2n;

/** Passes its calldata to the precompile, and returns the gas used, whether the call succeeded, and its output. */
const caller = (address: number): string => {
  const to = address.toString(16).padStart(4, '0');
  const gas = GAS.toString(16).padStart(8, '0');
  return `0x365f5f37 5a 5f5f365f61${to}63${gas}fa 5a 91829003 5f52 602052 3d5f60403e 3d604001 5ff3`.replaceAll(
    ' ',
    '',
  );
};

/** Precompiles return the known outputs for the gas that their EIPs name. */
export async function wrongPrecompiles(rpc: RpcContext): Promise<string | undefined> {
  if (!isPretended(rpc)) return undefined;
  // Calls are chosen by the head's hash, so that every run of a seed chooses the same.
  const [high = 0, low = 0] = present(rpc.chain.ethBlock(rpc.chain.head()), 'the head').hash;
  for (const { what, address, input, output, cost } of precompileCalls(256 * high + low, CALLS)) {
    const code = { [CONTRACT]: { code: caller(address) } };
    const told = await eth(rpc, 'eth_call', [{ to: CONTRACT, data: to0xHex(input) }, 'latest', code]);
    const problem = unlike(`a call of precompile ${address} for ${what}`, told, answerOf(output, cost));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function answerOf(output: PrecompileCall['output'], cost: bigint): string {
  const taken = CALLING + (output === undefined ? GAS : cost);
  return `0x${word(taken)}${word(output === undefined ? 0n : 1n)}${output === undefined ? '' : toHex(output)}`;
}
