/** cosmos.bank.v1beta1.Metadata: units and names of denoms, as genesis states them. */
import { repeated, repeatedString, string, uint32 } from '../../codec/fields.ts';
import { table } from '../../codec/proto.ts';
import type { QueryScope } from './service.ts';

const PACKAGE = 'cosmos.bank.v1beta1';

interface DenomUnit {
  readonly denom: string;
  readonly exponent: number;
  readonly aliases: readonly string[];
}
export interface Metadata {
  readonly description: string;
  readonly denomUnits: readonly DenomUnit[];
  readonly base: string;
  readonly display: string;
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
  readonly uriHash: string;
}
const DENOM_UNIT = table<DenomUnit>(`${PACKAGE}.DenomUnit`, [
  string(1, 'denom', 256),
  uint32(2, 'exponent'),
  repeatedString(3, 'aliases', 256, 64),
]);
export const METADATA = table<Metadata>(`${PACKAGE}.Metadata`, [
  string(1, 'description', 4096),
  repeated(2, 'denomUnits', DENOM_UNIT, 64),
  string(3, 'base', 256),
  string(4, 'display', 256),
  string(5, 'name', 256),
  string(6, 'symbol', 256),
  string(7, 'uri', 4096),
  string(8, 'uriHash', 256),
]);

interface GenesisBank {
  readonly denom_metadata?: readonly Record<string, unknown>[];
  readonly params?: { readonly default_send_enabled?: boolean };
}
const bankOf = ({ ctx }: QueryScope): GenesisBank =>
  ((ctx.genesis.appState ?? {}) as { bank?: GenesisBank }).bank ?? {};

export function metadataOf(scope: QueryScope): readonly Metadata[] {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return (bankOf(scope).denom_metadata ?? []).map((one) => ({
    description: text(one.description),
    denomUnits: ((one.denom_units ?? []) as readonly Record<string, unknown>[]).map((unit) => ({
      denom: text(unit.denom),
      exponent: Number(unit.exponent ?? 0),
      aliases: ((unit.aliases ?? []) as readonly unknown[]).map(text),
    })),
    base: text(one.base),
    display: text(one.display),
    name: text(one.name),
    symbol: text(one.symbol),
    uri: text(one.uri),
    uriHash: text(one.uri_hash),
  }));
}
