/** Proofs against a header's stateRoot (EIP-1186), and reads of many slots at once. */
import type { View } from '../../../app/chain.ts';
import { type Bytes, to0xHex } from '../../../lib/bytes.ts';
import { err, ok } from '../../../lib/result.ts';
import { isObject } from '../../jsonText.ts';
import { CODES, invalidParams, RpcError } from '../../rpcError.ts';
import { withView } from '../at.ts';
import { type Decoded, goKind, goTypeError, quantity, readAddress } from '../goHex.ts';
import { arrayOf, type EthMethod, method, required } from '../method.ts';
import { ADDRESS, BLOCK, TEXT } from '../params.ts';
import { readStorageKey } from '../storageKey.ts';

/** geth's maxGetStorageSlots and maxGetProofKeys. */
const SLOTS_MAX = 1024;
/** Maximum keys to read; above SLOTS_MAX the method refuses with geth's text. */
const SLOTS_READ_MAX = 4096;

const tooMany = (): RpcError => new RpcError(CODES.clientLimit, `too many slots (max ${SLOTS_MAX})`);

const STORAGE_KEYS = required(
  'storageKeys',
  { type: 'array', items: { type: 'string' } },
  arrayOf((value) => TEXT.decode(value), SLOTS_READ_MAX, '[]string'),
);

interface SlotsOfAccount {
  readonly address: Bytes;
  readonly keys: readonly string[];
}

const SLOTS_BY_ADDRESS = required(
  'requests',
  { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
  (value): Decoded<readonly SlotsOfAccount[]> => {
    if (!isObject(value))
      return err(goTypeError(goKind(value), 'map[common.Address][]common.Hash', undefined));
    const accounts: SlotsOfAccount[] = [];
    for (const [name, list] of value) {
      const address = readAddress(name);
      if (!address.ok) return address;
      const keys = STORAGE_KEYS.decode(list);
      if (!keys.ok) return keys;
      accounts.push({ address: address.value, keys: keys.value });
    }
    return ok(accounts);
  },
);

const minimal = (word: Bytes): bigint => BigInt(to0xHex(word));

function proofJson(view: View, address: Bytes, keys: readonly string[]) {
  const account = view.account(address);
  const zero = to0xHex(new Uint8Array(32));
  return {
    address: to0xHex(address),
    accountProof: view.proveAccount(address).map(to0xHex),
    balance: quantity(account?.balance ?? 0n),
    codeHash: account === undefined ? zero : to0xHex(account.codeHash),
    nonce: quantity(account?.nonce ?? 0n),
    storageHash: account === undefined ? zero : to0xHex(account.storageRoot),
    storageProof: keys.map((text) => {
      const { slot, isWhole } = readStorageKey(text);
      return {
        key: isWhole ? to0xHex(slot) : quantity(minimal(slot)),
        value: quantity(minimal(view.storage(address, slot))),
        proof: view.proveStorage(address, slot).map(to0xHex),
      };
    }),
  };
}

export const proofMethods: readonly EthMethod[] = [
  method({
    method: 'eth_getProof',
    params: [ADDRESS, STORAGE_KEYS, BLOCK],
    result: 'account and storage proofs',
    doc: "Merkle proofs against the block's stateRoot (EIP-1186). More than 1024 slots: -32602.",
    run: (call, address, keys, block) => {
      if (keys.length > SLOTS_MAX)
        throw invalidParams(`too many storage keys requested (max ${SLOTS_MAX}, got ${keys.length})`);
      return withView(call, block, (view) => proofJson(view, address, keys));
    },
  }),
  method({
    method: 'eth_getStorageValues',
    params: [SLOTS_BY_ADDRESS, BLOCK],
    result: '{address: 32-byte value[]}',
    doc: 'Storage slots of many accounts. Nothing asked: -32602 `empty request`; more than 1024 slots: -38026.',
    run: (call, accounts, block) => {
      const count = accounts.reduce((sum, { keys }) => sum + keys.length, 0);
      if (count > SLOTS_MAX) throw tooMany();
      if (count === 0) throw invalidParams('empty request');
      return withView(call, block, (view) =>
        Object.fromEntries(
          accounts.map(({ address, keys }) => [
            to0xHex(address),
            keys.map((key) => to0xHex(view.storage(address, readStorageKey(key).slot))),
          ]),
        ),
      );
    },
  }),
];
