import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { proposalSignBytes, voteSignBytes } from '../../../core/codec/signBytes.ts';
import { toHex } from '../../../core/lib/bytes.ts';
import type { SignAsk } from '../../../core/node/contract.ts';
import {
  decideSign,
  formatLastSigned,
  type LastSigned,
  lastSigned,
  NOTHING_SIGNED,
  parseLastSigned,
} from '../../../core/node/signGuard.ts';

const CHAIN = 'chain_9000-1';
const at = (seconds: number) => ({ seconds, nanos: 5 });
const blockId = (fill: number) => ({
  hash: new Uint8Array(32).fill(fill),
  parts: { total: 1, hash: new Uint8Array(32).fill(fill) },
});

function vote(
  kind: 'prevote' | 'precommit',
  height: number,
  round: number,
  block = 7,
  seconds = 1000,
): SignAsk {
  const part = { type: kind, height, round, blockId: blockId(block), timestamp: at(seconds) };
  return { kind, height, round, bytes: voteSignBytes(CHAIN, part) };
}

function proposal(height: number, round: number, polRound = -1, block = 7, seconds = 1000): SignAsk {
  const part = { height, round, polRound, blockId: blockId(block), timestamp: at(seconds) };
  return { kind: 'proposal', height, round, bytes: proposalSignBytes(CHAIN, part) };
}

const SIGNATURE = new Uint8Array(64).fill(9);
const having = (ask: SignAsk): LastSigned => lastSigned(ask, SIGNATURE);
const refusal = (last: LastSigned, ask: SignAsk): string => {
  const decision = decideSign(last, ask);
  return decision.kind === 'refused' ? `${decision.error.code}: ${decision.error.message}` : decision.kind;
};

