/** chain.evm.v1 and chain.feemarket.v1: Ethereum state through the Cosmos APIs. */
import { encodeBech32 } from '../../../address/bech32.ts';
import { EMPTY_CODE_HASH } from '../../../app/evm/admission.ts';
import { toWord } from '../../../app/evm/numbers.ts';
import { bytes, string, uint64Big } from '../../../codec/fields.ts';
import { table } from '../../../codec/proto.ts';
import { type Bytes, parseHex, to0xHex } from '../../../lib/bytes.ts';
import { accountAddress, addressField } from '../requests.ts';
import { type ServiceMethod, serviceMethod } from '../service.ts';
import { GRPC, GrpcError } from '../status.ts';
import { baseFeeAt } from './feemarket.ts';

const SERVICE = 'chain.evm.v1.Query';
const ROOT = '/chain/evm/v1';
const PACKAGE = 'chain.evm.v1';

interface AddressRequest {
  readonly address: string;
}
const addressRequest = (name: string) => table<AddressRequest>(`${PACKAGE}.${name}`, [addressField]);

function slotOf(key: string): Bytes {
  const digits = key.replace(/^0x/i, '');
  // Users write a slot as a number such as `0x0`, with an odd number of digits; geth accepts this too.
  const slot = parseHex(digits.length % 2 === 0 ? digits : `0${digits}`);
  if (slot.ok && slot.value.length <= 32) return toWord(slot.value);
  throw new GrpcError(GRPC.invalidArgument, `invalid storage key ${key}: expected up to 32 bytes of hex`);
}

export const evmMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'Account',
    path: `${ROOT}/account/{address}`,
    doc: 'Balance, code hash and nonce of an address in hex or Bech32; all zero when it has none.',
    request: addressRequest('QueryAccountRequest'),
    response: table<{ readonly balance: string; readonly codeHash: string; readonly nonce: bigint }>(
      `${PACKAGE}.QueryAccountResponse`,
      [string(1, 'balance', 128), string(2, 'codeHash', 128), uint64Big(3, 'nonce')],
    ),
    run: ({ ctx, view }, { address }) => {
      const account = view.account(accountAddress(address, ctx.chain.hrp));
      return {
        balance: (account?.balance ?? 0n).toString(),
        codeHash: to0xHex(account?.codeHash ?? EMPTY_CODE_HASH),
        nonce: account?.nonce ?? 0n,
      };
    },
  }),
  serviceMethod({
    service: SERVICE,
    name: 'CosmosAccount',
    path: `${ROOT}/cosmos_account/{address}`,
    doc: 'The Cosmos face of an Ethereum address.',
    request: addressRequest('QueryCosmosAccountRequest'),
    response: table<{
      readonly cosmosAddress: string;
      readonly sequence: bigint;
      readonly accountNumber: bigint;
    }>(`${PACKAGE}.QueryCosmosAccountResponse`, [
      string(1, 'cosmosAddress', 256),
      uint64Big(2, 'sequence'),
      uint64Big(3, 'accountNumber'),
    ]),
    run: ({ ctx, view }, { address }) => {
      const bytes = accountAddress(address, ctx.chain.hrp);
      return {
        cosmosAddress: encodeBech32(ctx.chain.hrp, bytes),
        sequence: view.account(bytes)?.nonce ?? 0n,
        accountNumber: view.auth(bytes)?.accountNumber ?? 0n,
      };
    },
  }),
  serviceMethod({
    service: SERVICE,
    name: 'Balance',
    path: `${ROOT}/balances/{address}`,
    doc: 'The native balance in its smallest unit.',
    request: addressRequest('QueryBalanceRequest'),
    response: table<{ readonly balance: string }>(`${PACKAGE}.QueryBalanceResponse`, [
      string(1, 'balance', 128),
    ]),
    run: ({ ctx, view }, { address }) => ({
      balance: (view.account(accountAddress(address, ctx.chain.hrp))?.balance ?? 0n).toString(),
    }),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'Storage',
    path: `${ROOT}/storage/{address}/{key}`,
    doc: 'One slot of a contract.',
    request: table<{ readonly address: string; readonly key: string }>(`${PACKAGE}.QueryStorageRequest`, [
      addressField,
      string(2, 'key', 128),
    ]),
    response: table<{ readonly value: string }>(`${PACKAGE}.QueryStorageResponse`, [string(1, 'value', 128)]),
    run: ({ ctx, view }, { address, key }) => ({
      value: to0xHex(view.storage(accountAddress(address, ctx.chain.hrp), slotOf(key))),
    }),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'Code',
    path: `${ROOT}/codes/{address}`,
    doc: 'The code of a contract.',
    request: addressRequest('QueryCodeRequest'),
    response: table<{ readonly code: Bytes }>(`${PACKAGE}.QueryCodeResponse`, [bytes(1, 'code', 1_048_576)]),
    run: ({ ctx, view }, { address }) => ({ code: view.code(accountAddress(address, ctx.chain.hrp)) }),
  }),
  serviceMethod({
    service: SERVICE,
    name: 'BaseFee',
    path: `${ROOT}/base_fee`,
    doc: 'The base fee of the next block, or of the one that a height asks for.',
    request: table<object>(`${PACKAGE}.QueryBaseFeeRequest`, []),
    response: table<{ readonly baseFee: string }>(`${PACKAGE}.QueryBaseFeeResponse`, [
      string(1, 'baseFee', 128),
    ]),
    run: (scope) => ({ baseFee: baseFeeAt(scope).toString() }),
  }),
];
