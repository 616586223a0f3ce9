import { encodeEvidence, encodeEvidenceList } from '../../core/codec/evidence.ts';
import { evidenceHeight } from '../../core/evidence/verify.ts';
import { equalBytes, toHex } from '../../core/lib/bytes.ts';
import { CHANNELS } from '../../core/node/contract.ts';
import { type Block, equalBlockId, type Header } from '../../core/types/block.ts';
import type { Evidence } from '../../core/types/evidence.ts';
import { STEP } from '../../core/types/messages.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { Vote } from '../../core/types/vote.ts';
import type { Process } from '../machine/process.ts';
import { readMessage } from '../network/readMessage.ts';
import { hearing } from '../world/facts.ts';
import { addressesOf, type Checker, type CheckerContext } from './checker.ts';
import { mayExpire } from './proven.ts';
import { isSound } from './recoverable.ts';
import { evidenceName, keptEvidence } from './storedEvidence.ts';
import { hasExtension, isSignedBy } from './voteSignature.ts';

/** A vote that was heard has been looked at by then. */
const HEARD_MICROS = 30_000;
/** Of what a block may hold, for header, commit and the frames of lists. */
const FRAME_BYTES = 10_000;
/** More than these are not all kept. */
const OFFENCES_MAX = 500;

/** Somebody has signed two votes, and a node has heard both. */
interface Debt {
  readonly height: number;
  readonly text: string;
  /** Where the node was when it heard the second, and when. */
  readonly at: { readonly height: number; readonly micros: number };
  readonly from: string;
  isSure: boolean;
}

/** What one node knows in its present life. */
class Docket {
  readonly debts = new Map<string, Debt>();
  readonly reported = new Set<string>();
  /** Dropped, and not met again: what of theirs is still coming is not looked at. */
  readonly gone = new Set<string>();
  /** Evidence that waits for a block, by its name. */
  readonly waiting: Map<string, Evidence>;
  /** What of it waited when the node came to a height, but for the one that it came to life in. */
  offered: { readonly height: number; readonly pieces: readonly Evidence[] } | undefined;
  begun: number | undefined;

  constructor(kept: Map<string, Evidence>) {
    this.waiting = kept;
  }
}

/**
 * Whoever hears two votes that no honest validator signs has evidence of it as soon as the block of their height is stored, and what a
 * correct node knows of offences when it comes to a height stands in the block that it proposes there, as far as there is room.
 */
