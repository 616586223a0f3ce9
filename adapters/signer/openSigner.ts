import { decodeLogRecord } from '../../core/consensus/log.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import type { LogRecord } from '../../core/node/contract.ts';
import type { LastSigned, SignStep } from '../../core/node/signGuard.ts';
import { ChainReads } from '../../core/store/chainReads.ts';
import type { KvStore } from '../../core/store/kv.ts';
import type { WalLosses } from '../disk/walLosses.ts';
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
    /** `cut`: an unfinished write, or a damaged last record, was cut off the end. */
    readonly losses: WalLosses;
    readonly turnedOver: number;
    records(): readonly LogRecord[];
  };
  warn(text: string): void;
}

/** How many heights of the chain are searched for signatures of this validator that the state does not record. */
const COMMITS_SEARCHED_MAX = 1000;
const STEPS = { proposal: 1, prevote: 2, precommit: 3 } as const;

type Place = Pick<LastSigned, 'height' | 'round' | 'step'>;

const isAfter = (a: Place, b: Place): boolean =>
  a.height !== b.height ? a.height > b.height : a.round !== b.round ? a.round > b.round : a.step > b.step;

/**
 * Opens the validator's signer, after comparing its last-signed state with the WAL and the chain. Throws OperatingError
 * when the state is older than one of them: it is an old copy that would allow double-signing.
 *
 * A lock is only recorded in the WAL. If the state records a signature at a height that is missing from the WAL, and
 * the store does not have that height's block, the validator signs nothing through that height: a vote in a later round
 * could contradict a forgotten lock. This is saved beside the state, because at the next start the WAL has records of
 * that height again.
 */
export function openSigner(options: OpenSignerOptions): FileSigner {
  const { key, statePath, suite, kv, wal } = options;
  const signer = FileSigner.open({ key, statePath, suite });
  const chain = new ChainReads(kv);
  refuseOtherKey(options, signer.last);
  const newer = lastInLog(wal.records()) ?? { height: 0, round: 0, step: 0 };
  if (isAfter(newer, signer.last)) throw stale(statePath, signer.last, newer.height, 'the log');
  const signed = lastInChain(chain, key, signer.last.height);
  if (signed !== undefined) throw stale(statePath, signer.last, signed, 'the chain');
  const { height } = signer.last;
  const isOver = height <= chain.head() || (!wal.losses.lossy && height <= wal.turnedOver);
  const before = loadSilence(statePath);
  if (height === 0 || isOver || (before !== undefined && before.height !== height)) endSilence(statePath);
  if (height === 0 || isOver) return signer;
  const isLogged = !wal.losses.lossy && wal.records().some((record) => record.height === height);
  // A proposal depends on no lock, so only votes must be in the log or be requested again. If nothing was cut off, the
  // log has everything that the vote depended on: a crash can only have prevented the vote's own record.
  const isAhead = isAfter(signer.last, newer) && signer.last.step > STEPS.proposal;
  const found = !isLogged ? 'silent' : isAhead && wal.losses.cut ? 'repeat' : undefined;
  const kept = before?.height === height ? before.mode : undefined;
  const mode = found === 'silent' || kept === 'silent' ? 'silent' : (found ?? kept);
  if (mode === undefined) return signer;
  if (mode !== kept) saveSilence(statePath, { height, mode });
  if (mode === 'silent') warnOfSilence(options, chain, height);
  return mode === 'silent'
    ? FileSigner.open({ key, statePath, suite, silentThrough: height })
    : FileSigner.open({ key, statePath, suite, mustRepeat: true, onRepeated: () => endSilence(statePath) });
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

const stale = (statePath: string, { height }: Place, newer: number, where: string): OperatingError =>
  new OperatingError(
    `validator state ${statePath} is stale: it knows of signatures up to height ${height}, but ${where} has one of ` +
      `height ${newer}; with it the validator would sign twice. Restore the newest copy of the file. Without one, ` +
      `make sure that no other process uses this key, then set "height" in it to a height that the chain has passed ` +
      `and that is at least ${newer}, "round" to 0, "step" to 3, and remove "signature" and "signbytes"`,
  );

/** The newest signature of this validator in the log. */
function lastInLog(records: readonly LogRecord[]): Place | undefined {
  let last: Place | undefined;
  for (const record of records) {
    const decoded = decodeLogRecord(record);
    if (!decoded.ok || decoded.value.entry.kind !== 'signed') continue;
    const { of, round, signature } = decoded.value.entry;
    if (signature.length === 0) continue;
    const step: SignStep = STEPS[of];
    const place = { height: record.height, round, step };
    if (last === undefined || isAfter(place, last)) last = place;
  }
  return last;
}

/** The newest height above `above` whose commit contains this validator's signature. */
function lastInChain(chain: ChainReads, key: ValidatorKey, above: number): number | undefined {
  const lowest = Math.max(above + 1, chain.base(), chain.head() - COMMITS_SEARCHED_MAX + 1, 1);
  for (let height = chain.head(); height >= lowest; height--) {
    const commit = chain.loadSeenCommit(height);
    const isOurs = commit?.signatures.some(
      ({ flag, validatorAddress }) => flag !== 'absent' && equalBytes(validatorAddress, key.address),
    );
    if (isOurs === true) return height;
  }
  return undefined;
}
