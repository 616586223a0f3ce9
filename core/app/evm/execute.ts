import type { CryptoSuite } from '../../crypto/suite.ts';
import { assert, present } from '../../lib/assert.ts';
import { type Bytes, EMPTY, toHex } from '../../lib/bytes.ts';
import type { BlockWriteSet } from '../../state/writeSet.ts';
import type { Guard } from '../../types/app.ts';
import type { Address } from '../../types/ids.ts';
import type { TraceHooks, TxStart } from '../../types/trace.ts';
import { FEE_COLLECTOR_ADDRESS, numberAccounts, rememberPubKey } from '../auth/keeper.ts';
import type { EthTx, SignedEthTx } from '../chain.ts';
import { effectivePrice } from '../feemarket/baseFee.ts';
import { authorityOf } from './delegation.ts';
import type { BlockEnv, EnginePool } from './engine.ts';
import type { ForkRules } from './forks.ts';
import { intrinsicGas } from './intrinsicGas.ts';
import { type MessageResult, type RawLog, runMessage } from './message.ts';
import { bigintToBytes } from './numbers.ts';
import { encodeRlp } from './rlp.ts';
import { TouchLog } from './touchLog.ts';

/** What is the same for all transactions. */
export interface ExecutionRules {
  readonly evmChainId: bigint;
  readonly fork: ForkRules;
  readonly collectBaseFee: boolean;
  readonly engines: EnginePool;
  readonly suite: CryptoSuite;
  /** Tests run both ways; blocks always take the short way where it applies. */
  readonly plainTransfers: 'short' | 'evm';
  /** Set when a block runs again for a reader; consensus has none. */
  readonly guard?: Guard | undefined;
}

/** The effects of an admitted transaction. */
export interface TxEffects {
  readonly status: 0 | 1;
  readonly gasUsed: bigint;
  readonly effectiveGasPrice: bigint;
  readonly logs: readonly RawLog[];
  readonly returnValue: Bytes;
  readonly vmError: string | undefined;
  /** Set for a creation, successful or not. */
  readonly contractAddress: Address | undefined;
  /** Change of the native coin's supply, never positive: minus the burned base fee and what contracts destroyed. */
  readonly supplyChange: bigint;
  /** True when the transaction did not run in the EVM. */
  readonly isPlain: boolean;
}

const REFUND_QUOTIENT = 5n;
const REFUND_QUOTIENT_BERLIN = 2n;

/** The last 20 bytes of keccak256(RLP([sender, nonce])). */
export const contractAddressOf = (
  from: Address,
  nonce: bigint,
  suite: Pick<CryptoSuite, 'keccak256'>,
): Address => suite.keccak256(encodeRlp([from, bigintToBytes(nonce)])).slice(12);

/**
 * Whether this is a value transfer to an account without code. It runs no instruction: only sender, receiver and
 * proposer change. test/core/app/evm/plainTransfer.test.ts proves that both ways give the same state.
 */
function isPlainTransfer(
  tx: EthTx,
  writes: BlockWriteSet,
  rules: ExecutionRules,
): tx is EthTx & { to: Address } {
  if (rules.plainTransfers === 'evm' || tx.to === undefined || tx.authorizationList.length > 0) return false;
  return !rules.engines.isPrecompile(toHex(tx.to)) && writes.code(tx.to).length === 0;
}

const NOTHING_RAN: MessageResult = {
  gasUsed: 0n,
  refund: 0n,
  returnValue: EMPTY,
  logs: [],
  vmError: undefined,
};

/** Balance changes outside the EVM. Each account is logged before its first change. */
class Ledger {
  readonly #writes: BlockWriteSet;
  readonly #log: TouchLog;

  constructor(writes: BlockWriteSet, log: TouchLog) {
    this.#writes = writes;
    this.#log = log;
  }

