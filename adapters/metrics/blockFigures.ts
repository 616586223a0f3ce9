import type { ChainReader } from '../../core/app/chain.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import type { Evidence } from '../../core/types/evidence.ts';
import type { Address } from '../../core/types/ids.ts';
import type { NodeEvent } from '../../core/types/nodeEvent.ts';
import type { Validator } from '../../core/types/validator.ts';

export type Committed = Extract<NodeEvent, { kind: 'committed' }>;

/** Metrics of one block. Powers and bytes are numbers, as Prometheus requires. */
export interface BlockFigures {
  readonly validators: number;
  readonly validatorsPower: number;
  /** Validators absent from the last commit. */
  readonly missing: number;
  readonly missingPower: number;
  readonly byzantine: number;
  readonly byzantinePower: number;
  readonly txs: number;
  readonly bytes: number;
}

export function figuresOf(chain: ChainReader, { block, state }: Committed): BlockFigures {
  const { height } = block.header;
  const signers = chain.validators(height - 1)?.validators ?? [];
  const missing = signers.filter((_, i) => block.lastCommit.signatures[i]?.flag === 'absent');
  const faulty = block.evidence.flatMap(faultyIn);
  return {
    validators: state.validators.validators.length,
    validatorsPower: Number(state.validators.totalPower),
    missing: missing.length,
    missingPower: powerOf(missing),
    byzantine: faulty.length,
    byzantinePower: powerOf(faulty),
    txs: block.txs.length,
    bytes: chain.blockMeta(height)?.blockSize ?? 0,
  };
}

/** The validator's power, and whether it signed the last commit; undefined if it was not a validator then. */
export function partIn(
  chain: ChainReader,
  { block: { lastCommit } }: Committed,
  address: Address,
): { readonly power: number; readonly signed: boolean } | undefined {
  const signers = chain.validators(lastCommit.height)?.validators ?? [];
  const index = signers.findIndex((one) => equalBytes(one.address, address));
  const self = signers[index];
  if (self === undefined) return undefined;
  return { power: Number(self.power), signed: lastCommit.signatures[index]?.flag === 'commit' };
}

function faultyIn(evidence: Evidence): readonly Pick<Validator, 'power'>[] {
  if (evidence.kind === 'duplicate-vote') return [{ power: evidence.validatorPower }];
  return evidence.byzantineValidators;
}

const powerOf = (validators: readonly Pick<Validator, 'power'>[]): number =>
  Number(validators.reduce((sum, { power }) => sum + power, 0n));
