import type { CryptoSuite } from '../../crypto/suite.ts';
import type { Bytes } from '../../lib/bytes.ts';
import { Recent } from '../../lib/recent.ts';
import { ok, type Result } from '../../lib/result.ts';
import { type Sizes, USUAL_SIZES } from '../../lib/sizes.ts';
import { packed } from '../../state/packed.ts';
import type { SignedEthTx } from '../chain.ts';
import type { AdmissionError } from '../errors.ts';
import { type DecodedTx, type DecodeTx, decodeTx } from './decodeTx.ts';
import { wrapEthTx } from './wrapEthTx.ts';

/**
 * Half of this exceeds a full pool plus a block, so a sender is recovered once for check, propose, validate and
 * finalize.
 */
const DECODED_TXS_MAX = 32_768;
/** Total weight of the transactions. A decoded one takes a small multiple of its weight. */
const DECODED_BYTES_MAX = 32 * 1024 * 1024;
/** Weight of each receiver of a Cosmos transaction: its objects take much more memory than its bytes. */
const RECEIVER_BYTES = 256;

const weightOf = (tx: DecodedTx, txBytes: Bytes): number =>
  tx.kind === 'ethereum'
    ? txBytes.length
    : tx.messages.reduce((sum, { payments }) => sum + RECEIVER_BYTES * payments.length, txBytes.length);

interface Known {
  readonly tx: DecodedTx;
  readonly size: number;
}

/** decodeTx with a cache of accepted transactions, keyed by sha256 of the bytes. */
export class TxDecoder {
  readonly #suite: CryptoSuite;
  readonly #denom: string;
  readonly #hrp: string;
  readonly #decodeTx: DecodeTx;
  readonly #known: Recent<Known>;

  constructor(
    suite: CryptoSuite,
    denom: string,
    hrp: string,
    {
      decode = decodeTx,
      sizes = USUAL_SIZES,
    }: { readonly decode?: DecodeTx | undefined; readonly sizes?: Sizes | undefined } = {},
  ) {
    const weights = { max: sizes.bytesAtOnce(DECODED_BYTES_MAX), of: ({ size }: Known) => size };
    this.#known = new Recent(sizes.kept(DECODED_TXS_MAX), weights);
    this.#suite = suite;
    this.#denom = denom;
    this.#hrp = hrp;
    this.#decodeTx = decode;
  }

  /**
   * Wraps a transaction whose sender is already recovered and caches it, so `decode` does not recover the sender again.
   */
  wrap({ tx, pubKey }: SignedEthTx): Bytes {
    // Copied: the pool keeps the bytes for long, and a view would keep the whole shared buffer alive.
    const txBytes = wrapEthTx(tx, this.#denom).slice();
    const hash = this.#suite.sha256(txBytes);
    this.#known.set(packed(hash), { tx: { kind: 'ethereum', hash, tx, pubKey }, size: txBytes.length });
    return txBytes;
  }

  decode(txBytes: Bytes): Result<DecodedTx, AdmissionError> {
    const hash = this.#suite.sha256(txBytes);
    const key = packed(hash);
    const known = this.#known.get(key);
    if (known !== undefined) return ok(known.tx);
    const decoded = this.#decodeTx(txBytes, this.#suite, this.#denom, { hrp: this.#hrp, hash });
    if (decoded.ok) this.#known.set(key, { tx: decoded.value, size: weightOf(decoded.value, txBytes) });
    return decoded;
  }
}
