import { toHex as viemHex } from 'viem';
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { decodeEthTx } from '../../../../core/app/evm/ethTx.ts';
import { wrapEthTx } from '../../../../core/app/tx/wrapEthTx.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { type Bytes, hex } from '../../../../core/lib/bytes.ts';
import { EVM_CHAIN_ID, must } from './chain.ts';

const MNEMONIC = 'test test test test test test test test test test test junk';
export const GWEI = 10n ** 9n;

export interface Wallet {
  readonly account: PrivateKeyAccount;
  readonly address: Bytes;
}

/** The well-known dev accounts. */
export function wallet(index: number): Wallet {
  const key = mnemonicToAccount(MNEMONIC, { addressIndex: index }).getHdKey().privateKey as Uint8Array;
  const account = privateKeyToAccount(viemHex(key));
  return { account, address: hex(account.address) };
}

export type TxFields = Parameters<PrivateKeyAccount['signTransaction']>[0];

/** EIP-2718 bytes signed by viem. */
export async function signRaw(from: Wallet, fields: Record<string, unknown>): Promise<Bytes> {
  const base = {
    chainId: EVM_CHAIN_ID,
    type: 'eip1559',
    gas: 100_000n,
    maxFeePerGas: 10n * GWEI,
    maxPriorityFeePerGas: GWEI,
  };
  const defaults =
    fields.type === undefined || fields.type === 'eip1559' || fields.type === 'eip7702'
      ? base
      : { chainId: EVM_CHAIN_ID, gas: 100_000n, gasPrice: 10n * GWEI };
  return hex(await from.account.signTransaction({ ...defaults, ...fields } as TxFields));
}

export const wrapRaw = (raw: Bytes, denom = 'achain'): Bytes =>
  wrapEthTx(must(decodeEthTx(raw, nobleSuite)).tx, denom);

/** A consensus transaction. */
export const signTx = async (from: Wallet, fields: Record<string, unknown>): Promise<Bytes> =>
  wrapRaw(await signRaw(from, fields));
