import { keccak_256 } from '@noble/hashes/sha3.js';
import { encodeBlock } from '../../../core/codec/block.ts';
import { headerHash } from '../../../core/codec/hashes.ts';
import { PartSet } from '../../../core/codec/partSet.ts';
import { genesisState, nextState } from '../../../core/consensus/chainState.ts';
import { makeBlock } from '../../../core/consensus/makeBlock.ts';
import { validatorAddress } from '../../../core/crypto/addresses.ts';
import type { Bytes } from '../../../core/lib/bytes.ts';
import type { Result } from '../../../core/lib/result.ts';
import type { BlockStore, CommitInput, GenesisInput } from '../../../core/store/blockStore.ts';
import type { KvOp } from '../../../core/store/kv.ts';
import { EMPTY_ROOTS } from '../../../core/store/roots.ts';
import type { FinalizeReply } from '../../../core/types/app.ts';
import { type Commit, EMPTY_COMMIT } from '../../../core/types/block.ts';
import { DEFAULT_PARAMS } from '../../../core/types/params.ts';
import type { TxResult } from '../../../core/types/result.ts';
import type { ChainState } from '../../../core/types/state.ts';
import type { PublicKey } from '../../../core/types/validator.ts';

const value = <T>(result: Result<T, unknown>): T => {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
};

export const pubKeyOf = (n: number): PublicKey => ({ type: 'ed25519', bytes: new Uint8Array(32).fill(n) });

export const txResult = (code: number): TxResult => ({
  code,
  data: new Uint8Array(0),
  log: '',
  info: '',
  gasWanted: 21000n,
  gasUsed: 21000n,
  events: [],
  codespace: '',
});

export interface Step {
  readonly txs?: readonly Bytes[];
  readonly codes?: readonly number[];
  readonly ethHashes?: readonly (Bytes | undefined)[];
  readonly reply?: Partial<FinalizeReply>;
}

/** Well-formed blocks one on another (their signatures are filler: the store does not judge them). */
export class StoreChain {
  state: ChainState;
  #lastCommit: Commit = EMPTY_COMMIT;
  readonly genesis: GenesisInput;
  readonly inputs: CommitInput[] = [];

  constructor(initialHeight = 1) {
    this.state = value(
      genesisState(
        {
          genesisTime: { seconds: 1_700_000_000, nanos: 0 },
          chainId: 'chain_9000-1',
          initialHeight,
          params: DEFAULT_PARAMS,
          validators: [1, 2, 3].map((n) => ({
            address: validatorAddress(pubKeyOf(n)),
            pubKey: pubKeyOf(n),
            power: BigInt(n * 10),
            name: '',
          })),
          appHash: new Uint8Array(32).fill(9),
          appState: undefined,
        },
        { appHash: new Uint8Array(0), validators: [], params: undefined },
      ),
    );
    const record = Uint8Array.of(0);
    this.genesis = { state: this.state, roots: EMPTY_ROOTS, eth: { hash: keccak_256(record), record } };
  }

  next(step: Step = {}): CommitInput {
    const txs = step.txs ?? [];
    const proposerAddress = this.state.validators.proposer.address;
    const content = { txs, evidence: [], lastCommit: this.#lastCommit, proposerAddress };
    const block = value(makeBlock(this.state, content));
    const { height } = block.header;
    const parts = PartSet.of(encodeBlock(block));
    const blockId = { hash: headerHash(block.header), parts: parts.header };
    const results: FinalizeReply = {
      txResults: txs.map((_, i) => txResult(step.codes?.[i] ?? 0)),
      events: [],
      validatorUpdates: [],
      paramUpdates: undefined,
      appHash: keccak_256(Uint8Array.of(height & 255)),
      ...step.reply,
    };
    const signers = this.state.validators.validators;
    const seconds = this.state.lastBlockTime.seconds + 1;
    const seenCommit: Commit = {
      height,
      round: 0,
      blockId,
      signatures: signers.map(({ address }) => ({
        flag: 'commit',
        validatorAddress: address,
        timestamp: { seconds, nanos: 0 },
        signature: new Uint8Array(64).fill(height & 255),
      })),
    };
    this.state = value(nextState(this.state, blockId, block, results));
    this.#lastCommit = seenCommit;
    const record = Uint8Array.of(1, height & 255);
    const eth = { hash: keccak_256(record), record, txHashes: step.ethHashes ?? txs.map(() => undefined) };
    const input = {
      block,
      blockId,
      parts: parts.parts(),
      seenCommit,
      state: this.state,
      results,
      roots: EMPTY_ROOTS,
      eth,
    };
    this.inputs.push(input);
    return input;
  }

  async grow(store: BlockStore, steps: readonly Step[], stateOps: readonly KvOp[] = []): Promise<void> {
    if (store.reads.headPointer() === undefined) await store.commitGenesis(this.genesis, []);
    for (const step of steps) await store.commit(this.next(step), stateOps);
  }
}
