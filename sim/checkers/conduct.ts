import { headerHash } from '../../core/codec/hashes.ts';
import { PartSet } from '../../core/codec/partSet.ts';
import { proposalSignBytes } from '../../core/codec/signBytes.ts';
import { validatorAddress } from '../../core/crypto/addresses.ts';
import { type Bytes, concat, equalBytes, toHex } from '../../core/lib/bytes.ts';
import { equalBlockId } from '../../core/types/block.ts';
import { STEP } from '../../core/types/messages.ts';
import type { PartsReader, RoundState } from '../../core/types/roundState.ts';
import type { Position } from '../facts.ts';
import type { Process } from '../process.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { Rotation } from './rotation.ts';
import { signedValue } from './signedValue.ts';
import { blockProblem, type Seen } from './validity.ts';

/** Rounds looked ahead for a third of the power. */
const ROUNDS_AHEAD = 8;

/**
 * A correct node moves and votes only as the algorithm lets it (arXiv 1807.04938), judged at the moment by what the node itself
 * holds: it holds a proposal and parts only that belong there, prevotes a block only when that is whole, valid and, if
 * the proposal claims a polka, has one (L22, L28), and is in another round as soon as, and only when, L47 or L55 says so.
 */
export function conduct(context: CheckerContext): Checker {
  const name = 'conduct';
  const judge = new Judge(context);
  const places = new Map<Process, Position>();
  return {
    name,
    on(fact) {
      if (!('node' in fact) || !fact.node.isCorrect) return;
      const { node } = fact;
      const rs = node.node?.rs();
      if (fact.kind === 'event' && fact.event.kind === 'committed')
        judge.last.set(node, { event: fact.event, validators: fact.event.state.validators });
      else if (fact.kind === 'started') places.delete(node);
      else if (fact.kind === 'moved' && rs !== undefined) {
        const problem = roundProblem(rs, places.get(node));
        places.set(node, fact.position);
        if (problem !== undefined)
          context.fail(name, `${node.name} at ${fact.position.height}/${fact.position.round}: ${problem}`);
      } else if (fact.kind === 'signed' && fact.ask.kind === 'prevote' && rs !== undefined) {
        const { height, round } = fact.ask;
        // What was asked for earlier is answered now: the node may have moved on.
        if (rs.height !== height || rs.round !== round) return;
        const problem = judge.holding(rs) ?? judge.prevote(node, rs, signedValue(fact.signed.bytes));
        if (problem !== undefined) context.fail(name, `${node.name} at ${height}/${round}: ${problem}`);
      }
    },
  };
}

/** L55: more than a third of the power in a later round takes a node there, and nothing less than L47 or L55 takes it on. */
function roundProblem(rs: RoundState, before: Position | undefined): string | undefined {
  if (rs.step < STEP.commit) {
    for (let round = rs.round + 1; round <= rs.round + ROUNDS_AHEAD; round++) {
      if (isOneThirdIn(rs, round)) return `stays, though a third of the power is in round ${round}`;
    }
  }
  if (before === undefined || before.height !== rs.height || rs.round <= before.round) return undefined;
  const isNext = rs.round === before.round + 1;
  if (isNext && rs.votes(before.round, 'precommit')?.hasTwoThirdsAny() === true) return undefined;
  // The first round of a height begins by the clock alone.
  if (before.step === STEP.newHeight && rs.round === 0) return undefined;
  return isOneThirdIn(rs, rs.round) ? undefined : `came from round ${before.round} without a reason`;
}

/** Validators with a vote of either kind in the round have more than a third of the power. */
export function isOneThirdIn(rs: RoundState, round: number): boolean {
  const [prevotes, precommits] = [rs.votes(round, 'prevote'), rs.votes(round, 'precommit')];
  if (prevotes === undefined && precommits === undefined) return false;
  let power = 0n;
  for (const [i, validator] of rs.validators.validators.entries())
    if (prevotes?.bits.has(i) === true || precommits?.bits.has(i) === true) power += validator.power;
  return 3n * power > rs.validators.totalPower;
}

