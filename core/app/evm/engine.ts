import { type Common, createCustomCommon, Mainnet, type StateManagerInterface } from '@ethereumjs/common';
import { createEVM, type EVM, type NobleBN254 } from '@ethereumjs/evm';
import { Address as EvmAddress } from '@ethereumjs/util';
import type { CryptoSuite } from '../../crypto/suite.ts';
import { present } from '../../lib/assert.ts';
import { type Bytes, concat } from '../../lib/bytes.ts';
import { Recent } from '../../lib/recent.ts';
import type { Guard } from '../../types/app.ts';
import type { ForkName } from '../../types/fork.ts';
import type { Address } from '../../types/ids.ts';
import { QuickBls } from './bls.ts';
import { QuickBn254 } from './bn254.ts';
import { copyPlainly } from './copies.ts';
import { endCreationsAsGeth } from './creationEnds.ts';
import { runFormattedInitCode } from './formattedInitCode.ts';
import { runFramesWithoutCopies } from './frames.ts';
import { type GuardSlot, guardCalls, guardJumps } from './guardHooks.ts';
import { verifyKzgProof } from './kzg.ts';
import { chargeConstantGasFirst, explainOutOfGas } from './outOfGasReasons.ts';
import { showPaidReverts } from './paidReverts.ts';
import { looking, type Precompiles, precompilesOf } from './precompiles.ts';
import { boundReturnData } from './returnDataBounds.ts';
import { payForbiddenLogs } from './staticLogs.ts';

/** The block values that instructions can read. */
export interface BlockEnv {
  readonly number: number;
  readonly coinbase: Address;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly prevRandao: Bytes;
  /** What opcode 0x44 returned before the merge (DIFFICULTY); 0 when absent, as there is no mining. */
  readonly difficulty?: bigint | undefined;
  readonly gasLimit: bigint;
  readonly baseFee: bigint;
  /** Blob base fee (EIP-7516). When absent it is 1, the minimum: there are no blobs. */
  readonly blobBaseFee?: bigint | undefined;
  /** Number and time, where the caller's overrides exceed what a `number` holds exactly. */
  readonly beyond?: { readonly number?: bigint; readonly timestamp?: bigint };
  /** Ethereum hash of an earlier block within the last 256. */
  blockHash(number: number): Bytes;
}

/** The library's block object for a BlockEnv; made once per block. */
export type EvmBlock = NonNullable<Parameters<EVM['runCall']>[0]['block']>;

export const evmBlockOf = (env: BlockEnv): EvmBlock => ({
  header: {
    number: BigInt(env.number),
    coinbase: new EvmAddress(env.coinbase),
    timestamp: BigInt(env.timestamp),
    difficulty: env.difficulty ?? 0n,
    prevRandao: env.prevRandao,
    gasLimit: env.gasLimit,
    baseFeePerGas: env.baseFee,
    // There are no blobs, so the price stays at its minimum (EIP-4844).
    getBlobGasPrice: () => env.blobBaseFee ?? 1n,
    ...env.beyond,
  },
});

/** There are few forks, and a process runs one chain or a few. */
const COMMONS_MAX = 64;

/** The library's parameters of a fork. It parses them from JSON each time; `copy()` copies everything that changes. */
const commons = new Recent<Common>(COMMONS_MAX);

function commonOf(evmChainId: bigint, fork: ForkName): Common {
  const name = `${evmChainId}/${fork}`;
  let common = commons.get(name);
  if (common === undefined) {
    const chain = { chainId: evmChainId.toString(), name: 'orrery' };
    common = createCustomCommon(chain, Mainnet, { hardfork: fork });
    commons.set(name, common);
  }
  return common.copy();
}

/** The 64-byte public key. `v` is 27 or 28: other values are refused before. Throws when nothing can be recovered. */
function signerKey(suite: CryptoSuite, digest: Bytes, v: bigint, r: Bytes, s: Bytes): Bytes {
  const key = suite.secp256k1Recover(digest, concat(r, s), Number(v) - 27);
  return present(key, 'a signer').subarray(1);
}

export function createCommon(evmChainId: bigint, fork: ForkName, suite: CryptoSuite): Common {
  const refuse = (): never => {
    throw new Error('C_KZG_BADARGS');
  };
  const customCrypto: Common['customCrypto'] = {
    keccak256: (message) => suite.keccak256(message),
    sha256: (message) => suite.sha256(message),
    ecrecover: (digest, v, r, s) => signerKey(suite, digest, v, r, s),
    kzg: {
      verifyProof: verifyKzgProof,
      blobToKzgCommitment: refuse,
      computeBlobProof: refuse,
      verifyBlobProofBatch: refuse,
      computeCells: refuse,
      computeCellsAndProofs: refuse,
      recoverCellsAndProofs: refuse,
      verifyCellKzgProofBatch: refuse,
    },
  };
  const common = Object.assign(commonOf(evmChainId, fork), { customCrypto });
  rememberEips(common);
  return common;
}

