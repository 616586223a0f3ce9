import { readSupply } from '../../core/app/bank/keeper.ts';
import type { ChainReader, EthBlock, EthReceipt, EthTx } from '../../core/app/chain.ts';
import { readOffences } from '../../core/app/evidence/keeper.ts';
import { contractAddressOf } from '../../core/app/evm/execute.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { type Bytes, equalBytes, toHex } from '../../core/lib/bytes.ts';
import { accused } from './framing.ts';

const PLAIN_GAS = 21_000n;

interface Account {
  readonly address: Bytes;
  balance: bigint;
  nonce: bigint;
  hasSent: boolean;
}

/**
 * The books a second time, from what receipts say: a sender pays value and gas, the receiver has the value, the proposer
 * the tip, and the base fee is gone. undefined when every account has, at the end, what it should; chains with
 * transactions that have no Ethereum receipt, or with authorizations that move nonces, are not judged.
 */
export function ledgerProblem(chain: ChainReader, suite: CryptoSuite): string | undefined {
  const genesis = chain.view(0);
  if (genesis === undefined) return undefined;
  const books = new Map<string, Account>();
  const of = (address: Bytes): Account => {
    const name = toHex(address);
    const known = books.get(name);
    if (known !== undefined) return known;
    const { balance = 0n, nonce = 0n } = genesis.account(address) ?? {};
    const fresh = { address, balance, nonce, hasSent: false };
    books.set(name, fresh);
    return fresh;
  };
  let burned = 0n;
  for (let height = Math.max(1, chain.base()); height <= chain.head(); height++) {
    const block = chain.ethBlock(height);
    if (block === undefined) return `block ${height} is missing`;
    if (chain.block(height)?.txs.length !== block.transactions.length) return undefined;
    for (const [i, tx] of block.transactions.entries()) {
      if (tx.authorizationList.length > 0) return undefined;
      const receipt = block.receipts[i];
      const problem =
        receipt === undefined ? 'it has no receipt' : book(chain, suite, of, { block, tx, receipt });
      if (problem !== undefined) return `transaction ${toHex(tx.hash)}: ${problem}`;
      burned += block.header.baseFeePerGas * (receipt?.gasUsed ?? 0n);
    }
  }
  const supply = readSupply(chain.latest(), chain.denom);
  const wanted = readSupply(genesis, chain.denom) - burned;
  if (supply !== wanted) return `the bank says that there are ${supply} coins, it should be ${wanted}`;
  return balanceProblem(chain, [...books.values()]);
}

function book(
  chain: ChainReader,
  suite: CryptoSuite,
  of: (address: Bytes) => Account,
  { block, tx, receipt }: { readonly block: EthBlock; readonly tx: EthTx; readonly receipt: EthReceipt },
): string | undefined {
  const base = block.header.baseFeePerGas;
  const wished = base + tx.maxPriorityFeePerGas;
  const price = wished < tx.maxFeePerGas ? wished : tx.maxFeePerGas;
  const { gasUsed, status } = receipt;
  if (receipt.effectiveGasPrice !== price) return `costs ${receipt.effectiveGasPrice} a gas, should ${price}`;
  if (gasUsed > tx.gasLimit) return `used ${gasUsed} gas of ${tx.gasLimit}`;
  const isPlain = tx.to !== undefined && tx.data.length === 0 && tx.accessList.length === 0;
  if (isPlain && chain.latest().code(tx.to).length === 0 && gasUsed !== PLAIN_GAS)
    return `a transfer used ${gasUsed} gas`;
  const created = tx.to === undefined ? contractAddressOf(tx.from, tx.nonce, suite) : undefined;
  if ((created === undefined) !== (receipt.contractAddress === undefined)) return 'names a contract wrongly';
  if (created !== undefined && !equalBytes(created, receipt.contractAddress ?? created))
    return 'names another contract than it made';
  const from = of(tx.from);
  const value = status === 1 ? tx.value : 0n;
  from.balance -= gasUsed * price + value;
  from.nonce += 1n;
  from.hasSent = true;
  of(tx.to ?? created ?? tx.from).balance += value;
  of(block.header.coinbase).balance += gasUsed * (price - base);
  return undefined;
}

/** Every account as the newest state has it; whoever exists has a number, whoever sent a key. */
function balanceProblem(chain: ChainReader, accounts: readonly Account[]): string | undefined {
  const latest = chain.latest();
  for (const { address, balance, nonce, hasSent } of accounts) {
    const name = toHex(address);
    const account = latest.account(address);
    if ((account?.balance ?? 0n) !== balance)
      return `${name} has ${account?.balance ?? 0n}, by its receipts it should have ${balance}`;
    if (hasSent && account?.nonce !== nonce) return `${name} has nonce ${account?.nonce}, sent ${nonce}`;
    if (account === undefined) continue;
    const auth = latest.auth(address);
    if (auth === undefined) return `${name} exists and has no account number`;
    if (hasSent && auth.pubKey === undefined) return `${name} has sent and its key is not known`;
  }
  return undefined;
}

/** Whoever the blocks prove guilty is recorded as often as they do. */
export function offenceProblem(chain: ChainReader): string | undefined {
  const counts = new Map<string, { readonly address: Bytes; count: bigint }>();
  for (let height = Math.max(1, chain.base()); height <= chain.head(); height++) {
    for (const address of chain.block(height)?.evidence.flatMap(accused) ?? []) {
      const entry = counts.get(toHex(address)) ?? { address, count: 0n };
      entry.count += 1n;
      counts.set(toHex(address), entry);
    }
  }
  for (const { address, count } of counts.values()) {
    const recorded = readOffences(chain.latest(), address)?.count ?? 0n;
    if (recorded !== count)
      return `${recorded} offences of ${toHex(address)} are recorded, blocks prove ${count}`;
  }
  return undefined;
}
