import { ANY, type Any } from '../../../app/tx/tables.ts';
import { optional } from '../../../codec/fields.ts';
import { decode, encode, table } from '../../../codec/proto.ts';
import type { Bytes } from '../../../lib/bytes.ts';
import type { Result } from '../../../lib/result.ts';
import { ethAccountAny, ethAccountJson, ethAccountOf } from '../ethAccount.ts';
import { accountAddress, decodeAddressRequest, readAddressField } from '../requests.ts';
import { type ServiceMethod, serviceMethod } from '../service.ts';
import { GRPC, GrpcError } from '../status.ts';

const SERVICE = 'cosmos.auth.v1beta1.Query';
const ROOT = '/cosmos/auth/v1beta1';

interface AccountResponse {
  readonly account: Any | undefined;
}

const ACCOUNT_RESPONSE = table<AccountResponse>('cosmos.auth.v1beta1.QueryAccountResponse', [
  optional(1, 'account', ANY),
]);

/** For clients of the ABCI query. */
export const decodeAccountResponse = (data: Bytes): Result<AccountResponse, unknown> =>
  decode(ACCOUNT_RESPONSE, data);

/** The SDK's defaults, for a genesis that leaves them out: no message of ours is charged by them. */
const DEFAULT_PARAMS = {
  max_memo_characters: '256',
  tx_sig_limit: '7',
  tx_size_cost_per_byte: '10',
  sig_verify_cost_ed25519: '590',
  sig_verify_cost_secp256k1: '1000',
};

/** As genesis has them: nothing changes them later. */
function authParams(appState: unknown): Readonly<Record<string, unknown>> {
  const { auth } = (appState ?? {}) as { auth?: { params?: Readonly<Record<string, unknown>> } };
  return { ...DEFAULT_PARAMS, ...auth?.params };
}

export const authMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'Account',
    verb: 'GET',
    path: `${ROOT}/accounts/{address}`,
    doc: 'An account by its address in Bech32 or hex.',
    readRest: readAddressField,
    run: ({ ctx, view }, { address }) => {
      const account = ethAccountOf(view, accountAddress(address, ctx.chain.hrp), ctx.chain.hrp);
      if (account === undefined)
        throw new GrpcError(GRPC.notFound, `account ${address} not found: key not found`);
      return account;
    },
    renderRest: (account) => ({ account: ethAccountJson(account) }),
    proto: {
      decodeRequest: decodeAddressRequest,
      encodeResponse: (account) => encode(ACCOUNT_RESPONSE, { account: ethAccountAny(account) }),
    },
  }),
  serviceMethod({
    service: SERVICE,
    name: 'Params',
    verb: 'GET',
    path: `${ROOT}/params`,
    doc: 'Parameters of the auth module.',
    readRest: () => undefined,
    run: ({ ctx }) => authParams(ctx.genesis.appState),
    renderRest: (params) => ({ params }),
  }),
];
