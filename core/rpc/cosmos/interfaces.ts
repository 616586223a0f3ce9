/** Kinds of messages that stand in an Any, by the names that the Cosmos SDK gives them, and what each may be here. */
import { ETH_PUB_KEY_URLS, TYPE_URL } from '../../app/typeUrls.ts';
import { compareText } from '../../lib/bytes.ts';

const MESSAGES: readonly string[] = [TYPE_URL.msgSend, TYPE_URL.msgMultiSend, TYPE_URL.msgEthereumTx];
const ACCOUNTS: readonly string[] = [TYPE_URL.ethAccount, TYPE_URL.moduleAccount, TYPE_URL.baseAccount];

/** What the SDK calls its sdk.Msg. */
export const MSG_INTERFACE = 'cosmos.base.v1beta1.Msg';

const of = (name: string, typeUrls: Iterable<string>): readonly [string, readonly string[]] => [
  name,
  [...typeUrls].sort(compareText),
];

/** Type URLs by interface, both in order. A message that only a genesis may hold is none that the chain accepts. */
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
