import { ONE_THIRD, verifyCommitLight, verifyCommitLightTrusting } from '../consensus/verifyCommit.ts';
import type { CryptoSuite } from '../crypto/suite.ts';
import type { CommitRules } from '../evidence/lightClientAttack.ts';
import { err, ok, type Result } from '../lib/result.ts';

const plain = (checked: Result<void, { readonly code: string }>): Result<void, string> =>
  checked.ok ? ok(undefined) : err(checked.error.code);

/** Consensus' rules for commits as evidence needs them: every signature counts, since each accuses somebody. */
export const commitRules = (suite: CryptoSuite): CommitRules => ({
  isDecided: (chainId, validators, blockId, height, commit) =>
    plain(verifyCommitLight({ chainId, suite }, validators, blockId, height, commit, true)),
  isTrusted: (chainId, validators, commit) =>
    plain(verifyCommitLightTrusting({ chainId, suite }, validators, commit, ONE_THIRD, true)),
});
