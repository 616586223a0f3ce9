import type { Process } from '../machine/process.ts';
import { readMessage } from '../network/readMessage.ts';
import { hearing } from '../world/facts.ts';
import type { Checker, CheckerContext } from './checker.ts';

/** A proposal of which a node has told a peer, but not yet which prevotes it has for the round that the proposal names. */
interface Owed {
  readonly node: Process;
  readonly peer: string;
  readonly height: number;
  readonly polRound: number;
}

/** First bytes of Proposal and ProposalPOL: their numbers in cometbft.consensus.v1.Message, as fields with a length. */
const TAGS: readonly (number | undefined)[] = [0x1a, 0x22];

/** To whom a correct node tells a proposal with a proof of lock, it says at once which of those prevotes it has (CometBFT, ProposalPOL). */
export function proofsTold({ fail }: CheckerContext): Checker {
  const name = 'conduct';
  let owed: Owed[] = [];
  return {
    name,
    ...hearing(['contentSaid', 'standingSaid'], (fact) => {
      const { node, to } = fact;
      if (!node.isCorrect || !TAGS.includes(fact.bytes[0])) return;
      const decoded = readMessage(fact.bytes);
      if (!decoded.ok) return;
      const message = decoded.value;
      if (message.kind === 'proposalPol') {
        const { height, polRound } = message;
        owed = owed.filter(
          (one) =>
            one.node !== node || one.height !== height || one.polRound !== polRound || !to.includes(one.peer),
        );
      } else if (message.kind === 'proposal') {
        const { height, polRound } = message.proposal;
        const rs = node.node?.rs();
        if (polRound < 0 || rs?.height !== height || rs.votes(polRound, 'prevote') === undefined) return;
        owed.push(...to.map((peer) => ({ node, peer, height, polRound })));
      }
    }),
    look(node) {
      const late = owed.find((one) => one.node === node);
      if (late === undefined) return;
      owed = owed.filter((one) => one.node !== node);
      fail(
        name,
        `${node.name} tells ${late.peer} a proposal of ${late.height}, and not which prevotes of round ${late.polRound} it has`,
      );
    },
  };
}
