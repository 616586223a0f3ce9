import type { ServiceMethod } from './service.ts';
import { authMethods } from './services/auth.ts';
import { bankMethods } from './services/bank.ts';
import { tendermintMethods } from './services/tendermint.ts';

/** Every service query. Of two rows that fit a path the earlier wins, so literal paths stand before `{field}` ones. */
export const SERVICE_METHODS: readonly ServiceMethod[] = [
  ...authMethods,
  ...bankMethods,
  ...tendermintMethods,
];

const byGrpcPath: ReadonlyMap<string, ServiceMethod> = new Map(
  SERVICE_METHODS.map((row) => [row.grpcPath, row]),
);

export const findByGrpcPath = (path: string): ServiceMethod | undefined => byGrpcPath.get(path);

/** The row of a REST path and the fields in it; undefined when no row fits. */
export function matchRest(
  verb: string,
  segments: readonly string[],
): { readonly row: ServiceMethod; readonly fields: Map<string, string> } | undefined {
  for (const row of SERVICE_METHODS) {
    if (row.verb !== verb || row.segments.length !== segments.length) continue;
    const fields = new Map<string, string>();
    const fits = row.segments.every((segment, i) => {
      const given = segments[i] as string;
      if (!segment.startsWith('{')) return segment === given;
      fields.set(segment.slice(1, -1), given);
      return given !== '';
    });
    if (fits) return { row, fields };
  }
  return undefined;
}