  change(address: Address, amount: bigint, nonce?: bigint): void {
    this.#log.touch(address);
    const balance = (this.#writes.account(address)?.balance ?? 0n) + amount;
    this.#writes.putAccount(address, nonce === undefined ? { balance } : { balance, nonce });
  }
}

/**
 * Runs a transaction that checkStatic and checkForBlock have admitted. In order: buy all gas, increment the nonce,
 * apply authorizations, run, refund (EIP-3529), floor (EIP-7623), return unused gas, pay the tip, burn or collect the
 * base fee, delete emptied accounts (EIP-161), number new accounts.
 */
export async function executeTx(
  writes: BlockWriteSet,
  env: BlockEnv,
  signed: SignedEthTx,
  rules: ExecutionRules,
  trace?: TraceHooks,
): Promise<TxEffects> {
  const { tx } = signed;
  const { price, tip } = present(effectivePrice(tx, env.baseFee), 'admission checked the fee cap');
  const { intrinsic, floor } = intrinsicGas(tx, rules.fork);
  assert(tx.gasLimit >= intrinsic, 'admission checked the intrinsic gas');
  writes.beginTx();
  trace?.start?.(startOf(tx, env, rules), writes, env);
  const log = new TouchLog(writes);
  const ledger = new Ledger(writes, log);
  ledger.change(tx.from, -tx.gasLimit * price, tx.nonce + 1n);
  const isPlain = trace === undefined && isPlainTransfer(tx, writes, rules);
  let result = NOTHING_RAN;
  if (isPlain) {
    ledger.change(tx.from, -tx.value);
    ledger.change(tx.to, tx.value);
  } else {
    const message = { ...messageOf(tx), gas: tx.gasLimit - intrinsic, gasPrice: price };
    const { engines, evmChainId, suite, guard } = rules;
    result = await runMessage({ writes, log, env, engines, evmChainId, suite, trace, guard }, message);
  }
  const gasUsed = chargedGas(intrinsic + result.gasUsed, result.refund, floor, rules.fork);
  ledger.change(tx.from, (tx.gasLimit - gasUsed) * price);
  ledger.change(env.coinbase, gasUsed * tip);
  if (rules.collectBaseFee) ledger.change(FEE_COLLECTOR_ADDRESS, gasUsed * env.baseFee);
  writes.removeEmptyTouched();
  numberAccounts(writes, log.existing());
  rememberPubKey(writes, tx.from, signed.pubKey);
  trace?.end?.({ gasUsed, vmError: result.vmError, returnValue: result.returnValue }, writes);
  return {
    status: result.vmError === undefined ? 1 : 0,
    gasUsed,
    effectiveGasPrice: price,
    logs: result.logs,
    returnValue: result.returnValue,
    vmError: result.vmError,
    contractAddress: tx.to === undefined ? contractAddressOf(tx.from, tx.nonce, rules.suite) : undefined,
    supplyChange: log.supplyChange(),
    isPlain,
  };
}

/** The first thing that the hooks are told. */
function startOf(tx: EthTx, env: BlockEnv, rules: ExecutionRules): TxStart {
  const authorities = tx.authorizationList.map((item) => authorityOf(item, rules.evmChainId, rules.suite));
  return {
    from: tx.from,
    to: tx.to ?? contractAddressOf(tx.from, tx.nonce, rules.suite),
    isCreate: tx.to === undefined,
    gasLimit: tx.gasLimit,
    coinbase: env.coinbase,
    authorities: authorities.filter((address) => address !== undefined),
  };
}

const messageOf = ({ from, to, value, data, accessList, authorizationList }: EthTx) => ({
  from,
  to,
  value,
  data,
  accessList,
  authorizationList,
});

/** Caps the refund (a fifth since EIP-3529, half before), then applies the EIP-7623 floor. */
export function chargedGas(used: bigint, refund: bigint, floor: bigint, rules: ForkRules): bigint {
  const cap = used / (rules.london ? REFUND_QUOTIENT : REFUND_QUOTIENT_BERLIN);
  const after = used - (refund < cap ? refund : cap);
  return after < floor ? floor : after;
}
