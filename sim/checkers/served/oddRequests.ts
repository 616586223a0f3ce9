/** Requests as various clients write them. */
import { to0xHex, toHex } from '../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { handleEthRequest } from '../../../core/rpc/eth/jsonrpc.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { eth, fieldsOf, unlike } from '../questions.ts';
import { CONTRACT, isPretended, SENDER, TX_GAS, word } from './pretences.ts';
import { TO, walletOf } from './rawTxs.ts';

const INVALID_REQUEST = -32600;
/** A reason that fills its last word. */
const REASON = 'exactly thirty-two letters long!';
/** Reverts with the Error(string) behind its code. */
const COMPLAINER = `0x6064600a5f3960645ffd08c379a0${word(32n)}${word(32n)}${toHex(encodeUtf8(REASON))}`;
/** Go's durations, and texts that are none. */
const DURATIONS = ['5s', '1h2m3.5s', '-0.5ms', '0', '5', 'soon', '1d', ''];

export async function wrongOddRequests(rpc: RpcContext): Promise<string | undefined> {
  const pretended = isPretended(rpc) ? await wrongTraceRequests(rpc) : undefined;
  return pretended ?? (await wrongVersions(rpc)) ?? wrongFilled(rpc);
}

/** A message without a version is a request on a websocket, and is none in the body of a post. */
async function wrongVersions(rpc: RpcContext): Promise<string | undefined> {
  const told: unknown[] = [];
  for (const way of ['ws', 'http'] as const) {
    const text = await handleEthRequest(rpc, '{"id":1,"method":"eth_chainId"}', way);
    const { result, error } = JSON.parse(text ?? '{}') as { result?: unknown; error?: Fields };
    told.push(result ?? error?.['code']);
  }
  const truth = [quantity(rpc.chain.evmChainId), INVALID_REQUEST];
  return unlike('a message without a version on a websocket and in a post', told, truth);
}

const wordsOf = (told: unknown): unknown => fieldsOf((told ?? {}) as Fields, 'refused')['message'];

/**
 * Fields are found in any case, as Go's clients write some of them with capitals. A duration must be one of Go's. A
 * reason may fill its last word.
 */
async function wrongTraceRequests(rpc: RpcContext): Promise<string | undefined> {
  const call = { FROM: SENDER, To: CONTRACT };
  const stateOverrides = { [CONTRACT]: { code: COMPLAINER } };
  const trace = (await eth(rpc, 'debug_traceCall', [
    call,
    'latest',
    { Tracer: 'callTracer', StateOverrides: stateOverrides },
  ])) as Fields;
  const called = await eth(rpc, 'eth_call', [{ to: CONTRACT }, 'latest', stateOverrides]);
  const refused: unknown[] = [];
  for (const timeout of DURATIONS) {
    const told = await eth(rpc, 'debug_traceCall', [call, 'latest', { stateOverrides, timeout }]);
    refused.push(wordsOf(told) ?? null);
  }
  return (
    unlike(
      'a trace that is asked for with capitals',
      [trace['from'], trace['to'], trace['revertReason']],
      [SENDER, CONTRACT, REASON],
    ) ??
    unlike('a reason that fills its last word', wordsOf(called), `execution reverted: ${REASON}`) ??
    unlike('durations', refused, [
      null,
      null,
      null,
      null,
      'time: missing unit in duration "5"',
      'time: invalid duration "soon"',
      'time: unknown unit "d" in duration "1d"',
      'time: invalid duration ""',
    ])
  );
}

/** A gas price with a list, even an empty one, makes a transaction of type 1; who has no coins can pay no price. */
async function wrongFilled(rpc: RpcContext): Promise<string | undefined> {
  const call = { from: to0xHex(walletOf(rpc.suite)), to: to0xHex(TO), nonce: '0x0', gasPrice: '0x7' };
  const gas = quantity(TX_GAS);
  const types: unknown[] = [];
  for (const more of [{ gas }, { gas, accessList: [] }]) {
    const told = (await eth(rpc, 'eth_fillTransaction', [{ ...call, ...more }])) as Fields;
    types.push([fieldsOf(told, 'tx')['type'], String(told['raw']).slice(0, 4) === '0x01']);
  }
  const { gasPrice: _, ...unpriced } = call;
  const poor = await eth(rpc, 'eth_fillTransaction', [unpriced]);
  return (
    unlike('the types of filled transactions', types, [
      ['0x0', false],
      ['0x1', true],
    ]) ?? unlike('the gas of who can pay for none', wordsOf(poor), 'insufficient funds for transfer')
  );
}
