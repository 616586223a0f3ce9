/** Interfaces whose messages appear in an Any, under the SDK's names, and the types that implement each here. */
import { ETH_PUB_KEY_URLS, TYPE_URL } from '../../app/typeUrls.ts';
import { compareText } from '../../lib/bytes.ts';

const MESSAGES: readonly string[] = [TYPE_URL.msgSend, TYPE_URL.msgMultiSend, TYPE_URL.msgEthereumTx];
const ACCOUNTS: readonly string[] = [TYPE_URL.ethAccount, TYPE_URL.moduleAccount, TYPE_URL.baseAccount];

/** The SDK's name for sdk.Msg. */
export const MSG_INTERFACE = 'cosmos.base.v1beta1.Msg';

const of = (name: string, typeUrls: Iterable<string>): readonly [string, readonly string[]] => [
  name,
  [...typeUrls].sort(compareText),
];

/**
 * Type URLs by interface, both sorted. Excludes messages that are valid only in genesis, as the chain does not accept
 * them.
 */
export const INTERFACES: ReadonlyMap<string, readonly string[]> = new Map([
  of('cosmos.auth.v1beta1.AccountI', ACCOUNTS),
  of('cosmos.auth.v1beta1.ModuleAccountI', [TYPE_URL.moduleAccount]),
  of(MSG_INTERFACE, MESSAGES),
  of('cosmos.crypto.PubKey', [
    ...ETH_PUB_KEY_URLS,
    '/cosmos.crypto.ed25519.PubKey',
    '/cosmos.crypto.secp256k1.PubKey',
  ]),
  of(
    'cosmos.tx.v1beta1.MsgResponse',
    MESSAGES.map((typeUrl) => `${typeUrl}Response`),
  ),
  of('cosmos.tx.v1beta1.Tx', ['/cosmos.tx.v1beta1.Tx']),
  of('cosmos.tx.v1beta1.TxExtensionOptionI', [TYPE_URL.extensionEthereumTx, TYPE_URL.dynamicFee]),
]);
