import { present } from '../../../core/lib/assert.ts';
import { equalBytes, hex, to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { shown } from '../../difference.ts';
import type { Keccak } from '../../reference/trieRoot.ts';
import { eth, listOf, unlike } from '../questions.ts';
import { tellerOf } from './calls.ts';
import { headerBytes } from './headerBytes.ts';
import { answerOf, CONTRACT, isPretended, RICH, SENDER, STRANGER, TX_GAS, word } from './pretences.ts';

const READER = `0x${'9f'.repeat(20)}`;
/** ERC-7528: the native coin as a token. */
const COIN = `0x${'ee'.repeat(20)}`;
/** Seconds between blocks that name no time. */
const BLOCK_SECONDS = 12;
/** The last simulated block is so far above the head. The blocks in between are empty. */
const FAR = 5;
/** Counts in slot 0, logs the topic 7, and returns the count. */
const COUNTER = '0x5f5460010180805f5560075f5fa15f5260205ff3';
/** Returns the previous block's hash, its own block number and its caller's balance. */
const TELLER = tellerOf(['6001430340', '43', '3331']);

/** Simulated blocks build on the head and on each other, and each call on those before it. */
export async function wrongSimulated(rpc: RpcContext, keccak: Keccak): Promise<string | undefined> {
  if (!isPretended(rpc)) return undefined;
  const { header, hash } = present(rpc.chain.ethBlock(rpc.chain.head()), 'the head');
  const [call, gas] = [{ from: SENDER }, quantity(50_000n)];
  const stateOverrides = {
    [SENDER]: { balance: quantity(RICH), nonce: '0x0' },
    [CONTRACT]: { code: COUNTER },
    [READER]: { code: TELLER },
  };
  const count = { ...call, to: CONTRACT, gas };
  const blocks = [
    { stateOverrides, calls: [count, count, { ...call, to: STRANGER, value: '0x1', gas }] },
    { calls: [count, { ...call, to: READER, gas }] },
    { blockOverrides: { number: quantity(header.number + FAR) } },
  ];
  const asked = { blockStateCalls: blocks, traceTransfers: true, returnFullTransactions: true };
  const told = await eth(rpc, 'eth_simulateV1', [asked, 'latest']);
  const all = (Array.isArray(told) ? told : []) as readonly Fields[];
  const [first, second] = all;
  if (first === undefined || second === undefined)
    return `answers eth_simulateV1 with ${shown(told)}, expected two blocks or more`;
  const { number: height, timestamp } = header;
  const firstHash = String(first['hash']);
  return (
    wrongPlace(first, to0xHex(hash), height + 1, timestamp + BLOCK_SECONDS, keccak) ??
    wrongPlace(second, firstHash, height + 2, timestamp + 2 * BLOCK_SECONDS, keccak) ??
    unlike(
      'the times of simulated blocks',
      all.map((block) => block['timestamp']),
      Array.from({ length: FAR }, (_, i) => quantity(timestamp + BLOCK_SECONDS * (i + 1))),
    ) ??
    unlike('what simulated calls answer', outputs(first, second), [
      [answerOf(1n), answerOf(2n), '0x'],
      [answerOf(3n), `${firstHash}${word(BigInt(height) + 2n)}${word(RICH - 1n)}`],
    ]) ??
    unlike(
      'simulated nonces',
      [nonces(first), nonces(second)],
      [[0n, 1n, 2n].map(quantity), [3n, 4n].map(quantity)],
    ) ??
    unlike(
      'simulated logs',
      [logsOf(first), logsOf(second)],
      [
        [
          ['0x0', '0x0', CONTRACT],
          ['0x1', '0x1', CONTRACT],
          ['0x2', '0x2', COIN],
        ],
        [['0x0', '0x0', CONTRACT]],
      ],
    ) ??
    (await wrongValidated(rpc))
  );
}

function wrongPlace(
  block: Fields,
  parentHash: string,
  height: number,
  seconds: number,
  keccak: Keccak,
): string | undefined {
  const { calls, hash } = block;
  const used = (calls as readonly Fields[]).reduce((sum, { gasUsed }) => sum + BigInt(String(gasUsed)), 0n);
  const told = ['parentHash', 'number', 'timestamp', 'gasUsed', 'baseFeePerGas'].map((name) => block[name]);
  const wanted = [parentHash, quantity(height), quantity(seconds), quantity(used), '0x0'];
  return (
    unlike(`simulated block ${height}`, told, wanted) ??
    (equalBytes(keccak(headerBytes(block)), hex(String(hash).slice(2)))
      ? undefined
      : `simulates block ${height} with the hash of another header`)
  );
}

const outputs = (...blocks: readonly Fields[]): readonly unknown[] =>
  blocks.map((block) => listOf(block, 'calls').map(({ returnData }) => returnData));

const nonces = (block: Fields): readonly unknown[] => listOf(block, 'transactions').map(({ nonce }) => nonce);

const logsOf = (block: Fields): readonly unknown[] =>
  listOf(block, 'calls')
    .flatMap((call) => listOf(call, 'logs'))
    .map(({ logIndex, transactionIndex, address }) => [logIndex, transactionIndex, address]);

/** With validation, a gas price below the base fee is refused. */
async function wrongValidated(rpc: RpcContext): Promise<string | undefined> {
  const price = await eth(rpc, 'eth_baseFee', []);
  if (BigInt(String(price)) < 2n) return undefined;
  const call = { from: SENDER, to: STRANGER, gas: quantity(TX_GAS), gasPrice: '0x1' };
  const stateOverrides = { [SENDER]: { balance: quantity(RICH), nonce: '0x0' } };
  const asked = { blockStateCalls: [{ stateOverrides, calls: [call] }], validation: true };
  const told = (await eth(rpc, 'eth_simulateV1', [asked, 'latest'])) as { readonly refused?: Fields };
  return unlike('a simulated call below the base fee with the code', told.refused?.['code'], -38012);
}
