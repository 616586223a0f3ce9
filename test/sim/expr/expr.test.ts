import { describe, expect, test } from 'vitest';
import { compared } from '../../../sim/expr/compared.ts';
import { type Chronicle, type DecidedBlock, holds } from '../../../sim/expr/evaluate.ts';
import { parseExpr } from '../../../sim/expr/parse.ts';
import type { Process } from '../../../sim/machine/process.ts';

const nodeAt = (name: string, decided: number, isCorrect = true): Process =>
  ({
    name,
    decided,
    isCorrect,
    lives: 1,
    state: 'up',
    position: { height: decided + 1, round: 0, step: 1 },
  }) as Process;

const blockAt = (height: number, at: number): DecidedBlock =>
  ({
    at,
    block: { header: { height, time: { seconds: 100 + height, nanos: 0 } }, txs: [], evidence: [] },
  }) as never;

const chronicle: Chronicle = {
  nodes: [nodeAt('v0', 5), nodeAt('v1', 4), nodeAt('v2', 9, false)],
  blocks: new Map([1, 2, 3].map((height) => [height, blockAt(height, height * 1_000_000)])),
  hashOf: (node, height) => (height > 3 ? undefined : node.name === 'v2' ? 'bb' : 'aa'),
  money: (node, what) =>
    node?.name === 'v1' && what === 'supply'
      ? 7n
      : { balances: 9n, supply: 9n, burned: 2n ** 70n, genesis: 2n ** 70n + 9n }[what],
  evidenceAgainst: (name) => (name === 'v2' ? 2 : 0),
  conflictsOf: (name) => (name === 'v2' ? 3 : 0),
  clock: (which, votedHeight) =>
    which === 'max' ? 104_000_000 : votedHeight === 2 ? 101_000_000 : undefined,
};

function judge(text: string): boolean {
  const parsed = parseExpr(text, ['v0', 'v1', 'v2'], true);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return holds(parsed.value, chronicle, chronicle.blocks.get(3));
}

