/** Keys that requests bring to a node, each under a password. The node's vault here is a stand-in. */
import { type Bytes, to0xHex, toHex } from '../../../core/lib/bytes.ts';
import { err, ok } from '../../../core/lib/result.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import type { KeyVault, NodeKeys, RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { eth, fieldsOf, unlike } from '../questions.ts';
import { TX_GAS } from './pretences.ts';
import { SECRET, TO, walletOf } from './rawTxs.ts';
import { withPool } from './sendings.ts';

const [MADE, BROUGHT] = [0xc1, 0xc2].map((byte) => new Uint8Array(32).fill(byte)) as [Bytes, Bytes];
const [WORD, OTHER_WORD] = ['sesame', 'barley'];
const WRONG_WORD = 'could not decrypt key with given password';
const LOCKED = 'authentication needed: password or unlock';
/** The node's own time for an unlocked key, and the longest that Go can measure, in seconds. */
const [USUAL_SECONDS, SECONDS_MAX] = [300, 9_223_372_036];
const MESSAGE = to0xHex(encodeUtf8('hello'));

interface Kept {
  readonly address: Bytes;
  readonly secret: Bytes;
  readonly password: string;
  isOpen: boolean;
}

/** A node that holds one key of its own, which is always open, and a vault. */
function withVault(rpc: RpcContext) {
  const { suite } = rpc;
  const kept: Kept[] = [];
  /** For how long keys were unlocked; null: until the node stops. */
  const waits: (number | null)[] = [];
  const find = (address: Bytes): Kept | undefined =>
    kept.find((one) => toHex(one.address) === toHex(address));
  const add = (secret: Bytes, password: string) => {
    const address = suite.keccak256(suite.secp256k1PublicKey(secret, false).slice(1)).slice(12);
    kept.push({ address, secret, password, isOpen: false });
    return ok(address);
  };
  const open: KeyVault['open'] = (address, password) => {
    const one = find(address);
    return one?.password === password ? ok(one.secret) : err(WRONG_WORD);
  };
  const vault: KeyVault = {
    has: (address) => find(address) !== undefined,
    create: (password) => add(MADE, password),
    add,
    open,
    unlock(address, password, ms) {
      const opened = open(address, password);
      if (!opened.ok) return opened;
      waits.push(ms ?? null);
      for (const one of kept) if (one === find(address)) one.isOpen = true;
      return ok(undefined);
    },
    lock(address) {
      for (const one of kept) if (one === find(address)) one.isOpen = false;
    },
  };
  const own = walletOf(suite);
  const keys: NodeKeys = {
    get addresses() {
      return [own, ...kept.map(({ address }) => address)];
    },
    secret(address) {
      if (toHex(address) === toHex(own)) return SECRET;
      const one = find(address);
      return one?.isOpen === true ? one.secret : undefined;
    },
    vault,
  };
  const namespaces = [...new Set([...rpc.limits.namespaces, 'personal'])];
  const { ctx, sent } = withPool(rpc);
  return { ctx: { ...ctx, keys, limits: { ...rpc.limits, namespaces } }, sent, own, waits, kept };
}

const wordsOf = (told: unknown): unknown => fieldsOf((told ?? {}) as Fields, 'refused')['message'] ?? told;

/** A key opens by its password or for the time asked for, and only then does the node sign with it. */
export async function wrongOwnKeys(rpc: RpcContext): Promise<string | undefined> {
  const { ctx, sent, own, waits, kept } = withVault(rpc);
  const ask = async (method: string, ...params: readonly unknown[]): Promise<unknown> =>
    wordsOf(await eth(ctx, method, params));
  const made = await ask('personal_newAccount', WORD);
  const brought = await ask('personal_importRawKey', toHex(BROUGHT), OTHER_WORD);
  const names = [own, ...kept.map(({ address }) => address)].map(to0xHex);
  const call = {
    from: made,
    to: to0xHex(TO),
    gas: quantity(TX_GAS),
    gasPrice: '0x7',
    nonce: '0x0',
    value: '0x0',
  };
  const told = {
    lists: [await ask('eth_accounts'), await ask('personal_listAccounts')],
    keys: [made, brought],
    locked: [await ask('eth_sign', made, MESSAGE), await ask('personal_sign', MESSAGE, made, OTHER_WORD)],
    byWord: [await ask('personal_sign', MESSAGE, made, WORD), await ask('personal_sign', MESSAGE, names[0])],
    sentByWord: [
      String(await ask('personal_sendTransaction', call, OTHER_WORD)),
      typeof (await ask('personal_sendTransaction', call, WORD)),
      sent.length,
    ],
    unlocked: [
      await ask('personal_unlockAccount', made, OTHER_WORD),
      await ask('personal_unlockAccount', made, WORD),
      await ask('personal_unlockAccount', made, WORD, 7),
      await ask('personal_unlockAccount', made, WORD, 0),
      await ask('personal_unlockAccount', made, WORD, SECONDS_MAX + 1),
      await ask('personal_unlockAccount', names[0], ''),
      await ask('personal_unlockAccount', to0xHex(TO), WORD),
    ],
    open: [await ask('eth_sign', made, MESSAGE), await ask('personal_sign', MESSAGE, made, OTHER_WORD)],
    lockedAgain: [
      await ask('personal_lockAccount', made),
      await ask('personal_lockAccount', names[0]),
      await ask('eth_sign', made, MESSAGE),
    ],
    badKeys: [
      await ask('personal_importRawKey', 'c1', WORD),
      await ask('personal_importRawKey', 'hello', WORD),
    ],
    wallets: await ask('personal_listWallets'),
  };
  const signed = signedBy(rpc, MADE);
  return (
    unlike('which keys it has', told.lists, [names, names]) ??
    unlike('new keys', told.keys, names.slice(1)) ??
    unlike('a signature with a key that is locked', told.locked, [LOCKED, WRONG_WORD]) ??
    unlike('signatures by password', told.byWord, [signed, signedBy(rpc, SECRET)]) ??
    unlike('what is sent by password', told.sentByWord, [WRONG_WORD, 'string', 1]) ??
    unlike('whether a key is unlocked', told.unlocked, [
      WRONG_WORD,
      true,
      true,
      true,
      'unlock duration too large',
      true,
      'no key for given address or file',
    ]) ??
    unlike('for how long keys are unlocked', waits, [USUAL_SECONDS * 1000, 7_000, null]) ??
    unlike('signatures with an open key', told.open, [signed, WRONG_WORD]) ??
    unlike('whether keys are locked', told.lockedAgain, [true, false, LOCKED]) ??
    unlike('keys that are none', told.badKeys, [
      'invalid length, need 256 bits',
      'invalid hex data for private key',
    ]) ??
    unlike('its hardware wallets', told.wallets, null)
  );
}

/** r, s, and 27 or 28, over the message under the prefix of EIP-191. */
function signedBy({ suite }: RpcContext, secret: Bytes): string {
  const digest = suite.keccak256(encodeUtf8('\x19Ethereum Signed Message:\n5hello'));
  const { rs, recovery } = suite.secp256k1Sign(secret, digest);
  return to0xHex(Uint8Array.of(...rs, 27 + recovery));
}
