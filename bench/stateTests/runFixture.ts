/** Runs General State Tests through the node's own decoder, admission rules, execution and authenticated state. */
import type { SignedEthTx } from '../../core/app/chain.ts';
import type { AdmissionError } from '../../core/app/errors.ts';
import { checkForBlock, checkStatic } from '../../core/app/evm/admission.ts';
import { type BlockEnv, createCommon, EnginePool } from '../../core/app/evm/engine.ts';
import { decodeEthTx } from '../../core/app/evm/ethTx.ts';
import { type ExecutionRules, executeTx, type TxEffects } from '../../core/app/evm/execute.ts';
import { forkRules } from '../../core/app/evm/forks.ts';
import { encodeRlp } from '../../core/app/evm/rlp.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { hex, to0xHex } from '../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../core/lib/utf8.ts';
import { EMPTY_CODE_HASH } from '../../core/state/account.ts';
import { StateDb } from '../../core/state/stateDb.ts';
import { WorldState } from '../../core/state/worldState.ts';
import { BlockWriteSet } from '../../core/state/writeSet.ts';
import { MemoryKv } from '../../core/store/memoryKv.ts';
import { EMPTY_ROOTS } from '../../core/store/roots.ts';
import { FORKS, type ForkName } from '../../core/types/fork.ts';
import { type Fixture, numberOf, type Post, wordOf } from './fixture.ts';

/** The chain id that all files sign for. */
const CHAIN_ID = 1n;

export type Verdict =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'skipped'; readonly reason: string };

export interface CaseVerdict {
  /** `fork d0 g0 v0`. */
  readonly name: string;
  readonly verdict: Verdict;
}

/** Our refusals in the names of the test format; one refusal may stand for several of theirs. */
const EXCEPTIONS: Readonly<Partial<Record<AdmissionError['code'], readonly string[]>>> = {
  rlp: [
    'RLP_INVALID_VALUE',
    'RLP_ERROR',
    'GASLIMIT_OVERFLOW',
    'VALUE_OVERFLOW',
    'GASLIMIT_PRICE_PRODUCT_OVERFLOW',
  ],
  signature: ['INVALID_SIGNATURE_VRS'],
  'tx-type': ['TYPE_NOT_SUPPORTED', 'TYPE_3_TX_PRE_FORK', 'TYPE_4_TX_PRE_FORK'],
  'chain-id': ['INVALID_CHAINID'],
  'init-code': ['INITCODE_SIZE_EXCEEDED'],
  'tip-above-cap': ['PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS'],
  'auth-list-empty': ['TYPE_4_EMPTY_AUTHORIZATION_LIST'],
  'intrinsic-gas': ['INTRINSIC_GAS_TOO_LOW'],
  'floor-gas': ['INTRINSIC_GAS_TOO_LOW', 'INTRINSIC_GAS_BELOW_FLOOR_GAS_COST'],
  'tx-gas-cap': ['GAS_LIMIT_EXCEEDS_MAXIMUM'],
  'block-gas-limit': ['GAS_ALLOWANCE_EXCEEDED'],
  'block-gas-left': ['GAS_ALLOWANCE_EXCEEDED'],
  'nonce-max': ['NONCE_IS_MAX'],
  'nonce-too-low': ['NONCE_MISMATCH_TOO_LOW', 'NONCE_TOO_LOW'],
  'nonce-too-high': ['NONCE_MISMATCH_TOO_HIGH', 'NONCE_TOO_BIG'],
  'sender-not-eoa': ['SENDER_NOT_EOA'],
  'insufficient-funds': ['INSUFFICIENT_ACCOUNT_FUNDS', 'GASLIMIT_PRICE_PRODUCT_OVERFLOW'],
  'fee-cap-below-base': ['INSUFFICIENT_MAX_FEE_PER_GAS'],
};

