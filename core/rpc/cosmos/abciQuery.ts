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

/** Path of a raw store query, as the Cosmos SDK and CometBFT's light client write it. */
const STORE_PATH = /^\/store\/([^/]*)\/key$/;
/** Returns the version of this software, like the SDK's `/app/version`. */
const VERSION_PATH = '/app/version';
const MODULE_KEY_BYTES_MAX = 128;
const ADDRESS_BYTES = 20;

/** Error codes of codespace `sdk`. */
const TX_DECODE = 2;
const UNKNOWN_REQUEST = 6;
const INVALID_REQUEST = 18;

export interface AbciQuery {
  readonly path: string;
  readonly data: Bytes;
  /** 0 means the latest height. */
  readonly height: bigint;
  /** For store entries only: service queries have no proofs. */
  readonly prove: boolean;
}

export interface AbciQueryAnswer {
  /** 0 for success, else an error code of `codespace`. */
  readonly code: number;
  readonly codespace: string;
  readonly log: string;
  readonly key: Bytes;
  readonly value: Bytes;
  /** Prove the entry against the app hash in the header of `height + 1`. */
  readonly proofOps: readonly ProofOp[] | undefined;
  readonly height: number;
}

interface Store {
  /** Why the key is invalid; undefined if it is valid. */
  check(key: Bytes): string | undefined;
  get(view: View, key: Bytes): Bytes;
  prove(view: View, block: EthBlock, key: Bytes): readonly ProofOp[];
}

/** The account's RLP in Ethereum's state trie (Yellow Paper §4.1); empty if the account does not exist. */
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

/** Answers an ABCI query: a service query by gRPC path with protobuf data, or a store entry by its key. */
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

/** The state of the height, or the SDK's error if it is not available. */
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
