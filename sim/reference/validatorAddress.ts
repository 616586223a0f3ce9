import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Bytes } from '../../core/lib/bytes.ts';
import type { PublicKey } from '../../core/types/validator.ts';

/** A validator's address, written again from CometBFT's specification without core/crypto/addresses.ts. */
export const validatorAddressOf = ({ type, bytes }: PublicKey): Bytes =>
  type === 'ed25519' ? sha256(bytes).slice(0, 20) : ripemd160(sha256(bytes));
