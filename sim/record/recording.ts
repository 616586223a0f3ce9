import { fromBase64, toBase64 } from '../../core/lib/base64.ts';
import { parseHex, toHex } from '../../core/lib/bytes.ts';
import { err, ok, type Result } from '../../core/lib/result.ts';
import type { LogRecord } from '../../core/node/contract.ts';

/** What a production node stored for one height, in lower-case hex. A replay has to get the same. */
export interface HeightHashes {
  readonly height: number;
  readonly block: string;
  readonly app: string;
  /** Root of accounts and contracts. */
  readonly state: string;
  /** Root of the modules' records. */
  readonly modules: string;
}

/** Everything that a replay needs of a node's home. It holds no secret key. */
export interface Recording {
  readonly genesis: string;
  /** 32-byte ed25519 key of the node's validator; undefined for a node that only follows. */
  readonly validator: Uint8Array | undefined;
  readonly heights: readonly HeightHashes[];
  /** Records of the whole log, oldest first. */
  readonly records: readonly LogRecord[];
}

const VERSION = 1;

/** JSON lines: a head, then one line per stored height and one per record. */
export function* recordingLines({
  genesis,
  validator,
  heights,
  records,
}: Recording): IterableIterator<string> {
  const key = validator === undefined ? null : toHex(validator);
  yield JSON.stringify({ kind: 'recording', version: VERSION, validator: key, genesis });
  for (const hashes of heights) yield JSON.stringify({ kind: 'height', ...hashes });
  for (const { height, bytes } of records)
    yield JSON.stringify({ kind: 'record', height, bytes: toBase64(bytes) });
}

export const isRecording = (text: string): boolean => text.startsWith('{"kind":"recording"');

type Line =
  | { kind: 'recording'; version: number; validator: string | null; genesis: string }
  | ({ kind: 'height' } & HeightHashes)
  | { kind: 'record'; height: number; bytes: string };

/** Reads what `recordingLines` wrote; the error names the line. */
export function parseRecording(text: string): Result<Recording, string> {
  const heights: HeightHashes[] = [];
  const records: LogRecord[] = [];
  let head: Extract<Line, { kind: 'recording' }> | undefined;
  for (const [i, source] of text.split('\n').entries()) {
    if (source === '') continue;
    const line = lineOf(source);
    if (line === undefined) return err(`line ${i + 1} is not a line of a recording`);
    if (line.kind === 'recording') head = line;
    else if (line.kind === 'height') heights.push(line);
    else {
      const bytes = fromBase64(line.bytes);
      if (!bytes.ok) return err(`line ${i + 1}: the record is not base64`);
      records.push({ height: line.height, bytes: bytes.value });
    }
  }
  if (head?.version !== VERSION) return err(`expected a recording of version ${VERSION}`);
  const key = head.validator === null ? undefined : parseHex(head.validator);
  if (key?.ok === false) return err('the key of the validator is not hex');
  return ok({ genesis: head.genesis, validator: key?.value, heights, records });
}

const NUMBER = /^\d{1,15}$/;
const TEXT = /^"/;
const HASH = /^"([0-9a-f]{2})*"$/;
/** The keys of each kind of line, and how their values look as JSON. */
const FORMS: Readonly<Record<string, readonly (readonly [key: string, value: RegExp])[]>> = {
  recording: [
    ['genesis', TEXT],
    ['validator', /^(null|".*")$/],
  ],
  height: [
    ['height', NUMBER],
    ['block', HASH],
    ['app', HASH],
    ['state', HASH],
    ['modules', HASH],
  ],
  record: [
    ['height', NUMBER],
    ['bytes', TEXT],
  ],
};

function lineOf(source: string): Line | undefined {
  try {
    const line = JSON.parse(source) as Line;
    const form = FORMS[line?.kind];
    const isWhole = form?.every(([key, test]) => test.test(JSON.stringify(Object(line)[key]))) === true;
    return isWhole ? line : undefined;
  } catch {
    return undefined;
  }
}
