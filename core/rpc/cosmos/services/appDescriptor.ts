/** cosmos.base.reflection.v2alpha1: what this chain accepts and answers, for clients that adapt at run time. */
import { SIGN_MODE } from '../../../app/cosmos/tables.ts';
import { bool, int32, optional, repeated, repeatedString, string } from '../../../codec/fields.ts';
import { type Table, table } from '../../../codec/proto.ts';
import { ENUM_NAMES } from '../enumNames.ts';
import { INTERFACES, MSG_INTERFACE } from '../interfaces.ts';
import { type QueryScope, type ServiceMethod, serviceMethod } from '../service.ts';

const PACKAGE = 'cosmos.base.reflection.v2alpha1';
const SERVICE = `${PACKAGE}.ReflectionService`;
/** The SDK uses v1beta1 in this path although the package is v2alpha1. */
const ROOT = '/cosmos/base/reflection/v1beta1/app_descriptor';
const NAME_BYTES_MAX = 256;
const LIST_MAX = 1024;

interface SignMode {
  readonly name: string;
  readonly number: number;
  /** Always empty, as in the SDK: no method describes how to sign in a mode. */
  readonly authnInfoProviderMethodFullname: string;
}
const SIGNING_MODE = table<SignMode>(`${PACKAGE}.SigningModeDescriptor`, [
  string(1, 'name', NAME_BYTES_MAX),
  int32(2, 'number'),
  string(3, 'authnInfoProviderMethodFullname', NAME_BYTES_MAX),
]);
const AUTHN = table<{ readonly signModes: readonly SignMode[] }>(`${PACKAGE}.AuthnDescriptor`, [
  repeated(1, 'signModes', SIGNING_MODE, LIST_MAX),
]);

const CHAIN = table<{ readonly id: string }>(`${PACKAGE}.ChainDescriptor`, [string(1, 'id', NAME_BYTES_MAX)]);

interface Implementer {
  readonly fullname: string;
  readonly typeUrl: string;
}
interface Accepting {
  readonly fullname: string;
  readonly fieldDescriptorNames: readonly string[];
}
interface Interface {
  readonly fullname: string;
  /** Always empty, as in the SDK. */
  readonly interfaceAcceptingMessages: readonly Accepting[];
  readonly interfaceImplementers: readonly Implementer[];
}
const ACCEPTING = table<Accepting>(`${PACKAGE}.InterfaceAcceptingMessageDescriptor`, [
  string(1, 'fullname', NAME_BYTES_MAX),
  repeatedString(2, 'fieldDescriptorNames', NAME_BYTES_MAX, LIST_MAX),
]);
const IMPLEMENTER = table<Implementer>(`${PACKAGE}.InterfaceImplementerDescriptor`, [
  string(1, 'fullname', NAME_BYTES_MAX),
  string(2, 'typeUrl', NAME_BYTES_MAX),
]);
const INTERFACE = table<Interface>(`${PACKAGE}.InterfaceDescriptor`, [
  string(1, 'fullname', NAME_BYTES_MAX),
  repeated(2, 'interfaceAcceptingMessages', ACCEPTING, LIST_MAX),
  repeated(3, 'interfaceImplementers', IMPLEMENTER, LIST_MAX),
]);
const CODEC = table<{ readonly interfaces: readonly Interface[] }>(`${PACKAGE}.CodecDescriptor`, [
  repeated(1, 'interfaces', INTERFACE, LIST_MAX),
]);

const CONFIGURATION = table<{ readonly bech32AccountAddressPrefix: string }>(
  `${PACKAGE}.ConfigurationDescriptor`,
  [string(1, 'bech32AccountAddressPrefix', NAME_BYTES_MAX, { name: 'bech32_account_address_prefix' })],
);

interface QueryMethod {
  readonly name: string;
  readonly fullQueryPath: string;
}
interface QueryService {
  readonly fullname: string;
  /** Never set, as in the SDK. */
  readonly isModule: boolean;
  readonly methods: readonly QueryMethod[];
}
const QUERY_METHOD = table<QueryMethod>(`${PACKAGE}.QueryMethodDescriptor`, [
  string(1, 'name', NAME_BYTES_MAX),
  string(2, 'fullQueryPath', NAME_BYTES_MAX),
]);
const QUERY_SERVICE = table<QueryService>(`${PACKAGE}.QueryServiceDescriptor`, [
  string(1, 'fullname', NAME_BYTES_MAX),
  bool(2, 'isModule'),
  repeated(3, 'methods', QUERY_METHOD, LIST_MAX),
]);
const QUERIES = table<{ readonly queryServices: readonly QueryService[] }>(
  `${PACKAGE}.QueryServicesDescriptor`,
  [repeated(1, 'queryServices', QUERY_SERVICE, LIST_MAX)],
);