/** Names of older files, without `TR_`. */
const OLDER: Readonly<Record<string, string>> = {
  TypeNotSupported: 'TYPE_NOT_SUPPORTED',
  IntrinsicGas: 'INTRINSIC_GAS_TOO_LOW',
  NoFunds: 'INSUFFICIENT_ACCOUNT_FUNDS',
  NoFundsX: 'INSUFFICIENT_ACCOUNT_FUNDS',
  NoFundsOrGas: 'INSUFFICIENT_ACCOUNT_FUNDS',
  GasLimitReached: 'GAS_ALLOWANCE_EXCEEDED',
  FeeCapLessThanBlocks: 'INSUFFICIENT_MAX_FEE_PER_GAS',
  TipGtFeeCap: 'PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS',
  NonceHasMaxValue: 'NONCE_IS_MAX',
  NonceTooHigh: 'NONCE_TOO_BIG',
  NonceTooLow: 'NONCE_TOO_LOW',
  InitCodeLimitExceeded: 'INITCODE_SIZE_EXCEEDED',
  SenderNotEOA: 'SENDER_NOT_EOA',
  RLP_WRONGVALUE: 'RLP_INVALID_VALUE',
};

const todays = (name: string): string => {
  const plain = name.replace('TransactionException.', '').replace(/^TR_/, '');
  return OLDER[plain] ?? plain;
};

const isExpected = (error: AdmissionError, expected: string): boolean => {
  const names = expected.split('|').map(todays);
  return names.some((name) => EXCEPTIONS[error.code]?.includes(name) === true);
};

/** Forks before the ones that genesis may choose, and those not out yet. */
const FORK_OF: ReadonlyMap<string, ForkName> = new Map([
  ...FORKS.map((fork): [string, ForkName] => [fork.charAt(0).toUpperCase() + fork.slice(1), fork]),
  ['Merge', 'paris'],
]);

export class StateTestRunner {
  readonly #suite: CryptoSuite;
  readonly #rules = new Map<ForkName, ExecutionRules>();

  constructor(suite: CryptoSuite) {
    this.#suite = suite;
  }

  async run(fixture: Fixture, wanted?: (fork: string) => boolean): Promise<CaseVerdict[]> {
    const verdicts: CaseVerdict[] = [];
    for (const [fork, posts] of Object.entries(fixture.post)) {
      if (wanted?.(fork) === false) continue;
      const name = FORK_OF.get(fork);
      const world = name === undefined ? undefined : this.#world(fixture);
      for (const post of posts) {
        const { data, gas, value } = post.indexes;
        const verdict: Verdict =
          name === undefined || world === undefined
            ? { kind: 'skipped', reason: `rules of ${fork} are not offered` }
            : await this.#runOne(fixture, post, name, world);
        verdicts.push({ name: `${fork} d${data} g${gas} v${value}`, verdict });
      }
    }
    return verdicts;
  }

