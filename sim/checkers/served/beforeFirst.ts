import { CometSession } from '../../../core/rpc/comet/session.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { EthSession } from '../../../core/rpc/eth/session.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { readOut, Wire } from '../../clients/wire.ts';
import { comet, eth, fieldsOf, firstOf, listOf, rest, unlike } from '../questions.ts';
import { STRANGER } from './pretences.ts';

/** CometBFT's code for a method that fails, and geth's. */
const [INTERNAL, SERVER_ERROR] = [-32603, -32000];
/** gRPC status codes. */
const [UNKNOWN, INVALID_ARGUMENT] = [2, 3];
const WIRE_BYTES = 1_000_000;

/** Where the chain begins above height 1, no API has a block below the first, and each says so in its own words. */
export async function wrongBeforeFirst(rpc: RpcContext): Promise<string | undefined> {
  const first = firstOf(rpc.chain);
  if (first === 1) return undefined;
  return (
    (await wrongComet(rpc, first)) ??
    (await wrongRest(rpc, first)) ??
    (await wrongEth(rpc, first)) ??
    (await wrongSubscriptions(rpc, first))
  );
}

const wordsOf = (height: number, first: number): string =>
  `height ${height} is not available, lowest height is ${first}`;

async function wrongComet(rpc: RpcContext, first: number): Promise<string | undefined> {
  for (const height of new Set([1, first - 1]))
    for (const method of ['block', 'block_results', 'header', 'commit', 'validators', 'consensus_params']) {
      const { code, data } = fieldsOf(await comet(rpc, method, { height: String(height) }), 'refused');
      const truth = [INTERNAL, wordsOf(height, first)];
      const problem = unlike(`${method} ${height}, before the first block,`, [code, data], truth);
      if (problem !== undefined) return problem;
    }
  const range = (minHeight: number, maxHeight: number): Promise<Fields> =>
    comet(rpc, 'blockchain', { minHeight: String(minHeight), maxHeight: String(maxHeight) });
  const last = Math.min(first + 1, rpc.chain.head());
  const told = listOf(await range(1, last), 'block_metas').map(({ header }) => (header as Fields)['height']);
  const truth = Array.from({ length: last - first + 1 }, (_, i) => String(last - i));
  const none = fieldsOf(await range(1, first - 1), 'refused');
  const words = `min height ${first} can't be greater than max height ${first - 1}`;
  return (
    unlike(`blockchain from 1 to ${last}`, told, truth) ??
    unlike('blockchain before the first block', [none['code'], none['data']], [INTERNAL, words])
  );
}

async function wrongRest(rpc: RpcContext, first: number): Promise<string | undefined> {
  const before = first - 1;
  for (const path of [
    `/cosmos/base/tendermint/v1beta1/blocks/${before}`,
    `/cosmos/base/tendermint/v1beta1/validatorsets/${before}`,
    `/cosmos/tx/v1beta1/txs/block/${before}`,
  ]) {
    const { code, message } = await rest(rpc, path);
    const problem = unlike(path, [code, message], [UNKNOWN, wordsOf(before, first)]);
    if (problem !== undefined) return problem;
  }
  const { code } = await rest(rpc, '/chain/feemarket/v1/base_fee', '', before);
  return unlike(`the base fee at ${before}, before the first block,`, code, INVALID_ARGUMENT);
}

/** Genesis is the block before the first one, and is found by 0 too. */
async function wrongEth(rpc: RpcContext, first: number): Promise<string | undefined> {
  const genesis = rpc.chain.genesisNumber();
  for (const number of new Set([1, genesis - 1].filter((one) => one > 0 && one < genesis))) {
    const at = quantity(number);
    for (const [method, params] of [
      ['eth_getBlockByNumber', [at, false]],
      ['eth_getBlockReceipts', [at]],
      ['eth_getBlockTransactionCountByNumber', [at]],
      ['eth_getTransactionByBlockNumberAndIndex', [at, '0x0']],
    ] as const) {
      const problem = unlike(`${method} ${at}, before genesis,`, await eth(rpc, method, params), null);
      if (problem !== undefined) return problem;
    }
    for (const [method, params] of [
      ['eth_getBalance', [STRANGER, at]],
      ['eth_call', [{ to: STRANGER }, at]],
      ['eth_getProof', [STRANGER, [], at]],
    ] as const) {
      const { code, message } = fieldsOf((await eth(rpc, method, params)) as Fields, 'refused');
      const truth = [SERVER_ERROR, 'header not found'];
      const problem = unlike(`${method} at ${at}, before genesis,`, [code, message], truth);
      if (problem !== undefined) return problem;
    }
  }
  const logs = (fromBlock: number, toBlock: number): Promise<unknown> =>
    eth(rpc, 'eth_getLogs', [{ fromBlock: quantity(fromBlock), toBlock: quantity(toBlock) }]);
  return (
    unlike('logs before the first block', await logs(1, first - 1), []) ??
    unlike('logs from 1 on', await logs(1, first), await logs(first, first))
  );
}

/** Whoever subscribes from a block that there never was is refused: it must not take the gap for silence. */
async function wrongSubscriptions(rpc: RpcContext, first: number): Promise<string | undefined> {
  const wire = new Wire(0, WIRE_BYTES);
  const session = new CometSession(rpc, wire, 'before');
  const params = { query: "tm.event='NewBlock'", from_height: String(first - 1) };
  await session.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params }));
  const [told] = await readOut(wire, session);
  session.closed();
  const refusal = (text: string | undefined): Fields => fieldsOf(JSON.parse(text ?? '{}') as Fields, 'error');
  const problem = unlike(
    `a subscription from ${first - 1}`,
    refusal(told)['data'],
    wordsOf(first - 1, first),
  );
  if (problem !== undefined || rpc.chain.genesisNumber() < 2) return problem;
  const ethWire = new Wire(0, WIRE_BYTES);
  const ethSession = new EthSession(rpc, ethWire);
  const from = { fromBlock: quantity(1) };
  await ethSession.receive(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads', from] }),
  );
  const [ethTold] = await readOut(ethWire, ethSession);
  ethSession.closed();
  const words = `block 1 is not available, lowest is ${first}`;
  return unlike('eth_subscribe from block 1', refusal(ethTold)['message'], words);
}
