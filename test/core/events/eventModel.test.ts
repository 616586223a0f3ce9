import { expect, test } from 'vitest';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { keysOf, publicationsOf } from '../../../core/events/eventModel.ts';
import { compileQuery } from '../../../core/events/query/query.ts';
import type { AbciEvent } from '../../../core/types/result.ts';

const event = (type: string, ...attributes: [string, string, boolean?][]): AbciEvent => ({
  type,
  attributes: attributes.map(([key, value, index]) => ({ key, value, index: index ?? true })),
});

test('keys keep order and multiplicity; nameless types and attributes are left out, unindexed ones are not', () => {
  const keys = keysOf(
    [
      event('transfer', ['sender', 'a'], ['amount', '1']),
      event('', ['sender', 'x']),
      event('transfer', ['sender', 'b', false], ['', 'y']),
      event('transfer', ['sender', 'a']),
      event('tm', ['event', 'mine']),
    ],
    [['tm.event', 'Tx']],
  );
  expect([...keys]).toEqual([
    ['transfer.sender', ['a', 'b', 'a']],
    ['transfer.amount', ['1']],
    ['tm.event', ['mine', 'Tx']],
  ]);
});

test('conditions of a query may be met by different events of one transaction', () => {
  const keys = keysOf([event('a', ['x', '1']), event('a', ['y', '2'])], [['tm.event', 'Tx']]);
  const query = compileQuery("tm.event='Tx' AND a.x=1 AND a.y=2");
  expect(query.ok && query.value.matches(keys)).toBe(true);
});

test('events of the node that CometBFT does not have are nobody else’s', () => {
  const { sha256 } = nobleSuite;
  const own = [
    { kind: 'note', level: 'info', text: '' } as const,
    { kind: 'pendingTx', tx: new Uint8Array(1), ethHash: undefined } as const,
  ];
  for (const each of own) expect([...publicationsOf(each, sha256)]).toEqual([]);
  const at = { height: 1, round: 0, step: 'RoundStepPropose' } as const;
  const [step] = [...publicationsOf({ kind: 'round', name: 'NewRoundStep', at }, sha256)];
  expect([...(step?.keys ?? [])]).toEqual([['tm.event', ['NewRoundStep']]]);
});
