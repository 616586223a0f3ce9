/** Every message of the wire contract with random values and its name in the .proto files. */
import type { Arbitrary } from 'fast-check';
import { BLOCK, BLOCK_META } from '../../../core/codec/block.ts';
import { COMMIT, COMMIT_SIG } from '../../../core/codec/commit.ts';
import { EVIDENCE, LIGHT_BLOCK } from '../../../core/codec/evidence.ts';
import { BLOCK_ID, HEADER } from '../../../core/codec/header.ts';
import { BLOCKSYNC_MESSAGE, CONSENSUS_MESSAGE, MEMPOOL_MESSAGE } from '../../../core/codec/messageTables.ts';
import { CONSENSUS_PARAMS } from '../../../core/codec/params.ts';
import { PART, PROOF } from '../../../core/codec/part.ts';
import type { Shape } from '../../../core/codec/proto.ts';
import { FINALIZE_REPLY, TX_RESULT } from '../../../core/codec/results.ts';
import { VALUE_OP } from '../../../core/codec/stateProof.ts';
import { PUBLIC_KEY, VALIDATOR, VALIDATOR_SET } from '../../../core/codec/validator.ts';
import { PROPOSAL, VOTE } from '../../../core/codec/vote.ts';
import { NODE_INFO } from '../../../core/p2p/nodeInfo.ts';
import { AUTH, PACKET } from '../../../core/p2p/packets.ts';
import { PEX_MESSAGE } from '../../../core/p2p/pexMessages.ts';
import * as any from './arbitraries.ts';
import type { Any } from './vectors.ts';

export type Row = readonly [protoName: string, shape: Shape<Any>, values: Arbitrary<Any>];

/** Tables that accept one encoding of each value and nothing else. */
export const STRICT: readonly Row[] = [
  ['tendermint.types.BlockID', BLOCK_ID, any.blockId],
  ['tendermint.types.Header', HEADER, any.header],
  ['tendermint.types.CommitSig', COMMIT_SIG, any.commitSig],
  ['tendermint.types.Commit', COMMIT, any.commit],
  ['tendermint.types.Vote', VOTE, any.vote],
  ['tendermint.types.Proposal', PROPOSAL, any.proposal],
  ['tendermint.crypto.Proof', PROOF, any.proof],
  ['tendermint.crypto.ValueOp', VALUE_OP, any.valueOp],
  ['tendermint.types.Part', PART, any.part],
  ['tendermint.p2p.AuthSigMessage', AUTH, any.authSig],
  ['tendermint.crypto.PublicKey', PUBLIC_KEY, any.publicKey],
  ['tendermint.types.Validator', VALIDATOR, any.validator],
  ['tendermint.types.ValidatorSet', VALIDATOR_SET, any.validatorSet],
  ['tendermint.types.LightBlock', LIGHT_BLOCK, any.lightBlock],
  ['tendermint.types.Evidence', EVIDENCE, any.evidence],
  ['tendermint.types.Block', BLOCK, any.block],
  ['tendermint.types.BlockMeta', BLOCK_META, any.blockMeta],
  ['tendermint.types.ConsensusParams', CONSENSUS_PARAMS, any.params],
  ['tendermint.abci.ExecTxResult', TX_RESULT, any.txResult],
  ['tendermint.abci.ResponseFinalizeBlock', FINALIZE_REPLY, any.finalizeReply],
];

/** Messages of peers, in which unknown fields are stepped over. */
export const FROM_PEERS: readonly Row[] = [
  ['tendermint.consensus.Message', CONSENSUS_MESSAGE, any.consensusMessage],
  ['tendermint.blocksync.Message', BLOCKSYNC_MESSAGE, any.blocksyncMessage],
  ['tendermint.mempool.Message', MEMPOOL_MESSAGE, any.txsMessage],
  ['tendermint.p2p.Message', PEX_MESSAGE, any.pexMessage],
  ['tendermint.p2p.DefaultNodeInfo', NODE_INFO, any.nodeInfo],
  ['tendermint.p2p.Packet', PACKET, any.packet],
];
