import { accountCount, addressOfNumber } from '../../app/auth/keeper.ts';
import type { View } from '../../app/chain.ts';
import { packed } from '../../state/packed.ts';
import type { Pause } from '../../types/app.ts';
import type { Address, Hash } from '../../types/ids.ts';
import type { RpcContext } from '../context.ts';

/** An entry takes about 200 bytes, including its hash. */
const ADDRESSES_MAX = 500_000;
const ADDRESSES_PER_PAUSE = 500;

/**
 * Addresses by their keccak256, which is all that the state stores. The auth module numbers every account that ever
 * existed. Numbers are never reused and committed blocks are final, so entries stay valid.
 */
export class AddressPreimages {
  readonly #keccak256: (bytes: Uint8Array) => Hash;
  readonly #pause: Pause | undefined;
  readonly #addressesMax: number;
  readonly #byHash = new Map<string, Address>();
  #next = 0n;

  /** @param addressesMax Most addresses that are kept. */
  constructor({ suite, pause }: Pick<RpcContext, 'suite' | 'pause'>, addressesMax = ADDRESSES_MAX) {
    this.#addressesMax = addressesMax;
    this.#keccak256 = (bytes) => suite.keccak256(bytes);
    this.#pause = pause;
  }

  /** Adds the accounts that are new since the last call. `view` must be of a committed block. */
  async learn(view: View): Promise<void> {
    const count = accountCount(view);
    while (this.#next < count && this.#byHash.size < this.#addressesMax) {
      const address = addressOfNumber(view, this.#next);
      this.#next++;
      if (address !== undefined) this.#byHash.set(packed(this.#keccak256(address)), address.slice());
      if (this.#next % BigInt(ADDRESSES_PER_PAUSE) === 0n) await this.#pause?.();
    }
  }

  addressOf(hash: Hash): Address | undefined {
    return this.#byHash.get(packed(hash));
  }
}
