import { encodeBech32 } from '../../../address/bech32.ts';
import { accountCount, addressOfNumber } from '../../../app/auth/keeper.ts';
import { readSupply } from '../../../app/bank/keeper.ts';
import { COIN, type Coin } from '../../../app/tx/tables.ts';
import { bool, embed, optional, repeated, repeatedString, string } from '../../../codec/fields.ts';
import { type Table, table } from '../../../codec/proto.ts';
import { METADATA, type Metadata, metadataOf } from '../denomMetadata.ts';
import {
  listPage,
  PAGE_REQUEST,
  PAGE_RESPONSE,
  type PageRequest,
  type PageResponse,
  pageOf,
} from '../paging.ts';
import { accountAddress, addressField } from '../requests.ts';
import { type QueryScope, type ServiceMethod, serviceMethod } from '../service.ts';
import { GRPC, GrpcError } from '../status.ts';

const SERVICE = 'cosmos.bank.v1beta1.Query';
const ROOT = '/cosmos/bank/v1beta1';
const PACKAGE = 'cosmos.bank.v1beta1';
const COINS_MAX = 1024;

interface Paged {
  readonly pagination: PageRequest | undefined;
}
interface PageAnswer {
  readonly pagination: PageResponse | undefined;
}

const isDenom = (denom: string): boolean => /^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/.test(denom);

function checkedDenom(denom: string): string {
  if (denom === '') throw new GrpcError(GRPC.invalidArgument, 'invalid denom');
  if (!isDenom(denom)) throw new GrpcError(GRPC.invalidArgument, `invalid denom: ${denom}`);
  return denom;
}

function balanceOf({ ctx, view }: QueryScope, address: string, denom: string): Coin {
  const account = view.account(accountAddress(address, ctx.chain.hrp));
  const amount = denom === ctx.chain.denom ? (account?.balance ?? 0n) : 0n;
  return { denom, amount: amount.toString() };
}

const owned = (scope: QueryScope, address: string): readonly Coin[] =>
  [balanceOf(scope, address, scope.ctx.chain.denom)].filter(({ amount }) => amount !== '0');

/** The native coin, the only one, with the sum of its balances. */
const supply = ({ ctx, view }: QueryScope): readonly Coin[] => {
  const amount = readSupply(view, ctx.chain.denom);
  return amount === 0n ? [] : [{ denom: ctx.chain.denom, amount: amount.toString() }];
};

interface AddressPage extends Paged {
  readonly address: string;
  readonly resolveDenom: boolean;
}

const balancesRow = (name: string, path: string, doc: string): ServiceMethod =>
  serviceMethod({
    service: SERVICE,
    name,
    path,
    doc,
    request: table<AddressPage>(`${PACKAGE}.Query${name}Request`, [
      addressField,
      optional(2, 'pagination', PAGE_REQUEST),
      bool(3, 'resolveDenom'),
    ]),
    response: table<{ readonly balances: readonly Coin[] } & PageAnswer>(`${PACKAGE}.Query${name}Response`, [
      repeated(1, 'balances', COIN, COINS_MAX),
      optional(2, 'pagination', PAGE_RESPONSE),
    ]),
    run: (scope, { address, pagination }) => {
      const { items, page } = listPage(pagination, owned(scope, address));
      return { balances: items, pagination: page };
    },
  });

const balanceRow = (name: string, path: string): ServiceMethod =>
  serviceMethod({
    service: SERVICE,
    name,
    path,
    doc: 'What an address holds of one denomination; zero when it holds none.',
    request: table<{ readonly address: string; readonly denom: string }>(`${PACKAGE}.Query${name}Request`, [
      addressField,
      string(2, 'denom', 256),
    ]),
    response: table<{ readonly balance: Coin | undefined }>(`${PACKAGE}.Query${name}Response`, [
      optional(1, 'balance', COIN),
    ]),
    run: (scope, { address, denom }) => ({ balance: balanceOf(scope, address, checkedDenom(denom)) }),
  });

