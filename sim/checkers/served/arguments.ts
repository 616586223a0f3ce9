import { toEip55 } from '../../../core/address/eip55.ts';
import { HISTORY_ADDRESS } from '../../../core/app/evm/systemContracts.ts';
import { present } from '../../../core/lib/assert.ts';
import { to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { eth, fieldsOf, unlike } from '../questions.ts';
import { wrongAccessLists } from './accessLists.ts';
import { tellerOf } from './calls.ts';
import {
  answerOf,
  CONTRACT,
  code,
  IDENTITY,
  isPretended,
  RICH,
  SENDER,
  SENDER_BYTES,
  STRANGER,
  TX_GAS,
  word,
} from './pretences.ts';

const GAS_CODE = 2n;
const SERVER_ERROR = -32000;
/** Wei per gas. Few chains have a base fee above it. */
const HIGH_PRICE = 10n ** 13n;

/** Block overrides of a call. */
const PLACE = { number: 77n, time: 7_777n, gasLimit: 7_700_000n, blobBaseFee: 9n };
const RANDOM = `0x${'7b'.repeat(32)}`;
const MINER = `0x${'7c'.repeat(20)}`;
/** Gas of PUSH0, SLOAD, POP and GAS between the two readings. */
const READER = tellerOf(['5a5f54505a9003']);
const [WARM, COLD] = [106n, 2_106n];
/** Returns the first word of its calldata and its value. */
const HEARER = tellerOf(['5f35', '34']);
const [ONE, TWO] = [1n, 2n].map((number) => `0x${word(number)}`);
/** Solidity's Panic(0x11), and Error("hi"). */
const PANIC = `0x7f4e487b71${'00'.repeat(28)}5f52601160045260245ffd`;
const ERROR = `08c379a0${word(32n)}${word(2n)}${'6869'.padEnd(64, '0')}`;
const COMPLAINER = `0x6064600a5f3960645ffd${ERROR}`;

/** Parameters of an eth_call and the answer it must get. A number is the code of a refusal, a text its message. */
interface Question {
  readonly what: string;
  readonly params: readonly unknown[];
  readonly answer: unknown;
}

const calling = (what: string, call: Fields, state: Fields, answer: unknown, block?: Fields): Question => ({
  what,
  params: [call, 'latest', state, ...(block === undefined ? [] : [block])],
  answer,
});

function questions({ chain, limits }: RpcContext): readonly Question[] {
  const { header } = present(chain.ethBlock(chain.head()), 'the head');
  const base = header.baseFeePerGas;
  const next = answerOf(BigInt(header.number) + 1n);
  const call = { from: SENDER, to: CONTRACT };
  const rich = { [SENDER]: { balance: quantity(RICH) } };
  const history = to0xHex(HISTORY_ADDRESS);
  const place = Object.entries(PLACE).map(([name, value]) => [name, quantity(value)] as const);
  return [
    calling(
      'a call in another block',
      call,
      code(tellerOf(['43', '42', '45', '4a', '44', '41'])),
      `${answerOf(PLACE.number, PLACE.time, PLACE.gasLimit, PLACE.blobBaseFee)}${RANDOM.slice(2)}${word(BigInt(MINER))}`,
      { ...Object.fromEntries(place), prevRandao: RANDOM, feeRecipient: MINER },
    ),
    calling('a call with input', { ...call, input: ONE }, code(HEARER), answerOf(1n, 0n)),
    calling('a call with data', { ...call, data: TWO }, code(HEARER), answerOf(2n, 0n)),
    calling('a call with value', { ...call, value: '0x7' }, { ...rich, ...code(HEARER) }, answerOf(0n, 7n)),
    calling(
      'a call with more gas than is given',
      { ...call, gas: quantity(limits.gasCap + 1n) },
      code(tellerOf(['5a'])),
      answerOf(limits.gasCap - TX_GAS - GAS_CODE),
    ),
    calling('a call without a list', call, code(READER), answerOf(COLD)),
    calling(
      'a call with a list',
      { ...call, accessList: [{ address: CONTRACT, storageKeys: [`0x${word(0n)}`] }] },
      code(READER),
      answerOf(WARM),
    ),
    calling('a call of code that is pretended away', { to: history }, { [history]: { code: '0x' } }, '0x'),
    calling('a call of a precompile', { to: IDENTITY, data: '0xc0ffee' }, code('0x00'), '0xc0ffee'),
    calling(
      'a call without the coins',
      { ...call, value: '0x7' },
      code(HEARER),
      `err: insufficient funds for gas * price + value: address ${toEip55(SENDER_BYTES)} have 0 want 7 (supplied gas ${limits.gasCap})`,
    ),
    calling(
      'a call with a tip above its cap',
      { ...call, maxFeePerGas: quantity(base + 1n), maxPriorityFeePerGas: quantity(base + 2n) },
      rich,
      SERVER_ERROR,
    ),
    ...(base > 1n
      ? [calling('a call below the base fee', { ...call, gasPrice: '0x1' }, rich, SERVER_ERROR)]
      : []),
    calling('a panic', call, code(PANIC), 'execution reverted: arithmetic underflow or overflow'),
    calling('a complaint', call, code(COMPLAINER), 'execution reverted: hi'),
    { what: 'a call in the next block', params: [call, 'pending', code(tellerOf(['43']))], answer: next },
    { what: 'a call after the head', params: [call, quantity(header.number + 1)], answer: SERVER_ERROR },
    { what: 'a call on a block nobody has', params: [call, RANDOM], answer: SERVER_ERROR },
  ];
}

/** The code of a refusal if a number is wanted, else its message; any other answer as it is. */
function shown(told: unknown, wanted: unknown): unknown {
  const refused = (told as { readonly refused?: Fields } | null)?.refused;
  if (refused === undefined) return told;
  return typeof wanted === 'number' ? refused['code'] : refused['message'];
}

/** Every argument of a call takes effect, for eth_call and for eth_estimateGas. */
export async function wrongArguments(rpc: RpcContext): Promise<string | undefined> {
  if (!isPretended(rpc)) return undefined;
  for (const { what, params, answer } of questions(rpc)) {
    const told = await eth(rpc, 'eth_call', params);
    const problem = unlike(what, shown(told, answer), answer);
    if (problem !== undefined) return problem;
  }
  return (
    (await wrongLeast(rpc)) ?? (await wrongRefused(rpc)) ?? (await wrongAccessLists(rpc)) ?? wrongFilled(rpc)
  );
}

/** A tuple that authorizes nothing, but costs as much as any. */
const TUPLE = { chainId: '0x0', address: STRANGER, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' };

/** A high gas price, and one that the newest block accepts. */
function highPrice({ chain }: RpcContext): string {
  const { baseFeePerGas } = present(chain.ethBlock(chain.head()), 'the head').header;
  return quantity(baseFeePerGas > HIGH_PRICE ? baseFeePerGas : HIGH_PRICE);
}

/** An estimate is no less than what the transaction takes, and at most 2 % more. */
async function wrongLeast(rpc: RpcContext): Promise<string | undefined> {
  const paid = { from: SENDER, to: STRANGER, value: '0x1', gasPrice: highPrice(rpc) };
  for (const [what, call, state, least] of [
    ['whose coins are pretended', paid, { [SENDER]: { balance: quantity(RICH) } }, TX_GAS],
    ['by the least for its data', { to: STRANGER, data: `0x${'ff'.repeat(100)}` }, {}, 25_000n],
    ['of a precompile', { to: IDENTITY }, {}, TX_GAS + 15n],
    ['with an authorization', { to: STRANGER, authorizationList: [TUPLE] }, {}, TX_GAS + 25_000n],
  ] as const) {
    const told = await eth(rpc, 'eth_estimateGas', [call, 'latest', state]);
    const gas = typeof told === 'string' ? BigInt(told) : 0n;
    if (gas < least || gas * 50n > least * 51n)
      return `estimates ${JSON.stringify(told)} for a call ${what}, which takes ${least}`;
  }
  return undefined;
}

/** An estimate tries no more gas than the call allows. A sender of its whole balance has nothing left for gas. */
async function wrongRefused(rpc: RpcContext): Promise<string | undefined> {
  const all = quantity(RICH);
  for (const [what, call, state, words] of [
    [
      'of a contract with the gas of a payment',
      { to: CONTRACT, gas: quantity(TX_GAS) },
      code(tellerOf(['5a'])),
      'gas required exceeds allowance (21000)',
    ],
    [
      'with all the coins there are',
      { from: SENDER, to: STRANGER, value: all, gasPrice: highPrice(rpc) },
      { [SENDER]: { balance: all } },
      'insufficient funds for transfer',
    ],
  ] as const) {
    const told = (await eth(rpc, 'eth_estimateGas', [call, 'latest', state])) as Fields;
    const problem = unlike(`the estimate of a call ${what}`, fieldsOf(told, 'refused')['message'], words);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Fields left out of a transaction are filled in so that the next block can include it. */
async function wrongFilled(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const sender = rpc.pool.content()[0]?.sender ?? chain.ethBlock(chain.head())?.transactions[0]?.from;
  const from = sender === undefined ? SENDER : to0xHex(sender);
  const [nonce, price, tip] = [
    await eth(rpc, 'eth_getTransactionCount', [from, 'pending']),
    await eth(rpc, 'eth_baseFee', []),
    await eth(rpc, 'eth_maxPriorityFeePerGas', []),
  ];
  const filled = (await eth(rpc, 'eth_fillTransaction', [{ from, to: STRANGER, gas: '0x5208' }])) as Fields;
  const { nonce: next, maxFeePerGas, maxPriorityFeePerGas, chainId } = fieldsOf(filled, 'tx');
  const now = chain.ethBlock(chain.head())?.header.baseFeePerGas ?? 0n;
  const later = BigInt(String(price));
  const room = 2n * (later > now ? later : now) + BigInt(String(tip));
  const low = quantity(BigInt(String(tip)) / 2n);
  const capped = { from, to: STRANGER, gas: '0x5208', maxFeePerGas: low };
  const beneath = fieldsOf((await eth(rpc, 'eth_fillTransaction', [capped])) as Fields, 'tx');
  return (
    unlike(
      'eth_fillTransaction',
      [next, maxFeePerGas, maxPriorityFeePerGas, chainId],
      [nonce, quantity(room), tip, quantity(chain.evmChainId)],
    ) ?? unlike('the tip below a low cap', beneath['maxPriorityFeePerGas'], low)
  );
}
