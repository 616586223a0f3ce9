import { present } from '../../../core/lib/assert.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { eth, listOf, unlike } from '../questions.ts';
import { tellerOf } from './calls.ts';
import { answerOf, CONTRACT, isPretended, RICH, SENDER, STRANGER, TX_GAS } from './pretences.ts';

const LENDER = `0x${'9f'.repeat(20)}`;
/** ERC-7528: the native coin as a token. */
const COIN = `0x${'ee'.repeat(20)}`;
const REVERTED = 3;
const [NONCE_LOW, NONCE_HIGH] = [-38010, -38011];
const [VM_ERROR, GAS_ABOVE_BLOCK, NUMBER_ORDER, TIME_ORDER] = [-32015, -38015, -38020, -38021];
const GAS_CODE = 2n;
const REVERTER = '0x602a5f5260205ffd';
const GAS_TELLER = tellerOf(['5a']);
/** CALL of a non-existent account with the received value; then it ends as given. */
const payingStranger = (end: string): string => `0x5f5f5f5f3473${STRANGER.slice(2)}5af1${end}`;
/** DELEGATECALL of the lender. */
const BORROWER = `0x5f5f5f5f73${LENDER.slice(2)}5af400`;

/** Simulated calls that fail, use up the gas or move coins, and blocks out of order. */
export async function wrongSimulations(rpc: RpcContext): Promise<string | undefined> {
  if (!isPretended(rpc)) return undefined;
  return (
    (await wrongFailures(rpc)) ??
    (await wrongNobody(rpc)) ??
    (await wrongBudget(rpc)) ??
    (await wrongTransfers(rpc)) ??
    (await wrongOrder(rpc)) ??
    (await wrongNonces(rpc))
  );
}

const simulate = async (rpc: RpcContext, blocks: readonly Fields[], more: Fields = {}) =>
  await eth(rpc, 'eth_simulateV1', [{ blockStateCalls: blocks, ...more }, 'latest']);

const running = (code: string, ...more: readonly (readonly [string, string])[]): Fields => ({
  [SENDER]: { balance: quantity(RICH), nonce: '0x0' },
  ...Object.fromEntries([[CONTRACT, code], ...more].map(([address, text]) => [address, { code: text }])),
});

const callsIn = (told: unknown): readonly Fields[] =>
  (Array.isArray(told) ? (told as readonly Fields[]) : []).flatMap((block) => listOf(block, 'calls'));

const refusal = (told: unknown): unknown => (told as { readonly refused?: Fields }).refused?.['code'];

async function wrongFailures(rpc: RpcContext): Promise<string | undefined> {
  const call = { from: SENDER, to: CONTRACT, gas: quantity(60_000n) };
  for (const [what, code, returned, error] of [
    ['what succeeds', tellerOf(['43', '5f']), 64, undefined],
    ['what reverts', REVERTER, 0, [REVERTED, answerOf(42n)]],
    ['what has no code for it', '0xfe', 0, [VM_ERROR, null]],
  ] as const) {
    const [told] = callsIn(await simulate(rpc, [{ stateOverrides: running(code), calls: [call] }]));
    const { status, returnData } = told ?? {};
    const shown = (told?.['error'] ?? undefined) as Fields | undefined;
    const problem =
      unlike(`the status of ${what}`, status, error === undefined ? '0x1' : '0x0') ??
      unlike(`how much is returned by ${what}`, String(returnData).length, 2 + 2 * returned) ??
      unlike(`the error of ${what}`, shown && [shown['code'], shown['data'] ?? null], error);
    if (problem !== undefined) return problem;
  }
  const priced = { ...call, gasPrice: '0x0' };
  const blocks = [{ stateOverrides: running('0x00'), calls: [priced, call] }];
  const told = (await simulate(rpc, blocks, { returnFullTransactions: true })) as readonly Fields[];
  const types = listOf(told[0] ?? {}, 'transactions').map(({ type, chainId }) => [type, chainId]);
  return unlike('the kinds of simulated transactions', types, [
    ['0x0', undefined],
    ['0x2', quantity(rpc.chain.evmChainId)],
  ]);
}

/** A call with no value creates no account (EIP-161): the state is the same as after a call to the sender itself. */
async function wrongNobody(rpc: RpcContext): Promise<string | undefined> {
  const roots: unknown[] = [];
  for (const to of [SENDER, STRANGER]) {
    const told = await simulate(rpc, [{ stateOverrides: running('0x00'), calls: [{ from: SENDER, to }] }]);
    roots.push((told as readonly Fields[])[0]?.['stateRoot']);
  }
  return unlike('the state after a simulated call of nobody', roots[1], roots[0]);
}