const balanceMethods: readonly ServiceMethod[] = [
  balanceRow('Balance', `${ROOT}/balances/{address}/by_denom`),
  balancesRow(
    'AllBalances',
    `${ROOT}/balances/{address}`,
    'Every denomination an address holds; the native one is its Ethereum balance.',
  ),
  balanceRow('SpendableBalanceByDenom', `${ROOT}/spendable_balances/{address}/by_denom`),
  balancesRow(
    'SpendableBalances',
    `${ROOT}/spendable_balances/{address}`,
    'What an address may spend: all it holds.',
  ),
];

interface DenomRequest {
  readonly denom: string;
}
const denomRequest = (name: string): Table<DenomRequest> =>
  table<DenomRequest>(`${PACKAGE}.${name}`, [string(1, 'denom', 256)]);

const supplyMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'SupplyOf',
    path: `${ROOT}/supply/by_denom`,
    doc: 'How much there is of one denomination.',
    request: denomRequest('QuerySupplyOfRequest'),
    response: table<{ readonly amount: Coin }>(`${PACKAGE}.QuerySupplyOfResponse`, [
      embed(1, 'amount', COIN),
    ]),
    run: (scope, { denom }) => ({
      amount: supply(scope).find((coin) => coin.denom === checkedDenom(denom)) ?? { denom, amount: '0' },
    }),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'TotalSupply',
    path: `${ROOT}/supply`,
    doc: 'How much there is of everything; burned base fees are not in it.',
    request: table<Paged>(`${PACKAGE}.QueryTotalSupplyRequest`, [optional(1, 'pagination', PAGE_REQUEST)]),
    response: table<{ readonly supply: readonly Coin[] } & PageAnswer>(
      `${PACKAGE}.QueryTotalSupplyResponse`,
      [repeated(1, 'supply', COIN, COINS_MAX), optional(2, 'pagination', PAGE_RESPONSE)],
    ),
    run: (scope, { pagination }) => {
      const { items, page } = listPage(pagination, supply(scope));
      return { supply: items, pagination: page };
    },
  }),
];

interface DenomOwner {
  readonly address: string;
  readonly balance: Coin;
}
const DENOM_OWNER = table<DenomOwner>(`${PACKAGE}.DenomOwner`, [
  string(1, 'address', 256),
  embed(2, 'balance', COIN),
]);

const ownersRow = (name: string, path: string): ServiceMethod =>
  serviceMethod({
    service: SERVICE,
    name,
    path,
    doc: 'Who holds a denomination, in order of account numbers.',
    request: table<DenomRequest & Paged>(`${PACKAGE}.Query${name}Request`, [
      string(1, 'denom', 256),
      optional(2, 'pagination', PAGE_REQUEST),
    ]),
    response: table<{ readonly denomOwners: readonly DenomOwner[] } & PageAnswer>(
      `${PACKAGE}.Query${name}Response`,
      [repeated(1, 'denomOwners', DENOM_OWNER, 1_000_000), optional(2, 'pagination', PAGE_RESPONSE)],
    ),
    run: async ({ ctx, view }, { denom, pagination }) => {
      const count = checkedDenom(denom) === ctx.chain.denom ? accountCount(view) : 0n;
      const { items, page } = await pageOf(ctx, pagination, count, (number) => {
        const address = addressOfNumber(view, number);
        const balance = address === undefined ? 0n : (view.account(address)?.balance ?? 0n);
        if (address === undefined || balance === 0n) return undefined;
        return {
          address: encodeBech32(ctx.chain.hrp, address),
          balance: { denom, amount: balance.toString() },
        };
      });
      return { denomOwners: items, pagination: page };
    },
  });

