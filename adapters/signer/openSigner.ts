import type { CryptoSuite } from '../../core/crypto/suite.ts';
import type { LogRecord } from '../../core/node/contract.ts';
import type { LastSigned } from '../../core/node/signGuard.ts';
import { type LogLosses, type StaleState, silenceOf } from '../../core/node/silence.ts';
import { ChainReads } from '../../core/store/chainReads.ts';
import type { KvStore } from '../../core/store/kv.ts';
import { OperatingError } from '../operatingError.ts';
import { FileSigner } from './fileSigner.ts';
import type { ValidatorKey } from './keyFile.ts';
import { endSilence, loadSilence, saveSilence } from './silence.ts';

export interface OpenSignerOptions {
  readonly key: ValidatorKey;
  /** Path of priv_validator_state.json. */
  readonly statePath: string;
  readonly suite: CryptoSuite;
  readonly kv: Pick<KvStore, 'get'>;
  readonly wal: {
    readonly losses: LogLosses;
    readonly turnedOver: number;
    records(): readonly LogRecord[];
  };
  warn(text: string): void;
}

/**
 * Opens the validator's signer by the rule of core/node/silence.ts: its last-signed state is compared with the WAL and
 * the chain. Throws OperatingError when the state is older than one of them. A silence is saved beside the state.
 */
export function openSigner(options: OpenSignerOptions): FileSigner {
  const { key, statePath, suite, kv, wal } = options;
  const signer = FileSigner.open({ key, statePath, suite });
  const { last } = signer;
  refuseOtherKey(options, last);
  const chain = new ChainReads(kv);
  const kept = loadSilence(statePath);
  const { losses, turnedOver } = wal;
  const log = wal.records();
  const found = silenceOf({ last, address: key.address, log, losses, turnedOver, chain, kept });
  if (!found.ok) throw stale(statePath, last, found.error);
  const silence = found.value;
  if (silence === undefined) {
    endSilence(statePath);
    return signer;
  }
  if (silence.height !== kept?.height || silence.mode !== kept.mode) saveSilence(statePath, silence);
  if (silence.mode === 'silent') warnOfSilence(options, chain, silence.height);
  return FileSigner.open({ key, statePath, suite, silence, onRepeated: () => endSilence(statePath) });
}

function warnOfSilence({ statePath, warn }: OpenSignerOptions, chain: ChainReads, height: number): void {
  warn(
    `the log is missing or does not reach back to height ${height}, signed last: not voting up to that height; ` +
      'once the other validators have decided it, this one votes again. If there are no others, and no node has a ' +
      `block above ${chain.head()}, set "height" in ${statePath} to ${chain.head()} and remove "signature" and "signbytes"`,
  );
}

/**
 * Refuses a key that did not make the last signature: a new key, or one of another home, is not the chain's validator.
 */
function refuseOtherKey({ key, statePath, suite }: OpenSignerOptions, last: LastSigned): void {
  if (last.bytes === undefined || last.signature === undefined) return;
  if (suite.ed25519Verify(key.publicKey, last.bytes, last.signature)) return;
  throw new OperatingError(
    `validator key and state do not belong together: the last signature in ${statePath}, of height ${last.height}, ` +
      'was made with another key. Restore the key that made it. If the key is meant to be another one now, remove ' +
      '"signature" and "signbytes" from the state',
  );
}

const stale = (
  statePath: string,
  { height }: LastSigned,
  { where, height: newer }: StaleState,
): OperatingError =>
  new OperatingError(
    `validator state ${statePath} is stale: it knows of signatures up to height ${height}, but the ${where} has one of ` +
      `height ${newer}; with it the validator would sign twice. Restore the newest copy of the file. Without one, ` +
      `make sure that no other process uses this key, then set "height" in it to a height that the chain has passed ` +
      `and that is at least ${newer}, "round" to 0, "step" to 3, and remove "signature" and "signbytes"`,
  );
