import { existsSync, readFileSync } from 'node:fs';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { err, ok, type Result } from '../../core/lib/result.ts';
import type { SignAsk, SignError, Signed } from '../../core/node/contract.ts';
import {
  formatLastSigned,
  type LastSigned,
  lastSigned,
  NOTHING_SIGNED,
  parseLastSigned,
} from '../../core/node/signGuard.ts';
import { decideUnder, isOverBy, type Silence } from '../../core/node/silence.ts';
import { onFile, replaceFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';
import type { ValidatorKey } from './keyFile.ts';
import { replaceFileAsync } from './replaceFileAsync.ts';

/** Signs for one validator. Rejects only on a disk fault, which is fatal. */
export interface Signer {
  sign(ask: SignAsk): Promise<Result<Signed, SignError>>;
}

export interface FileSignerOptions {
  readonly key: ValidatorKey;
  /** Path of priv_validator_state.json. */
  readonly statePath: string;
  readonly suite: CryptoSuite;
  /** What must not be signed, by the rule of core/node/silence.ts. */
  readonly silence?: Silence | undefined;
  /** Called when replay asks for the last signature again: the WAL has lost nothing else, so the silence ends. */
  readonly onRepeated?: () => void;
}

/** A signer on key and state files. The state is durable before a signature is returned. */
export class FileSigner implements Signer {
  readonly #options: FileSignerOptions;
  #last: LastSigned;
  #silence: Silence | undefined;
  #tail: Promise<unknown> = Promise.resolve();

  /** Throws OperatingError if the state is missing or unreadable: without it the validator might double-sign. */
  static open(options: FileSignerOptions): FileSigner {
    const { statePath } = options;
    if (!existsSync(statePath)) {
      throw new OperatingError(
        `validator state ${statePath} is missing: without it the validator could sign twice. Restore its newest copy. ` +
          'Without one, make sure that no other process uses this key, and write ' +
          '{"height":"H","round":0,"step":3} into it, where H is a height that the chain has passed and at least ' +
          'the last that this validator can have signed',
      );
    }
    const parsed = parseLastSigned(onFile('read', statePath, () => readFileSync(statePath, 'utf8')));
    if (!parsed.ok) {
      throw new OperatingError(
        `validator state ${statePath} is not usable: ${parsed.error.message}; restore its newest copy`,
      );
    }
    return new FileSigner(options, parsed.value);
  }

  private constructor(options: FileSignerOptions, last: LastSigned) {
    this.#options = options;
    this.#last = last;
    this.#silence = options.silence;
  }

  /** The last signature, as recorded on disk. */
  get last(): LastSigned {
    return this.#last;
  }

  /** Handles one request at a time, in order. */
  sign(ask: SignAsk): Promise<Result<Signed, SignError>> {
    const answer = this.#tail.then(() => this.#sign(ask));
    this.#tail = answer;
    return answer;
  }

  async #sign(ask: SignAsk): Promise<Result<Signed, SignError>> {
    const { suite, key, statePath } = this.#options;
    const decision = decideUnder(this.#silence, this.#last, ask);
    if (decision.kind === 'refused') return err(decision.error);
    if (decision.kind === 'again') {
      if (isOverBy(this.#silence, decision)) {
        this.#options.onRepeated?.();
        this.#silence = undefined;
      }
      return ok(decision.signed);
    }
    const signature = suite.ed25519Sign(key.seed, ask.bytes);
    const next = lastSigned(ask, signature);
    const written = await replaceFileAsync(statePath, Buffer.from(formatLastSigned(next)));
    // The old state is intact and no signature was returned, so nothing counts as signed; the next attempt may succeed.
    if (!written.ok) return err({ code: 'unavailable', message: written.error });
    this.#last = next;
    return ok({ signature, bytes: ask.bytes });
  }
}

/** Writes the initial state of a validator that has never signed, unless a state exists. */
export function createSignState(statePath: string): void {
  if (existsSync(statePath)) return;
  onFile('write', statePath, () => replaceFile(statePath, Buffer.from(formatLastSigned(NOTHING_SIGNED))));
}