const metadataRow = (name: string, path: string): ServiceMethod =>
  serviceMethod({
    service: SERVICE,
    name,
    path,
    doc: 'Units and names of one denomination.',
    request: denomRequest(`Query${name}Request`),
    response: table<{ readonly metadata: Metadata }>(`${PACKAGE}.Query${name}Response`, [
      embed(1, 'metadata', METADATA),
    ]),
    run: (scope, { denom }) => {
      const metadata = metadataOf(scope).find(({ base }) => base === checkedDenom(denom));
      if (metadata === undefined)
        throw new GrpcError(GRPC.notFound, `client metadata for denom ${denom}`, true);
      return { metadata };
    },
  });

interface SendEnabled {
  readonly denom: string;
  readonly enabled: boolean;
}
const SEND_ENABLED = table<SendEnabled>(`${PACKAGE}.SendEnabled`, [
  string(1, 'denom', 256),
  bool(2, 'enabled'),
]);
interface Params {
  readonly sendEnabled: readonly SendEnabled[];
  readonly defaultSendEnabled: boolean;
}
const PARAMS = table<Params>(`${PACKAGE}.Params`, [
  repeated(1, 'sendEnabled', SEND_ENABLED, COINS_MAX),
  bool(2, 'defaultSendEnabled'),
]);

const paramMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'DenomsMetadata',
    path: `${ROOT}/denoms_metadata`,
    doc: 'Units and names of all denominations.',
    request: table<Paged>(`${PACKAGE}.QueryDenomsMetadataRequest`, [optional(1, 'pagination', PAGE_REQUEST)]),
    response: table<{ readonly metadatas: readonly Metadata[] } & PageAnswer>(
      `${PACKAGE}.QueryDenomsMetadataResponse`,
      [repeated(1, 'metadatas', METADATA, COINS_MAX), optional(2, 'pagination', PAGE_RESPONSE)],
    ),
    run: (scope, { pagination }) => {
      const { items, page } = listPage(pagination, metadataOf(scope));
      return { metadatas: items, pagination: page };
    },
  }),
  metadataRow('DenomMetadata', `${ROOT}/denoms_metadata/{denom=**}`),
  metadataRow('DenomMetadataByQueryString', `${ROOT}/denoms_metadata_by_query_string`),
  ownersRow('DenomOwners', `${ROOT}/denom_owners/{denom=**}`),
  ownersRow('DenomOwnersByQuery', `${ROOT}/denom_owners_by_query`),
  serviceMethod({
    service: SERVICE,
    name: 'SendEnabled',
    path: `${ROOT}/send_enabled`,
    doc: 'Denominations whose transfers are switched on or off; every other may be sent.',
    request: table<{ readonly denoms: readonly string[] } & Paged>(`${PACKAGE}.QuerySendEnabledRequest`, [
      repeatedString(1, 'denoms', 256, 64),
      optional(99, 'pagination', PAGE_REQUEST),
    ]),
    response: table<{ readonly sendEnabled: readonly SendEnabled[] } & Partial<PageAnswer>>(
      `${PACKAGE}.QuerySendEnabledResponse`,
      [repeated(1, 'sendEnabled', SEND_ENABLED, COINS_MAX), optional(99, 'pagination', PAGE_RESPONSE)],
    ),
    // The SDK returns a page only if the request names no denoms.
    run: (_scope, { denoms, pagination }) =>
      denoms.length > 0
        ? { sendEnabled: [], pagination: undefined }
        : { sendEnabled: [], pagination: listPage(pagination, []).page },
  }),
  serviceMethod({
    service: SERVICE,
    name: 'Params',
    path: `${ROOT}/params`,
    doc: 'Parameters of the bank module.',
    request: table<object>(`${PACKAGE}.QueryParamsRequest`, []),
    response: table<{ readonly params: Params }>(`${PACKAGE}.QueryParamsResponse`, [
      embed(1, 'params', PARAMS),
    ]),
    run: () => ({ params: { sendEnabled: [], defaultSendEnabled: true } }),
  }),
];

export const bankMethods: readonly ServiceMethod[] = [...balanceMethods, ...supplyMethods, ...paramMethods];