  #rulesOf(fork: ForkName): ExecutionRules {
    const known = this.#rules.get(fork);
    if (known !== undefined) return known;
    const suite = this.#suite;
    const made: ExecutionRules = {
      evmChainId: CHAIN_ID,
      fork: forkRules(fork),
      collectBaseFee: false,
      engines: new EnginePool(createCommon(CHAIN_ID, fork, suite)),
      suite,
      plainTransfers: 'short',
    };
    this.#rules.set(fork, made);
    return made;
  }

  /** The pre-state, sealed into a database as a block before would have been. */
  #world({ pre }: Fixture): WorldState {
    const kv = new MemoryKv();
    const db = new StateDb(kv, (message) => this.#suite.keccak256(message));
    const writes = new BlockWriteSet(WorldState.open(db, EMPTY_ROOTS));
    for (const [key, account] of Object.entries(pre)) {
      const address = hex(key.slice(2));
      writes.putAccount(address, { balance: numberOf(account.balance), nonce: numberOf(account.nonce) });
      const code = hex(account.code.slice(2));
      if (code.length > 0) writes.putCode(address, code);
      for (const [slot, value] of Object.entries(account.storage)) {
        writes.putStorage(address, wordOf(slot), wordOf(value));
      }
    }
    const { ops, stateRoot, modulesRoot } = writes.seal();
    kv.apply(ops);
    return WorldState.open(db, { stateRoot, modulesRoot });
  }

  #env({ env }: Fixture, fork: ForkName): BlockEnv {
    return {
      number: Number(numberOf(env.currentNumber)),
      coinbase: hex(env.currentCoinbase.slice(2)),
      timestamp: Number(numberOf(env.currentTimestamp)),
      prevRandao: wordOf(env.currentRandom ?? '0x'),
      gasLimit: numberOf(env.currentGasLimit),
      difficulty: numberOf(env.currentDifficulty ?? '0x'),
      baseFee: fork === 'berlin' ? 0n : numberOf(env.currentBaseFee ?? '0x'),
      blockHash: (number) => this.#suite.keccak256(encodeUtf8(String(number))),
    };
  }

  #admit(
    signed: SignedEthTx,
    writes: BlockWriteSet,
    env: BlockEnv,
    fork: ForkName,
  ): AdmissionError | undefined {
    const { tx } = signed;
    const rules = {
      evmChainId: CHAIN_ID,
      fork: forkRules(fork),
      blockGasLimit: env.gasLimit,
      minGasPrice: 0n,
    };
    const account = writes.account(tx.from);
    const sender = {
      nonce: account?.nonce ?? 0n,
      balance: account?.balance ?? 0n,
      codeHash: account?.codeHash ?? EMPTY_CODE_HASH,
      code: () => writes.code(tx.from),
    };
    return (
      checkStatic(tx, rules) ?? checkForBlock(tx, sender, { baseFee: env.baseFee, gasLeft: env.gasLimit })
    );
  }

  async #runOne(fixture: Fixture, post: Post, fork: ForkName, world: WorldState): Promise<Verdict> {
    if (post.txbytes === undefined) return { kind: 'skipped', reason: 'the file has no signed transaction' };
    const raw = hex(post.txbytes.slice(2));
    if (raw[0] === 3) return { kind: 'skipped', reason: 'blob transactions are refused under all rules' };
    if (numberOf(fixture.env.currentExcessBlobGas ?? '0x') > 0n) {
      return { kind: 'skipped', reason: 'without blobs the blob base fee is always the least' };
    }
    const writes = new BlockWriteSet(world);
    const env = this.#env(fixture, fork);
    const decoded = decodeEthTx(raw, this.#suite);
    const refused = decoded.ok ? this.#admit(decoded.value, writes, env, fork) : decoded.error;
    if (refused !== undefined || !decoded.ok) {
      return this.#judgeRefusal(refused as AdmissionError, post, world);
    }
    if (post.expectException !== undefined) {
      return { kind: 'failed', reason: `admitted, expected ${post.expectException}` };
    }
    const effects = await executeTx(writes, env, decoded.value, this.#rulesOf(fork));
    return this.#judgeEffects(effects, to0xHex(writes.rootsNow().stateRoot), post);
  }

  #judgeRefusal(refused: AdmissionError, post: Post, world: WorldState): Verdict {
    const expected = post.expectException;
    if (expected === undefined) return { kind: 'failed', reason: `refused: ${refused.code}` };
    if (!isExpected(refused, expected)) {
      return { kind: 'failed', reason: `refused as ${refused.code}, expected ${expected}` };
    }
    const root = to0xHex(world.stateRoot);
    return root === post.hash
      ? { kind: 'passed' }
      : { kind: 'failed', reason: `pre-state root ${root}, expected ${post.hash}` };
  }

  #judgeEffects({ logs, vmError }: TxEffects, root: string, post: Post): Verdict {
    const items = logs.map(({ address, topics, data }) => [address, [...topics], data]);
    const logsHash = to0xHex(this.#suite.keccak256(encodeRlp(items)));
    const ended = vmError === undefined ? '' : ` (${vmError})`;
    if (logsHash !== post.logs) return { kind: 'failed', reason: `logs hash ${logsHash}${ended}` };
    if (root !== post.hash)
      return { kind: 'failed', reason: `state root ${root}${ended}, expected ${post.hash}` };
    return { kind: 'passed' };
  }
}
