import { ONE_THIRD, verifyCommitLight, verifyCommitLightTrusting } from '../consensus/verifyCommit.ts';
import type { CryptoSuite } from '../crypto/suite.ts';
import type { CommitRules } from '../evidence/lightClientAttack.ts';
import { err, ok, type Result } from '../lib/result.ts';

const plain = (checked: Result<void, { readonly code: string }>): Result<void, string> =>
  checked.ok ? ok(undefined) : err(checked.error.code);

/** The consensus rules for commits, for evidence: all signatures are verified, since each accuses its signer. */
export const commitRules = (suite: CryptoSuite): CommitRules => ({
  isDecided: (chainId, validators, blockId, height, commit) =>
    plain(verifyCommitLight({ chainId, suite }, validators, blockId, height, commit, true)),
  isTrusted: (chainId, validators, commit) =>
    plain(verifyCommitLightTrusting({ chainId, suite }, validators, commit, ONE_THIRD, true)),
});
