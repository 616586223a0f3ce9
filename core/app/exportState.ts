import { toEip55 } from '../address/eip55.ts';
import { formatAddress } from '../address/kinds.ts';
import { present } from '../lib/assert.ts';
import { toBase64 } from '../lib/base64.ts';
import { type Bytes, EMPTY, to0xHex, toHex } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { payloadStart } from '../state/rlp.ts';
import type { StateDb } from '../state/stateDb.ts';
import type { WorldState } from '../state/worldState.ts';
import { EMPTY_ROOT } from '../store/roots.ts';
import type { Address } from '../types/ids.ts';
import { accountCount, addressOfNumber } from './auth/keeper.ts';
import { readSupply } from './bank/keeper.ts';
import type { View } from './chain.ts';
import { TYPE_URL } from './typeUrls.ts';

/** Maximum exported slots per contract; genesis accepts no more. */
const SLOTS_MAX = 1_000_000;

/** The state only stores hashes of slots, so the exporter must provide the slots themselves. */
export interface KnownSlots {
  /** The 32-byte slots that this contract may have written. The export fails if the contract has any other. */
  slotsOf(address: Address): Iterable<Bytes>;
}

export interface ExportError {
  readonly code: 'unknown-slot' | 'too-many-slots';
  readonly message: string;
}

export interface ExportOptions {
  readonly world: WorldState;
  readonly view: View;
  readonly db: StateDb;
  readonly hrp: string;
  readonly denom: string;
  /** The `app_state` that the chain began with: its parameters never change. */
  readonly genesis: Readonly<Record<string, unknown>>;
  /** Base fee of the first block after the exported height. */
  readonly baseFee: bigint;
  readonly slots: KnownSlots;
}

type Loose = Readonly<Record<string, unknown>>;

/** All non-zero slots with their values, in order of the slots' hashes. */
function storageOf(
  options: ExportOptions,
  address: Address,
): Result<readonly { readonly key: string; readonly value: string }[], ExportError> {
  const { world, db, slots } = options;
  const root = world.account(address)?.storageRoot ?? EMPTY_ROOT;
  if (toHex(root) === toHex(EMPTY_ROOT)) return ok([]);
  const names = new Map<string, Bytes>();
  for (const slot of slots.slotsOf(address)) names.set(toHex(db.keccak256(slot)), slot);
  const entries = db.trie.entries(root, { prefix: EMPTY, limitMax: SLOTS_MAX + 1 });
  if (entries.length > SLOTS_MAX) {
    const message = `contract ${toEip55(address)} has more than ${SLOTS_MAX} slots, which no genesis can hold`;
    return err({ code: 'too-many-slots', message });
  }
  const storage: { key: string; value: string }[] = [];
  for (const { key, value } of entries) {
    const slot = names.get(toHex(key));
    if (slot === undefined) {
      const message = `contract ${toEip55(address)} has a slot whose number is not known, only its hash 0x${toHex(key)}`;
      return err({ code: 'unknown-slot', message });
    }
    const word = new Uint8Array(32);
    const payload = value.subarray(payloadStart(value, 0));
    word.set(payload, 32 - payload.length);
    storage.push({ key: to0xHex(slot), value: to0xHex(word) });
  }
  return ok(storage);
}

/** Accounts in order of their numbers; emptied accounts keep their number. */
function* addresses(view: View): Generator<Address> {
  const count = accountCount(view);
  for (let number = 0n; number < count; number++)
    yield present(addressOfNumber(view, number), 'every number has an account');
}

function authAccount({ view, hrp }: ExportOptions, address: Address, emptyCodeHash: Bytes): Loose {
  const record = present(view.auth(address), 'a numbered account');
  const state = view.account(address);
  const { pubKey } = record;
  return {
    '@type': TYPE_URL.ethAccount,
    base_account: {
      address: formatAddress('acc', hrp, address),
      pub_key: pubKey === undefined ? null : { '@type': TYPE_URL.ethPubKey, key: toBase64(pubKey) },
      account_number: record.accountNumber.toString(),
      sequence: (state?.nonce ?? 0n).toString(),
    },
    code_hash: to0xHex(state?.codeHash ?? emptyCodeHash),
  };
}

/** The state of a height, as the `app_state` of a new chain. */
export function exportAppState(options: ExportOptions): Result<Loose, ExportError> {
  const { view, db, hrp, denom, genesis, baseFee } = options;
  const coins = (amount: bigint) => (amount === 0n ? [] : [{ denom, amount: amount.toString() }]);
  const emptyCodeHash = db.keccak256(EMPTY);
  const accounts: Loose[] = [];
  const balances: Loose[] = [];
  const contracts: Loose[] = [];
  for (const address of addresses(view)) {
    accounts.push(authAccount(options, address, emptyCodeHash));
    const balance = view.account(address)?.balance ?? 0n;
    if (balance > 0n) balances.push({ address: formatAddress('acc', hrp, address), coins: coins(balance) });
    const code = view.code(address);
    const storage = storageOf(options, address);
    if (!storage.ok) return storage;
    if (code.length > 0 || storage.value.length > 0)
      contracts.push({ address: toEip55(address), code: to0xHex(code), storage: storage.value });
  }
  const section = (name: string): Loose => (genesis[name] ?? {}) as Loose;
  const market = section('feemarket');
  return ok({
    ...genesis,
    auth: { ...section('auth'), accounts },
    bank: { ...section('bank'), balances, supply: coins(readSupply(view, denom)) },
    evm: { ...section('evm'), accounts: contracts, preinstalls: [] },
    feemarket: {
      ...market,
      params: { ...((market.params ?? {}) as Loose), base_fee: baseFee.toString() },
    },
  });
}
