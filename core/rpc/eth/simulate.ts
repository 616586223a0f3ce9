/**
 * eth_simulateV1 (execution-apis; geth's internal/ethapi/simulate.go): the rules of the simulated chain, and the
 * response.
 */
import type { EthBlock, EthLog, EthTx, View } from '../../app/chain.ts';
import type {
  SimulatedBlock,
  SimulatedCall,
  SimulatedResult,
  Simulation,
  SimulationRefusal,
} from '../../app/evmService.ts';
import { to0xHex } from '../../lib/bytes.ts';
import type { RpcContext } from '../context.ts';
import { CODES, invalidParams, RpcError, serverError } from '../rpcError.ts';
import { callFault, overridesFault, type TransactionArgs, toCallArgs } from './callArgs.ts';
import { quantity } from './goHex.ts';
import { blockJson, logJson } from './render.ts';
import { outcomeError } from './revert.ts';
import { encodeUnsigned, type FilledTx, typeOf } from './signTx.ts';
import type { SimulatedInput, SimulateOptions } from './simulateArgs.ts';
import { TransferLogs } from './tracers/transferLogs.ts';

/** geth's maxSimulateBlocks. */
const BLOCKS_MAX = 256;
/** Seconds between blocks without an explicit time: Ethereum's slot, as in geth. */
const BLOCK_SECONDS = 12;
const ZERO_ADDRESS = new Uint8Array(20);

const REFUSAL_CODES: Readonly<Record<SimulationRefusal['code'], number>> = {
  'nonce-too-low': -38010,
  'nonce-too-high': -38011,
  'fee-cap-too-low': -38012,
  intrinsic: -38013,
  funds: -38014,
  'init-code': -38025,
  fees: CODES.invalidParams,
  other: CODES.internal,
};
const BLOCK_GAS_LIMIT = -38015;
const NUMBER_ORDER = -38020;
const TIMESTAMP_ORDER = -38021;
const VM_ERROR = -32015;

interface PlannedBlock extends SimulatedBlock {
  readonly calls: readonly TransactionArgs[];
}

const tooManyBlocks = (): RpcError => new RpcError(CODES.clientLimit, 'too many blocks');

/** Plans blocks with increasing numbers and times: fills in omitted values, and gaps with empty blocks. */
function planBlocks(
  base: { readonly number: number; readonly timestamp: number },
  inputs: readonly SimulatedInput[],
): readonly PlannedBlock[] {
  const plan: PlannedBlock[] = [];
  let { number, timestamp } = base;
  for (const { header, state, calls } of inputs) {
    const wanted = header?.number ?? BigInt(number) + 1n;
    if (wanted <= BigInt(number))
      throw new RpcError(NUMBER_ORDER, `block numbers must be in order: ${wanted} <= ${number}`);
    if (wanted - BigInt(base.number) > BigInt(BLOCKS_MAX)) throw tooManyBlocks();
    for (number++; BigInt(number) < wanted; number++) {
      timestamp += BLOCK_SECONDS;
      plan.push({ number, timestamp, calls: [] });
    }
    const time = header?.time ?? BigInt(timestamp + BLOCK_SECONDS);
    if (time <= BigInt(timestamp))
      throw new RpcError(TIMESTAMP_ORDER, `block timestamps must be in order: ${time} <= ${timestamp}`);
    if (time > BigInt(Number.MAX_SAFE_INTEGER)) throw invalidParams('block timestamp out of range');
    timestamp = Number(time);
    plan.push({ number, timestamp, header, state, calls });
  }
  return plan;
}

/** Gas left for all calls of one request together. */
interface Budget {
  left: bigint;
}

function sanitized(
  ctx: RpcContext,
  args: TransactionArgs,
  simulation: Simulation,
  budget: Budget,
): SimulatedCall {
  const fault = callFault(args, ctx.chain.evmChainId);
  if (fault !== undefined) throw serverError(fault);
  const { gasLimit, gasUsed } = simulation;
  const asked = args.gas ?? gasLimit - gasUsed;
  if (gasUsed + asked > gasLimit)
    throw new RpcError(BLOCK_GAS_LIMIT, `block gas limit reached: ${gasUsed} >= ${gasLimit}`);
  const gas = asked > budget.left ? budget.left : asked;
  const from = args.from ?? ZERO_ADDRESS;
  return { ...toCallArgs(args, gas), from, gas, nonce: args.nonce ?? simulation.nonceOf(from) };
}

