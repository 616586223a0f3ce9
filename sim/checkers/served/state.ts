import { present } from '../../../core/lib/assert.ts';
import { type Bytes, to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { quantity } from '../../clients/answers/answers.ts';
import { eth, firstOf, heightsOf, unlike } from '../questions.ts';

/** Accounts asked about. */
const ASKED_MAX = 6;

/**
 * Balances, nonces and code in JSON-RPC are those of the oldest state and of a middle one, and pending nonces include
 * the pool.
 */
export async function wrongStates(rpc: RpcContext, isSettled: boolean): Promise<string | undefined> {
  const { chain } = rpc;
  const heights = heightsOf(chain);
  const middle = present(heights[heights.length >> 1], 'a middle');
  const oldest = chain.ethBlock(0) === undefined ? firstOf(chain) : 0;
  const addresses = addressesOf(rpc, heights);
  for (const [block, height] of [
    ['earliest', oldest],
    [quantity(middle), middle],
  ] as const) {
    const view = chain.view(height);
    if (view === undefined) continue;
    for (const address of addresses) {
      const { balance = 0n, nonce = 0n } = view.account(address) ?? {};
      const name = to0xHex(address);
      for (const [method, wanted] of [
        ['eth_getBalance', quantity(balance)],
        ['eth_getTransactionCount', quantity(nonce)],
        ['eth_getCode', to0xHex(view.code(address))],
      ] as const) {
        const problem = unlike(
          `${method} of ${name} at ${block}`,
          await eth(rpc, method, [name, block]),
          wanted,
        );
        if (problem !== undefined) return problem;
      }
    }
  }
  return isSettled ? wrongPending(rpc, addresses) : undefined;
}

/** Proposers, senders and recipients of the newest blocks. */
function addressesOf({ chain }: RpcContext, heights: readonly number[]): readonly Bytes[] {
  const found = new Map<string, Bytes>();
  for (const height of [...heights].reverse()) {
    const { transactions, header } = present(chain.ethBlock(height), 'a kept block');
    for (const address of [header.coinbase, ...transactions.flatMap(({ from, to }) => [from, to ?? from])])
      if (found.size < ASKED_MAX) found.set(to0xHex(address), address);
    if (found.size >= ASKED_MAX) break;
  }
  return [...found.values()];
}

/** The pending nonce comes after all transactions that may run now. */
async function wrongPending(rpc: RpcContext, addresses: readonly Bytes[]): Promise<string | undefined> {
  const pooled = rpc.pool.content();
  for (const address of [...addresses, ...pooled.map(({ sender }) => sender)]) {
    const name = to0xHex(address);
    const waiting = pooled.find(({ sender }) => to0xHex(sender) === name)?.pending.length ?? 0;
    const nonce = rpc.chain.latest().account(address)?.nonce ?? 0n;
    const told = await eth(rpc, 'eth_getTransactionCount', [name, 'pending']);
    const problem = unlike(`the next nonce of ${name}`, told, quantity(nonce + BigInt(waiting)));
    if (problem !== undefined) return problem;
  }
  return undefined;
}
