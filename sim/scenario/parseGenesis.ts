import { type ConsensusParams, DEFAULT_PARAMS } from '../../core/types/params.ts';
import { type FeeMarket, USUAL_FEES } from '../clients/answers/feeMarket.ts';
import type { EngineSpec, GenesisSpec } from './chainSpecs.ts';
import type { Cursor } from './cursor.ts';
import type { ValidatorSpec } from './scenario.ts';
import { duration, gasPrice } from './units.ts';

/** Parameters of the chain that a scenario can set, at genesis or later. */
export const PARAM_KEYS = [
  'block_bytes',
  'evidence_blocks',
  'evidence_time',
  'evidence_bytes',
  'app_version',
] as const;
const FEE_KEYS = [
  'base_fee',
  'min_gas_price',
  'collect_base_fee',
  'no_base_fee',
  'elasticity',
  'base_fee_denominator',
] as const;
const KEYS = ['initial_height', 'starts_in', ...PARAM_KEYS, ...FEE_KEYS] as const;

/** CometBFT's max_bytes: -1 allows the most that a block of any chain may have (types.MaxBlockSizeBytes). */
const [NO_LIMIT, BLOCK_BYTES_MAX] = [-1, 104_857_600];
/** A smaller block has no room for a commit and evidence. */
const BLOCK_BYTES_MIN = 4_000;
const NANOS_PER_MICRO = 1_000n;
/** A much greater one would leave no gas target in the smallest block. */
const ELASTICITY_MAX = 1_000;

/** The section `genesis`. What is left out has the default of a new chain. */
export function genesisOf(
  at: Cursor | undefined,
  { blockGas }: EngineSpec,
  validators: readonly ValidatorSpec[],
): GenesisSpec {
  const { initial_height, starts_in, ...fields } = at?.fields(KEYS, `genesis: {${KEYS.join('?, ')}?}`) ?? {};
  const { block } = DEFAULT_PARAMS;
  const owners = validators.filter(({ twinOf }) => twinOf === undefined);
  const pubKeyTypes = [...new Set(owners.map(({ keyType }) => keyType ?? 'ed25519'))].sort();
  const usual = {
    ...DEFAULT_PARAMS,
    block: { ...block, maxGas: blockGas ?? block.maxGas },
    validator: { pubKeyTypes },
  };
  return {
    initialHeight: initial_height?.integer('a height', 1, 1_000_000_000_000) ?? 1,
    startsIn: starts_in === undefined ? 0 : duration(starts_in),
    params: paramsOf(fields, usual),
    feeMarket: feeMarketOf(fields),
  };
}

function feeMarketOf(fields: Partial<Record<(typeof FEE_KEYS)[number], Cursor>>): FeeMarket {
  const { base_fee, min_gas_price, no_base_fee, collect_base_fee, elasticity, base_fee_denominator } = fields;
  const given = [base_fee, min_gas_price, no_base_fee, collect_base_fee, elasticity, base_fee_denominator];
  if (given.every((one) => one === undefined)) return USUAL_FEES;
  const market: FeeMarket = {
    baseFee: base_fee === undefined ? USUAL_FEES.baseFee : gasPrice(base_fee),
    minGasPrice: min_gas_price === undefined ? USUAL_FEES.minGasPrice : gasPrice(min_gas_price),
    collectBaseFee: collect_base_fee?.boolean('where base fees go') ?? USUAL_FEES.collectBaseFee,
    noBaseFee: no_base_fee?.boolean('whether there is no base fee') ?? USUAL_FEES.noBaseFee,
    elasticity: BigInt(elasticity?.integer('a share', 1, ELASTICITY_MAX) ?? USUAL_FEES.elasticity),
    denominator: BigInt(base_fee_denominator?.integer('a share', 1, 1_000_000) ?? USUAL_FEES.denominator),
  };
  if (market.noBaseFee) {
    const idle = base_fee ?? elasticity ?? base_fee_denominator ?? collect_base_fee;
    idle?.fail('expected no such key where there is no base fee');
  }
  return market;
}

/** The parameters before, with these fields changed. */
export function paramsOf(
  fields: Partial<Record<(typeof PARAM_KEYS)[number], Cursor>>,
  before: ConsensusParams,
): ConsensusParams {
  const { block, evidence } = before;
  const maxBytes = fields.block_bytes === undefined ? block.maxBytes : blockBytesOf(fields.block_bytes);
  const roof = maxBytes === NO_LIMIT ? BLOCK_BYTES_MAX : maxBytes;
  return {
    ...before,
    block: { ...block, maxBytes },
    version: { app: fields.app_version?.integer('a version', 0, 1_000_000) ?? before.version.app },
    evidence: {
      maxAgeNumBlocks:
        fields.evidence_blocks?.integer('a number of blocks', 1, 1_000_000) ?? evidence.maxAgeNumBlocks,
      maxAgeDurationNs:
        fields.evidence_time === undefined
          ? evidence.maxAgeDurationNs
          : BigInt(ageOf(fields.evidence_time)) * NANOS_PER_MICRO,
      maxBytes:
        fields.evidence_bytes?.integer('a size in bytes', 0, roof) ?? Math.min(evidence.maxBytes, roof),
    },
  };
}

/** Bytes, or -1: the chain sets no limit of its own. */
function blockBytesOf(at: Cursor): number {
  const bytes = at.integer('a size in bytes', NO_LIMIT, BLOCK_BYTES_MAX);
  if (bytes === NO_LIMIT || bytes >= BLOCK_BYTES_MIN) return bytes;
  return at.fail(`expected at least ${BLOCK_BYTES_MIN}, or ${NO_LIMIT} for as much as any chain's`);
}

/** Returns µs. With a maximum age of zero there would be no evidence, and no chain starts with it. */
function ageOf(at: Cursor): number {
  const micros = duration(at);
  return micros > 0 ? micros : at.fail('expected more than no time');
}
