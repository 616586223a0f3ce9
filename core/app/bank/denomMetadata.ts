import type { Json } from '../genesisJson.ts';

const METADATA_MAX = 10_000;
const UNITS_MAX = 64;
const ALIASES_MAX = 64;
const MAX_UINT32 = 2n ** 32n - 1n;

const TEXTS = ['description', 'base', 'display', 'name', 'symbol', 'uri', 'uri_hash'];

/** Checks a cosmos.bank.v1beta1.Metadata. Nothing here acts on it, but queries return it as genesis states it. */
export function checkDenomMetadata(list: Json): void {
  for (const entry of list.array(METADATA_MAX)) {
    const fields = entry.object([...TEXTS, 'denom_units']);
    for (const name of TEXTS) (fields[name] as Json).text('');
    for (const one of (fields.denom_units as Json).array(UNITS_MAX)) {
      const unit = one.object(['denom', 'exponent', 'aliases']);
      (unit.denom as Json).text('');
      (unit.exponent as Json).amount(MAX_UINT32, 0n);
      for (const alias of (unit.aliases as Json).array(ALIASES_MAX)) alias.text();
    }
  }
}
