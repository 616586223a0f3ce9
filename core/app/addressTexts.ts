import { toEip55 } from '../address/eip55.ts';
import { formatAddress } from '../address/kinds.ts';
import { Recent } from '../lib/recent.ts';
import { packed } from '../state/packed.ts';
import type { Address } from '../types/ids.ts';

/** Enough for the addresses that a few full blocks name. */
const TEXTS_MAX = 16_384;

/**
 * Caches both text forms of an address: an EIP-55 checksum costs a hash, and events name the same addresses again and
 * again.
 */
export class AddressTexts {
  readonly #hrp: string;
  readonly #eip55 = new Recent<string>(TEXTS_MAX);
  readonly #bech32 = new Recent<string>(TEXTS_MAX);

  constructor(hrp: string) {
    this.#hrp = hrp;
  }

  eip55(address: Address): string {
    return remembered(this.#eip55, address, () => toEip55(address));
  }

  bech32(address: Address): string {
    return remembered(this.#bech32, address, () => formatAddress('acc', this.#hrp, address));
  }
}

function remembered(cache: Recent<string>, address: Address, make: () => string): string {
  const key = packed(address);
  const known = cache.get(key);
  if (known !== undefined) return known;
  const text = make();
  cache.set(key, text);
  return text;
}
