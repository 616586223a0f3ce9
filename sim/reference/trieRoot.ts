/** Ethereum's trie written again for checking: it takes whole states at once and shares no line with core/state. */
import type { View } from '../../core/app/chain.ts';
import { type Bytes, compareBytes, equalBytes } from '../../core/lib/bytes.ts';
import { list, number, text } from './rlp.ts';

export type Keccak = (message: Bytes) => Bytes;

/** A key as nibbles, and its value. */
interface Entry {
  readonly path: Bytes;
  readonly value: Bytes;
}

const FIRST = new Uint8Array(32);
const EMPTY_STRING = Uint8Array.of(0x80);

/** Yellow Paper, appendix C. */
function compact(path: Bytes, isLeaf: boolean): Bytes {
  const flag = isLeaf ? 2 : 0;
  const nibbles = path.length % 2 === 1 ? [flag + 1, ...path] : [flag, 0, ...path];
  return Uint8Array.from(
    { length: nibbles.length / 2 },
    (_, i) => ((nibbles[2 * i] ?? 0) << 4) | (nibbles[2 * i + 1] ?? 0),
  );
}

/** The node above some entries with ascending keys, none of which is a prefix of another. */
function nodeOf(entries: readonly Entry[], depth: number, keccak: Keccak): Bytes {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return EMPTY_STRING;
  if (first === last) return list([text(compact(first.path.slice(depth), true)), text(first.value)]);
  let end = depth;
  while (first.path[end] === last.path[end]) end++;
  if (end > depth) {
    const below = nameOf(nodeOf(entries, end, keccak), keccak);
    return list([text(compact(first.path.slice(depth, end), false)), below]);
  }
  const children = Array.from({ length: 16 }, (_, nibble) => {
    const under = entries.filter(({ path }) => path[depth] === nibble);
    return under.length === 0 ? EMPTY_STRING : nameOf(nodeOf(under, depth + 1, keccak), keccak);
  });
  return list([...children, EMPTY_STRING]);
}

const nameOf = (node: Bytes, keccak: Keccak): Bytes => (node.length < 32 ? node : text(keccak(node)));

export const nibblesOf = (key: Bytes): Bytes =>
  Uint8Array.from({ length: 2 * key.length }, (_, i) =>
    i % 2 === 0 ? (key[i >> 1] ?? 0) >> 4 : (key[i >> 1] ?? 0) & 15,
  );

/** The root of Ethereum's trie over these entries, computed from all of them at once (Yellow Paper, appendix D). */
export const rootOf = (
  entries: readonly { readonly key: Bytes; readonly value: Bytes }[],
  keccak: Keccak,
): Bytes =>
  keccak(
    nodeOf(
      entries.map(({ key, value }) => ({ path: nibblesOf(key), value })),
      0,
      keccak,
    ),
  );

/** The root over values keyed by their index, as for a block's tries. */
export function listRoot(values: readonly Bytes[], keccak: Keccak): Bytes {
  const entries = values.map((value, i) => ({ key: number(BigInt(i)), value }));
  return rootOf(
    entries.sort((a, b) => compareBytes(a.key, b.key)),
    keccak,
  );
}

/** Whether a state's roots are those of its contents: over all accounts, and over the slots of some accounts. */
export function rootProblem(
  view: View,
  addresses: readonly Bytes[],
  keccak: Keccak,
  rangeMax: number,
): string | undefined {
  const accounts = view.accountRange(FIRST, rangeMax);
  const root = rootOf(
    accounts.map(({ keyHash, account: { nonce, balance, storageRoot, codeHash } }) => ({
      key: keyHash,
      value: list([number(nonce), number(balance), text(storageRoot), text(codeHash)]),
    })),
    keccak,
  );
  if (!equalBytes(root, view.stateRoot)) return 'the state has another root than its accounts make';
  for (const address of addresses) {
    const key = keccak(address);
    const account = accounts.find(({ keyHash }) => equalBytes(keyHash, key))?.account;
    if (account === undefined) continue;
    const slots = view.storageRange(address, FIRST, rangeMax);
    if (slots.some(({ value }) => value.length === 0 || value[0] === 0))
      return 'an account keeps a slot that is zero';
    const wanted = rootOf(
      slots.map(({ keyHash, value }) => ({ key: keyHash, value: text(value) })),
      keccak,
    );
    if (!equalBytes(wanted, account.storageRoot))
      return 'an account has another storage root than its slots make';
  }
  return undefined;
}
