/** The personal namespace, which geth has dropped: keys of a development node. */
import { type Bytes, parseHex, to0xHex } from '../../../lib/bytes.ts';
import type { Result } from '../../../lib/result.ts';
import type { KeyVault, RpcContext } from '../../context.ts';
import { serverError } from '../../rpcError.ts';
import { type EthMethod, method, optional } from '../method.ts';
import { ADDRESS, COUNT, DATA, TRANSACTION, text } from '../params.ts';
import { recoverSigner, signMessage } from '../personalMessage.ts';
import { ownAddresses, secretUnder, sendTransaction } from '../submit.ts';

const PASSWORD = text('password');
/** geth's default unlock time. */
const UNLOCKED_SECONDS = 300n;
/** math.MaxInt64 nanoseconds: geth's limit. */
const UNLOCKED_SECONDS_MAX = 9_223_372_036n;

function vaultOf({ keys }: RpcContext): KeyVault {
  if (keys.vault !== undefined) return keys.vault;
  throw serverError('this node takes no keys from requests: use `orrery keys`, or a devnet');
}

function done<T>(result: Result<T, string>): T {
  if (result.ok) return result.value;
  throw serverError(result.error);
}

/** geth's crypto.HexToECDSA, but it also accepts the 0x prefix that wallets send. */
function secretOfText(raw: string): Bytes {
  const parsed = parseHex(raw.startsWith('0x') ? raw : `0x${raw}`);
  if (!parsed.ok) throw serverError('invalid hex data for private key');
  if (parsed.value.length === 32) return parsed.value;
  throw serverError('invalid length, need 256 bits');
}

function unlock(ctx: RpcContext, address: Bytes, password: string, seconds: bigint): boolean {
  const { keys } = ctx;
  if (keys.vault?.has(address) !== true) {
    if (keys.secret(address) !== undefined) return true;
    throw serverError('no key for given address or file');
  }
  if (seconds > UNLOCKED_SECONDS_MAX) throw serverError('unlock duration too large');
  done(keys.vault.unlock(address, password, seconds === 0n ? undefined : Number(seconds) * 1000));
  return true;
}

function lock({ keys }: RpcContext, address: Bytes): boolean {
  keys.vault?.lock(address);
  return keys.secret(address) === undefined;
}

const noWallets = (): never => {
  throw serverError('smartcard wallets are not supported');
};

const keyMethods: readonly EthMethod[] = [
  method({
    method: 'personal_listAccounts',
    params: [],
    result: 'address[]',
    doc: 'The same as eth_accounts.',
    run: ({ ctx }) => ownAddresses(ctx),
  }),
  method({
    method: 'personal_newAccount',
    params: [PASSWORD],
    result: 'address',
    doc: "Makes a key and keeps it under the password, in the devnet's folder `keystore`. Only where the node has unlocked keys, else -32000.",
    run: ({ ctx }, password) => to0xHex(done(vaultOf(ctx).create(password))),
  }),
  method({
    method: 'personal_importRawKey',
    params: [text('privateKey'), PASSWORD],
    result: 'address',
    doc: 'Keeps a private key (hex, with or without 0x) as personal_newAccount does.',
    run: ({ ctx }, key, password) => to0xHex(done(vaultOf(ctx).add(secretOfText(key), password))),
  }),
  method({
    method: 'personal_unlockAccount',
    params: [ADDRESS, PASSWORD, optional({ ...COUNT, name: 'seconds' }, UNLOCKED_SECONDS)],
    result: 'boolean',
    doc: 'Lets eth_sendTransaction and eth_sign use a key of personal_newAccount: 300 s unless told, 0 for as long as the node runs. True at once for dev accounts, which are never locked. Wrong password: -32000.',
    run: ({ ctx }, address, password, seconds) => unlock(ctx, address, password, seconds),
  }),
  method({
    method: 'personal_lockAccount',
    params: [ADDRESS],
    result: 'boolean',
    doc: 'Whether the account is locked now: false for dev accounts.',
    run: ({ ctx }, address) => lock(ctx, address),
  }),
];

export const personalMethods: readonly EthMethod[] = [
  ...keyMethods,
  method({
    method: 'personal_sign',
    params: [DATA, ADDRESS, optional(PASSWORD, '')],
    result: '65-byte signature',
    doc: 'As eth_sign, with the password of a key that has one.',
    run: ({ ctx }, message, address, password) =>
      signMessage(message, secretUnder(ctx, address, password), ctx.suite),
  }),
  method({
    method: 'personal_ecRecover',
    params: [DATA, { ...DATA, name: 'signature' }],
    result: 'address',
    doc: 'Who signed a message with eth_sign or personal_sign.',
    run: ({ ctx }, message, signature) => to0xHex(recoverSigner(message, signature, ctx.suite)),
  }),
  method({
    method: 'personal_sendTransaction',
    params: [TRANSACTION, PASSWORD],
    result: '32-byte hash',
    doc: 'As eth_sendTransaction, with the password of a key that has one.',
    run: ({ ctx, services }, args, password) =>
      sendTransaction(ctx, args, services, secretUnder(ctx, args.from, password)),
  }),
  method({
    method: 'personal_listWallets',
    params: [],
    result: 'null',
    doc: 'Always null: there are no hardware wallets.',
    run: () => null,
  }),
  method({
    method: 'personal_initializeWallet',
    params: [text('url')],
    result: 'never',
    doc: 'There are no smartcards: always -32000.',
    run: noWallets,
  }),
  method({
    method: 'personal_unpair',
    params: [text('url'), text('pin')],
    result: 'never',
    doc: 'There are no smartcards: always -32000.',
    run: noWallets,
  }),
];
