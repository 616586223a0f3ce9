/** Random values of the protocol's types, of every shape the codec must carry. */
import fc, { type Arbitrary } from 'fast-check';
import { BitSet } from '../../../core/lib/bitset.ts';
import { EMPTY } from '../../../core/lib/bytes.ts';
import type { FinalizeReply } from '../../../core/types/app.ts';
import type {
  Block,
  BlockId,
  BlockMeta,
  Commit,
  CommitSig,
  Header,
  Part,
  Proof,
} from '../../../core/types/block.ts';
import type { DuplicateVoteEvidence, Evidence, LightBlock } from '../../../core/types/evidence.ts';
import type { Timestamp } from '../../../core/types/ids.ts';
import type { BlocksyncMessage, ConsensusMessage } from '../../../core/types/messages.ts';
import type { ConsensusParams } from '../../../core/types/params.ts';
import type { AbciEvent, TxResult } from '../../../core/types/result.ts';
import type { PublicKey, Validator, ValidatorSet } from '../../../core/types/validator.ts';
import type { Proposal, Vote } from '../../../core/types/vote.ts';

const bytes = (length: number): Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length });
const upTo = (maxLength: number): Arbitrary<Uint8Array> => fc.uint8Array({ maxLength });
const maybe = (length: number): Arbitrary<Uint8Array> => fc.oneof(fc.constant(EMPTY), bytes(length));
const hash = maybe(32);
const address = bytes(20);
const safe = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -200, max: 200 }), fc.constant(0));
const natural = fc.oneof(fc.maxSafeNat(), fc.nat(300));
const int32 = fc.oneof(fc.integer(), fc.nat(3));
const uint32 = fc.oneof(fc.nat(0xffffffff), fc.nat(200));
const big = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: 0n, max: 200n }),
);
const text = fc.string({ maxLength: 12, unit: 'grapheme' });
const chainId = fc.string({ maxLength: 20, unit: 'grapheme-ascii' });
const few = { maxLength: 3 };

export const timestamp: Arbitrary<Timestamp> = fc.record({
  seconds: fc.oneof(fc.integer({ min: -62135596800, max: 253402300799 }), fc.constant(0)),
  nanos: fc.oneof(fc.nat(999_999_999), fc.constant(0)),
});
export const partSetHeader = fc.record({ total: uint32, hash });
export const blockId: Arbitrary<BlockId> = fc.record({ hash, parts: partSetHeader });
export const completeBlockId: Arbitrary<BlockId> = fc.record({
  hash: bytes(32),
  parts: fc.record({ total: fc.integer({ min: 1, max: 1601 }), hash: bytes(32) }),
});

export const header: Arbitrary<Header> = fc.record({
  version: fc.record({ block: natural, app: natural }),
  chainId,
  height: safe,
  time: timestamp,
  lastBlockId: blockId,
  lastCommitHash: hash,
  dataHash: hash,
  validatorsHash: hash,
  nextValidatorsHash: hash,
  consensusHash: hash,
  appHash: upTo(40),
  lastResultsHash: hash,
  evidenceHash: hash,
  proposerAddress: maybe(20),
});

export const commitSig: Arbitrary<CommitSig> = fc.record({
  flag: fc.constantFrom('absent', 'commit', 'nil'),
  validatorAddress: maybe(20),
  timestamp,
  signature: maybe(64),
});
export const commit: Arbitrary<Commit> = fc.record({
  height: safe,
  round: int32,
  blockId,
  signatures: fc.array(commitSig, few),
});

export const voteType = fc.constantFrom('prevote' as const, 'precommit' as const);
export const vote: Arbitrary<Vote> = fc.record({
  type: voteType,
  height: safe,
  round: int32,
  blockId,
  timestamp,
  validatorAddress: maybe(20),
  validatorIndex: int32,
  signature: maybe(64),
  extension: upTo(10),
  extensionSignature: maybe(64),
});
export const proposal: Arbitrary<Proposal> = fc.record({
  height: safe,
  round: int32,
  polRound: fc.integer({ min: -1, max: 2 ** 31 - 1 }),
  blockId,
  timestamp,
  signature: maybe(64),
});

export const proof: Arbitrary<Proof> = fc.record({
  total: safe,
  index: safe,
  leafHash: hash,
  aunts: fc.array(hash, few),
});
export const valueOp = fc.record({ key: upTo(50), proof });
export const part: Arbitrary<Part> = fc.record({ index: uint32, bytes: upTo(50), proof });

export const publicKey: Arbitrary<PublicKey> = fc.oneof(
  fc.record({ type: fc.constant('ed25519' as const), bytes: bytes(32) }),
  fc.record({ type: fc.constant('secp256k1' as const), bytes: bytes(33) }),
);
export const validator: Arbitrary<Validator> = fc.record({
  address,
  pubKey: publicKey,
  power: fc.bigInt({ min: 0n, max: 2n ** 57n }),
  priority: big,
});
export const validatorSet: Arbitrary<ValidatorSet> = fc
  .tuple(fc.array(validator, { minLength: 1, maxLength: 4 }), fc.nat(3))
  .map(([validators, at]) => ({
    validators,
    totalPower: validators.reduce((sum, one) => sum + one.power, 0n),
    proposer: validators[at % validators.length] as Validator,
  }));

