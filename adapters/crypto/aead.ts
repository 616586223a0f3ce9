import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Aead } from '../../core/p2p/sealed.ts';

const ALGORITHM = 'chacha20-poly1305';
const TAG_BYTES = 16;
const OPTIONS = { authTagLength: TAG_BYTES } as const;

/** ChaCha20-Poly1305 of node:crypto, about three times as fast as the reference. */
export const nodeAead: Aead = {
  seal(key, nonce, plain) {
    const cipher = createCipheriv(ALGORITHM, key, nonce, OPTIONS);
    const sealed = new Uint8Array(plain.length + TAG_BYTES);
    sealed.set(cipher.update(plain));
    cipher.final();
    sealed.set(cipher.getAuthTag(), plain.length);
    return sealed;
  },
  open(key, nonce, sealed) {
    if (sealed.length < TAG_BYTES) return undefined;
    const decipher = createDecipheriv(ALGORITHM, key, nonce, OPTIONS);
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const plain = decipher.update(sealed.subarray(0, -TAG_BYTES));
    try {
      decipher.final();
    } catch {
      return undefined;
    }
    return new Uint8Array(plain.buffer, plain.byteOffset, plain.length);
  },
};