interface Tx {
  readonly fullname: string;
  readonly msgs: readonly { readonly msgTypeUrl: string }[];
}
const MSG = table<{ readonly msgTypeUrl: string }>(`${PACKAGE}.MsgDescriptor`, [
  string(1, 'msgTypeUrl', NAME_BYTES_MAX),
]);
const TX = table<Tx>(`${PACKAGE}.TxDescriptor`, [
  string(1, 'fullname', NAME_BYTES_MAX),
  repeated(2, 'msgs', MSG, LIST_MAX),
]);

function signModes(): readonly SignMode[] {
  const names = ENUM_NAMES['cosmos.tx.v1beta1.ModeInfo.Single.mode'] ?? {};
  return Object.values(SIGN_MODE).map((number) => ({
    name: names[number] ?? '',
    number,
    authnInfoProviderMethodFullname: '',
  }));
}

const interfaces = (): readonly Interface[] =>
  [...INTERFACES].map(([fullname, typeUrls]) => ({
    fullname,
    interfaceAcceptingMessages: [],
    interfaceImplementers: typeUrls.map((typeUrl) => ({ fullname: typeUrl.slice(1), typeUrl })),
  }));

function queryServices(rows: readonly ServiceMethod[]): readonly QueryService[] {
  return [...new Set(rows.map(({ service }) => service))].map((fullname) => ({
    fullname,
    isModule: false,
    methods: rows
      .filter(({ service }) => service === fullname)
      .map(({ name, grpcPath }) => ({ name, fullQueryPath: grpcPath })),
  }));
}

/** One of the six `Get…Descriptor` methods, whose response has one field. */
function part<K extends string, R>(
  [name, key, path, doc]: readonly [name: string, key: K, path: string, doc: string],
  shape: Table<R>,
  run: (scope: QueryScope) => R,
): ServiceMethod {
  const response = table<Record<K, R | undefined>>(`${PACKAGE}.Get${name}Response`, [
    optional(1, key, shape),
  ] as never);
  return serviceMethod({
    service: SERVICE,
    name: `Get${name}`,
    path: `${ROOT}/${path}`,
    doc,
    request: table<object>(`${PACKAGE}.Get${name}Request`, []),
    response,
    run: (scope) => ({ [key]: run(scope) }) as Record<K, R>,
  });
}

/** `rows` returns all queries of the node. It is called on the first request. */
export const appDescriptorMethods = (rows: () => readonly ServiceMethod[]): readonly ServiceMethod[] => [
  part(['AuthnDescriptor', 'authn', 'authn', 'How transactions may be signed.'], AUTHN, () => ({
    signModes: signModes(),
  })),
  part(['ChainDescriptor', 'chain', 'chain', 'The chain id.'], CHAIN, ({ ctx }) => ({
    id: ctx.genesis.chainId,
  })),
  part(
    ['CodecDescriptor', 'codec', 'codec', 'Interfaces and the messages that implement them.'],
    CODEC,
    () => ({
      interfaces: interfaces(),
    }),
  ),
  part(
    ['ConfigurationDescriptor', 'config', 'configuration', 'The prefix of account addresses.'],
    CONFIGURATION,
    ({ ctx }) => ({ bech32AccountAddressPrefix: ctx.chain.hrp }),
  ),
  part(
    ['QueryServicesDescriptor', 'queries', 'query_services', 'Every query that the node answers.'],
    QUERIES,
    () => ({ queryServices: queryServices(rows()) }),
  ),
  part(['TxDescriptor', 'tx', 'tx_descriptor', 'Messages that transactions may carry.'], TX, () => ({
    fullname: 'cosmos.tx.v1beta1.Tx',
    msgs: (INTERFACES.get(MSG_INTERFACE) ?? []).map((msgTypeUrl) => ({ msgTypeUrl })),
  })),
];
