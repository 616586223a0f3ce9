import type { EthBlock, View } from '../../app/chain.ts';
import { bigintToBytes } from '../../app/evm/numbers.ts';
import { encodeRlp } from '../../app/evm/rlp.ts';
import { type ProofOp, proveEthAccount, proveModuleEntry } from '../../app/stateProof.ts';
import { present } from '../../lib/assert.ts';
import { type Bytes, EMPTY } from '../../lib/bytes.ts';
import { encodeUtf8 } from '../../lib/utf8.ts';
import type { RpcContext } from '../context.ts';
import { scopeAt } from './scope.ts';
import type { QueryScope } from './service.ts';
import { GRPC, GrpcError, sdkCodeOf } from './status.ts';
import { findByGrpcPath } from './table.ts';

/** A store's entry by its key, as the Cosmos SDK and CometBFT's light client spell it. */
const STORE_PATH = /^\/store\/([^/]*)\/key$/;
/** The application's version, as the Cosmos SDK answers it. */
const VERSION_PATH = '/app/version';
const MODULE_KEY_BYTES_MAX = 128;
const ADDRESS_BYTES = 20;

/** Codes of codespace `sdk`. */
const TX_DECODE = 2;
const UNKNOWN_REQUEST = 6;
const INVALID_REQUEST = 18;

export interface AbciQuery {
  readonly path: string;
  readonly data: Bytes;
  /** 0: the newest. */
  readonly height: bigint;
  /** Of entries of a store; service queries have no proofs. */
  readonly prove: boolean;
}

export interface AbciQueryAnswer {
  /** 0 or a code of `codespace`. */
  readonly code: number;
  readonly codespace: string;
  readonly log: string;
  readonly key: Bytes;
  readonly value: Bytes;
  /** From the entry to the app hash of the header after `height`. */
  readonly proofOps: readonly ProofOp[] | undefined;
  readonly height: number;
}

interface Store {
  /** Why the key is none. */
  check(key: Bytes): string | undefined;
  get(view: View, key: Bytes): Bytes;
  prove(view: View, block: EthBlock, key: Bytes): readonly ProofOp[];
}

/** As it lies in Ethereum's state trie (Yellow Paper §4.1); empty when there is no account. */
function accountRlp(view: View, address: Bytes): Bytes {
  const account = view.account(address);
  if (account === undefined) return EMPTY;
  const { nonce, balance, storageRoot, codeHash } = account;
  return encodeRlp([bigintToBytes(nonce), bigintToBytes(balance), storageRoot, codeHash]);
}

const STORES: ReadonlyMap<string, Store> = new Map([
  [
    'modules',
    {
      check: (key) =>
        key.length > MODULE_KEY_BYTES_MAX ? `key is longer than ${MODULE_KEY_BYTES_MAX} bytes` : undefined,
      get: (view, key) => view.module(key) ?? EMPTY,
      prove: proveModuleEntry,
    },
  ],
  [
    'ethereum',
    {
      check: (key) =>
        key.length === ADDRESS_BYTES ? undefined : `key is not an address of ${ADDRESS_BYTES} bytes`,
      get: accountRlp,
      prove: proveEthAccount,
    },
  ],
]);

/** An ABCI query: a service query by its gRPC path with protobuf data, or an entry of a store by its key. */
export async function answerAbciQuery(ctx: RpcContext, query: AbciQuery): Promise<AbciQueryAnswer> {
  const scope = knownScope(ctx, query.height);
  if ('code' in scope) return scope;
  try {
    const stored = STORE_PATH.exec(query.path);
    if (stored !== null) return storeAnswer(ctx, scope.view, stored[1] as string, query);
    if (query.path === VERSION_PATH)
      return { ...good(scope.view.height), value: encodeUtf8(ctx.identity.version) };
    const row = findByGrpcPath(query.path);
    const at = scope.view.height;
    if (row === undefined)
      return refusal(UNKNOWN_REQUEST, `unknown query path: ${query.path}: unknown request`, at);
    return { ...good(at), value: await row.proto(scope, query.data) };
  } catch (failure) {
    if (!(failure instanceof GrpcError)) throw failure;
    return refusal(sdkCodeOf(failure.code), failure.text, ctx.chain.head());
  }
}

/** The state of the height, or the SDK's words for why there is none. */
function knownScope(ctx: RpcContext, height: bigint): QueryScope | AbciQueryAnswer {
  try {
    return scopeAt(ctx, height);
  } catch (failure) {
    if (!(failure instanceof GrpcError)) throw failure;
    return refusal(INVALID_REQUEST, `${failure.message}: invalid request`, ctx.chain.head());
  }
}

function storeAnswer(ctx: RpcContext, view: View, name: string, { data, prove }: AbciQuery): AbciQueryAnswer {
  const { height } = view;
  const store = STORES.get(name);
  if (store === undefined) return refusal(UNKNOWN_REQUEST, `no such store: ${name}: unknown request`, height);
  if (data.length === 0) return refusal(TX_DECODE, 'query cannot be zero length: tx parse error', height);
  const wrong = store.check(data);
  if (wrong !== undefined) return refusal(INVALID_REQUEST, `${wrong}: invalid request`, height);
  const answer = { ...good(height), key: data, value: store.get(view, data) };
  if (!prove) return answer;
  const block = present(ctx.chain.ethBlock(height), 'the Ethereum block of a kept state');
  return { ...answer, proofOps: store.prove(view, block, data) };
}

const good = (height: number): AbciQueryAnswer => ({
  code: GRPC.ok,
  codespace: '',
  log: '',
  key: EMPTY,
  value: EMPTY,
  proofOps: undefined,
  height,
});

const refusal = (code: number, log: string, height: number): AbciQueryAnswer => ({
  ...good(height),
  code,
  codespace: 'sdk',
  log,
});