describe('the last-signed guard', () => {
  test('signs what comes later: another height, round or step', () => {
    expect(decideSign(NOTHING_SIGNED, proposal(1, 0)).kind).toBe('sign');
    expect(decideSign(having(proposal(1, 0)), vote('prevote', 1, 0)).kind).toBe('sign');
    expect(decideSign(having(vote('prevote', 1, 0)), vote('precommit', 1, 0)).kind).toBe('sign');
    expect(decideSign(having(vote('precommit', 1, 0)), proposal(1, 1)).kind).toBe('sign');
    expect(decideSign(having(vote('precommit', 1, 3)), vote('prevote', 2, 0)).kind).toBe('sign');
  });

  test('refuses to go back, in the words of CometBFT', () => {
    const last = having(vote('prevote', 5, 2));
    expect(refusal(last, vote('precommit', 4, 9))).toBe(
      'regression: height regression. Got 4, last height 5',
    );
    expect(refusal(last, vote('precommit', 5, 1))).toBe(
      'regression: round regression at height 5. Got 1, last round 2',
    );
    expect(refusal(last, proposal(5, 2))).toBe(
      'regression: step regression at height 5 round 2. Got 1, last step 2',
    );
  });

  test('gives the old signature for the same bytes, and the old time with it when only the time differs', () => {
    for (const [first, later] of [
      [vote('prevote', 5, 2), vote('prevote', 5, 2, 7, 2000)],
      [vote('precommit', 5, 2), vote('precommit', 5, 2, 7, 0)],
      [proposal(5, 2), proposal(5, 2, -1, 7, 2000)],
      [proposal(5, 2, 1), proposal(5, 2, 1, 7, 2000)],
    ] as const) {
      const again = { kind: 'again', signed: { signature: SIGNATURE, bytes: first.bytes } };
      expect(decideSign(having(first), first)).toEqual(again);
      expect(decideSign(having(first), later)).toEqual(again);
    }
  });

  test('refuses a second value for the same height, round and step, whatever its time', () => {
    for (const seconds of [1000, 2000]) {
      expect(refusal(having(vote('prevote', 5, 2)), vote('prevote', 5, 2, 8, seconds))).toBe(
        'conflict: conflicting data',
      );
      expect(refusal(having(proposal(5, 2)), proposal(5, 2, -1, 8, seconds))).toBe(
        'conflict: conflicting data',
      );
      expect(refusal(having(proposal(5, 2)), proposal(5, 2, 1, 7, seconds))).toBe(
        'conflict: conflicting data',
      );
    }
  });

  test('does not take a chain id of a vote for its time', () => {
    const part = { type: 'prevote', height: 1, round: 0, blockId: blockId(1), timestamp: at(1) } as const;
    const other: SignAsk = { kind: 'prevote', height: 1, round: 0, bytes: voteSignBytes('other', part) };
    const mine: SignAsk = { ...other, bytes: voteSignBytes(CHAIN, part) };
    expect(refusal(having(mine), other)).toBe('conflict: conflicting data');
  });

  test('does not sign what a state without signature bytes may have signed', () => {
    const last: LastSigned = { ...NOTHING_SIGNED, height: 5, round: 2, step: 2 };
    expect(refusal(last, vote('prevote', 5, 2))).toBe('conflict: no SignBytes found');
  });

  test('takes an ask whose bytes say something else for the bug that it is', () => {
    expect(() => decideSign(NOTHING_SIGNED, { ...vote('prevote', 5, 2), height: 6 })).toThrow(
      'another height',
    );
    expect(() => decideSign(NOTHING_SIGNED, { ...vote('prevote', 5, 2), round: 1 })).toThrow('another round');
    expect(() => decideSign(NOTHING_SIGNED, { ...vote('prevote', 5, 2), kind: 'precommit' })).toThrow(
      'another kind',
    );
    expect(() => decideSign(NOTHING_SIGNED, { ...vote('prevote', 5, 2), bytes: Uint8Array.of(1) })).toThrow();
  });

  test('never lets two different messages of one height, round and step be signed', () => {
    const kinds = ['proposal', 'prevote', 'precommit'] as const;
    const asks = fc.array(
      fc.record({
        kind: fc.constantFrom(...kinds),
        height: fc.integer({ min: 1, max: 3 }),
        round: fc.nat(2),
        block: fc.nat(2),
        seconds: fc.nat(2),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(asks, (list) => {
        let last = NOTHING_SIGNED;
        const signed = new Map<string, string>();
        for (const { kind, height, round, block, seconds } of list) {
          const ask =
            kind === 'proposal'
              ? proposal(height, round, -1, block, seconds)
              : vote(kind, height, round, block, seconds);
          const decision = decideSign(last, ask);
          if (decision.kind === 'refused') continue;
          if (decision.kind === 'sign') last = having(ask);
          const bytes = decision.kind === 'sign' ? ask.bytes : decision.signed.bytes;
          const place = `${height}/${round}/${kind}`;
          expect(signed.get(place) ?? toHex(bytes)).toBe(toHex(bytes));
          signed.set(place, toHex(bytes));
        }
      }),
    );
  });
});

describe('priv_validator_state.json', () => {
  test('has the form CometBFT writes', () => {
    expect(formatLastSigned(NOTHING_SIGNED)).toBe('{\n  "height": "0",\n  "round": 0,\n  "step": 0\n}');
    const last = having(vote('prevote', 12, 1));
    expect(Object.keys(JSON.parse(formatLastSigned(last)) as object)).toEqual([
      'height',
      'round',
      'step',
      'signature',
      'signbytes',
    ]);
    expect(parseLastSigned(formatLastSigned(last))).toEqual({ ok: true, value: last });
    expect(parseLastSigned(formatLastSigned(NOTHING_SIGNED))).toEqual({ ok: true, value: NOTHING_SIGNED });
  });

  test.each([
    '',
    '[]',
    'null',
    '{"height":5,"round":0,"step":0}',
    '{"height":"-5","round":0,"step":0}',
    '{"height":"5","round":-1,"step":0}',
    '{"height":"5","round":0,"step":4}',
    '{"height":"5","round":0,"step":2,"signature":"AAAA","signbytes":"00"}',
    '{"height":"5","round":0,"step":2,"signbytes":"00"}',
    '{"height":"5","round":0',
  ])('is refused when it is unclear: %s', (text) => {
    expect(parseLastSigned(text)).toMatchObject({ ok: false, error: { code: 'sign-state' } });
  });
});
