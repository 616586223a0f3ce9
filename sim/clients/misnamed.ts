import { EVM_CHAIN_ID } from '../cluster.ts';
import type { Draft } from '../scripts/script.ts';

type IsRight = (tx: Draft, told: readonly bigint[]) => boolean;

const isGasShort: IsRight = ({ gas }, [own = 0n, needed = 0n]) => own === gas && needed > gas;

/** Refusals with numbers, in geth's words, and whether the numbers can be those of the transaction. */
const NAMING: readonly (readonly [words: RegExp, isRight: IsRight])[] = [
  [
    /^nonce too low: next nonce (\d+), tx nonce (\d+)$/,
    ({ nonce }, [next = 0n, own]) => own === BigInt(nonce) && next > own,
  ],
  [/intrinsic gas too low: gas (\d+), minimum needed (\d+)$/, isGasShort],
  [/insufficient gas for floor data gas cost: gas (\d+), minimum needed (\d+)$/, isGasShort],
  [/gas limit too high \(cap: (\d+), tx: (\d+)\)$/, ({ gas }, [cap = 0n, own]) => own === gas && cap < own],
  [
    /underpriced: gas fee cap (\d+), minimum needed (\d+)$/,
    ({ feeCap }, [own, least = 0n]) => own === feeCap && least > own,
  ],
  [
    /invalid chain id for signer: have (\d+) want (\d+)$/,
    ({ chainId = EVM_CHAIN_ID }, [own, wanted]) =>
      own === chainId && wanted === EVM_CHAIN_ID && own !== wanted,
  ],
  [
    /: balance (\d+), tx cost (\d+), overshot (-?\d+)$/,
    ({ value, gas, feeCap }, [balance = 0n, cost = 0n, over]) =>
      cost === value + gas * feeCap && over === cost - balance && over > 0n,
  ],
];

/** Whether a refusal states wrong numbers. */
export const isMisnamed = (tx: Draft, words: string): boolean =>
  NAMING.some(([pattern, isRight]) => {
    const told = pattern.exec(words)?.slice(1).map(BigInt);
    return told !== undefined && !isRight(tx, told);
  });
