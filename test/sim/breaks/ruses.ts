import type { Break } from './broken.ts';

/** Breaks that show where liars go by the rule that they attack: by the others' time-outs, their sets, their proofs. */
export const RUSES: readonly Break[] = [
  {
    id: 'last-commit-of-votes-heard',
    file: 'core/consensus/candidates.ts',
    from: '  return checked.ok ? ok(undefined)',
    to: "  const isUnheard = ({ flag }: CommitSig, i: number): boolean => flag === 'commit' && lastPrecommits?.bits.has(i) === false;\n  if (block.lastCommit.signatures.some(isUnheard)) return err('a precommit that nobody has told');\n  return checked.ok ? ok(undefined)",
    found: ['conduct'],
    scenario: 'edge-rider',
  },
];