/** Judges what nodes hold and vote for; equal questions about blocks are answered once. */
class Judge {
  /** The newest block that each node has decided. */
  readonly last = new Map<Process, Seen>();
  readonly #context: CheckerContext;
  readonly #rotation: Rotation;
  /** By block hash: the verdict on the newest block asked about. */
  #verdict: { readonly key: string; readonly problem: string | undefined } | undefined;
  readonly #roots = new WeakMap<PartsReader, boolean>();

  constructor(context: CheckerContext) {
    this.#context = context;
    const { genesis } = context.cluster;
    this.#rotation = new Rotation(
      genesis.validators.map(({ pubKey, power }) => ({ address: validatorAddress(pubKey), power })),
      genesis.initialHeight,
    );
  }

  /** The proposal and the parts that a node has taken in. */
  holding(rs: RoundState): string | undefined {
    const { proposal, proposalParts } = rs;
    if (proposalParts?.isComplete() === true && !this.#isRooted(proposalParts))
      return 'holds parts that do not have the root they were announced by';
    if (proposal === undefined) return undefined;
    const { height, round, polRound } = proposal;
    if (polRound < -1 || polRound >= round) return `holds a proposal with a polka of round ${polRound}`;
    return this.#isProposed(
      this.#rotation.proposer(height, round),
      proposalSignBytes(this.#chainId, proposal),
      proposal.signature,
    )
      ? undefined
      : 'holds a proposal that the proposer of the round has not signed';
  }

  prevote(node: Process, rs: RoundState, value: string | undefined): string | undefined {
    if (value === undefined) return undefined;
    const { proposal, proposalBlock: block } = rs;
    if (proposal === undefined || toHex(proposal.blockId.hash) !== value)
      return 'prevotes what was not proposed';
    if (proposal.polRound >= 0) {
      const polka = rs.votes(proposal.polRound, 'prevote')?.majority();
      if (polka === undefined || !equalBlockId(polka, proposal.blockId))
        return `prevotes for a polka of round ${proposal.polRound} that it does not hold`;
    }
    if (block === undefined) return 'prevotes a block that it does not hold';
    if (!equalBytes(headerHash(block.header), proposal.blockId.hash))
      return 'prevotes a block under the hash of another';
    const last = this.last.get(node);
    const { initialHeight } = this.#context.cluster.genesis;
    const isKnown =
      last === undefined ? rs.height === initialHeight : last.event.block.header.height === rs.height - 1;
    if (!isKnown) return undefined;
    const key = `${value}/${last === undefined ? '' : toHex(last.event.blockId.hash)}`;
    if (this.#verdict?.key !== key) {
      const problem = blockProblem(this.#context, { block, blockId: proposal.blockId }, last, this.#rotation);
      this.#verdict = { key, problem };
    }
    return this.#verdict.problem === undefined
      ? undefined
      : `prevotes an invalid block: ${this.#verdict.problem}`;
  }

  get #chainId(): string {
    return this.#context.cluster.genesis.chainId;
  }

  #isProposed(address: Bytes, bytes: Bytes, signature: Bytes): boolean {
    const { cluster, suite } = this.#context;
    const proposer = cluster.members.find((one) => equalBytes(one.address, address));
    return proposer !== undefined && suite.ed25519Verify(proposer.signer.publicKey, bytes, signature);
  }

  /** Cut anew, the bytes have the root; the proofs that came with the parts are not asked. */
  #isRooted(parts: PartsReader): boolean {
    let isRooted = this.#roots.get(parts);
    if (isRooted === undefined) {
      const pieces = Array.from(
        { length: parts.header.total },
        (_, i) => parts.part(i)?.bytes ?? new Uint8Array(0),
      );
      const bytes = concat(...pieces);
      isRooted = bytes.length > 0 && equalBytes(PartSet.of(bytes).header.hash, parts.header.hash);
      this.#roots.set(parts, isRooted);
    }
    return isRooted;
  }
}
