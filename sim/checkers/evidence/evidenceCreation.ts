import { encodeEvidenceList } from '../../../core/codec/evidence.ts';
import { evidenceHeight } from '../../../core/evidence/verify.ts';
import { type Bytes, equalBytes, toHex } from '../../../core/lib/bytes.ts';
import { CHANNELS } from '../../../core/node/contract.ts';
import { type Block, equalBlockId, type Header } from '../../../core/types/block.ts';
import type { Evidence } from '../../../core/types/evidence.ts';
import { STEP } from '../../../core/types/messages.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { Vote } from '../../../core/types/vote.ts';
import type { Process } from '../../machine/process.ts';
import { readMessage } from '../../network/readMessage.ts';
import { type FactOf, hearing } from '../../world/facts.ts';
import { addressesOf, type Checker, type CheckerContext } from '../checker.ts';
import { isPrompt } from '../progressCore.ts';
import { proposedValue } from '../safety/signedValue.ts';
import { hasExtension, isSignedBy } from '../safety/voteSignature.ts';
import { DueEvidence, type EvidenceToPropose } from './dueEvidence.ts';
import { mayExpire } from './duplicateVotes.ts';
import { evidenceName, keptEvidence } from './storedEvidence.ts';

type Committed = FactOf<'committed'>['event'];

const NAME = 'conduct';

/** Bytes of a block reserved for the header, the commit and list framing. */
const FRAME_BYTES = 10_000;

/** Keeps one docket for each correct node and reports evidence that the node should have made or proposed. */
class Accusations {
  static readonly TOPICS = [
    'started',
    'byzantineFrameHeard',
    'dropped',
    'peer',
    'moved',
    'signed',
    'newEvidence',
    'committed',
  ] as const;
  readonly #context: CheckerContext;
  readonly #addresses: ReadonlyMap<Process, Bytes>;
  /** Correct nodes by their addresses in hex. */
  readonly #byAddress = new Map<string, Process>();
  readonly #dockets = new Map<Process, DueEvidence>();
  /** Nodes that may owe evidence. Usually there are none. */
  readonly #indebted = new Set<Process>();
  readonly #headers = new Map<number, Header>();
  /** The height of the first block that carries each piece of evidence. */
  readonly #carried = new Map<string, number>();
  readonly #checked = new Map<Process, EvidenceToPropose>();
  /** The hash of the last block that each node has signed a proposal for. Others may name it as their proposer too. */
  readonly #proposed = new Map<Process, string | undefined>();

  constructor(context: CheckerContext) {
    this.#context = context;
    this.#addresses = addressesOf(context);
    for (const node of context.correct) {
      const address = this.#addresses.get(node);
      if (address !== undefined) this.#byAddress.set(toHex(address), node);
    }
  }

  on(fact: FactOf<(typeof Accusations.TOPICS)[number]>): void {
    const { node } = fact;
    if (!node.isCorrect) return;
    switch (fact.kind) {
      case 'started':
        this.#dockets.set(node, new DueEvidence(keptEvidence(this.#context, node), this.#dockets.get(node)));
        return;
      case 'byzantineFrameHeard':
        if (fact.channel === CHANNELS.vote) this.#onLie(node, fact.peer, fact.bytes);
        return;
      case 'dropped':
        this.#docketOf(node).onDropped(fact.peer);
        return;
      case 'peer':
        if (fact.isUp) this.#docketOf(node).onConnected(fact.peer);
        return;
      case 'moved':
        this.#docketOf(node).onMoved(fact.position.height);
        return;
      case 'signed':
        if (fact.ask.kind === 'proposal') this.#proposed.set(node, proposedValue(fact.ask.bytes));
        return;
      case 'event': {
        const { event } = fact;
        if (event.kind === 'committed') this.#onCommitted(node, event);
        else this.#docketOf(node).onFound(evidenceName(event.evidence), event.evidence);
        return;
      }
    }
  }

  look(node: Process): void {
    if (!this.#indebted.has(node)) return;
    const docket = this.#docketOf(node);
    const rs = node.node?.rs();
    // With a backlog, a vote that the node heard long ago may still wait behind others, such as after a pause.
    if (rs !== undefined && node.node?.backlog() === 0) docket.settle(rs, this.#context.world.now);
    if (!docket.hasDebts) this.#indebted.delete(node);
  }

  #docketOf(node: Process): DueEvidence {
    const docket = this.#dockets.get(node) ?? new DueEvidence(new Map());
    this.#dockets.set(node, docket);
    return docket;
  }

  #onLie(node: Process, from: string, bytes: Bytes): void {
    const decoded = readMessage(bytes);
    if (decoded.ok && decoded.value.kind === 'vote') this.#onVote(node, from, decoded.value.vote);
  }

