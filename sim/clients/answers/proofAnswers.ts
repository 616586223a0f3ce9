import type { EthBlock } from '../../../core/app/chain.ts';
import { type Bytes, equalBytes, hex, to0xHex } from '../../../core/lib/bytes.ts';
import { shown } from '../../difference.ts';
import { list, number, text } from '../../reference/rlp.ts';
import { proven } from '../../reference/trieProof.ts';
import type { Keccak } from '../../reference/trieRoot.ts';
import { type Ask, quantity } from './answers.ts';

/** Storage slots that the wallets' contracts use, and some that they do not. */
const SLOTS = [0n, 1n, 2n];

interface ToldProof {
  readonly accountProof: readonly string[];
  readonly balance: string;
  readonly codeHash: string;
  readonly nonce: string;
  readonly storageHash: string;
  readonly storageProof: readonly {
    readonly key: string;
    readonly value: string;
    readonly proof: readonly string[];
  }[];
}

const bytesOf = (told: string): Bytes => hex(told.slice(2));

/** Checks one account in one block: the told fields and slots must follow from the block's stateRoot (EIP-1186). */
export async function wrongProof(
  ask: Ask,
  { header }: EthBlock,
  address: Bytes,
  keccak: Keccak,
): Promise<string | undefined> {
  const name = `eth_getProof of ${to0xHex(address)} in block ${header.number}`;
  const told = (await ask('eth_getProof', [
    to0xHex(address),
    SLOTS.map(quantity),
    quantity(header.number),
  ])) as ToldProof | undefined;
  if (told === undefined) return `${name} has no answer`;
  const account = proven(header.stateRoot, keccak(address), told.accountProof.map(bytesOf), keccak);
  if (account === undefined) return `${name} does not begin at the stateRoot, or ends nowhere`;
  if (account.value === undefined) {
    // As in geth, an account that does not exist has a zero code hash, not the hash of empty code.
    const isNothing = [told.balance, told.nonce, told.codeHash, told.storageHash].every(
      (one) => BigInt(one) === 0n,
    );
    const { balance, nonce, codeHash, storageHash } = told;
    return isNothing
      ? undefined
      : `${name} proves that there is no such account and shows ${shown([balance, nonce, codeHash, storageHash])}, should show zeros as balance, nonce, codeHash and storageHash`;
  }
  const { balance, nonce, storageHash, codeHash } = told;
  const leaf = list([
    ...[nonce, balance].map((one) => number(BigInt(one))),
    ...[storageHash, codeHash].map((one) => text(bytesOf(one))),
  ]);
  if (!equalBytes(account.value, leaf)) return `${name} proves another account than it tells of`;
  for (const [i, slot] of SLOTS.entries()) {
    const shown = told.storageProof[i];
    const key = keccak(hex(slot.toString(16).padStart(64, '0')));
    const kept = proven(bytesOf(storageHash), key, shown?.proof.map(bytesOf) ?? [], keccak);
    if (kept === undefined) return `${name} proves nothing of slot ${slot}`;
    const value = number(BigInt(shown?.value ?? 0));
    if (!equalBytes(kept.value ?? number(0n), value))
      return `${name} tells ${shown?.value} of slot ${slot}, and proves another value`;
  }
  return undefined;
}
