import { wrapEthTx } from '../../core/app/tx/wrapEthTx.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { checkedOnly } from './broadcast.ts';
import type { SentTx } from './sentTx.ts';

/** What is wrong with an Ethereum transaction, in geth's words and as the code of an SDK chain (types/errors). */
const CODES: readonly (readonly [words: RegExp, code: string])[] = [
  [/^nonce too low: /, 'sdk 3'],
  [/^intrinsic gas too low: /, 'sdk 11'],
  [/^insufficient gas for floor data gas cost: /, 'sdk 11'],
  [/^transaction gas limit too high /, 'sdk 11'],
  [/^exceeds block gas limit$/, 'sdk 11'],
  [/^transaction underpriced: gas fee cap /, 'sdk 13'],
  [/^max initcode size exceeded: /, 'sdk 18'],
  [/^max priority fee per gas higher than max fee per gas/, 'sdk 18'],
  [/^set code tx must have at least one authorization tuple$/, 'sdk 18'],
  [/^transaction type not supported$/, 'sdk 18'],
  [/^invalid sender: invalid chain id for signer: /, 'sdk 28'],
  [/^invalid sender: invalid transaction v, r, s values$/, 'sdk 24'],
];

/**
 * Complains if CheckTx gives another code for a transaction that a node has just refused in these words. Says nothing
 * when the head has changed.
 */
export async function wrongCode(rpc: RpcContext, tx: SentTx, words: string): Promise<string | undefined> {
  const code = CODES.find(([pattern]) => pattern.test(words))?.[1];
  if (code === undefined) return undefined;
  const head = rpc.chain.head();
  const wrapped = wrapEthTx(
    { raw: tx.raw, from: tx.from.address, gasLimit: tx.gas, maxFeePerGas: tx.feeCap },
    rpc.chain.denom,
  );
  const told = await checkedOnly(rpc, wrapped);
  return told === undefined || told === code || rpc.chain.head() !== head
    ? undefined
    : `${tx.hash} was refused: ${words}, for which CheckTx says '${told}', not '${code}'`;
}
