import type { EthBlock } from '../../../core/app/chain.ts';
import { present } from '../../../core/lib/assert.ts';
import { type Bytes, to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { quantity } from '../../clients/answers/answers.ts';
import { shown } from '../../difference.ts';
import { eth, heightsOf, someOf, unlike } from '../questions.ts';

const CONTRACT = `0x${'9c'.repeat(20)}`;
/** Stops if at least 60,000 gas are left, and reverts otherwise. */
const GREEDY = '0x61ea605a10600957005b60006000fd';
/** Intrinsic gas, PUSH2 and GAS, and what has to be left then. */
const GREEDY_NEEDS = 21_000n + 5n + 60_000n;
/** Gas that the sender can pay for besides the value. */
const PAYABLE = 90_000n;
/** The node's tip, as much as genesis may demand. */
const TIP = 10n ** 9n;

const word = (value: string): string => value.slice(2).padStart(64, '0');

/** Instructions that tell a contract about its block, with their true values. BLOBBASEFEE is always 1. */
const INSTRUCTIONS: readonly (readonly [
  code: string,
  truth: (block: EthBlock, chainId: bigint) => string,
])[] = [
  ['43', ({ header }) => quantity(header.number)],
  ['42', ({ header }) => quantity(header.timestamp)],
  ['41', ({ header }) => to0xHex(header.coinbase)],
  ['44', ({ header }) => to0xHex(header.mixHash)],
  ['45', ({ header }) => quantity(header.gasLimit)],
  ['46', (_, chainId) => quantity(chainId)],
  ['4a', () => '0x1'],
  ['6001430340', ({ header }) => to0xHex(header.parentHash)],
];

/** A program that returns one word for each piece of code, in order. */
export const tellerOf = (codes: readonly string[]): string => {
  const stored = codes.map((code, i) => `${code}60${(32 * i).toString(16).padStart(2, '0')}52`);
  return `0x${stored.join('')}61${(32 * codes.length).toString(16).padStart(4, '0')}6000f3`;
};

const TELLER = tellerOf(INSTRUCTIONS.map(([code]) => code));

/** A contract can read the hashes of so many blocks before its own. */
const HASHES_TOLD = 256;

/**
 * A call about a block runs in that block and knows the blocks before it. An estimate is no more than its sender can
 * pay for.
 */
export async function wrongCalls(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  for (const height of someOf(heightsOf(chain))) {
    if (chain.view(height) === undefined) continue;
    const wrong = await wrongHashes(rpc, height);
    if (wrong !== undefined) return wrong;
    if (chain.ethBlock(height - 1) === undefined) continue;
    const block = present(chain.ethBlock(height), 'a kept block');
    const number = quantity(block.header.number);
    const told = await eth(rpc, 'eth_call', [{ to: CONTRACT }, number, { [CONTRACT]: { code: TELLER } }]);
    const truth = INSTRUCTIONS.map(([, of]) => word(of(block, chain.evmChainId))).join('');
    const problem = unlike(`a call about block ${number}`, told, `0x${truth}`);
    if (problem !== undefined) return problem;
  }
  return wrongPayable(rpc);
}

/**
 * BLOCKHASH yields the last 256 hashes as they are shown, down to genesis. It yields 0 for other blocks and the block
 * itself.
 */
async function wrongHashes(rpc: RpcContext, height: number): Promise<string | undefined> {
  const start = rpc.genesis.initialHeight - 1;
  const oldest = height - HASHES_TOLD;
  const isTold = (number: number): boolean => number >= Math.max(start, oldest) && number < height;
  const hashOf = (number: number): Bytes | undefined =>
    rpc.chain.ethBlock(number === start ? 0 : number)?.hash;
  const near = [start - 1, start, start + 1, oldest - 1, oldest, height - 1, height, height + 1];
  // Hashes of pruned blocks may be known or not.
  const asked = [...new Set(near)].filter((n) => n >= 0 && (!isTold(n) || hashOf(n) !== undefined));
  const code = tellerOf(asked.map((number) => `67${number.toString(16).padStart(16, '0')}40`));
  const about = quantity(height);
  const told = await eth(rpc, 'eth_call', [{ to: CONTRACT }, about, { [CONTRACT]: { code } }]);
  const truth = asked.map((n) => word(to0xHex((isTold(n) ? hashOf(n) : undefined) ?? new Uint8Array(32))));
  return unlike(`a call about block ${about} for the hashes of ${asked}`, told, `0x${truth.join('')}`);
}

/** A sender that gives away nearly everything gets an estimate of at most the gas that the rest buys. */
async function wrongPayable(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const newest = heightsOf(chain).findLast((at) => (chain.ethBlock(at)?.transactions.length ?? 0) > 0);
  const from = newest === undefined ? undefined : chain.ethBlock(newest)?.transactions[0]?.from;
  const { header } = present(chain.ethBlock(chain.head()), 'the head');
  if (from === undefined || header.gasLimit < PAYABLE) return undefined;
  const price = 2n * header.baseFeePerGas + TIP;
  const value = (chain.latest().account(from)?.balance ?? 0n) - PAYABLE * price;
  if (value <= 0n) return undefined;
  const call = { from: to0xHex(from), to: CONTRACT, gasPrice: quantity(price), value: quantity(value) };
  const told = await eth(rpc, 'eth_estimateGas', [call, 'latest', { [CONTRACT]: { code: GREEDY } }]);
  const gas = typeof told === 'string' ? BigInt(told) : 0n;
  return gas >= GREEDY_NEEDS && gas <= PAYABLE
    ? undefined
    : `estimates ${shown(told)} gas for a call that needs ${GREEDY_NEEDS} and whose sender can pay for ${PAYABLE}, expected something in between`;
}
