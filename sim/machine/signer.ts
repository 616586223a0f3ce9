import type { CryptoSuite } from '../../core/crypto/suite.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { err, ok, type Result } from '../../core/lib/result.ts';
import type { LogRecord, SignAsk, SignError, Signed } from '../../core/node/contract.ts';
import {
  decideSign,
  formatLastSigned,
  type LastSigned,
  lastSigned,
  NOTHING_SIGNED,
  parseLastSigned,
} from '../../core/node/signGuard.ts';
import { ChainReads } from '../../core/store/chainReads.ts';
import type { PublicKey } from '../../core/types/validator.ts';
import type { Disk } from '../disk/disk.ts';

/** A validator's key behind the same guard as the real signer's. */
export class Signer {
  readonly pubKey: PublicKey;
  readonly #suite: CryptoSuite;
  readonly #seed: Bytes;
  #silentThrough = 0;

  /** @param seed 32 bytes. */
  constructor(suite: CryptoSuite, seed: Bytes, type: PublicKey['type'] = 'ed25519') {
    this.#suite = suite;
    this.#seed = seed;
    const bytes = type === 'ed25519' ? suite.ed25519PublicKey(seed) : suite.secp256k1PublicKey(seed, true);
    this.pubKey = { type, bytes };
  }

  /**
   * Called at the start of a life, as the real signer is opened (adapters/signer/openSigner.ts). Locks live in the log.
   * If the guard has signed at a height that neither log nor store knows, the validator stays silent through that
   * height, also in later lives.
   */
  open(disk: Disk<LastSigned>, log: readonly LogRecord[], lossy: boolean): void {
    if (disk.guard !== undefined) disk.guard = reread(disk.guard);
    const height = disk.guard?.height ?? 0;
    const isOver = height <= new ChainReads(disk.kv).head();
    const isLogged = !lossy && log.some((record) => record.height === height);
    const isForgetful = !isLogged || this.#silentThrough === height;
    this.#silentThrough = !isOver && isForgetful ? height : 0;
  }

  /** The guard on the disk is durable before the signature is handed out. */
  sign(disk: Disk<LastSigned>, ask: SignAsk): Result<Signed, SignError> {
    const decision = decideSign(disk.guard ?? NOTHING_SIGNED, ask);
    if (decision.kind === 'refused') return err(decision.error);
    if (decision.kind === 'again') return ok(decision.signed);
    if (ask.height <= this.#silentThrough) {
      const message = `the log of height ${this.#silentThrough} is lost: silent through it`;
      return err({ code: 'unavailable', message });
    }
    const signature = this.signFreely(ask.bytes);
    disk.guard = lastSigned(ask, signature);
    return ok({ signature, bytes: ask.bytes });
  }

  /** Signs whatever it is given: what a Byzantine node does with its own key. */
  signFreely(bytes: Bytes): Bytes {
    const suite = this.#suite;
    return this.pubKey.type === 'ed25519'
      ? suite.ed25519Sign(this.#seed, bytes)
      : suite.secp256k1Sign(this.#seed, suite.sha256(bytes)).rs;
  }
}

/** What a new life of the real signer finds in priv_validator_state.json. The signer does not start without it. */
function reread(guard: LastSigned): LastSigned {
  const read = parseLastSigned(formatLastSigned(guard));
  if (!read.ok) throw new Error(`the last-signed state is unreadable: ${read.error.message}`);
  return read.value;
}