describe('a sentence of a scenario', () => {
  test.each([
    'node(v0).height == 5',
    'v0.height - 1 == v1.height',
    'all n in correct: n.height >= 4',
    'not all n in nodes: n.height < 9',
    'count n in correct: n.height > 4 == 1',
    'count n in correct: n.up == 2 or v0.height == 1',
    'count n in nodes: n.up and n.height > 4 >= 1',
    'exists h: decidedAt(h) in (1s, 3s)',
    'not exists h: decidedAt(h) > 3s',
    'all correct: hash(2) equal',
    'not all nodes: hash(2) equal',
    'evidence(v2) == 2 and evidence(v0) == 0 or v0.up',
    'evidence(v2) committed and conflicting(v2) == 3 and conflicting(v0) == 0',
    'block.time < max(correct clocks) and block.time > min(correct clocks at vote)',
    'block.time > prev.time',
    'block.time - prev.time > 0s and prev.time < block.time + 1s and 1s + block.time > prev.time',
    'sum(balances) == supply',
    'supply + burned == genesis.supply',
    'supply < 9007199254740993 and supply + 9007199254740993 > 9007199254740993',
    'genesis.supply - burned == 9',
    'burned > v0.height',
    'not all correct: supply == sum(balances)',
    '(v0.height < 3 or v1.height < 5) and v0.up == v1.up',
  ])('%s is true', (text) => expect(judge(text)).toBe(true));

  test.each(['decidedAt(9) < 5s', 'decidedAt(9) > 5s', 'all correct: hash(7) equal', 'block(9).time == 3'])(
    '%s is false as long as nobody knows',
    (text) => expect(judge(text)).toBe(false),
  );

  test.each([
    ['v9.height', 0, 'unknown name "v9"'],
    ['v0.height >', 11, 'expected a value'],
    ['v0.heigth', 3, 'expected a field'],
    ['all n of correct: 1', 6, 'expected ":"'],
    ['sum(height) == 3', 0, 'expected sum(balances)'],
    ['total == 3', 0, 'unknown name "total"'],
    ['v0.height & 3', 9, 'cannot read "& 3"'],
    ['v0.up v1.up', 6, 'expected the end'],
    ['decidedAt(1) in (1s 2s)', 20, 'expected ","'],
    [`v0.height > ${'9'.repeat(79)}`, 12, 'expected a number of at most 78 digits'],
    ['v0.height > 1.5', 12, 'expected a whole number or a duration'],
    ['('.repeat(60), 50, 'at most 50 parts inside each other'],
    ['not '.repeat(20_000), 4_000, 'at most 1000 words'],
    ['not '.repeat(60), 200, 'at most 50 parts inside each other'],
    [`${'count n in nodes: '.repeat(60)}n.up`, 900, 'at most 50 parts inside each other'],
    ['hash(3) == 1', 8, 'expected two of a kind, found hash and a number'],
    ['hash(3) < hash(2)', 8, 'expected == or !=: a hash is neither more nor less'],
    ['hash(3) + hash(2) == hash(1)', 18, 'expected numbers or times to add'],
    ['v0 > v1', 3, 'expected == or !=: a node is neither'],
    ['v0 == 1', 3, 'expected two of a kind, found node and a number'],
    ['exists h: h == v0', 12, 'expected two of a kind, found count and node'],
    ['hash(v0) == hash(1)', 5, 'expected a height in hash(…)'],
    ['evidence(3) == 1', 9, 'expected a node in evidence(…)'],
    ['v0.txs > 3', 3, 'expected a block before .txs'],
    ['block.peers > 3', 6, 'expected a node before .peers'],
    ['all h in heights: h.txs > 3', 20, 'expected a node or a block before .txs'],
    ['self.height > 3', 0, 'unknown name "self"'],
    ['hash(3) equal', 8, 'expected equal inside of all'],
    ['1', 0, 'true or false'],
    ['block.height', 0, 'true or false'],
    ['v0.up and v1.height', 10, 'true or false'],
    ['v0.height or v1.up', 0, 'true or false'],
    ['not v0', 4, 'true or false'],
    ['count n in nodes: n.height > 3', 0, 'true or false'],
    ['all n in nodes: n.height', 16, 'true or false'],
    ['v0.height > 5s', 10, 'expected two of a kind, found count and time'],
    ['block(5).time < decidedAt(5)', 14, 'expected two of a kind, found date and time'],
    ['block(5).time + block(4).time > 3s', 14, 'expected two of a kind, found date and date'],
    ['3s - block(4).time > 3s', 3, 'expected two of a kind, found time and date'],
    ['block(5).time - 3s > 3s', 19, 'expected two of a kind, found date and time'],
    ['block(5).time in (1s, 2s)', 14, 'expected two of a kind, found date and time'],
    ['decidedAt(2) in (1s, v0.height)', 13, 'expected two of a kind'],
    ['v0.up == 3', 6, 'expected two of a kind, found truth and a number'],
    ['v0.up and 3 > 4', 12, 'expected something of the run to compare'],
    ['2 + 3 in (1, 4)', 6, 'expected something of the run to compare'],
  ])('%s is refused where it is wrong', (text, offset, message) => {
    const parsed = parseExpr(text, ['v0', 'v1'], true);
    expect(parsed.ok).toBe(false);
    if (!parsed.ok)
      expect([parsed.error.offset, parsed.error.message]).toEqual([offset, expect.stringContaining(message)]);
  });

  test.each(['v0.peers', 'v0.banned'])('%s is not counted where nobody looks for peers', (path) => {
    const parsed = parseExpr(`${path} > 3`, ['v0'], false);
    expect(parsed).toMatchObject({ ok: false, error: { offset: 3 } });
    expect(parseExpr(`${path} > 3`, ['v0'], true).ok).toBe(true);
  });
});

describe('what a sentence compared', () => {
  test.each([
    ['all correct: hash(4) equal', 'v0: unknown, v1: unknown', true],
    ['all nodes: hash(3) equal', 'v0: aa, v1: aa, v2: bb', false],
    ['all n in nodes: n.height == 5', 'v1: 4 == 5, v2: 9 == 5', false],
    ['v0.height == 3 and not decidedAt(9) < 4s', '5 == 3 and not unknown < 4000000', true],
  ])('%s', (sentence, text, isUnknown) => {
    const parsed = parseExpr(sentence, ['v0', 'v1', 'v2'], true);
    if (!parsed.ok) throw new Error(parsed.error.message);
    expect(compared(parsed.value, chronicle)).toEqual({ text, isUnknown });
  });
});
