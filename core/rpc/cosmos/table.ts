import type { ServiceMethod } from './service.ts';
import { abciQueryMethods } from './services/abciQuery.ts';
import { appDescriptorMethods } from './services/appDescriptor.ts';
import { authMethods } from './services/auth.ts';
import { bankMethods } from './services/bank.ts';
import { evidenceMethods } from './services/evidence.ts';
import { evmMethods } from './services/evm.ts';
import { evmCallMethods } from './services/evmCalls.ts';
import { evmParamMethods } from './services/evmParams.ts';
import { evmTraceMethods } from './services/evmTraces.ts';
import { feemarketMethods } from './services/feemarket.ts';
import { nodeMethods } from './services/node.ts';
import { reflectionMethods } from './services/reflection.ts';
import { tendermintMethods } from './services/tendermint.ts';
import { txMethods } from './services/tx.ts';

/**
 * All service queries. If two rows match a path, the earlier wins, so literal paths must precede those with `{field}`.
 */
export const SERVICE_METHODS: readonly ServiceMethod[] = [
  ...authMethods,
  ...bankMethods,
  ...txMethods,
  ...tendermintMethods,
  ...abciQueryMethods,
  ...nodeMethods,
  ...evmMethods,
  ...evmCallMethods,
  ...evmParamMethods,
  ...evmTraceMethods,
  ...feemarketMethods,
  ...evidenceMethods,
  ...reflectionMethods,
  ...appDescriptorMethods(() => SERVICE_METHODS),
];

const byGrpcPath: ReadonlyMap<string, ServiceMethod> = new Map(
  SERVICE_METHODS.map((row) => [row.grpcPath, row]),
);

export const findByGrpcPath = (path: string): ServiceMethod | undefined => byGrpcPath.get(path);

/** The row that matches a REST path, and the path's fields; undefined if none matches. */
export function matchRest(
  verb: string,
  segments: readonly string[],
): { readonly row: ServiceMethod; readonly fields: Map<string, string> } | undefined {
  for (const row of SERVICE_METHODS) {
    const fields = row.verb === verb ? fieldsIn(row.segments, segments) : undefined;
    if (fields !== undefined && (row.takes?.(fields) ?? true)) return { row, fields };
  }
  return undefined;
}

function fieldsIn(pattern: readonly string[], given: readonly string[]): Map<string, string> | undefined {
  // Most rows differ in a literal segment, which is a cheap check.
  if (pattern.some((part, i) => part !== given[i] && !part.startsWith('{'))) return undefined;
  const fields = new Map<string, string>();
  for (const [i, part] of pattern.entries()) {
    const text = given[i];
    if (text === undefined || text === '') return undefined;
    if (part.endsWith('=**}')) {
      // A denom may contain slashes.
      fields.set(part.slice(1, -4), given.slice(i).join('/'));
      return fields;
    }
    if (part.startsWith('{')) fields.set(part.slice(1, -1), text);
  }
  return pattern.length === given.length ? fields : undefined;
}
