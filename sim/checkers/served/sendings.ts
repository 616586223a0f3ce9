/** What a node does with transactions before its pool hears of them. The pool here is a stand-in that takes all. */
import { toBase64 } from '../../../core/lib/base64.ts';
import { type Bytes, to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { shown } from '../../difference.ts';
import { comet, eth, fieldsOf, hexBytesOf, unlike } from '../questions.ts';
import { TX_GAS } from './pretences.ts';
import { legacyTx, SECRET, TO, walletOf } from './rawTxs.ts';

const ETHER = 10n ** 18n;
/** With the gas of a payment, this price makes 1.5561 ether, which is rounded up. */
const DEAR = 74_100_000_000_000n;
/** The longest that a client may wait for a receipt. */
const WAIT_MS_MAX = 60_000;
/** EIP-7966: no block has it in time. */
const NOT_INCLUDED = 4;
const NONCE = 3n;
const NONCE_MAX = 2n ** 64n - 1n;
const NONCE_IS_MAX = 'nonce has max value';

/** A context whose transactions end up in `sent`. */
export function withPool(rpc: RpcContext, limits: Partial<RpcContext['limits']> = {}) {
  const sent: string[] = [];
  const submit: RpcContext['submit'] = async (tx) => {
    sent.push(to0xHex(tx));
    const result = { kind: 'accepted', lane: {}, gasWanted: 0n, events: [] } as never;
    return { kind: 'checked', hash: rpc.suite.sha256(tx), result };
  };
  const wrapEthTx: RpcContext['wrapEthTx'] = ({ tx }) => tx.raw;
  const ctx = { ...rpc, submit, wrapEthTx, limits: { ...rpc.limits, ...limits } };
  return { ctx, sent };
}

const wordsOf = (told: unknown): unknown => fieldsOf((told ?? {}) as Fields, 'refused')['message'];

/** Too dear transactions and those without a chain are refused, waits have an end, and a price can be raised. */
export const wrongSendings = async (rpc: RpcContext): Promise<string | undefined> =>
  (await wrongPolicy(rpc)) ?? (await wrongWait(rpc)) ?? (await wrongLastNonce(rpc)) ?? wrongResent(rpc);

/** A fee at the cap passes, one above it does not. A signature that is valid on every chain passes only on request. */
async function wrongPolicy(rpc: RpcContext): Promise<string | undefined> {
  const { suite, chain } = rpc;
  const dear = legacyTx({ nonce: 0n, gasPrice: DEAR, gas: TX_GAS }, chain.evmChainId, suite);
  const anywhere = legacyTx({ nonce: 0n, gasPrice: 1n, gas: TX_GAS }, undefined, suite);
  const fee = DEAR * TX_GAS;
  for (const [what, raw, limits, words] of [
    ['at the cap', dear, { txFeeCapWei: fee }, undefined],
    [
      'above the cap',
      dear,
      { txFeeCapWei: ETHER },
      'tx fee (1.56 ether) exceeds the configured cap (1.00 ether)',
    ],
    ['without a cap', dear, { txFeeCapWei: 0n }, undefined],
    [
      'for any chain',
      anywhere,
      { allowUnprotectedTxs: false },
      'only replay-protected (EIP-155) transactions allowed over RPC',
    ],
    ['for any chain where that is allowed', anywhere, { allowUnprotectedTxs: true }, undefined],
  ] as const) {
    const { ctx, sent } = withPool(rpc, limits);
    const told = await eth(ctx, 'eth_sendRawTransaction', [to0xHex(raw)]);
    const problem =
      unlike(`the refusal of a transaction ${what}`, wordsOf(told), words) ??
      unlike(`what the pool hears of it`, sent, words === undefined ? [to0xHex(raw)] : []);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A client gets its answer after the longest wait, even if it would wait for longer. */
async function wrongWait(rpc: RpcContext): Promise<string | undefined> {
  const raw = legacyTx({ nonce: 0n, gasPrice: 1n, gas: TX_GAS }, rpc.chain.evmChainId, rpc.suite);
  const waits: number[] = [];
  const after: RpcContext['after'] = (ms, call) => {
    waits.push(ms);
    call();
    return () => undefined;
  };
  const ctx = { ...withPool(rpc).ctx, after };
  const codes: unknown[] = [];
  for (const ms of [WAIT_MS_MAX - 1, WAIT_MS_MAX + 1]) {
    const told = (await eth(ctx, 'eth_sendRawTransactionSync', [to0xHex(raw), quantity(ms)])) as Fields;
    codes.push(fieldsOf(told, 'refused')['code']);
  }
  return (
    unlike('those that wait in vain with the codes', codes, [NOT_INCLUDED, NOT_INCLUDED]) ??
    unlike('how long they waited', waits, [WAIT_MS_MAX - 1, WAIT_MS_MAX])
  );
}

/** The last nonce of all would leave none for the next (EIP-2681). */
async function wrongLastNonce(rpc: RpcContext): Promise<string | undefined> {
  if (rpc.checkTx === undefined) return undefined;
  // Who offers less than the chain's least price is refused before the nonce is looked at.
  const least = rpc.chain.leastGasPrice();
  const gasPrice = least > DEAR ? least : DEAR;
  for (const nonce of [NONCE_MAX - 1n, NONCE_MAX]) {
    const raw = legacyTx({ nonce, gasPrice, gas: TX_GAS }, rpc.chain.evmChainId, rpc.suite);
    // The wrapped transaction is what the pool would hear of.
    const { ctx, sent } = withPool(rpc, { txFeeCapWei: 0n });
    const { wrapEthTx: _, ...wrapping } = ctx;
    const told = await eth(wrapping, 'eth_sendRawTransaction', [to0xHex(raw)]);
    const tx = toBase64(hexBytesOf(sent[0]));
    const answer = await comet(rpc, 'check_tx', { tx });
    const isLast = nonce === NONCE_MAX;
    if (String(answer['log']).startsWith(NONCE_IS_MAX) !== isLast) {
      const words = sent.length === 0 ? told : (answer['log'] ?? answer);
      const wanted = isLast
        ? `with words that begin '${NONCE_IS_MAX}'`
        : 'with other words: the next nonce exists';
      return `answers a transaction with the ${isLast ? 'last' : 'last but one'} nonce, ${nonce}, with ${shown(words)}, should ${wanted}`;
    }
  }
  return undefined;
}

/** One transaction of the node's own key waits in the pool. */
function withOwn(rpc: RpcContext) {
  const { suite, chain } = rpc;
  const own = walletOf(suite);
  const { ctx, sent } = withPool(rpc);
  const raw = legacyTx({ nonce: NONCE, gasPrice: 1n, gas: TX_GAS }, chain.evmChainId, suite);
  const waiting = { nonce: NONCE, from: own, raw } as never;
  const pool: RpcContext['pool'] = {
    pendingNonce: () => undefined,
    byEthHash: () => undefined,
    stats: () => ({ pending: 1, queued: 0, bytes: raw.length }),
    content: () => [{ sender: own, pending: [waiting], queued: [] }],
    best: () => [],
  };
  const keys = { addresses: [own], secret: (_: Bytes) => SECRET };
  return { ctx: { ...ctx, pool, keys }, sent, own };
}

/** eth_resend sends the transaction again with the new price and gas, or with its own ones. */
async function wrongResent(rpc: RpcContext): Promise<string | undefined> {
  const { ctx, sent, own } = withOwn(rpc);
  const call = {
    from: to0xHex(own),
    to: to0xHex(TO),
    gas: quantity(TX_GAS),
    gasPrice: '0x7',
    nonce: quantity(NONCE),
  };
  const { nonce: _, ...nameless } = call;
  const nowhere = { ...call, nonce: quantity(NONCE + 1n) };
  await eth(ctx, 'eth_resend', [call, '0x9', quantity(30_000n)]);
  await eth(ctx, 'eth_resend', [call]);
  const refused = [
    await eth(ctx, 'eth_resend', [nameless, '0x9']),
    await eth(ctx, 'eth_resend', [nowhere, '0x9']),
    await eth(ctx, 'eth_signTransaction', [nameless]),
  ];
  const signed = (await eth(ctx, 'eth_signTransaction', [call])) as Fields;
  const [raised, same] = [
    { nonce: NONCE, gasPrice: 9n, gas: 30_000n },
    { nonce: NONCE, gasPrice: 7n, gas: TX_GAS },
  ].map((tx) => to0xHex(legacyTx(tx, rpc.chain.evmChainId, rpc.suite)));
  return (
    unlike('what is sent again', sent, [raised, same]) ??
    unlike('the signature of a transaction', signed['raw'], same) ??
    unlike('what to say of transactions that cannot be sent', refused.map(wordsOf), [
      'missing transaction nonce in transaction spec',
      `transaction ${NONCE + 1n} not found`,
      'nonce not specified',
    ])
  );
}
