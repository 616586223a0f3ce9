import { encode } from '../../codec/proto.ts';
import { type Bytes, EMPTY } from '../../lib/bytes.ts';
import type { EthTx } from '../chain.ts';
import { TYPE_URL } from '../typeUrls.ts';
import { AUTH_INFO, type Coin, MSG_ETHEREUM_TX, TX_BODY, TX_RAW } from './tables.ts';

/** Fee of the wrapping: gas × fee cap (gas price for legacy); no coin if that is zero. */
export function ethTxFee(tx: Pick<EthTx, 'gasLimit' | 'maxFeePerGas'>, denom: string): readonly Coin[] {
  const amount = tx.gasLimit * tx.maxFeePerGas;
  return amount === 0n ? [] : [{ denom, amount: amount.toString() }];
}

/**
 * The only valid consensus transaction (TxRaw) for this Ethereum transaction. decodeTx refuses any other wrapping, so
 * the same transfer cannot fill a block under many hashes.
 */
export function wrapEthTx(
  tx: Pick<EthTx, 'raw' | 'from' | 'gasLimit' | 'maxFeePerGas'>,
  denom: string,
): Bytes {
  const value = encode(MSG_ETHEREUM_TX, { from: tx.from, raw: tx.raw });
  const bodyBytes = encode(TX_BODY, {
    messages: [{ typeUrl: TYPE_URL.msgEthereumTx, value }],
    memo: '',
    timeoutHeight: 0n,
    extensionOptions: [{ typeUrl: TYPE_URL.extensionEthereumTx, value: EMPTY }],
    nonCriticalExtensionOptions: [],
  });
  const fee = { amount: ethTxFee(tx, denom), gasLimit: tx.gasLimit, payer: '', granter: '' };
  const authInfoBytes = encode(AUTH_INFO, { signerInfos: [], fee, tip: EMPTY });
  return encode(TX_RAW, { bodyBytes, authInfoBytes, signatures: [] });
}
