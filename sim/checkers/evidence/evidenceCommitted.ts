import { present } from '../../../core/lib/assert.ts';
import { equalBytes } from '../../../core/lib/bytes.ts';
import type { Expectation } from '../../scenario/scenario.ts';
import { hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { onlyAtTheEnd } from '../notJudged.ts';
import { Conflicts } from '../safety/conflictsAndClocks.ts';
import { accused } from '../safety/framingAndCrashes.ts';

type Wanted = Extract<Expectation, { kind: 'evidence' }>;

/** EVD: the chain holds evidence against each named validator, within the given heights and as often as expected. */
export function evidenceCommitted(context: CheckerContext, wanted: Wanted): Checker {
  const name = 'evidence';
  /** For each validator name: the height of each offence and the block that carries its evidence. */
  const found = new Map<string, { readonly offence: number; readonly block: number }[]>();
  const blocks = new Set<number>();
  const conflicts = new Conflicts(context);
  return {
    name,
    ...hearing(['committed', 'signed', 'byzantineSigned'], (fact) => {
      if (fact.kind !== 'event') return conflicts.add(fact);
      if (!fact.node.isCorrect) return;
      const { header, evidence } = fact.event.block;
      if (blocks.has(header.height)) return;
      blocks.add(header.height);
      for (const piece of evidence) {
        const offence = piece.kind === 'duplicate-vote' ? piece.voteA.height : piece.commonHeight;
        for (const address of accused(piece)) {
          // A validator and its twins have one address.
          for (const member of context.cluster.members) {
            if (!equalBytes(member.address, address)) continue;
            found.set(member.name, [...(found.get(member.name) ?? []), { offence, block: header.height }]);
          }
        }
      }
    }),
    ...onlyAtTheEnd,
    finish() {
      for (const validator of wanted.against) {
        const pieces = found.get(validator) ?? [];
        if (pieces.length === 0 && wanted.exactly !== 0) {
          const offence = conflicts.of(validator) > 0 ? '' : ', whose key never signed two values either';
          context.fail(name, `no evidence against ${validator} is in the chain${offence}`);
          continue;
        }
        if (wanted.exactly !== undefined && pieces.length !== wanted.exactly) {
          context.fail(
            name,
            `${pieces.length} pieces of evidence against ${validator} are in the chain, expected ${wanted.exactly}`,
          );
        }
        const late = pieces.find(
          ({ offence, block }) => block - offence > (wanted.withinHeights ?? Number.MAX_SAFE_INTEGER),
        );
        if (late !== undefined) {
          const within = present(wanted.withinHeights, 'late by a bound');
          context.fail(
            name,
            `evidence against ${validator} of height ${late.offence} came in block ${late.block}, expected within ${within} heights`,
          );
        }
      }
    },
  };
}
