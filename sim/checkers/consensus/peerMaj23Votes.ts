import { equalBytes } from '../../../core/lib/bytes.ts';
import { type BlockId, equalBlockId } from '../../../core/types/block.ts';
import type { RoundState, VoteSetReader } from '../../../core/types/roundState.ts';
import type { Vote, VoteType } from '../../../core/types/vote.ts';
import type { Process } from '../../machine/process.ts';
import { readMessage } from '../../network/readMessage.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { Connections } from '../connections.ts';
import { hasExtension, isSignedBy } from '../safety/voteSignature.ts';

/** Limits both the claims of two thirds and the votes that are kept per node, because Byzantine peers may send many. */
const KEPT_MAX = 64;

/** The value for which one peer claims to have seen two thirds. */
interface Claim {
  readonly peer: string;
  readonly height: number;
  readonly round: number;
  readonly type: VoteType;
  /**
   * Undefined if the observer cannot tell whether the claim counts: it came too early, or in an earlier life and may be
   * in the WAL.
   */
  readonly blockId: BlockId | undefined;
}

/** A vote for a value that a peer had claimed before. */
interface Backing {
  readonly vote: Vote;
  readonly set: VoteSetReader;
}

/** What a node has heard for its present height and later ones. */
interface Heard {
  height: number;
  claims: readonly Claim[];
  backing: readonly Backing[];
}

/**
 * Once a peer claims two thirds for a value, a vote for it counts even if the validator's first counted vote was for
 * another value (CometBFT, VoteSet.SetPeerMaj23). This holds whether or not anybody had voted for the value before the
 * claim. When the value gets two thirds, the vote set shows its voters with that vote.
 */
export function peerMaj23Votes(context: CheckerContext): Checker {
  const name = 'conduct';
  const connections = new Connections(() => true);
  const all = new Map<Process, Heard>();

  const isSigned = (rs: RoundState, vote: Vote): boolean => {
    const validator = rs.validators.validators[vote.validatorIndex];
    if (validator === undefined || !equalBytes(validator.address, vote.validatorAddress)) return false;
    if (hasExtension(vote) || vote.signature.length !== 64) return false;
    return isSignedBy(context, validator.pubKey, vote);
  };

  const failOn = (node: Process, { type, height, round }: VoteSetReader, problem: string): void =>
    context.fail(name, `${node.name} ${problem} (${type}s of ${height}/${round})`);

  return {
    name,
    ...hearing(['claimHeard', 'contentHeard', ...Connections.TOPICS], (fact) => {
      connections.on(fact);
      const { node } = fact;
      if (fact.kind === 'started') forget(all.get(node));
      if (fact.kind !== 'claimHeard' && fact.kind !== 'contentHeard') return;
      const rs = node.isCorrect ? node.node?.rs() : undefined;
      if (rs === undefined) return;
      const known = all.get(node);
      if (fact.kind === 'contentHeard' && (known === undefined || known.claims.length === 0)) return;
      if (connections.get(node, fact.peer) === undefined) return;
      const decoded = readMessage(fact.bytes);
      if (!decoded.ok) return;
      const message = decoded.value;
      if (message.kind === 'voteSetMaj23' && message.height >= rs.height) {
        const heard = known ?? { height: rs.height, claims: [], backing: [] };
        all.set(node, heard);
        hear(heard, fact.peer, message, isOpen(node, rs, message));
      } else if (message.kind === 'vote' && known !== undefined && isOpen(node, rs, message.vote)) {
        const { vote } = message;
        const set = rs.votes(vote.round, vote.type);
        if (set === undefined || !isClaimed(known, vote) || known.backing.length >= KEPT_MAX) return;
        known.backing = [...known.backing, { vote, set }];
      }
    }),
    follow(node) {
      const known = all.get(node);
      if (known === undefined) return;
      const rs = node.node?.rs();
      if (rs === undefined) return;
      if (rs.height !== known.height) {
        const { height } = rs;
        Object.assign(known, {
          height,
          claims: known.claims.filter((one) => one.height >= height),
          backing: [],
        });
      }
      if (node.node?.backlog() !== 0) return;
      known.backing = known.backing.filter(({ vote, set }) => {
        const isCounted = set.bitsFor(vote.blockId).has(vote.validatorIndex);
        if (!isCounted && isSigned(rs, vote))
          failOn(
            node,
            set,
            `does not count the vote of validator ${vote.validatorIndex} for the value that a peer claims to have two thirds`,
          );
        else if (isCounted && !isShown(set, vote))
          failOn(
            node,
            set,
            `has two thirds for a value, and does not show the vote of validator ${vote.validatorIndex} for it`,
          );
        return isCounted && set.majority() === undefined;
      });
    },
  };
}

function forget(heard: Heard | undefined): void {
  if (heard === undefined) return;
  heard.backing = [];
  heard.claims = heard.claims.map((claim) => ({ ...claim, blockId: undefined }));
}

type Place = Pick<Claim, 'height' | 'round' | 'type'>;

const isAt = (claim: Place, { height, round, type }: Place): boolean =>
  claim.height === height && claim.round === round && claim.type === type;

/** The node is at that height and has a vote set for that round and type. */
const isOpen = ({ node }: Process, rs: RoundState, { height, round, type }: Place): boolean =>
  node?.isSyncing() === false && height === rs.height && rs.votes(round, type) !== undefined;

/** Keeps only the first claim of a peer for a height, round and type. */
function hear(
  heard: Heard,
  peer: string,
  said: Place & { readonly blockId: BlockId },
  counts: boolean,
): void {
  if (heard.claims.some((one) => one.peer === peer && isAt(one, said))) return;
  const { height, round, type } = said;
  if (heard.claims.length >= KEPT_MAX) return;
  heard.claims = [...heard.claims, { peer, height, round, type, blockId: counts ? said.blockId : undefined }];
}

const isClaimed = ({ claims }: Heard, vote: Vote): boolean =>
  claims.some(
    (claim) => isAt(claim, vote) && claim.blockId !== undefined && equalBlockId(claim.blockId, vote.blockId),
  );

function isShown(set: VoteSetReader, { blockId, validatorIndex }: Vote): boolean {
  const [shown, most] = [set.vote(validatorIndex), set.majority()];
  if (most === undefined || !equalBlockId(most, blockId)) return true;
  return shown !== undefined && equalBlockId(shown.blockId, blockId);
}