export function accusations(context: CheckerContext): Checker {
  const name = 'conduct';
  const { world, cluster, correct } = context;
  const dockets = new Map<Process, Docket>();
  /** Who may have debts: mostly nobody. */
  const indebted = new Set<Process>();
  const addresses = addressesOf(context);
  const byAddress = new Map(
    correct.flatMap((node) => {
      const address = addresses.get(node);
      return address === undefined ? [] : [[toHex(address), node] as const];
    }),
  );
  const headers = new Map<number, Header>();
  /** The block that each piece is in. */
  const carried = new Map<string, number>();
  const checked = new Map<Process, Docket['offered']>();
  const docketOf = (node: Process): Docket => {
    const docket = dockets.get(node) ?? new Docket(new Map());
    dockets.set(node, docket);
    return docket;
  };
  const isSigned = (vote: Vote): boolean => {
    const voter = cluster.schedule.voters(vote.height)[vote.validatorIndex];
    const member = voter && cluster.members.find((one) => equalBytes(one.address, vote.validatorAddress));
    if (member === undefined || !equalBytes(member.address, voter?.address ?? member.address)) return false;
    return !hasExtension(vote) && isSignedBy(context, member.signer.pubKey, vote);
  };
  const hear = (node: Process, from: string, vote: Vote): void => {
    const rs = node.node?.rs();
    const own = addresses.get(node);
    if (rs === undefined || node.node?.isSyncing() !== false || !isPrompt(node)) return;
    if (own !== undefined && equalBytes(own, vote.validatorAddress)) return;
    const other = rivalOf(rs, vote);
    const docket = docketOf(node);
    const key = keyOf(vote);
    if (docket.gone.has(from)) return;
    if (other === undefined || docket.debts.has(key) || docket.reported.has(key) || !isSigned(vote)) return;
    const { height, round, type, validatorIndex } = vote;
    const at = { height: rs.height, micros: world.now };
    const text = `the two ${type}s of validator ${validatorIndex} at ${height}/${round}`;
    docket.debts.set(key, { height, text, at, from, isSure: false });
    indebted.add(node);
  };
  /** Where the node has gone on before it looked at the vote, that is none of its business any more. */
  const settle = (docket: Docket, { height, step }: RoundState): void => {
    for (const [key, debt] of docket.debts) {
      if (debt.isSure || world.now - debt.at.micros < HEARD_MICROS) continue;
      const isStillOpen = debt.height === height || step === STEP.newHeight;
      if (debt.at.height === height && isStillOpen) debt.isSure = true;
      else docket.debts.delete(key);
    }
  };
  const stored = (node: Process, block: Block): void => {
    const docket = docketOf(node);
    const { height } = block.header;
    headers.set(height, block.header);
    for (const evidence of block.evidence) {
      const piece = evidenceName(evidence);
      docket.waiting.delete(piece);
      if (!carried.has(piece)) carried.set(piece, height);
      report(docket, evidence);
    }
    for (const [key, piece] of docket.waiting)
      if (mayExpire(context, piece, block.header)) docket.waiting.delete(key);
    for (const [key, debt] of docket.debts) {
      if (!debt.isSure) docket.debts.delete(key);
      if (!debt.isSure || debt.height >= height || docket.reported.size > OFFENCES_MAX) continue;
      docket.debts.delete(key);
      context.fail(name, `${node.name} has heard ${debt.text}, and has no evidence of it at ${height}`);
    }
    const proposer = byAddress.get(toHex(block.header.proposerAddress));
    const offered = proposer && dockets.get(proposer)?.offered;
    if (offered?.height !== height || offered === checked.get(proposer as Process)) return;
    checked.set(proposer as Process, offered);
    const left = offered.pieces.find((piece) => isLeft(piece, block));
    if (left !== undefined)
      context.fail(
        name,
        `${proposer?.name} leaves evidence of ${evidenceHeight(left)} out of block ${height}`,
      );
  };
  const isLeft = (piece: Evidence, { header, evidence }: Block): boolean => {
    const before = headers.get(header.height - 1);
    if (before === undefined || mayExpire(context, piece, before)) return false;
    const bytes = encodeEvidence(piece);
    const now = [0, 1, 2].map((back) => cluster.schedule.params(header.height - back));
    const room = Math.min(
      ...now.map((one) => Math.min(one.evidence.maxBytes, one.block.maxBytes - FRAME_BYTES)),
    );
    const isThere = (carried.get(toHex(bytes)) ?? header.height + 1) <= header.height;
    return !isThere && encodeEvidenceList(evidence).length + bytes.length + 4 <= room;
  };
  return {
    name,
    ...hearing(['started', 'lieHeard', 'dropped', 'peer', 'moved', 'newEvidence', 'committed'], (fact) => {
      if (!fact.node.isCorrect) return;
      const { node } = fact;
      if (fact.kind === 'started') dockets.set(node, new Docket(keptEvidence(context, node)));
      else if (fact.kind === 'lieHeard') {
        if (fact.channel !== CHANNELS.vote) return;
        const decoded = readMessage(fact.bytes);
        if (decoded.ok && decoded.value.kind === 'vote') hear(node, fact.peer, decoded.value.vote);
      } else if (fact.kind === 'dropped') drop(docketOf(node), fact.peer);
      else if (fact.kind === 'peer') {
        if (fact.isUp) docketOf(node).gone.delete(fact.peer);
      } else if (fact.kind === 'moved') {
        const docket = docketOf(node);
        const { height } = fact.position;
        docket.begun ??= height;
        if (height > docket.begun && docket.offered?.height !== height)
          docket.offered = { height, pieces: [...docket.waiting.values()] };
      } else if (fact.kind === 'event' && fact.event.kind === 'newEvidence') {
        const { evidence } = fact.event;
        const docket = docketOf(node);
        docket.waiting.set(evidenceName(evidence), evidence);
        report(docket, evidence);
      } else if (fact.kind === 'event' && fact.event.kind === 'committed') stored(node, fact.event.block);
    }),
    look(node) {
      if (!indebted.has(node)) return;
      const docket = docketOf(node);
      const rs = node.node?.rs();
      if (rs !== undefined) settle(docket, rs);
      if (docket.debts.size === 0) indebted.delete(node);
    },
  };
}

const keyOf = ({ height, round, type, validatorAddress }: Vote): string =>
  `${height}/${round}/${type}/${toHex(validatorAddress)}`;

function drop({ debts, gone }: Docket, peer: string): void {
  gone.add(peer);
  for (const [key, debt] of debts) if (debt.from === peer && !debt.isSure) debts.delete(key);
}

function report({ reported, debts }: Docket, evidence: Evidence): void {
  if (evidence.kind !== 'duplicate-vote') return;
  const key = keyOf(evidence.voteA);
  reported.add(key);
  debts.delete(key);
}

/** The vote that the node counts of the same validator in the same place, if that is for something else. */
function rivalOf(rs: RoundState, vote: Vote): Vote | undefined {
  const last = rs.step === STEP.newHeight ? rs.lastPrecommits : undefined;
  const isLate = vote.type === 'precommit' && vote.height === last?.height && vote.round === last.round;
  const set = vote.height === rs.height ? rs.votes(vote.round, vote.type) : isLate ? last : undefined;
  const other = set?.vote(vote.validatorIndex);
  return other !== undefined && !equalBlockId(other.blockId, vote.blockId) ? other : undefined;
}

const isPrompt = ({ disk, pace }: Process): boolean => isSound(disk) && pace.sync === undefined;
