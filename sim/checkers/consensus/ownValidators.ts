import { type Bytes, equalBytes } from '../../../core/lib/bytes.ts';
import type { RoundState } from '../../../core/types/roundState.ts';
import type { ValidatorSet } from '../../../core/types/validator.ts';
import type { Process } from '../../machine/process.ts';
import { addressesOf, type CheckerContext } from '../checker.ts';

/** Finds each node's validator. */
export class OwnValidators {
  readonly #addresses: ReturnType<typeof addressesOf>;
  readonly #known = new Map<Process, { readonly set: ValidatorSet; readonly index: number }>();

  constructor(context: CheckerContext) {
    this.#addresses = addressesOf(context);
  }

  isOf(node: Process, address: Bytes): boolean {
    const own = this.#addresses.get(node);
    return own !== undefined && equalBytes(own, address);
  }

  /** The node's index in its present validator set, -1 if it is not there. Looked up once a set. */
  indexOf(node: Process, { validators: set }: RoundState): number {
    const known = this.#known.get(node);
    if (known?.set === set) return known.index;
    const own = this.#addresses.get(node);
    const index =
      own === undefined ? -1 : set.validators.findIndex(({ address }) => equalBytes(address, own));
    this.#known.set(node, { set, index });
    return index;
  }
}
