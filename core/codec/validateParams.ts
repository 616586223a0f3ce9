import { err, ok, type Result } from '../lib/result.ts';
import type { ConsensusParams } from '../types/params.ts';
import { BLOCK_BYTES_MAX } from './limits.ts';
import type { InvalidError } from './validate.ts';
import { PUBLIC_KEY_NUMBER } from './validator.ts';

/** CometBFT's ConsensusParams.ValidateBasic (types/params.go). */
export function validateParamsBasic(params: ConsensusParams): Result<void, InvalidError> {
  const { block, evidence, validator, abci } = params;
  const blockBytesMax = block.maxBytes === -1 ? BLOCK_BYTES_MAX : block.maxBytes;
  const unknown = validator.pubKeyTypes.find((type) => !Object.hasOwn(PUBLIC_KEY_NUMBER, type));
  const checks: readonly (readonly [boolean, string, string])[] = [
    [blockBytesMax >= 1, 'block.max_bytes', 'expected -1 or at least 1'],
    [blockBytesMax <= BLOCK_BYTES_MAX, 'block.max_bytes', `at most ${BLOCK_BYTES_MAX} is allowed`],
    [block.maxGas >= -1, 'block.max_gas', 'expected at least -1'],
    [evidence.maxAgeNumBlocks > 0, 'evidence.max_age_num_blocks', 'expected more than 0'],
    [evidence.maxAgeDurationNs > 0n, 'evidence.max_age_duration', 'expected more than 0'],
    [evidence.maxBytes >= 0, 'evidence.max_bytes', 'expected at least 0'],
    [
      evidence.maxBytes <= blockBytesMax,
      'evidence.max_bytes',
      `at most block.max_bytes (${blockBytesMax}) is allowed`,
    ],
    [abci.voteExtensionsEnableHeight >= 0, 'abci.vote_extensions_enable_height', 'expected at least 0'],
    [validator.pubKeyTypes.length > 0, 'validator.pub_key_types', 'there is none'],
    [unknown === undefined, 'validator.pub_key_types', `"${unknown}" is not ed25519 or secp256k1`],
    [params.version.app >= 0, 'version.app', 'expected at least 0'],
  ];
  const failed = checks.find(([fact]) => !fact);
  if (failed === undefined) return ok(undefined);
  const [, name, problem] = failed;
  return err({
    code: 'invalid',
    field: `consensus_params.${name}`,
    message: `consensus_params.${name}: ${problem}`,
  });
}
