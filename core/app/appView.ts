import { StateView } from '../state/view.ts';
import type { Address } from '../types/ids.ts';
import { readAuth } from './auth/keeper.ts';
import type { AuthRecord, View } from './chain.ts';

/** A frozen height with the application's own records. */
export class AppView extends StateView implements View {
  auth(address: Address): AuthRecord | undefined {
    return readAuth(this, address);
  }
}
