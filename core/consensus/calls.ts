/** Open questions to the signer and the application. They are state: after a restart they are asked again. */

import { encodeEvidenceList } from '../codec/evidence.ts';
import { assert, present, unreachable } from '../lib/assert.ts';
import type { Bytes } from '../lib/bytes.ts';
import type { AppAsk } from '../types/app.ts';
import type { Block } from '../types/block.ts';
import { type Engine, emit } from './engine.ts';
import { lastCommitOf, type OpenApp, type OpenSign, SIGNS_MAX } from './heightState.ts';
import { blockContext, blockTime } from './makeBlock.ts';
import { dataBytesMax } from './params.ts';

export function askSignature(e: Engine, open: OpenSign): void {
  e.s.signs = [...e.s.signs, open].slice(-SIGNS_MAX);
  emitSign(e, open);
}

const emitSign = (e: Engine, open: OpenSign): void =>
  emit(e, { kind: 'sign', call: open.call, ask: open.ask });

/** At most one question at a time: propose, validate, finalize and commit never overlap. */
export function askApp(e: Engine, open: OpenApp): void {
  assert(e.s.app === undefined, 'the application is still busy');
  e.s.app = open;
  emitApp(e, open);
}

function emitApp(e: Engine, open: OpenApp): void {
  // Building the question is costly, and in replay it would go nowhere. `reopenCalls` builds it after the replay.
  if (!e.replaying) emit(e, { kind: 'app', call: open.call, ask: appAsk(e, open) });
}

/** After a restart: repeats every question that has no answer yet. */
export function reopenCalls(e: Engine): void {
  for (const open of e.s.signs) emitSign(e, open);
  if (e.s.app !== undefined) emitApp(e, e.s.app);
}

/** getValue() of the paper: the application builds a block from our pending evidence and the mempool's transactions. */
function proposeAsk(e: Engine, open: Extract<OpenApp, { kind: 'propose' }>): AppAsk {
  const { state } = e.s;
  const lastCommit = lastCommitOf(e.s);
  // The block carries the last commit, whose validator set may be larger than the present one.
  const roomBeside = (evidenceBytes: number): number =>
    Math.max(0, dataBytesMax(state.params, lastCommit.signatures.length, evidenceBytes));
  // `evidence.maxBytes` may allow as much as a whole block, but header and commit need room too.
  const evidence = e.deps.pendingEvidence(Math.min(state.params.evidence.maxBytes, roomBeside(0)));
  open.evidence = evidence;
  const maxBytes = roomBeside(evidence.length === 0 ? 0 : encodeEvidenceList(evidence).length);
  const time = blockTime(state, lastCommit);
  assert(time.ok, 'our own commit has a median time');
  const proposerAddress = present(e.validator, 'only a validator proposes').address;
  const context = blockContext(state, time.value, { evidence, lastCommit, proposerAddress });
  const txs: readonly Bytes[] = e.deps.reapTxs(maxBytes);
  return { kind: 'propose', context, maxBytes, txs };
}

function appAsk(e: Engine, open: OpenApp): AppAsk {
  const { s } = e;
  switch (open.kind) {
    case 'propose':
      return proposeAsk(e, open);
    case 'validate': {
      const block = present(open.candidate.block, 'validates a whole block');
      return {
        kind: 'validate',
        context: blockContext(s.state, block.header.time, contentOf(block)),
        hash: open.candidate.blockId.hash,
        txs: block.txs,
      };
    }
    case 'finalize': {
      const { block, blockId } = present(s.decision, 'finalizes a decision');
      const context = blockContext(s.state, block.header.time, contentOf(block));
      return { kind: 'finalize', context, hash: blockId.hash, txs: block.txs };
    }
    case 'commit': {
      const { block, blockId, parts, seenCommit, done } = present(s.decision, 'commits a decision');
      const { state, results } = present(done, 'commits what was executed');
      return { kind: 'commit', block, blockId, parts: parts.parts(), seenCommit, state, results };
    }
    default:
      return unreachable(open);
  }
}

const contentOf = ({ header, evidence, lastCommit }: Block) => ({
  evidence,
  lastCommit,
  proposerAddress: header.proposerAddress,
});