/** Caches which EIPs are active: the fork never changes, and the library searches the list twice per instruction. */
function rememberEips(common: Common): void {
  const known = new Map<number, boolean>();
  const look = common.isActivatedEIP.bind(common);
  common.isActivatedEIP = (eip) => {
    let isActive = known.get(eip);
    if (isActive === undefined) {
      isActive = look(eip);
      known.set(eip, isActive);
    }
    return isActive;
  };
}

/** Block hashes for the BLOCKHASH instruction, for the block that currently runs. */
class BlockHashes {
  env: BlockEnv | undefined;

  async getBlock(blockId: number): Promise<{ hash(): Uint8Array }> {
    const hash = present(this.env, 'no block is being run').blockHash(blockId);
    return { hash: () => hash };
  }

  async putBlock(): Promise<void> {}

  shallowCopy(): this {
    return this;
  }
}

/**
 * One EVM of the library. Creating one takes milliseconds (opcode tables), so engines are reused. Each run gets a new
 * journal and new transient storage, so that nothing of an earlier run remains, even of a failed one.
 */
export class EvmEngine {
  readonly evm: EVM;
  readonly #hashes: BlockHashes;
  readonly watch: GuardSlot | undefined;

  constructor(evm: EVM, hashes: BlockHashes, watch: GuardSlot | undefined) {
    this.evm = evm;
    this.#hashes = hashes;
    this.watch = watch;
  }

  /** Prepares the engine to run on a state and in a block, with these precompiles. */
  aim(state: StateManagerInterface, env: BlockEnv, precompiles: Precompiles): void {
    const { evm, watch } = this;
    const NewJournal = evm.journal.constructor as new (s: StateManagerInterface, c: Common) => EVM['journal'];
    const NewStorage = evm.transientStorage.constructor as new () => EVM['transientStorage'];
    evm.stateManager = state;
    (evm as unknown as { _precompiles: Precompiles })._precompiles =
      watch === undefined ? precompiles : looking(precompiles, () => watch.guard?.look());
    evm.journal = new NewJournal(state, evm.common);
    (evm as { transientStorage: EVM['transientStorage'] }).transientStorage = new NewStorage();
    this.#hashes.env = env;
  }
}

/** Idle engines kept for reuse. */
const IDLE_ENGINES_MAX = 4;

/** Lends engines. Block execution and read-only calls interleave, so one engine is not enough. */
export class EnginePool {
  readonly #common: Common;
  readonly #idle: EvmEngine[] = [];
  readonly #guarded: EvmEngine[] = [];
  readonly precompiles: Precompiles;

  constructor(common: Common) {
    this.#common = common;
    this.precompiles = precompilesOf(common);
  }

  /** `addressHex`: 40 lower-case digits. */
  isPrecompile(addressHex: string): boolean {
    return this.precompiles.has(addressHex);
  }

  get common(): Common {
    return this.#common;
  }

  async borrow(
    state: StateManagerInterface,
    env: BlockEnv,
    precompiles: Precompiles = this.precompiles,
    guard?: Guard,
  ): Promise<EvmEngine> {
    const idle = guard === undefined ? this.#idle : this.#guarded;
    const engine = idle.pop() ?? (await this.#create(state, guard !== undefined));
    engine.aim(state, env, precompiles);
    if (engine.watch !== undefined) engine.watch.guard = guard;
    return engine;
  }

  /** Call this only after a run that ended normally. An engine whose run threw must be dropped. */
  giveBack(engine: EvmEngine): void {
    if (engine.watch !== undefined) engine.watch.guard = undefined;
    const idle = engine.watch === undefined ? this.#idle : this.#guarded;
    if (idle.length < IDLE_ENGINES_MAX) idle.push(engine);
  }

  async #create(stateManager: StateManagerInterface, isGuarded: boolean): Promise<EvmEngine> {
    const hashes = new BlockHashes();
    const evm = (await createEVM({
      common: this.#common,
      stateManager,
      blockchain: hashes,
      bls: new QuickBls(),
    })) as EVM;
    // createEVM ignores this as an option.
    (evm as unknown as { _bn254: NobleBN254 })._bn254 = new QuickBn254();
    await runFramesWithoutCopies(evm);
    showPaidReverts(evm);
    runFormattedInitCode(evm);
    endCreationsAsGeth(evm);
    copyPlainly(evm);
    boundReturnData(evm);
    explainOutOfGas(evm);
    chargeConstantGasFirst(evm);
    payForbiddenLogs(evm);
    if (!isGuarded) return new EvmEngine(evm, hashes, undefined);
    const slot: GuardSlot = { guard: undefined };
    guardJumps(evm, slot);
    guardCalls(evm, slot);
    return new EvmEngine(evm, hashes, slot);
  }
}
