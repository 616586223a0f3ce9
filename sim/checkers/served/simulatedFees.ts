import type { CryptoSuite } from '../../../core/crypto/suite.ts';
import { toHex } from '../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import type { FeeMarket } from '../../clients/answers/feeMarket.ts';
import { shown } from '../../difference.ts';
import { receiptBytes } from '../../reference/receiptBytes.ts';
import { listRoot } from '../../reference/trieRoot.ts';
import { eth, hexBytesOf, listOf, unlike } from '../questions.ts';
import { tellerOf } from './calls.ts';
import { CONTRACT, isPretended, RICH, SENDER, STRANGER, slots, TX_GAS, word } from './pretences.ts';

const READER = `0x${'9f'.repeat(20)}`;
const MINER = `0x${'3c'.repeat(20)}`;
/** Clears slot 0, which refunds gas, and logs the topic 7. */
const CLEARER = '0x5f5f5560075f5fa100';
/** EIP-3529: refund for clearing a slot. */
const GIVEN_BACK = 4_800n;
/** So much data that its floor (EIP-7623) is above its cost. */
const [DATA, FLOOR] = [`0x${'ff'.repeat(100)}`, TX_GAS + 100n * 40n];
/** Base fee of the simulated block and what calls offer, in wei. */
const [BASE_FEE, FEE_CAP, TIP, PRICE] = [7n, 10n, 2n, 8n];
/** geth's maxSimulateBlocks, and its code for more. */
const [BLOCKS_MAX, TOO_MANY] = [256n, -38026];

/** What simulated calls pay and to whom, the most gas they use, the root of their receipts, and the limit of blocks. */
export async function wrongSimulatedFees(
  rpc: RpcContext,
  { sha256, keccak256 }: CryptoSuite,
  { collectBaseFee }: FeeMarket,
): Promise<string | undefined> {
  if (!isPretended(rpc)) return undefined;
  const collector = `0x${toHex(sha256(encodeUtf8('fee_collector')).subarray(0, 20))}`;
  const before = BigInt(String(await eth(rpc, 'eth_getBalance', [collector, 'latest'])));
  const call = { from: SENDER, maxFeePerGas: quantity(FEE_CAP), maxPriorityFeePerGas: quantity(TIP) };
  const blockOverrides = { baseFeePerGas: quantity(BASE_FEE), feeRecipient: MINER };
  const balancesOf = [MINER, collector].map((who) => `73${who.slice(2)}31`);
  const stateOverrides = {
    [SENDER]: { balance: quantity(RICH), nonce: '0x0' },
    [CONTRACT]: { code: CLEARER, stateDiff: slots(1n) },
    [READER]: { code: tellerOf([...balancesOf, '41']) },
  };
  const calls = [
    { ...call, to: CONTRACT, gas: quantity(60_000n) },
    { from: SENDER, to: STRANGER, gas: quantity(FLOOR), input: DATA, gasPrice: quantity(PRICE) },
  ];
  const reading = { ...call, to: READER, gas: quantity(60_000n) };
  const blocks = [
    { blockOverrides, stateOverrides, calls },
    { blockOverrides, calls: [reading] },
  ];
  const asked = { blockStateCalls: blocks, validation: true, returnFullTransactions: true };
  const told = await eth(rpc, 'eth_simulateV1', [asked, 'latest']);
  const [first, second] = (Array.isArray(told) ? told : []) as readonly Fields[];
  if (first === undefined || second === undefined)
    return `answers eth_simulateV1 of paid calls with ${shown(told)}, expected two blocks or more`;
  const gas = listOf(first, 'calls').map(({ gasUsed }) => BigInt(String(gasUsed)));
  const [cleared = 0n, floor = 0n] = gas;
  const tips = cleared * TIP + floor * (PRICE - BASE_FEE);
  const burned = collectBaseFee ? (cleared + floor) * BASE_FEE : 0n;
  const paid = [tips, before + burned, BigInt(MINER)].map(word).join('');
  return (
    unlike(
      'the most gas that simulated calls use',
      listOf(first, 'calls').map(({ maxUsedGas }) => maxUsedGas),
      [cleared + GIVEN_BACK, FLOOR].map(quantity),
    ) ??
    unlike('the gas of simulated data', quantity(floor), quantity(FLOOR)) ??
    unlike(
      'what simulated calls have paid',
      listOf(second, 'calls').map(({ returnData }) => returnData),
      [`0x${paid}`],
    ) ??
    unlike('the receipts of a simulated block', first['receiptsRoot'], rootOf(first, keccak256)) ??
    (await wrongReach(rpc))
  );
}

/** Worked out from what is shown of each call. Only one call has logs, so its bloom is the header's. */
function rootOf(block: Fields, keccak256: CryptoSuite['keccak256']): string {
  const types = listOf(block, 'transactions').map(({ type }) => (type === '0x0' ? 0 : 2));
  let cumulativeGasUsed = 0n;
  const receipts = listOf(block, 'calls').map((call, i) => {
    cumulativeGasUsed += BigInt(String(call['gasUsed']));
    const logs = listOf(call, 'logs').map(({ address, topics, data }) => ({
      address: hexBytesOf(address),
      topics: (topics as readonly unknown[]).map(hexBytesOf),
      data: hexBytesOf(data),
    }));
    const logsBloom = logs.length === 0 ? new Uint8Array(256) : hexBytesOf(block['logsBloom']);
    const status = call['status'] === '0x1' ? (1 as const) : (0 as const);
    return receiptBytes({ type: types[i] ?? 2, status, cumulativeGasUsed, logsBloom, logs });
  });
  return `0x${toHex(listRoot(receipts, keccak256))}`;
}

/** As many blocks as allowed, most of which fill a gap, and one more. */
async function wrongReach(rpc: RpcContext): Promise<string | undefined> {
  const head = BigInt(rpc.chain.head());
  const upTo = async (number: bigint): Promise<unknown> =>
    await eth(rpc, 'eth_simulateV1', [
      { blockStateCalls: [{}, { blockOverrides: { number: quantity(number) } }] },
      'latest',
    ]);
  const all = (await upTo(head + BLOCKS_MAX)) as readonly unknown[];
  const more = (await upTo(head + BLOCKS_MAX + 1n)) as { readonly refused?: Fields };
  return (
    unlike('how many blocks are simulated', all.length, Number(BLOCKS_MAX)) ??
    unlike('one more simulated block, with the code', more.refused?.['code'], TOO_MANY)
  );
}
