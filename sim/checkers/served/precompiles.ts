import { present } from '../../../core/lib/assert.ts';
import { to0xHex, toHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type PrecompileCall, precompileCalls } from '../../reference/precompileCalls.ts';
import { eth, unlike } from '../questions.ts';
import { CONTRACT, isPretended, word } from './pretences.ts';

/** Asked of one node at a time: pairings take long. */
const CALLS = 2;
/** What is left to one that fails takes all of it. */
const GAS = 1_000_000n;
/** PUSH0, PUSH0, CALLDATASIZE, PUSH0, PUSH2, PUSH4, STATICCALL of who is warm, GAS. */
const CALLING = 4n * 2n + 2n * 3n + 100n + 2n;

/** Hands on what it is given; answers with the gas that took, whether it went well, and what came back. */
const caller = (address: number): string => {
  const to = address.toString(16).padStart(4, '0');
  const gas = GAS.toString(16).padStart(8, '0');
  return `0x365f5f37 5a 5f5f365f61${to}63${gas}fa 5a 91829003 5f52 602052 3d5f60403e 3d604001 5ff3`.replaceAll(
    ' ',
    '',
  );
};

/** Precompiled contracts answer what is known of them, for the gas that their EIPs name. */
export async function wrongPrecompiles(rpc: RpcContext): Promise<string | undefined> {
  if (!isPretended(rpc)) return undefined;
  // Which ones: by lot, and the same in every run of a seed.
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