  #onVote(node: Process, from: string, vote: Vote): void {
    const rs = node.node?.rs();
    const own = this.#addresses.get(node);
    if (rs === undefined || node.node?.isSyncing() !== false || !isPrompt(node)) return;
    if (own !== undefined && equalBytes(own, vote.validatorAddress)) return;
    const docket = this.#docketOf(node);
    if (rivalOf(rs, vote) === undefined || !docket.isNews(from, vote) || !this.#isSigned(vote)) return;
    docket.onSecond(from, vote, { height: rs.height, micros: this.#context.world.now });
    this.#indebted.add(node);
  }

  #isSigned(vote: Vote): boolean {
    const { cluster } = this.#context;
    const voter = cluster.schedule.voters(vote.height)[vote.validatorIndex];
    const member = voter && cluster.members.find((one) => equalBytes(one.address, vote.validatorAddress));
    if (member === undefined || !equalBytes(member.address, voter?.address ?? member.address)) return false;
    return !hasExtension(vote) && isSignedBy(this.#context, member.signer.pubKey, vote);
  }

  #onCommitted(node: Process, { block, blockId }: Committed): void {
    const docket = this.#docketOf(node);
    const { height } = block.header;
    this.#headers.set(height, block.header);
    for (const evidence of block.evidence) {
      const piece = evidenceName(evidence);
      if (!this.#carried.has(piece)) this.#carried.set(piece, height);
      docket.onCarried(piece, evidence);
    }
    docket.expire((piece) => mayExpire(this.#context, piece, block.header));
    for (const { text } of docket.takeOverdue(height))
      this.#fail(
        `${node.name} has heard ${text}, which conflict, should have evidence of it by height ${height}`,
      );
    this.#judgeProposer(block, toHex(blockId.hash));
  }

  #judgeProposer(block: Block, hash: string): void {
    const { height, proposerAddress } = block.header;
    const proposer = this.#byAddress.get(toHex(proposerAddress));
    if (proposer === undefined || this.#proposed.get(proposer) !== hash) return;
    const offered = this.#dockets.get(proposer)?.offered;
    if (offered?.height !== height || offered === this.#checked.get(proposer)) return;
    this.#checked.set(proposer, offered);
    const left = offered.pieces.find((piece) => this.#isLeft(piece, block));
    if (left !== undefined)
      this.#fail(
        `${proposer.name} proposes block ${height} without evidence of height ${evidenceHeight(left)} that it has and that has room`,
      );
  }

  /** Whether the block omits this piece although it had room for it. */
  #isLeft(piece: Evidence, { header, evidence }: Block): boolean {
    const before = this.#headers.get(header.height - 1);
    if (before === undefined || mayExpire(this.#context, piece, before)) return false;
    const isThere = (this.#carried.get(evidenceName(piece)) ?? header.height + 1) <= header.height;
    return !isThere && encodeEvidenceList([...evidence, piece]).length <= this.#roomAt(header.height);
  }

  /** Room for evidence in a block, in bytes: the least that the parameters of this height and the two before allow. */
  #roomAt(height: number): number {
    const params = [0, 1, 2].map((back) => this.#context.cluster.schedule.params(height - back));
    return Math.min(
      ...params.map(({ evidence, block }) => Math.min(evidence.maxBytes, block.maxBytes - FRAME_BYTES)),
    );
  }

  #fail(message: string): void {
    this.#context.fail(NAME, message);
  }
}

/**
 * A correct node that hears two conflicting votes of one validator has evidence of them once it stores the block of
 * their height. When it then comes to a height and proposes there, its block carries all evidence it had on arrival, as
 * far as there is room. Excused: the node was syncing or its drive was in trouble when it heard the second vote, or the
 * evidence may have expired.
 */
export function evidenceCreation(context: CheckerContext): Checker {
  const accused = new Accusations(context);
  return {
    name: NAME,
    ...hearing(Accusations.TOPICS, (fact) => accused.on(fact)),
    look: (node) => accused.look(node),
  };
}

/** The vote that the node counts for the same validator, height, round and type, if it is for another value. */
function rivalOf(rs: RoundState, vote: Vote): Vote | undefined {
  const last = rs.step === STEP.newHeight ? rs.lastPrecommits : undefined;
  const isLate = vote.type === 'precommit' && vote.height === last?.height && vote.round === last.round;
  const set = vote.height === rs.height ? rs.votes(vote.round, vote.type) : isLate ? last : undefined;
  const other = set?.vote(vote.validatorIndex);
  return other !== undefined && !equalBlockId(other.blockId, vote.blockId) ? other : undefined;
}
