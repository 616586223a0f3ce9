/**
 * The last-signed guard: a validator never signs two different messages for one height, round and step, and never goes
 * back. This is a pure decision, used by the real signer and by the simulated one. The signer has to make `lastSigned`
 * durable before the signature leaves. Rules and texts are those of CometBFT 0.38 (privval/file.go).
 */
import { assert } from '../lib/assert.ts';
import { fromBase64, toBase64 } from '../lib/base64.ts';
import { type Bytes, equalBytes, parseHex, toUpperHex } from '../lib/bytes.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Height, Round } from '../types/ids.ts';
import type { SignAsk, SignError, Signed } from './contract.ts';
import { signBytesFacts, withoutTime } from './signBytesFacts.ts';

/** 1 proposal, 2 prevote, 3 precommit; 0 before the first signature. */
export type SignStep = 0 | 1 | 2 | 3;

export interface LastSigned {
  readonly height: Height;
  readonly round: Round;
  readonly step: SignStep;
  /** 64 bytes over `bytes`; both undefined before the first signature. */
  readonly signature: Bytes | undefined;
  readonly bytes: Bytes | undefined;
}

export const NOTHING_SIGNED: LastSigned = {
  height: 0,
  round: 0,
  step: 0,
  signature: undefined,
  bytes: undefined,
};

export type SignDecision =
  /** Sign `ask.bytes`, make `lastSigned(ask, signature)` durable, then let the signature out. */
  | { readonly kind: 'sign' }
  /** The same message was signed before, perhaps with another time. Answer with that; there is nothing to persist. */
  | { readonly kind: 'again'; readonly signed: Signed }
  | { readonly kind: 'refused'; readonly error: SignError };

export const SIGN_STEPS: Readonly<Record<SignAsk['kind'], SignStep>> = {
  proposal: 1,
  prevote: 2,
  precommit: 3,
};

export function decideSign(last: LastSigned, ask: SignAsk): SignDecision {
  const facts = signBytesFacts(ask.bytes);
  assert(facts?.kind === ask.kind, 'sign bytes of another kind');
  assert(facts.height === ask.height, 'sign bytes of another height');
  assert(facts.round === ask.round, 'sign bytes of another round');

  const regression = regressionOf(last, ask);
  if (regression !== undefined) {
    return { kind: 'refused', error: { code: 'regression', message: regression } };
  }
  if (last.height !== ask.height || last.round !== ask.round || last.step !== SIGN_STEPS[ask.kind]) {
    return { kind: 'sign' };
  }
  if (last.bytes === undefined || last.signature === undefined) {
    return { kind: 'refused', error: { code: 'conflict', message: 'no SignBytes found' } };
  }
  if (equalBytes(last.bytes, ask.bytes) || isEqualButTime(last.bytes, ask)) {
    return { kind: 'again', signed: { signature: last.signature, bytes: last.bytes } };
  }
  return { kind: 'refused', error: { code: 'conflict', message: 'conflicting data' } };
}

/** What the guard must remember once `ask` is signed. */
export const lastSigned = (ask: SignAsk, signature: Bytes): LastSigned => ({
  height: ask.height,
  round: ask.round,
  step: SIGN_STEPS[ask.kind],
  signature,
  bytes: ask.bytes,
});

function regressionOf(last: LastSigned, { height, round, kind }: SignAsk): string | undefined {
  const step = SIGN_STEPS[kind];
  if (last.height !== height) {
    return last.height > height ? `height regression. Got ${height}, last height ${last.height}` : undefined;
  }
  if (last.round !== round) {
    return last.round > round
      ? `round regression at height ${height}. Got ${round}, last round ${last.round}`
      : undefined;
  }
  return last.step > step
    ? `step regression at height ${height} round ${round}. Got ${step}, last step ${last.step}`
    : undefined;
}

/** A restarted validator may cast the same vote at a later time. That is no conflict, but the old time must be used. */
function isEqualButTime(before: Bytes, { kind, bytes }: SignAsk): boolean {
  const old = withoutTime(kind, before);
  const now = withoutTime(kind, bytes);
  return old !== undefined && now !== undefined && equalBytes(old, now);
}

/** priv_validator_state.json, as CometBFT writes it. */
export function formatLastSigned(last: LastSigned): string {
  const { height, round, step, signature, bytes } = last;
  return JSON.stringify(
    {
      height: String(height),
      round,
      step,
      ...(signature === undefined ? {} : { signature: toBase64(signature) }),
      ...(bytes === undefined ? {} : { signbytes: toUpperHex(bytes) }),
    },
    undefined,
    2,
  );
}

export interface LastSignedError {
  readonly code: 'sign-state';
  readonly message: string;
}

const bad = (message: string): Result<LastSigned, LastSignedError> => err({ code: 'sign-state', message });

/** Reads priv_validator_state.json. Anything unclear is an error, because the guard must not guess. */
export function parseLastSigned(text: string): Result<LastSigned, LastSignedError> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return bad('not JSON');
  }
  if (typeof json !== 'object' || json === null) return bad('not an object');
  const { height, round, step, signature, signbytes } = json as Record<string, unknown>;
  const heightNumber = typeof height === 'string' && /^\d{1,16}$/.test(height) ? Number(height) : -1;
  if (!Number.isSafeInteger(heightNumber) || heightNumber < 0) return bad('height is not a number in quotes');
  if (typeof round !== 'number' || !Number.isSafeInteger(round) || round < 0)
    return bad('round is not a number');
  if (step !== 0 && step !== 1 && step !== 2 && step !== 3) return bad('step is not 0, 1, 2 or 3');
  const signatureBytes = parseBase64(signature);
  if (signatureBytes === null || (signatureBytes !== undefined && signatureBytes.length !== 64)) {
    return bad('signature is not 64 bytes in base64');
  }
  const signBytes = parseSignBytes(signbytes);
  if (signBytes === null) return bad('signbytes is not hex');
  if ((signBytes === undefined) !== (signatureBytes === undefined))
    return bad('signature and signbytes do not pair');
  return ok({ height: heightNumber, round, step, signature: signatureBytes, bytes: signBytes });
}

/** undefined if absent or empty, null if malformed. */
function parseBase64(value: unknown): Bytes | undefined | null {
  if (value === undefined || value === null || value === '') return undefined;
  const parsed = typeof value === 'string' ? fromBase64(value) : undefined;
  return parsed?.ok === true ? parsed.value : null;
}

function parseSignBytes(value: unknown): Bytes | undefined | null {
  if (value === undefined || value === null || value === '') return undefined;
  const parsed = typeof value === 'string' ? parseHex(value) : undefined;
  return parsed?.ok === true ? parsed.value : null;
}
