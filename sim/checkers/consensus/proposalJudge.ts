import { headerHash } from '../../../core/codec/hashes.ts';
import { PartSet } from '../../../core/codec/partSet.ts';
import { proposalSignBytes } from '../../../core/codec/signBytes.ts';
import { type Bytes, concat, EMPTY, equalBytes, toHex } from '../../../core/lib/bytes.ts';
import { equalBlockId } from '../../../core/types/block.ts';
import type { PartsReader, RoundState } from '../../../core/types/roundState.ts';
import type { Proposal } from '../../../core/types/vote.ts';
import type { Process } from '../../machine/process.ts';
import { newest } from '../../newest.ts';
import { remembered } from '../../remembered.ts';
import type { Fact } from '../../world/facts.ts';
import type { CheckerContext } from '../checker.ts';
import { blockProblem, type SeenBlock } from '../safety/blockRules.ts';
import { isSignature } from '../safety/voteSignature.ts';
import { type Rotation, rotationOf } from './rotation.ts';

/** Judges what nodes hold and vote for, knowing what each has decided. The last answer about a block is kept. */
export class ProposalJudge {
  static readonly TOPICS = ['committed'] as const;
  /** The newest block that each node has decided. */
  readonly #last = new Map<Process, SeenBlock>();
  readonly #context: CheckerContext;
  readonly #rotation: Rotation;
  /** The verdict on the block asked about last, by its hash and the hash of the block before it. */
  #verdict:
    | { readonly value: string; readonly after: Bytes; readonly problem: string | undefined }
    | undefined;
  readonly #hashOf = newest(headerHash);
  readonly #rootOf = newest((pieces: readonly Bytes[]) => {
    const bytes = concat(...pieces);
    return bytes.length === 0 ? undefined : PartSet.of(bytes).header.hash;
  });
  readonly #isProposed = remembered((proposal: Proposal) => this.#isOfProposer(proposal));

  constructor(context: CheckerContext) {
    this.#context = context;
    this.#rotation = rotationOf(context.cluster);
  }

  /** To be called with every fact. */
  see(fact: Fact): void {
    if (fact.kind === 'event' && fact.event.kind === 'committed')
      this.#last.set(fact.node, { event: fact.event, validators: fact.event.state.validators });
  }

  /** Problems of the proposal and the parts that a node has taken in. */
  holding(rs: RoundState): string | undefined {
    const { proposal, proposalParts } = rs;
    if (proposalParts?.isComplete() === true && !this.#isRooted(proposalParts))
      return 'holds block parts that do not hash to the announced root';
    if (proposalParts !== undefined && !isProvenInPlace(proposalParts))
      return 'holds a block part with the proof of another part';
    if (proposal === undefined) return undefined;
    const { round, polRound } = proposal;
    if (polRound < -1 || polRound >= round)
      return `holds a proposal of round ${round} with a polka of round ${polRound}, should refuse it`;
    return this.#isProposed(proposal)
      ? undefined
      : 'holds a proposal that the proposer of the round has not signed, should refuse it';
  }

  /** Whether the last block that the node decided is the one before its height. Only then can the next be judged. */
  follows(node: Process, { height }: RoundState): boolean {
    const last = this.#last.get(node);
    const { initialHeight } = this.#context.cluster.genesis;
    return last === undefined ? height === initialHeight : last.event.block.header.height === height - 1;
  }

  /** Why the node must not prevote this block hash (undefined for nil) with what it holds (L22, L28). */
  prevote(node: Process, rs: RoundState, value: string | undefined): string | undefined {
    if (value === undefined) return undefined;
    const { proposal, proposalBlock: block } = rs;
    if (proposal === undefined || toHex(proposal.blockId.hash) !== value)
      return 'prevotes a block that was not proposed';
    if (proposal.polRound >= 0) {
      const polka = rs.votes(proposal.polRound, 'prevote')?.majority();
      if (polka === undefined || !equalBlockId(polka, proposal.blockId))
        return `prevotes a block for its polka in round ${proposal.polRound}, which the node has not seen (L28)`;
    }
    if (block === undefined) return 'prevotes a block that it does not have as a whole';
    if (!equalBytes(this.#hashOf(block.header), proposal.blockId.hash))
      return 'prevotes a hash that is not that of the block it holds';
    if (!this.follows(node, rs)) return undefined;
    const last = this.#last.get(node);
    const after = last?.event.blockId.hash ?? EMPTY;
    if (this.#verdict?.value !== value || !equalBytes(this.#verdict.after, after)) {
      const problem = blockProblem(this.#context, { block, blockId: proposal.blockId }, last);
      this.#verdict = { value, after, problem };
    }
    return this.#verdict.problem === undefined
      ? undefined
      : `prevotes an invalid block: ${this.#verdict.problem}`;
  }

  /** The node holds a proposed block that is valid, and the polka that the proposal claims. */
  isFit(node: Process, rs: RoundState): boolean {
    const { proposal } = rs;
    return (
      proposal !== undefined &&
      this.follows(node, rs) &&
      this.prevote(node, rs, toHex(proposal.blockId.hash)) === undefined
    );
  }

  #isOfProposer(proposal: Proposal): boolean {
    const { cluster, suite } = this.#context;
    const address = this.#rotation.proposer(proposal.height, proposal.round);
    const proposer = cluster.members.find((one) => equalBytes(one.address, address));
    if (proposer === undefined) return false;
    const bytes = proposalSignBytes(cluster.genesis.chainId, proposal);
    return isSignature(suite, proposer.signer.pubKey, bytes, proposal.signature);
  }

  /** The bytes, cut into parts again, have the announced root. Hashes of the parts' own proofs are not used. */
  #isRooted(parts: PartsReader): boolean {
    const pieces: Bytes[] = [];
    for (let i = 0; i < parts.header.total; i++) pieces.push(parts.part(i)?.bytes ?? EMPTY);
    const root = this.#rootOf(pieces);
    return root !== undefined && equalBytes(root, parts.header.hash);
  }
}

/** The node passes on each part with the proof that it came with. */
function isProvenInPlace(parts: PartsReader): boolean {
  const { total } = parts.header;
  for (let i = 0; i < total; i++) {
    const proof = parts.part(i)?.proof;
    if (proof !== undefined && (proof.index !== i || proof.total !== total)) return false;
  }
  return true;
}
