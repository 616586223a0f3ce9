/** cosmos.base.reflection.v1beta1: which messages an Any may contain. */
import { repeatedString, string } from '../../../codec/fields.ts';
import { table } from '../../../codec/proto.ts';
import { INTERFACES } from '../interfaces.ts';
import { type ServiceMethod, serviceMethod } from '../service.ts';
import { GRPC, GrpcError } from '../status.ts';

const PACKAGE = 'cosmos.base.reflection.v1beta1';
const SERVICE = `${PACKAGE}.ReflectionService`;
const ROOT = '/cosmos/base/reflection/v1beta1/interfaces';
const NAME_BYTES_MAX = 256;
const NAMES_MAX = 256;

export const reflectionMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'ListAllInterfaces',
    path: ROOT,
    doc: 'The interfaces that messages implement.',
    request: table<object>(`${PACKAGE}.ListAllInterfacesRequest`, []),
    response: table<{ readonly interfaceNames: readonly string[] }>(`${PACKAGE}.ListAllInterfacesResponse`, [
      repeatedString(1, 'interfaceNames', NAME_BYTES_MAX, NAMES_MAX),
    ]),
    run: () => ({ interfaceNames: [...INTERFACES.keys()] }),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'ListImplementations',
    path: `${ROOT}/{interface_name}/implementations`,
    doc: 'The messages that implement an interface, none when there is no such interface.',
    request: table<{ readonly interfaceName: string }>(`${PACKAGE}.ListImplementationsRequest`, [
      string(1, 'interfaceName', NAME_BYTES_MAX),
    ]),
    response: table<{ readonly implementationMessageNames: readonly string[] }>(
      `${PACKAGE}.ListImplementationsResponse`,
      [repeatedString(1, 'implementationMessageNames', NAME_BYTES_MAX, NAMES_MAX)],
    ),
    run: (_, { interfaceName }) => {
      if (interfaceName === '') throw new GrpcError(GRPC.invalidArgument, 'invalid interface name');
      return { implementationMessageNames: INTERFACES.get(interfaceName) ?? [] };
    },
  }),
];
