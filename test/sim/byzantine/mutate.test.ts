import { expect, test } from 'vitest';
import { decodeEvidenceMessage, encodeEvidenceMessage } from '../../../core/codec/messages.ts';
import { CHANNELS } from '../../../core/node/contract.ts';
import { ZERO_BLOCK_ID } from '../../../core/types/block.ts';
import type { Vote } from '../../../core/types/vote.ts';
import type { Accomplice, Send } from '../../../sim/byzantine/behaviour.ts';
import { rangeOf } from '../../../sim/byzantine/fieldRange.ts';
import { fieldKind, MESSAGE_FIELDS, type MessageKind } from '../../../sim/byzantine/messageFields.ts';
import { MUTATE } from '../../../sim/byzantine/mutate.ts';
import { runUnasked } from '../../support/runUnasked.ts';

const filled = (byte: number, length: number): Uint8Array => new Uint8Array(length).fill(byte);
const timestamp = { seconds: 1_700_000_000, nanos: 0 };
const voteA: Vote = {
  type: 'prevote',
  height: 3,
  round: 0,
  blockId: ZERO_BLOCK_ID,
  timestamp,
  validatorAddress: filled(7, 20),
  validatorIndex: 0,
  signature: filled(1, 64),
  extension: filled(0, 0),
  extensionSignature: filled(0, 0),
};
const voteB: Vote = { ...voteA, blockId: { hash: filled(2, 32), parts: { total: 1, hash: filled(3, 32) } } };
const evidence = {
  ...({ kind: 'duplicate-vote', voteA, voteB, timestamp } as const),
  totalVotingPower: 40n,
  validatorPower: 10n,
};

test('a field that holds powers can be set to a number', () => {
  const args = new Map<string, string | number>([
    ['message', 'evidence'],
    ['field', 'evidence.0.validatorPower'],
    ['op', 'set'],
  ]);
  const me = { args: new Map([...args, ['value', 77]]), rs: () => undefined, isDue: () => true };
  const honest: Send = {
    kind: 'send',
    peer: 'v0',
    channel: CHANNELS.evidence,
    bytes: encodeEvidenceMessage([evidence]),
  } as unknown as Send;
  const [sent] = MUTATE.create(me as unknown as Accomplice).send?.(honest) ?? [];
  const read = decodeEvidenceMessage(sent?.bytes ?? new Uint8Array(0));
  expect(read.ok && read.value).toMatchObject([{ validatorPower: 77n }]);
});

test('the kinds of fields are those of the messages', () => {
  const of = (kind: string): readonly string[] =>
    Object.values(MESSAGE_FIELDS)
      .flat()
      .filter((field) => fieldKind(field) === kind);
  expect(of('flag')).toEqual(['isCommit']);
  expect(of('text')).toEqual(['block.header.chainId', 'addresses.0.id', 'addresses.0.ip']);
  expect(of('bytes').every((field) => /(hash|address|signature|extension|bytes)$/i.test(field))).toBe(true);
  expect(of('number').some((field) => /(hash|address|signature|extension|bytes)$/i.test(field))).toBe(false);
});

test('a number can be set to any value that its field can hold', () => {
  const numbers = Object.entries(MESSAGE_FIELDS).flatMap(([kind, fields]) =>
    fields
      .filter((field) => fieldKind(field) === 'number')
      .map((field) => [field, ...rangeOf(kind as MessageKind, field)] as const),
  );
  const withMax = (most: number): readonly string[] =>
    numbers.filter(([, , max]) => max === most).map(([field]) => field.replace(/^.*\.(?=\w+\.)/, ''));
  expect(new Set(withMax(2 ** 31 - 1))).toEqual(
    new Set([
      ...['round', 'lastCommitRound', 'polRound', 'index', 'lastCommit.round', 'proposal.round'],
      ...['proposal.polRound', 'timestamp.nanos', 'time.nanos', 'vote.round', 'vote.validatorIndex'],
      ...['voteA.round', 'voteA.validatorIndex', 'voteB.round', 'voteB.validatorIndex'],
    ]),
  );
  expect(new Set(withMax(2 ** 32 - 1))).toEqual(new Set(['step', 'parts.total', 'part.index', '0.port']));
  expect(rangeOf('vote', 'vote.round')).toEqual([-2147483648, 2147483647]);
  expect(rangeOf('evidence', 'evidence.0.validatorPower')[1]).toBe(Number.MAX_SAFE_INTEGER);
});

test('a round without such a message uses up none of the times', async () => {
  const run = await runUnasked(
    `name: x
validators: {v0: {}, v1: {}, v2: {}, v3: {}}
clients: [{name: alice, kind: evm, at: v3, rate: 20/m, args: {count: 2}}]
mutate: [{who: v3, message: txs, op: drop, when: {times: 1}}]
until: {height: 7}
`,
    { crypto: 'keyed-hash' },
  );
  expect(run.ok && run.value.neverHappened).toEqual([]);
});
