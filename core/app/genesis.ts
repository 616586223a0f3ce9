import type { CryptoSuite } from '../crypto/suite.ts';
import { assert } from '../lib/assert.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { StateDb } from '../state/stateDb.ts';
import { WorldState } from '../state/worldState.ts';
import { BlockWriteSet } from '../state/writeSet.ts';
import type { KvOp, KvStore } from '../store/kv.ts';
import { EMPTY_ROOTS } from '../store/roots.ts';
import type { Genesis } from '../types/genesis.ts';
import type { Hash } from '../types/ids.ts';
import { appHashOf } from './appHash.ts';
import { type AppState, type GenesisAccount, parseAppState } from './appState.ts';
import { wrongGenesisKey } from './auth/genesisKeys.ts';
import { numberAccounts, putAuth, setAccountCount } from './auth/keeper.ts';
import { putSupply } from './bank/keeper.ts';
import type { EthBlock } from './chain.ts';
import { genesisEthBlock } from './evm/genesisBlock.ts';
import type { GenesisError } from './genesisJson.ts';

/** Ethereum gas limit of a chain whose consensus parameters set none (max_gas -1). */
const UNLIMITED_BLOCK_GAS = 0xffff_ffffn;

export const blockGasLimit = (genesis: Genesis): bigint =>
  genesis.params.block.maxGas < 0 ? UNLIMITED_BLOCK_GAS : BigInt(genesis.params.block.maxGas);

export const parseGenesisAppState = (genesis: Genesis, suite: CryptoSuite): Result<AppState, GenesisError> =>
  parseAppState(genesis.appState, genesis.chainId, (message) => suite.keccak256(message));

/** Height 0: the state before the first block. */
export interface GenesisStateReply {
  readonly appState: AppState;
  readonly appHash: Hash;
  readonly stateRoot: Hash;
  readonly modulesRoot: Hash;
  readonly ethBlock: EthBlock;
  /** State nodes and code, not written yet. */
  readonly ops: readonly KvOp[];
}

function writeAccount(writes: BlockWriteSet, account: GenesisAccount): void {
  const { address, balance, nonce, code, storage } = account;
  writes.putAccount(address, { balance, nonce });
  if (code.length > 0) writes.putCode(address, code);
  for (const { slot, value } of storage) writes.putStorage(address, slot, value);
}

/** First the numbers that the auth section gives, then all other existing accounts in order of address. */
function writeAuth(writes: BlockWriteSet, accounts: readonly GenesisAccount[]): void {
  let numbered = 0n;
  for (const { address, accountNumber, pubKey } of accounts) {
    if (accountNumber === undefined) continue;
    putAuth(writes, address, { accountNumber, pubKey });
    numbered++;
  }
  if (numbered > 0n) setAccountCount(writes, numbered);
  numberAccounts(
    writes,
    accounts.map((account) => account.address).filter((address) => writes.account(address) !== undefined),
  );
}

/** Builds the genesis state; the same genesis always yields the same state. */
export type GenesisMaker = typeof initGenesis;

/** Builds the state of height 0 in memory. The caller writes `ops` together with the store's genesis records. */
export function initGenesis(
  kv: Pick<KvStore, 'get'>,
  genesis: Genesis,
  suite: CryptoSuite,
): Result<GenesisStateReply, GenesisError> {
  const parsed = parseGenesisAppState(genesis, suite);
  if (!parsed.ok) return parsed;
  const appState = parsed.value;
  const wrong = wrongGenesisKey(appState.accounts, suite);
  if (wrong !== undefined) return err(wrong);
  const keccak256 = (message: Uint8Array): Hash => suite.keccak256(message);
  const writes = new BlockWriteSet(WorldState.open(new StateDb(kv, keccak256), EMPTY_ROOTS));
  for (const account of appState.accounts) writeAccount(writes, account);
  writes.removeEmptyTouched();
  writeAuth(writes, appState.accounts);
  if (appState.supply > 0n) putSupply(writes, appState.denom, appState.supply);
  const { stateRoot, modulesRoot, ops } = writes.seal();
  const { feeMarket } = appState;
  const timestamp = genesis.genesisTime.seconds;
  if (timestamp < 0) return err({ code: 'genesis', path: 'genesis_time', message: 'before 1970' });
  const ethBlock = genesisEthBlock(
    {
      number: genesis.initialHeight - 1,
      stateRoot,
      gasLimit: blockGasLimit(genesis),
      timestamp,
      baseFee: feeMarket.noBaseFee ? 0n : feeMarket.baseFee,
    },
    keccak256,
  );
  assert(ethBlock.hash.length === 32, 'genesis block hash');
  return ok({
    appState,
    appHash: appHashOf(ethBlock.hash, modulesRoot),
    stateRoot,
    modulesRoot,
    ethBlock,
    ops,
  });
}
