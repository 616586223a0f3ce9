import { ANY, type Any } from '../../app/tx/tables.ts';
import { embed, optional, repeatedString, string, uint64Big } from '../../codec/fields.ts';
import { table } from '../../codec/proto.ts';

const TEXT_BYTES_MAX = 256;

export interface BaseAccount {
  /** Bech32. */
  readonly address: string;
  /** `ethsecp256k1.PubKey`; undefined until the first signed transaction. */
  readonly pubKey: Any | undefined;
  readonly accountNumber: bigint;
  readonly sequence: bigint;
}

export interface EthAccount {
  readonly baseAccount: BaseAccount | undefined;
  /** `0x` and 64 hex digits. */
  readonly codeHash: string;
}

export interface ModuleAccount {
  readonly baseAccount: BaseAccount;
  readonly name: string;
  readonly permissions: readonly string[];
}

export const BASE_ACCOUNT = table<BaseAccount>('cosmos.auth.v1beta1.BaseAccount', [
  string(1, 'address', TEXT_BYTES_MAX),
  optional(2, 'pubKey', ANY),
  uint64Big(3, 'accountNumber'),
  uint64Big(4, 'sequence'),
]);

export const ETH_ACCOUNT = table<EthAccount>('chain.types.v1.EthAccount', [
  optional(1, 'baseAccount', BASE_ACCOUNT),
  string(2, 'codeHash', TEXT_BYTES_MAX),
]);

export const MODULE_ACCOUNT = table<ModuleAccount>('cosmos.auth.v1beta1.ModuleAccount', [
  embed(1, 'baseAccount', BASE_ACCOUNT),
  string(2, 'name', TEXT_BYTES_MAX),
  repeatedString(3, 'permissions', TEXT_BYTES_MAX, 16),
]);
