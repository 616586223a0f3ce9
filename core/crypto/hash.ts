/** Hashes that the protocol itself uses. The core calls them directly: they are short and the same on every host. */
import { ripemd160 as nobleRipemd160 } from '@noble/hashes/legacy.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Bytes } from '../lib/bytes.ts';
import type { Hash } from '../types/ids.ts';
import { fastSha256 } from './sha256.ts';

export const sha256 = (message: Bytes): Hash => fastSha256(message);
export const keccak256 = (message: Bytes): Hash => keccak_256(message);
/** 20 bytes. */
export const ripemd160 = (message: Bytes): Bytes => nobleRipemd160(message);