export const lightBlock: Arbitrary<LightBlock> = fc.record({ header, commit, validators: validatorSet });
export const duplicateVote: Arbitrary<DuplicateVoteEvidence> = fc.record({
  kind: fc.constant('duplicate-vote' as const),
  voteA: vote,
  voteB: vote,
  totalVotingPower: big,
  validatorPower: big,
  timestamp,
});
export const evidence: Arbitrary<Evidence> = fc.oneof(
  duplicateVote,
  fc.record({
    kind: fc.constant('light-client-attack' as const),
    conflictingBlock: lightBlock,
    commonHeight: safe,
    byzantineValidators: fc.array(validator, few),
    totalVotingPower: big,
    timestamp,
  }),
);
export const evidenceList = fc.array(evidence, { maxLength: 2 });

export const block: Arbitrary<Block> = fc.record({
  header,
  txs: fc.array(upTo(20), few),
  evidence: evidenceList,
  lastCommit: commit,
});
export const blockMeta: Arbitrary<BlockMeta> = fc.record({ blockId, blockSize: safe, header, numTxs: safe });

export const params: Arbitrary<ConsensusParams> = fc.record({
  block: fc.record({ maxBytes: safe, maxGas: safe }),
  evidence: fc.record({ maxAgeNumBlocks: safe, maxAgeDurationNs: big, maxBytes: safe }),
  validator: fc.record({ pubKeyTypes: fc.array(text, few) }),
  version: fc.record({ app: natural }),
  abci: fc.record({ voteExtensionsEnableHeight: safe }),
});

export const event: Arbitrary<AbciEvent> = fc.record({
  type: text,
  attributes: fc.array(fc.record({ key: text, value: text, index: fc.boolean() }), few),
});
export const txResult: Arbitrary<TxResult> = fc.record({
  code: uint32,
  data: upTo(20),
  log: text,
  info: text,
  gasWanted: big,
  gasUsed: big,
  events: fc.array(event, few),
  codespace: text,
});
export const finalizeReply: Arbitrary<FinalizeReply> = fc.record({
  txResults: fc.array(txResult, few),
  events: fc.array(event, few),
  validatorUpdates: fc.array(fc.record({ pubKey: publicKey, power: big }), few),
  paramUpdates: fc.option(params, { nil: undefined }),
  appHash: upTo(40),
});

export const bits = (sizeMax: number): Arbitrary<BitSet> =>
  fc.array(fc.boolean(), { maxLength: sizeMax }).map((flags) => {
    const set = new BitSet(flags.length);
    for (const [i, flag] of flags.entries()) if (flag) set.add(i);
    return set;
  });

const kind = <K extends string>(name: K): { kind: Arbitrary<K> } => ({ kind: fc.constant(name) });

/** Any content; most of these a receiver would refuse. */
export const consensusMessage: Arbitrary<ConsensusMessage> = fc.oneof(
  fc.record({
    ...kind('newRoundStep'),
    height: safe,
    round: int32,
    step: uint32,
    secondsSinceStart: safe,
    lastCommitRound: int32,
  }),
  fc.record({
    ...kind('newValidBlock'),
    height: safe,
    round: int32,
    parts: partSetHeader,
    bits: bits(200),
    isCommit: fc.boolean(),
  }),
  fc.record({ ...kind('proposal'), proposal }),
  fc.record({ ...kind('proposalPol'), height: safe, polRound: int32, bits: bits(200) }),
  fc.record({ ...kind('blockPart'), height: safe, round: int32, part }),
  fc.record({ ...kind('vote'), vote }),
  fc.record({ ...kind('hasVote'), height: safe, round: int32, type: voteType, index: int32 }),
  fc.record({ ...kind('voteSetMaj23'), height: safe, round: int32, type: voteType, blockId }),
  fc.record({ ...kind('voteSetBits'), height: safe, round: int32, type: voteType, blockId, bits: bits(200) }),
);

export const blocksyncMessage: Arbitrary<BlocksyncMessage> = fc.oneof(
  fc.record({ ...kind('blockRequest'), height: safe }),
  fc.record({ ...kind('noBlockResponse'), height: safe }),
  fc.record({ ...kind('blockResponse'), block }),
  fc.record({ ...kind('statusRequest') }),
  fc.record({ ...kind('statusResponse'), height: safe, base: safe }),
);

export const txsMessage = fc.record({ ...kind('txs'), txs: fc.array(upTo(20), few) });

const id = bytes(20).map((value) => Buffer.from(value).toString('hex'));
const word = fc.string({ maxLength: 20 });
export const packet = fc.oneof(
  fc.record(kind('ping')),
  fc.record(kind('pong')),
  fc.record({ ...kind('message'), channel: fc.nat(0x7f), eof: fc.boolean(), data: upTo(40) }),
);
export const authSig = fc.record({ pubKey: publicKey, signature: upTo(64) });
export const pexMessage = fc.oneof(
  fc.record(kind('request')),
  fc.record({
    ...kind('addresses'),
    addresses: fc.array(fc.record({ id, ip: fc.ipV4(), port: fc.nat(65_535) }), few),
  }),
);
export const nodeInfo = fc.record({
  protocol: fc.record({ p2p: fc.nat(20), block: fc.nat(20), app: fc.nat(20) }),
  id,
  listenAddress: word,
  network: word,
  version: word,
  channels: upTo(16),
  moniker: word,
  other: fc.record({ txIndex: word, rpcAddress: word }),
});
