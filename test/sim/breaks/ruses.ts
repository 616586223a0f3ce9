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
  {
    id: 'evidence-judged-by-the-set-before',
    file: 'core/evidence/verify.ts',
    from: 'const validators = facts.validatorsAt(height);',
    to: 'const validators = facts.validatorsAt(height - 1) ?? facts.validatorsAt(height);',
    found: ['no_framing', 'conduct', 'validity', 'evidence'],
    scenario: 'forged-evidence-of-who-left',
  },
  {
    id: 'rounds-ahead-judged-by-the-set-before',
    file: 'core/consensus/intake.ts',
    from: ': new VoteSet(vote.height, vote.round, vote.type, s.state.validators);',
    to: ': new VoteSet(vote.height, vote.round, vote.type, s.state.lastValidators);',
    found: ['no_crash', 'conduct'],
    scenario: 'phantom-votes',
  },
  {
    id: 'attack-judged-by-its-own-height',
    file: 'core/evidence/verify.ts',
    from: ': verifyLightClientAttack(facts, state, validators, evidence);',
    to: ': verifyLightClientAttack(facts, state, facts.validatorsAt(evidence.conflictingBlock.header.height) ?? validators, evidence);',
    found: ['evidence', 'conduct', 'validity'],
    scenario: 'light-attack-of-who-left',
  },
];
