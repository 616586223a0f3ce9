/** NAMESPACE_subscribe and NAMESPACE_unsubscribe. */
import { ok } from '../../../lib/result.ts';
import type { Json } from '../../jsonText.ts';
import { CODES, invalidParams, RpcError, serverError } from '../../rpcError.ts';
import {
  decodeParams,
  type EthCall,
  type EthMethod,
  method,
  optional,
  type Param,
  required,
  type SubscriptionRequest,
} from '../method.ts';
import { text } from '../params.ts';

/** A kind of subscription: the parameters after its name, and the request they form. */
export interface Kind {
  readonly params: readonly Param<unknown>[];
  /** Throws RpcError. */
  request(args: readonly unknown[], call: EthCall): SubscriptionRequest;
}

export type Kinds = ReadonlyMap<string, Kind>;

const OPTIONS = optional(
  required('options', { type: 'object' }, () => ok(undefined)),
  undefined,
);

const unsupported = (): RpcError => new RpcError(CODES.methodNotFound, 'notifications not supported');

/** The first parameter names the kind; the others belong to that kind (geth's handleSubscribe). */
function subscribe(call: EthCall, raw: Json | undefined, namespace: string, kinds: Kinds): string {
  if (call.notifier === undefined) throw unsupported();
  if (!Array.isArray(raw)) throw invalidParams('non-array args');
  const [name, ...rest] = raw as readonly Json[];
  if (typeof name !== 'string') throw invalidParams('expected subscription name as first argument');
  const kind = kinds.get(name);
  if (kind === undefined) {
    const message = `no ${JSON.stringify(name)} subscription in ${namespace} namespace`;
    throw new RpcError(CODES.methodNotFound, message);
  }
  const args = decodeParams([text('name'), ...kind.params], [name, ...rest]);
  return call.notifier.subscribe(kind.request(args.slice(1), call));
}

/** The two methods of a namespace. `doc` describes the kinds. */
export const subscribing = (namespace: string, kinds: Kinds, doc: string): readonly EthMethod[] => [
  {
    method: `${namespace}_subscribe`,
    namespace,
    params: [text('name'), OPTIONS],
    result: 'subscription id',
    doc,
    run: (call, raw) => subscribe(call, raw, namespace, kinds),
  },
  method({
    method: `${namespace}_unsubscribe`,
    params: [text('subscriptionId', 'rpc.ID')],
    result: 'boolean',
    doc: 'Ends a subscription. Unknown: -32000 `subscription not found`.',
    run: ({ notifier }, id) => {
      if (notifier?.unsubscribe(id) === true) return true;
      throw serverError('subscription not found');
    },
  }),
];