/** All calls of a request share the node's gas cap, and the calls of a block share its gas limit. */
async function wrongBudget(rpc: RpcContext): Promise<string | undefined> {
  const { gasCap } = rpc.limits;
  const call = { from: SENDER, to: CONTRACT };
  const wide = { gasLimit: quantity(4n * gasCap) };
  const stateOverrides = running(GAS_TELLER);
  const told = callsIn(await simulate(rpc, [{ blockOverrides: wide, stateOverrides, calls: [call, call] }]));
  const used = BigInt(String(told[0]?.['gasUsed'] ?? 0));
  const narrow = { blockOverrides: { gasLimit: quantity(100_000n) }, stateOverrides };
  const large = { ...call, gas: quantity(90_000n) };
  return (
    unlike(
      'the gas of simulated calls',
      told.map(({ returnData }) => returnData),
      [gasCap, gasCap - used].map((gas) => answerOf(gas - TX_GAS - GAS_CODE)),
    ) ??
    unlike(
      'a second call beyond the limit of its block, with the code',
      refusal(await simulate(rpc, [{ ...narrow, calls: [large, large] }])),
      GAS_ABOVE_BLOCK,
    )
  );
}

/** Each lasting transfer of coins has one log. A contract whose code is borrowed by DELEGATECALL receives nothing. */
async function wrongTransfers(rpc: RpcContext): Promise<string | undefined> {
  const call = { from: SENDER, to: CONTRACT, value: '0x7', gas: quantity(200_000n) };
  for (const [what, state, count] of [
    ['what pays on', running(payingStranger('00')), 2],
    ['what pays on and reverts', running(payingStranger('5f5ffd')), 0],
    ['what lends its code', running(BORROWER, [LENDER, '0x00']), 1],
    ['what lends code that pays on', running(BORROWER, [LENDER, payingStranger('00')]), 2],
    ['what lends code that reverts', running(BORROWER, [LENDER, payingStranger('5f5ffd')]), 1],
  ] as const) {
    const blocks = [{ stateOverrides: state, calls: [call] }];
    const [told] = callsIn(await simulate(rpc, blocks, { traceTransfers: true }));
    const logs = listOf(told ?? {}, 'logs').map(({ address }) => address);
    const problem = unlike(
      `the transfers of ${what}`,
      logs,
      Array.from({ length: count }, () => COIN),
    );
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function wrongOrder(rpc: RpcContext): Promise<string | undefined> {
  const { header } = present(rpc.chain.ethBlock(rpc.chain.head()), 'the head');
  const [number, time] = [header.number + 2, header.timestamp + 50].map(quantity);
  const told = [
    await simulate(rpc, [{ blockOverrides: { number } }, { blockOverrides: { number } }]),
    await simulate(rpc, [{ blockOverrides: { time } }, { blockOverrides: { time } }]),
    await simulate(rpc, [{ blockOverrides: { number: quantity(header.number) } }]),
    await simulate(rpc, [{ blockOverrides: { time: quantity(header.timestamp) } }]),
  ];
  const codes = [NUMBER_ORDER, TIME_ORDER, NUMBER_ORDER, TIME_ORDER];
  return unlike('simulated blocks in no order with the codes', told.map(refusal), codes);
}

/** With validation, a nonce above or below the state's is refused; without, it is taken. */
async function wrongNonces(rpc: RpcContext): Promise<string | undefined> {
  const next = 5n;
  const stateOverrides = { [SENDER]: { balance: quantity(RICH), nonce: quantity(next) } };
  const blockOverrides = { baseFeePerGas: '0x0' };
  const codes: unknown[] = [];
  for (const [nonce, validation] of [
    [next - 1n, true],
    [next, true],
    [next + 1n, true],
    [next - 1n, false],
  ] as const) {
    const call = {
      from: SENDER,
      to: STRANGER,
      nonce: quantity(nonce),
      gas: quantity(TX_GAS),
      gasPrice: '0x0',
    };
    codes.push(
      refusal(await simulate(rpc, [{ blockOverrides, stateOverrides, calls: [call] }], { validation })) ?? 0,
    );
  }
  return unlike('simulated nonces with the codes', codes, [NONCE_LOW, 0, NONCE_HIGH, 0]);
}
