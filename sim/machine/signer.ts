import { validatorAddress } from '../../core/crypto/addresses.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { err, ok, type Result } from '../../core/lib/result.ts';
import type { LogRecord, SignAsk, SignError, Signed } from '../../core/node/contract.ts';
import {
  formatLastSigned,
  type LastSigned,
  lastSigned,
  NOTHING_SIGNED,
  parseLastSigned,
} from '../../core/node/signGuard.ts';
import {
  decideUnder,
  isOverBy,
  type LogLosses,
  type Silence,
  type StaleState,
  silenceOf,
} from '../../core/node/silence.ts';
import { ChainReads } from '../../core/store/chainReads.ts';
import type { Address } from '../../core/types/ids.ts';
import type { PublicKey } from '../../core/types/validator.ts';
import type { Disk } from '../disk/disk.ts';

/** What a validator keeps on its disk beside the log and the chain. */
export interface SignerState {
  readonly last: LastSigned;
  readonly silence: Silence | undefined;
}

const FRESH: SignerState = { last: NOTHING_SIGNED, silence: undefined };

/** A validator's key behind the same guard as the real signer's. */
export class Signer {
  readonly pubKey: PublicKey;
  readonly #suite: CryptoSuite;
  readonly #seed: Bytes;
  readonly #address: Address;

  /** @param seed 32 bytes. */
  constructor(suite: CryptoSuite, seed: Bytes, type: PublicKey['type'] = 'ed25519') {
    this.#suite = suite;
    this.#seed = seed;
    const bytes = type === 'ed25519' ? suite.ed25519PublicKey(seed) : suite.secp256k1PublicKey(seed, true);
    this.pubKey = { type, bytes };
    this.#address = validatorAddress(this.pubKey);
  }

  /**
   * Called at the start of a life. Uses the same rule as the real signer (adapters/signer/openSigner.ts), but the
   * simulated log has no mark for a finished height.
   */
  open(disk: Disk<SignerState>, log: readonly LogRecord[], losses: LogLosses): Result<void, StaleState> {
    const { last: written, silence: kept } = disk.guard ?? FRESH;
    const last = reread(written);
    const chain = new ChainReads(disk.kv);
    const found = silenceOf({ last, address: this.#address, log, losses, turnedOver: 0, chain, kept });
    if (found.ok) disk.guard = { last, silence: found.value };
    // The operator who exchanged the drive does what the refusal says: this height, which has a signature, is not signed again.
    else if (disk.wipes > 0)
      disk.guard = { last: { ...NOTHING_SIGNED, height: found.error.height, step: 3 }, silence: undefined };
    else return found;
    return ok(undefined);
  }

  /** The guard on the disk is durable before the signature is handed out. */
  sign(disk: Disk<SignerState>, ask: SignAsk): Result<Signed, SignError> {
    const { last, silence } = disk.guard ?? FRESH;
    const decision = decideUnder(silence, last, ask);
    if (decision.kind === 'refused') return err(decision.error);
    if (decision.kind === 'again') {
      if (isOverBy(silence, decision)) disk.guard = { last, silence: undefined };
      return ok(decision.signed);
    }
    const signature = this.signFreely(ask.bytes);
    disk.guard = { last: lastSigned(ask, signature), silence };
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
