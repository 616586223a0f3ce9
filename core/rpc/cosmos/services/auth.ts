import { decodeBech32, encodeBech32 } from '../../../address/bech32.ts';
import { parseAddress } from '../../../address/kinds.ts';
import { accountCount, addressOfNumber, FEE_COLLECTOR, moduleAddress } from '../../../app/auth/keeper.ts';
import { type AuthParams, readAuthParams } from '../../../app/auth/params.ts';
import { Json, readGenesis } from '../../../app/genesisJson.ts';
import { ANY, type Any } from '../../../app/tx/tables.ts';
import { TYPE_URL } from '../../../app/typeUrls.ts';
import { bytes, int64Big, optional, repeated, string, uint64Big } from '../../../codec/fields.ts';
import { encode, table } from '../../../codec/proto.ts';
import { present } from '../../../lib/assert.ts';
import { fromBase64 } from '../../../lib/base64.ts';
import type { Bytes } from '../../../lib/bytes.ts';
import { BASE_ACCOUNT, type BaseAccount, type EthAccount, MODULE_ACCOUNT } from '../accountTables.ts';
import { ethAccountAny, ethAccountOf } from '../ethAccount.ts';
import { PAGE_REQUEST, PAGE_RESPONSE, type PageRequest, type PageResponse, pageOf } from '../paging.ts';
import { ADDRESS_REQUEST_FIELDS, accountAddress } from '../requests.ts';
import { type QueryScope, type ServiceMethod, serviceMethod } from '../service.ts';
import { GRPC, GrpcError } from '../status.ts';

const SERVICE = 'cosmos.auth.v1beta1.Query';
const ROOT = '/cosmos/auth/v1beta1';
const PACKAGE = 'cosmos.auth.v1beta1';
const ADDRESSES_MAX = 1_000_000;

interface AccountResponse {
  readonly account: Any | undefined;
}
const ACCOUNT_RESPONSE = table<AccountResponse>(`${PACKAGE}.QueryAccountResponse`, [
  optional(1, 'account', ANY),
]);

const PARAMS = table<AuthParams>(`${PACKAGE}.Params`, [
  uint64Big(1, 'maxMemoCharacters'),
  uint64Big(2, 'txSigLimit'),
  uint64Big(3, 'txSizeCostPerByte'),
  uint64Big(4, 'sigVerifyCostEd25519', { name: 'sig_verify_cost_ed25519' }),
  uint64Big(5, 'sigVerifyCostSecp256k1', { name: 'sig_verify_cost_secp256k1' }),
]);

function authParams(appState: unknown): AuthParams {
  const { auth } = (appState ?? {}) as { auth?: { params?: unknown } };
  const read = readGenesis(() => readAuthParams(new Json(auth?.params, 'app_state.auth.params')));
  return present(read.ok ? read.value : undefined, 'a node runs on a genesis that it has checked');
}

/** The account; throws the not-found error if it does not exist. */
function accountOf({ ctx, view }: QueryScope, address: string): EthAccount {
  const account = ethAccountOf(view, accountAddress(address, ctx.chain.hrp), ctx.chain.hrp);
  if (account === undefined) {
    throw new GrpcError(GRPC.notFound, `account ${address} not found`, true);
  }
  return account;
}

function moduleAccountAny({ ctx, view }: QueryScope, name: string): Any | undefined {
  const account = ethAccountOf(view, moduleAddress(name), ctx.chain.hrp);
  const baseAccount: BaseAccount = account?.baseAccount ?? {
    address: encodeBech32(ctx.chain.hrp, moduleAddress(name)),
    pubKey: undefined,
    accountNumber: 0n,
    sequence: 0n,
  };
  return {
    typeUrl: TYPE_URL.moduleAccount,
    value: encode(MODULE_ACCOUNT, { baseAccount, name, permissions: [] }),
  };
}

const EMPTY_REQUEST = (name: string) => table<object>(`${PACKAGE}.${name}`, []);

const accountMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'Accounts',
    path: `${ROOT}/accounts`,
    doc: 'All accounts in order of their numbers.',
    request: table<{ readonly pagination: PageRequest | undefined }>(`${PACKAGE}.QueryAccountsRequest`, [
      optional(1, 'pagination', PAGE_REQUEST),
    ]),
    response: table<{ readonly accounts: readonly Any[]; readonly pagination: PageResponse | undefined }>(
      `${PACKAGE}.QueryAccountsResponse`,
      [repeated(1, 'accounts', ANY, ADDRESSES_MAX), optional(2, 'pagination', PAGE_RESPONSE)],
    ),
    run: async ({ ctx, view }, { pagination }) => {
      const { items, page } = await pageOf(ctx, pagination, accountCount(view), (number) => {
        const address = addressOfNumber(view, number);
        const account = address === undefined ? undefined : ethAccountOf(view, address, ctx.chain.hrp);
        return account === undefined ? undefined : ethAccountAny(account);
      });
      return { accounts: items, pagination: page };
    },
  }),
  serviceMethod({
    service: SERVICE,
    name: 'Account',
    path: `${ROOT}/accounts/{address}`,
    doc: 'An account by its address in Bech32 or hex.',
    request: table<{ readonly address: string }>(`${PACKAGE}.QueryAccountRequest`, ADDRESS_REQUEST_FIELDS),
    response: ACCOUNT_RESPONSE,
    run: (scope, { address }) => ({ account: ethAccountAny(accountOf(scope, address)) }),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'AccountInfo',
    path: `${ROOT}/account_info/{address}`,
    doc: 'Number, sequence and public key of an account of any kind.',
    request: table<{ readonly address: string }>(
      `${PACKAGE}.QueryAccountInfoRequest`,
      ADDRESS_REQUEST_FIELDS,
    ),
    response: table<{ readonly info: BaseAccount | undefined }>(`${PACKAGE}.QueryAccountInfoResponse`, [
      optional(1, 'info', BASE_ACCOUNT),
    ]),
    run: (scope, { address }) => ({ info: accountOf(scope, address).baseAccount }),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'AccountAddressByID',
    path: `${ROOT}/address_by_id/{account_id}`,
    doc: 'The address of an account number.',
    request: table<{ readonly id: bigint; readonly accountId: bigint }>(
      `${PACKAGE}.QueryAccountAddressByIDRequest`,
      [
        // Deprecated. Like the SDK, it is read only to refuse it.
        int64Big(1, 'id'),
        uint64Big(2, 'accountId'),
      ],
    ),
    response: table<{ readonly accountAddress: string }>(`${PACKAGE}.QueryAccountAddressByIDResponse`, [
      string(1, 'accountAddress', 256),
    ]),
    run: ({ ctx, view }, { id, accountId }) => {
      if (id !== 0n)
        throw new GrpcError(
          GRPC.invalidArgument,
          "requesting with id isn't supported, try to request using account-id",
        );
      const address = addressOfNumber(view, accountId);
      if (address === undefined) {
        throw new GrpcError(
          GRPC.notFound,
          `account address not found with account number ${accountId}`,
          true,
        );
      }
      return { accountAddress: encodeBech32(ctx.chain.hrp, address) };
    },
  }),
];

/**
 * Whether the text is a base64 address. The SDK serves both directions at one REST path and always reads bytes; texts
 * work only over gRPC. Here both work: a text without a valid Bech32 checksum that is base64 of an address means bytes.
 */
function isBase64Address(text: string): boolean {
  if (decodeBech32(text).ok) return false;
  const plain = text.replaceAll('-', '+').replaceAll('_', '/');
  const decoded = fromBase64(plain.padEnd(Math.ceil(plain.length / 4) * 4, '='));
  return decoded.ok && (decoded.value.length === 20 || decoded.value.length === 32);
}

const textMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'Bech32Prefix',
    path: `${ROOT}/bech32`,
    doc: 'The prefix of account addresses.',
    request: EMPTY_REQUEST('Bech32PrefixRequest'),
    response: table<{ readonly bech32Prefix: string }>(`${PACKAGE}.Bech32PrefixResponse`, [
      string(1, 'bech32Prefix', 128, { name: 'bech32_prefix' }),
    ]),
    run: ({ ctx }) => ({ bech32Prefix: ctx.chain.hrp }),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'AddressBytesToString',
    path: `${ROOT}/bech32/{address_bytes}`,
    takes: (fields) => isBase64Address(fields.get('address_bytes') ?? ''),
    doc: 'The Bech32 text of an address given as base64 of 20 or 32 bytes.',
    request: table<{ readonly addressBytes: Bytes }>(`${PACKAGE}.AddressBytesToStringRequest`, [
      bytes(1, 'addressBytes', 64),
    ]),
    response: table<{ readonly addressString: string }>(`${PACKAGE}.AddressBytesToStringResponse`, [
      string(1, 'addressString', 256),
    ]),
    run: ({ ctx }, { addressBytes }) => {
      if (addressBytes.length === 0)
        throw new GrpcError(GRPC.invalidArgument, 'empty address bytes is not allowed');
      return { addressString: encodeBech32(ctx.chain.hrp, addressBytes) };
    },
  }),
  serviceMethod({
    service: SERVICE,
    name: 'AddressStringToBytes',
    path: `${ROOT}/bech32/{address_string}`,
    doc: 'The bytes of a Bech32 address.',
    request: table<{ readonly addressString: string }>(`${PACKAGE}.AddressStringToBytesRequest`, [
      string(1, 'addressString', 256),
    ]),
    response: table<{ readonly addressBytes: Bytes }>(`${PACKAGE}.AddressStringToBytesResponse`, [
      bytes(1, 'addressBytes', 64),
    ]),
    run: ({ ctx }, { addressString }) => {
      const address = parseAddress('acc', addressString, ctx.chain.hrp);
      if (!address.ok)
        throw new GrpcError(GRPC.invalidArgument, `decoding bech32 failed: ${address.error.message}`);
      return { addressBytes: address.value };
    },
  }),
];

const moduleMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'ModuleAccounts',
    path: `${ROOT}/module_accounts`,
    doc: 'Accounts that belong to modules.',
    request: EMPTY_REQUEST('QueryModuleAccountsRequest'),
    response: table<{ readonly accounts: readonly Any[] }>(`${PACKAGE}.QueryModuleAccountsResponse`, [
      repeated(1, 'accounts', ANY, 64),
    ]),
    run: (scope) => ({ accounts: [moduleAccountAny(scope, FEE_COLLECTOR) as Any] }),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'ModuleAccountByName',
    path: `${ROOT}/module_accounts/{name}`,
    doc: 'The account of one module.',
    request: table<{ readonly name: string }>(`${PACKAGE}.QueryModuleAccountByNameRequest`, [
      string(1, 'name', 256),
    ]),
    response: table<AccountResponse>(`${PACKAGE}.QueryModuleAccountByNameResponse`, [
      optional(1, 'account', ANY),
    ]),
    run: (scope, { name }) => {
      if (name !== FEE_COLLECTOR) throw new GrpcError(GRPC.notFound, `account ${name} not found`, true);
      return { account: moduleAccountAny(scope, name) };
    },
  }),
  serviceMethod({
    service: SERVICE,
    name: 'Params',
    path: `${ROOT}/params`,
    doc: 'Parameters of the auth module.',
    request: EMPTY_REQUEST('QueryParamsRequest'),
    response: table<{ readonly params: AuthParams | undefined }>(`${PACKAGE}.QueryParamsResponse`, [
      optional(1, 'params', PARAMS),
    ]),
    run: ({ ctx }) => ({ params: authParams(ctx.genesis.appState) }),
  }),
];

export const authMethods: readonly ServiceMethod[] = [...accountMethods, ...textMethods, ...moduleMethods];
