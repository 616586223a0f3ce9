import { toBase64 } from '../../core/lib/base64.ts';
import type { PublicKey } from '../../core/types/validator.ts';

type Shown = Readonly<Record<string, unknown>>;

/** A validator's key as the consensus engine's JSON writes it. */
export const shownKey = ({ type, bytes }: PublicKey) => ({
  type: type === 'ed25519' ? 'tendermint/PubKeyEd25519' : 'tendermint/PubKeySecp256k1',
  value: toBase64(bytes),
});

/** The same in a validator update, where Go's form of a oneof shows. */
export const changedKey = ({ type, bytes }: PublicKey): Shown => ({
  Sum:
    type === 'ed25519'
      ? { type: 'tendermint.crypto.PublicKey_Ed25519', value: { ed25519: toBase64(bytes) } }
      : { type: 'tendermint.crypto.PublicKey_Secp256K1', value: { secp256k1: toBase64(bytes) } },
});

/** A validator's key as the SDK's JSON writes it. */
export const sdkKey = ({ type, bytes }: PublicKey): Shown => ({
  '@type': type === 'ed25519' ? '/cosmos.crypto.ed25519.PubKey' : '/cosmos.crypto.secp256k1.PubKey',
  key: toBase64(bytes),
});