/** The call as an unsigned transaction. */
function unsignedTx(ctx: RpcContext, args: TransactionArgs, call: SimulatedCall): EthTx {
  const { from, to, nonce, gas, value, data, authorizationList } = call;
  const isLegacy = call.gasPrice !== undefined;
  const maxFeePerGas = call.gasPrice ?? call.maxFeePerGas ?? 0n;
  const maxPriorityFeePerGas = call.gasPrice ?? call.maxPriorityFeePerGas ?? 0n;
  const filled: FilledTx = {
    chainId: ctx.chain.evmChainId,
    nonce,
    fees: isLegacy ? { gasPrice: maxFeePerGas } : { maxFeePerGas, maxPriorityFeePerGas },
    gas,
    to,
    value,
    data,
    accessList: isLegacy ? undefined : (args.accessList ?? []),
    authorizationList,
  };
  const raw = encodeUnsigned(filled);
  return {
    type: typeOf(filled),
    hash: ctx.suite.keccak256(raw),
    raw,
    from,
    to,
    nonce,
    gasLimit: gas,
    value,
    data,
    chainId: isLegacy ? undefined : filled.chainId,
    gasPrice: isLegacy ? maxFeePerGas : undefined,
    maxFeePerGas,
    maxPriorityFeePerGas,
    accessList: filled.accessList ?? [],
    authorizationList,
    v: 0n,
    r: 0n,
    s: 0n,
  };
}

interface Ran {
  readonly result: SimulatedResult;
  readonly logs: readonly Omit<EthLog, 'logIndex'>[];
}

function errorOf({ vmError, returnValue, gasUsed }: SimulatedResult) {
  if (vmError === undefined) return {};
  if (vmError !== 'execution reverted') return { error: { message: vmError, code: VM_ERROR } };
  const { message, code, data } = outcomeError({ kind: 'reverted', data: returnValue, gasUsed });
  return { error: { message, code, data } };
}

function callsJson(block: EthBlock, ran: readonly Ran[]): readonly unknown[] {
  let logIndex = 0;
  return ran.map(({ result, logs }, txIndex) => ({
    // As in geth, the data of a reverted call appears only in its error.
    returnData: result.vmError === undefined ? to0xHex(result.returnValue) : '0x',
    logs: logs.map((log) => logJson(block, txIndex, { ...log, logIndex: logIndex++ })),
    gasUsed: quantity(result.gasUsed),
    maxUsedGas: quantity(result.gasPeak),
    status: result.vmError === undefined ? '0x1' : '0x0',
    ...errorOf(result),
  }));
}

async function runBlock(
  ctx: RpcContext,
  simulation: Simulation,
  planned: PlannedBlock,
  options: SimulateOptions,
  budget: Budget,
): Promise<unknown> {
  const fault = planned.state && overridesFault(planned.state, (address) => ctx.evm.isPrecompile(address));
  if (fault !== undefined) throw serverError(fault);
  simulation.begin(planned);
  const ran: Ran[] = [];
  const transactions: EthTx[] = [];
  for (const args of planned.calls) {
    const call = sanitized(ctx, args, simulation, budget);
    const transfers = options.traceTransfers ? new TransferLogs() : undefined;
    const answer = await simulation.run(call, transfers);
    if (!answer.ok) {
      const { code, message } = answer.error;
      throw new RpcError(REFUSAL_CODES[code], `err: ${message} (supplied gas ${call.gas})`);
    }
    const result = answer.value;
    budget.left -= result.gasUsed;
    ran.push({ result, logs: transfers?.logs() ?? result.logs });
    transactions.push(unsignedTx(ctx, args, call));
    await ctx.pause?.();
  }
  const block = simulation.end(transactions);
  return { ...blockJson(block, options.returnFullTransactions), calls: callsJson(block, ran) };
}

/** Returns one result per block, including the blocks that fill gaps. Throws RpcError. */
export async function simulateBlocks(
  ctx: RpcContext,
  view: View,
  inputs: readonly SimulatedInput[],
  options: SimulateOptions,
): Promise<readonly unknown[]> {
  if (inputs.length === 0) throw invalidParams('empty input');
  if (inputs.length > BLOCKS_MAX) throw tooManyBlocks();
  const simulation = ctx.evm.simulate(view, { validation: options.validation });
  const plan = planBlocks(simulation.parent, inputs);
  const budget = { left: ctx.limits.gasCap };
  const blocks: unknown[] = [];
  for (const planned of plan) {
    blocks.push(await runBlock(ctx, simulation, planned, options, budget));
    await ctx.pause?.();
  }
  return blocks;
}
