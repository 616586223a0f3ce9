import type { Json } from '../genesisJson.ts';

/** Refuses a genesis that switches transfers off: Ethereum transactions move the coin whatever the bank module says. */
export function checkSendEnabled(params: Json, sendEnabled: Json): void {
  const bank = params.isMissing ? undefined : params.object(['send_enabled', 'default_send_enabled']);
  const isDefault = bank?.default_send_enabled;
  if (isDefault !== undefined && !isDefault.boolean(true)) isDefault.fail('transfers cannot be switched off');
  for (const list of [bank?.send_enabled, sendEnabled]) {
    for (const entry of list?.array(64) ?? []) {
      const enabled = entry.object(['denom', 'enabled']).enabled as Json;
      if (!enabled.boolean(false)) entry.fail('transfers cannot be switched off');
    }
  }
}
