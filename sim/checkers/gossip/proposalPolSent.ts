import type { Process } from '../../machine/process.ts';
import { messageOf } from '../../network/readMessage.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';

/** A proposal that a node sent to a peer without yet announcing its prevotes of the proposal's POL round. */
interface Owed {
  readonly node: Process;
  readonly peer: string;
  readonly height: number;
  readonly polRound: number;
}

const KINDS = ['proposal', 'proposalPol'] as const;

/**
 * When a correct node sends a proposal with a POL round to a peer, it tells the peer in the same event which prevotes
 * of that round it has (CometBFT, ProposalPOL). Excused if it does not know that round itself.
 */
export function proposalPolSent({ fail }: CheckerContext): Checker {
  const name = 'conduct';
  let owed: Owed[] = [];
  const forget = (node: Process): void => {
    owed = owed.filter((one) => one.node !== node);
  };
  return {
    name,
    ...hearing(['crashed', 'halted', 'contentSaid', 'roundStateSaid'], (fact) => {
      const { node } = fact;
      // The node may die between the two messages.
      if (fact.kind === 'crashed' || fact.kind === 'halted') {
        forget(node);
        return;
      }
      const message = node.isCorrect ? messageOf(fact.bytes, KINDS) : undefined;
      if (message?.kind === 'proposalPol') {
        const { height, polRound } = message;
        const isOf = (one: Owed): boolean =>
          one.node === node && one.height === height && one.polRound === polRound;
        owed = owed.filter((one) => !isOf(one) || !fact.to.includes(one.peer));
      } else if (message?.kind === 'proposal') {
        const { height, polRound } = message.proposal;
        const rs = node.node?.rs();
        if (polRound < 0 || rs?.height !== height || rs.votes(polRound, 'prevote') === undefined) return;
        owed.push(...fact.to.map((peer) => ({ node, peer, height, polRound })));
      }
    }),
    look(node) {
      const late = owed.find((one) => one.node === node);
      if (late === undefined) return;
      forget(node);
      const { peer, height, polRound } = late;
      const what = `a proposal of height ${height}, expected also which prevotes of round ${polRound} it has (ProposalPOL)`;
      fail(name, `${node.name} tells ${peer} ${what}`);
    },
  };
}
