/** The message types that an Any may contain, by type URL. */
import { CREATE_VALIDATOR_URL, MSG_CREATE_VALIDATOR } from '../../app/cosmos/genTx.ts';
import { DYNAMIC_FEE, MSG_MULTI_SEND, MSG_SEND, PUB_KEY } from '../../app/cosmos/tables.ts';
import { MSG_ETHEREUM_TX_RESPONSE } from '../../app/tx/response.ts';
import { MSG_ETHEREUM_TX } from '../../app/tx/tables.ts';
import { ETH_PUB_KEY_URLS, TYPE_URL } from '../../app/typeUrls.ts';
import { bytes } from '../../codec/fields.ts';
import { type Table, table } from '../../codec/proto.ts';
import type { Bytes } from '../../lib/bytes.ts';
import { BASE_ACCOUNT, ETH_ACCOUNT, MODULE_ACCOUNT } from './accountTables.ts';
import { FULL_TX } from './txTables.ts';

const nothing = (name: string): Table<unknown> => table<object>(name, []) as Table<unknown>;

const entry = (typeUrl: string, shape: unknown): readonly [string, Table<unknown>] => [
  typeUrl,
  shape as Table<unknown>,
];

const ED25519_KEY = table<{ readonly key: Bytes }>('cosmos.crypto.ed25519.PubKey', [bytes(1, 'key', 32)]);
/** No account here has such a key, but some messages contain one. */
const SECP256K1_KEY = table<{ readonly key: Bytes }>('cosmos.crypto.secp256k1.PubKey', [bytes(1, 'key', 33)]);

const TABLES: ReadonlyMap<string, Table<unknown>> = new Map([
  entry(TYPE_URL.ethAccount, ETH_ACCOUNT),
  entry(TYPE_URL.baseAccount, BASE_ACCOUNT),
  entry(TYPE_URL.moduleAccount, MODULE_ACCOUNT),
  entry(TYPE_URL.msgSend, MSG_SEND),
  entry(TYPE_URL.msgMultiSend, MSG_MULTI_SEND),
  entry(`${TYPE_URL.msgSend}Response`, nothing('cosmos.bank.v1beta1.MsgSendResponse')),
  entry(`${TYPE_URL.msgMultiSend}Response`, nothing('cosmos.bank.v1beta1.MsgMultiSendResponse')),
  entry(TYPE_URL.msgEthereumTx, MSG_ETHEREUM_TX),
  entry(TYPE_URL.msgEthereumTxResponse, MSG_ETHEREUM_TX_RESPONSE),
  entry(TYPE_URL.extensionEthereumTx, nothing('chain.evm.v1.ExtensionOptionsEthereumTx')),
  entry(TYPE_URL.dynamicFee, DYNAMIC_FEE),
  entry(CREATE_VALIDATOR_URL, MSG_CREATE_VALIDATOR),
  entry('/cosmos.tx.v1beta1.Tx', FULL_TX),
  entry('/cosmos.crypto.ed25519.PubKey', ED25519_KEY),
  entry('/cosmos.crypto.secp256k1.PubKey', SECP256K1_KEY),
  // Each key type under its own name, for clients that decode an Any by reflection.
  ...[...ETH_PUB_KEY_URLS].map((typeUrl) => entry(typeUrl, { ...PUB_KEY, name: typeUrl.slice(1) })),
]);

export const anyTable = (typeUrl: string): Table<unknown> | undefined => TABLES.get(typeUrl);
export const ANY_TABLES: readonly Table<unknown>[] = [...new Set(TABLES.values())];
