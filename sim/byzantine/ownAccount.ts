import { wrapEthTx } from '../../core/app/tx/wrapEthTx.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, EMPTY } from '../../core/lib/bytes.ts';
import { signDynamicFeeTx } from '../../core/rpc/eth/signTx.ts';
import { bankTx } from '../clients/cosmosTx.ts';
import { type Cluster, EVM_CHAIN_ID } from '../cluster.ts';
import type { Process } from '../machine/process.ts';
import { handwritten, lying } from '../scripts/ethLies.ts';
import type { Accomplice, OwnTx, Wrapping } from './behaviour.ts';

const GWEI = 10n ** 9n;
const FEE_CAP = 1_000n * GWEI;
const TRANSFER_GAS = 21_000n;
/** A transfer of zero coins. */
const GOOD_TX = {
  to: new Uint8Array(20).fill(0x77),
  data: EMPTY,
  value: 0n,
  gas: TRANSFER_GAS,
  tip: GWEI,
  feeCap: FEE_CAP,
};

type OwnAccount = Pick<Accomplice, 'signTx' | 'signLie' | 'signBank' | 'wrapTx' | 'victim' | 'nonce'>;

/** The transactions of a Byzantine node, from an account that no client uses. */
export function ownAccount(
  process: Process,
  { accounts }: Cluster,
  suite: CryptoSuite,
  chainId: string,
): OwnAccount {
  // The last account: clients are assigned theirs from the front.
  const account = present(accounts[accounts.length - 1], 'development accounts');
  const wrapped = (raw: Bytes, said: Wrapping): Bytes => {
    const wrapping = { from: account.address, gasLimit: TRANSFER_GAS, maxFeePerGas: FEE_CAP, ...said };
    return wrapEthTx({ raw, ...wrapping }, process.node?.rpc?.chain.denom ?? '');
  };
  return {
    signTx(tx, said) {
      const full = filled(tx);
      const { gas: gasLimit, maxFeePerGas } = full;
      return wrapped(signDynamicFeeTx(full, account.secret, suite), { gasLimit, maxFeePerGas, ...said });
    },
    signLie(what, nonce) {
      const tx = lying(what, { ...GOOD_TX, from: account, nonce });
      return wrapped(handwritten(what, tx, suite), { gasLimit: tx.gas, maxFeePerGas: tx.feeCap });
    },
    signBank(draft, sequence) {
      const chain = present(process.node?.rpc?.chain, 'a running node');
      const accountNumber = chain.latest().auth(draft.lie?.of ?? account.address)?.accountNumber ?? 0n;
      const data = { chainId, evmChainId: EVM_CHAIN_ID, accountNumber, sequence: BigInt(sequence) };
      return bankTx(suite, { ...draft, from: account }, data, chain);
    },
    wrapTx: (raw) => wrapped(raw, {}),
    victim: present(accounts[0], 'development accounts').address,
    nonce: (of = account.address) => Number(process.node?.rpc?.chain.latest().account(of)?.nonce ?? 0n),
  };
}

const filled = (tx: OwnTx): Parameters<typeof signDynamicFeeTx>[0] => ({
  chainId: tx.chainId ?? EVM_CHAIN_ID,
  nonce: BigInt(tx.nonce),
  maxPriorityFeePerGas: tx.feeCap === undefined ? BigInt(tx.tipGwei ?? 1) * GWEI : 0n,
  maxFeePerGas: tx.feeCap ?? FEE_CAP,
  gas: tx.gas ?? TRANSFER_GAS,
  to: tx.to,
  value: tx.value ?? 0n,
  data: tx.data ?? EMPTY,
  accessList: [],
});
