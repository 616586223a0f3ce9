import { toBase64 } from '../../../core/lib/base64.ts';
import { hex, to0xHex } from '../../../core/lib/bytes.ts';
import { decodeUtf8, encodeUtf8 } from '../../../core/lib/utf8.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { bytesOf, eth, heightsOf, rest, unlike } from '../questions.ts';
import { tellerOf } from './calls.ts';
import { answerOf, CONTRACT, code, isPretended, SENDER, slots } from './pretences.ts';

const EVM = '/chain/evm/v1';
/** gRPC's InvalidArgument. */
const INVALID = 3;
const MINER = '7c'.repeat(20);
const REVERTER = '0x602a5f5260205ffd';
const GAS = 100_000n;
/** Intrinsic gas, and GAS itself. */
const BEFORE_GAS = 21_000n + 2n;

const base64 = (bytes: Uint8Array): string => encodeURIComponent(toBase64(bytes));
const packed = (value: unknown): string => base64(encodeUtf8(JSON.stringify(value)));

/** Calls, estimates and traces by the Cosmos API, with every argument besides the call. */
export async function wrongRestCalls(rpc: RpcContext): Promise<string | undefined> {
  const { chain, limits } = rpc;
  const height = heightsOf(chain).at(-2) ?? chain.head();
  if (!isPretended(rpc) || chain.view(height) === undefined) return undefined;
  const call = { from: SENDER, to: CONTRACT };
  const ask = (method: string, program: string, more: string, args: Fields = call) =>
    rest(rpc, `${EVM}/${method}`, `args=${packed(args)}&overrides=${packed(code(program))}${more}`, height);
  const returned = async (program: string, more: string, args?: Fields): Promise<string> =>
    to0xHex(bytesOf((await ask('eth_call', program, more, args))['ret']));
  const reverted = await ask('eth_call', REVERTER, '');
  const estimated = await ask('estimate_gas', REVERTER, '');
  const elsewhere = await ask('eth_call', REVERTER, `&chain_id=${chain.evmChainId + 1n}`);
  const own = await ask('eth_call', tellerOf(['43']), `&chain_id=${chain.evmChainId}`);
  const gas = tellerOf(['5a']);
  return (
    unlike(
      'a call in the block of another proposer',
      await returned(tellerOf(['41']), `&proposer_address=${base64(hex(MINER))}`),
      answerOf(BigInt(`0x${MINER}`)),
    ) ??
    unlike('a call that has a cap', await returned(gas, `&gas_cap=${GAS}`), answerOf(GAS - BEFORE_GAS)) ??
    unlike(
      'a call whose cap is above what is given',
      await returned(gas, `&gas_cap=${limits.gasCap + 1n}`),
      answerOf(limits.gasCap - BEFORE_GAS),
    ) ??
    unlike(
      'a call with more gas than its cap',
      await returned(gas, `&gas_cap=${GAS}`, { ...call, gas: quantity(GAS + 1n) }),
      answerOf(GAS - BEFORE_GAS),
    ) ??
    unlike(
      'a call with less gas than its cap',
      await returned(gas, `&gas_cap=${GAS}`, { ...call, gas: quantity(GAS - 1n) }),
      answerOf(GAS - 1n - BEFORE_GAS),
    ) ??
    unlike(
      'a call that reverts',
      [to0xHex(bytesOf(reverted['ret'])), reverted['vm_error']],
      [answerOf(42n), 'execution reverted'],
    ) ??
    unlike(
      'an estimate of what reverts',
      [estimated['gas'], to0xHex(bytesOf(estimated['ret'])), estimated['vm_error']],
      ['0', answerOf(42n), 'execution reverted'],
    ) ??
    unlike('a call on another chain', elsewhere['code'], INVALID) ??
    unlike('a call on this chain', to0xHex(bytesOf(own['ret'])), answerOf(BigInt(height))) ??
    (await wrongTraced(rpc, height))
  );
}

/** A trace of a call at a height, and of a block by its hash, equal those of JSON-RPC. */
async function wrongTraced(rpc: RpcContext, height: number): Promise<string | undefined> {
  const call = { from: SENDER, to: CONTRACT };
  const config = {
    tracer: 'callTracer',
    stateOverrides: code(tellerOf(['43', '5f54']), { state: slots(7n) }),
  };
  const traced = async (method: string, query: string): Promise<unknown> => {
    const { data } = await rest(rpc, `${EVM}/${method}`, query, height);
    return JSON.parse(decodeUtf8(bytesOf(data)) || 'null');
  };
  const told = await traced('trace_call', `args=${packed(call)}&trace_config=${packed(config)}`);
  const block = rpc.chain.ethBlock(height);
  const shown = (await eth(rpc, 'debug_traceCall', [call, quantity(height), config])) as Fields;
  const problem =
    unlike('the output of a traced call', shown['output'], answerOf(BigInt(height), 7n)) ??
    unlike('trace_call', told, shown);
  if (problem !== undefined || block === undefined || rpc.chain.view(height - 1) === undefined)
    return problem;
  const name = to0xHex(block.hash);
  const plain = { tracer: 'callTracer' };
  return unlike(
    'trace_block by its hash',
    await traced('trace_block', `block_hash=${name}&trace_config=${packed(plain)}`),
    await eth(rpc, 'debug_traceBlockByHash', [name, plain]),
  );
}
