import { Recent } from '../lib/recent.ts';
import { packed } from '../state/packed.ts';
import { StateView } from '../state/view.ts';
import type { Address } from '../types/ids.ts';
import { readAuth } from './auth/keeper.ts';
import type { AuthRecord, View } from './chain.ts';

/** A read-only view of one height, with the auth module's records. */
export class AppView extends StateView implements View {
  /** Caches the auth records of this height. */
  readonly #records = new Recent<AuthRecord>(this.world.db.accountsMax);

  auth(address: Address): AuthRecord | undefined {
    const name = packed(address);
    const known = this.#records.get(name);
    if (known !== undefined) return known;
    const record = readAuth(this, address);
    if (record !== undefined) this.#records.set(name, record);
    return record;
  }
}
