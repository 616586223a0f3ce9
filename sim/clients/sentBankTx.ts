import type { ChainReader } from '../../core/app/chain.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { type Bytes, EMPTY, to0xHex, toUpperHex } from '../../core/lib/bytes.ts';
import { signTx } from '../../core/rpc/eth/signTx.ts';
import { type DevAccount, EVM_CHAIN_ID } from '../cluster.ts';
import { type BankDraft, bankTx } from './cosmosTx.ts';
import type { Simulated } from './simulation.ts';

const GWEI = 10n ** 9n;

export interface SentBankTx {
  readonly from: DevAccount;
  /** An Ethereum transaction shares its sender's sequence. */
  readonly kind: 'bank' | 'ethereum';
  readonly raw: Bytes;
  /** SHA-256 in upper-case hex, as the REST API names transactions. For an Ethereum transaction its own hash. */
  readonly hash: string;
  readonly sequence: number;
  /** What it was made from; undefined for an Ethereum transaction. */
  readonly draft?: BankDraft;
  /** Why no node may take it. */
  readonly bad?: string;
  sentAt: number;
  /** The highest height that any node had decided when it was last sent to a node that did not know it. */
  sentHead: number;
  /** Height that the client was told. */
  height: number | undefined;
  simulated?: Simulated;
  /** The code that its result must have; 0 when left out. */
  expected?: number;
  /** It pays another account of the wallet, which may lack the coins for a transaction of its own before that. */
  isGift?: boolean;
}

export function signedBank(
  suite: CryptoSuite,
  chain: ChainReader,
  draft: BankDraft,
  accountNumber: bigint,
  sequence: number,
): SentBankTx {
  const { chainId, evmChainId } = chain;
  const data = { chainId, evmChainId, accountNumber, sequence: BigInt(sequence) };
  const raw = bankTx(suite, draft, data, chain);
  const hash = toUpperHex(suite.sha256(raw));
  return unsent({ from: draft.from, kind: 'bank', draft, raw, hash, sequence });
}

/** An Ethereum transaction that moves so many wei. */
export function signedTransfer(
  suite: CryptoSuite,
  from: DevAccount,
  sequence: number,
  to: Bytes,
  value: bigint,
): SentBankTx {
  const tx = {
    chainId: EVM_CHAIN_ID,
    nonce: BigInt(sequence),
    fees: { maxPriorityFeePerGas: GWEI, maxFeePerGas: 100n * GWEI },
    gas: 21_000n,
    to,
    value,
    data: EMPTY,
    accessList: [],
    authorizationList: [],
  };
  const raw = signTx(tx, from.secret, suite);
  return unsent({ from, kind: 'ethereum', raw, hash: to0xHex(suite.keccak256(raw)), sequence });
}

const unsent = (tx: Omit<SentBankTx, 'sentAt' | 'sentHead' | 'height'>): SentBankTx => ({
  ...tx,
  sentAt: 0,
  sentHead: 0,
  height: undefined,
});
