/** A chain of one validator without consensus: real application, real store, blocks made and committed in turn. */

import { type CreatedApplication, createApplication } from '../../../../core/app/create.ts';
import { type DefaultAppStateOptions, defaultAppState } from '../../../../core/app/defaultAppState.ts';
import type { GuardFactory } from '../../../../core/app/guard.ts';
import { encodeBlock } from '../../../../core/codec/block.ts';
import { headerHash } from '../../../../core/codec/hashes.ts';
import { PartSet } from '../../../../core/codec/partSet.ts';
import { nextState } from '../../../../core/consensus/chainState.ts';
import { blockContext, makeBlock } from '../../../../core/consensus/makeBlock.ts';
import { ed25519Address } from '../../../../core/crypto/addresses.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { commitIndexOps } from '../../../../core/events/index/indexer.ts';
import { type Bytes, hex } from '../../../../core/lib/bytes.ts';
import type { Result } from '../../../../core/lib/result.ts';
import { MemoryKv } from '../../../../core/store/memoryKv.ts';
import type { CommitReply, FinalizeReply } from '../../../../core/types/app.ts';
import { type Block, type BlockId, type Commit, EMPTY_COMMIT } from '../../../../core/types/block.ts';
import type { Evidence } from '../../../../core/types/evidence.ts';
import type { Genesis } from '../../../../core/types/genesis.ts';
import { addMillis } from '../../../../core/types/ids.ts';
import { DEFAULT_PARAMS } from '../../../../core/types/params.ts';
import type { ChainState } from '../../../../core/types/state.ts';

export const CHAIN_ID = 'chain_9000-1';
export const EVM_CHAIN_ID = 9000;
export const COIN = 10n ** 18n;

const VALIDATOR_KEY = nobleSuite.ed25519PublicKey(new Uint8Array(32).fill(7));
export const VALIDATOR = ed25519Address(VALIDATOR_KEY);

export const must = <T, E>(result: Result<T, E>): T => {
  if (!result.ok) throw new Error(`unexpected error ${String((result.error as { code?: unknown })?.code)}`);
  return result.value;
};

export function testGenesis(options: DefaultAppStateOptions, maxGas = 40_000_000): Genesis {
  return {
    genesisTime: { seconds: 1_700_000_000, nanos: 0 },
    chainId: CHAIN_ID,
    initialHeight: 1,
    params: { ...DEFAULT_PARAMS, block: { maxBytes: 4_194_304, maxGas } },
    validators: [
      { address: VALIDATOR, pubKey: { type: 'ed25519', bytes: VALIDATOR_KEY }, power: 10n, name: 'one' },
    ],
    appHash: new Uint8Array(0),
    appState: JSON.parse(JSON.stringify(defaultAppState(options))),
  };
}

export interface Committed {
  readonly block: Block;
  readonly blockId: BlockId;
  readonly reply: FinalizeReply;
  readonly commit: CommitReply;
}

export class TestChain {
  readonly genesis: Genesis;
  readonly kv: MemoryKv;
  readonly created: CreatedApplication;
  state: ChainState;
  /** Milliseconds from one block to the next. */
  stepMs = 1000;
  #lastCommit: Commit = EMPTY_COMMIT;

  private constructor(genesis: Genesis, kv: MemoryKv, created: CreatedApplication) {
    this.genesis = genesis;
    this.kv = kv;
    this.created = created;
    this.state = created.state;
    const seen = created.blocks.loadSeenCommit(created.state.lastBlockHeight);
    if (seen !== undefined) this.#lastCommit = seen;
  }

  static async open(genesis: Genesis, kv = new MemoryKv(), guard?: GuardFactory): Promise<TestChain> {
    const created = await createApplication({
      kv,
      suite: nobleSuite,
      genesis,
      pause: async () => {},
      ...(guard === undefined ? {} : { guard }),
      indexOps: (height, results) => commitIndexOps(kv, height, results),
    });
    return new TestChain(genesis, kv, created);
  }

  static fresh(
    accounts: readonly { readonly address: Bytes; readonly balance: bigint }[],
  ): Promise<TestChain> {
    return TestChain.open(testGenesis({ accounts }));
  }

  get app() {
    return this.created.app;
  }

  get reader() {
    return this.created.reader;
  }

  get evm() {
    return this.created.evm;
  }

  /** The next block with exactly these txs, and what the application is told of it. */
  blockOf(txs: readonly Bytes[], evidence: readonly Evidence[] = []) {
    const content = { txs, evidence, lastCommit: this.#lastCommit, proposerAddress: VALIDATOR };
    const block = must(makeBlock(this.state, content));
    const context = blockContext(this.state, block.header.time, content);
    return { block, context, hash: headerHash(block.header) };
  }

  propose(txs: readonly Bytes[], maxBytes = 4_000_000): Promise<readonly Bytes[]> {
    const { context } = this.blockOf([]);
    return this.app.propose({ kind: 'propose', context, maxBytes, txs });
  }

  validate(txs: readonly Bytes[]) {
    const { context, hash } = this.blockOf(txs);
    return this.app.validate({ kind: 'validate', context, hash, txs });
  }

  /** Finalizes and commits a block of these txs, whether an honest validator would accept it or not. */
  async commit(txs: readonly Bytes[], evidence: readonly Evidence[] = []): Promise<Committed> {
    const { block, context, hash } = this.blockOf(txs, evidence);
    const reply = await this.app.finalize({ kind: 'finalize', context, hash, txs });
    const parts = PartSet.of(encodeBlock(block));
    const blockId = { hash, parts: parts.header };
    const { height, time } = block.header;
    const seenCommit: Commit = {
      height,
      round: 0,
      blockId,
      signatures: [
        {
          flag: 'commit',
          validatorAddress: VALIDATOR,
          timestamp: addMillis(time, this.stepMs),
          signature: new Uint8Array(64).fill(1),
        },
      ],
    };
    const state = must(nextState(this.state, blockId, block, reply));
    const list = Array.from(
      { length: parts.header.total },
      (_, i) => parts.part(i) as NonNullable<ReturnType<typeof parts.part>>,
    );
    const commit = await this.app.commit({
      kind: 'commit',
      block,
      blockId,
      parts: list,
      seenCommit,
      state,
      results: reply,
    });
    this.state = state;
    this.#lastCommit = seenCommit;
    return { block, blockId, reply, commit };
  }
}

export const bytesOf = (text: string): Bytes => hex(text);
