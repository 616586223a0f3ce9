import { expect, test } from 'vitest';
import { fieldsOf, listOf, unlike } from '../../sim/checkers/questions.ts';
import { cut, differenceOf, placed } from '../../sim/difference.ts';

const logOf = (topic: string, data = '0x') => ({
  address: `0x${'ab'.repeat(20)}`,
  topics: ['0x1', topic],
  data,
});
const tracesOf = (topic: string, data?: string) =>
  Array.from({ length: 40 }, (_, i) => ({ type: 'CALL', logs: i === 3 ? [logOf(topic, data)] : [] }));

test('two short answers are shown whole', () => {
  expect(unlike('eth_chainId', '0x1', '0x2')).toBe('answers eth_chainId with "0x1", expected "0x2"');
  expect(unlike('eth_chainId', undefined, '0x2')).toBe('answers eth_chainId with nothing, expected "0x2"');
  expect(unlike('eth_chainId', { a: 1 }, { a: 1 })).toBeUndefined();
});

test('of two long answers the first difference is shown, with its place', () => {
  expect(unlike('the traces', tracesOf('0x2'), tracesOf('0x3'))).toBe(
    'answers the traces, at [3].logs[0].topics[1], with "0x2", expected "0x3"',
  );
  expect(unlike('the traces', { a: tracesOf('0x2') }, { a: tracesOf('0x3') })).toContain(', at a[3].logs[0]');
});

test('a long text is shown from shortly before the first character that differs', () => {
  const [told, truth] = [`0x${'0'.repeat(5000)}1`, `0x${'0'.repeat(5000)}2`];
  expect(unlike('the code', told, truth)).toBe(
    `answers the code, at character 5002, with "…${'0'.repeat(20)}1", expected "…${'0'.repeat(20)}2"`,
  );
  const found = unlike('the traces', tracesOf('0x2', told), tracesOf('0x2', truth));
  expect(found).toContain(', at [3].logs[0].data, character 5002, with ');
});

test('an entry that is missing or one too many is told with the lengths of the lists', () => {
  const [two, three] = [tracesOf('0x2').slice(0, 20), tracesOf('0x2').slice(0, 21)];
  const lacking =
    'with nothing, expected {"type":"CALL","logs":[]} (the list has 20 entries, should have 21)';
  expect(unlike('the traces', two, three)).toBe(`answers the traces, at [20], ${lacking}`);
  expect(unlike('the traces', three, two)).toContain('expected nothing (the list has 21 entries');
});

test('fields in another order are told as such', () => {
  const long = 'x'.repeat(300);
  const found = differenceOf({ b: long, a: 1 }, { a: 1, b: long });
  expect(found).toEqual({
    path: '',
    is: 'the fields in the order b, a',
    should: 'the fields in the order a, b',
  });
  expect(found && placed(found)).toBe('');
});

test('a refusal is shown in place of an answer or of a part of it', () => {
  const refused = { refused: { code: -32_000, message: 'too large' } };
  const words = '{"code":-32000,"message":"too large"}';
  expect(unlike('the pool', refused, { pending: tracesOf('0x1') })).toContain(
    `with {"refused":${words}}, expected`,
  );
  const part = fieldsOf(fieldsOf(refused, 'pending'), '0xab');
  expect(unlike('the pool', part, { 1: 'x' })).toBe(
    `answers the pool with the refusal ${words}, expected {"1":"x"}`,
  );
  expect(unlike('the pool', part, {})).toBeUndefined();
  const ofRest = { code: 5, message: 'no such height', details: [] };
  expect(unlike('the txs', listOf(ofRest, 'txs'), [1])).toContain('with the refusal {"code":5,');
});

test('no text is longer than a person reads', () => {
  expect(cut('x'.repeat(200))).toHaveLength(200);
  expect(cut('x'.repeat(3000))).toBe(`${'x'.repeat(200)}… (3000 characters)`);
  const found = unlike('a list', tracesOf('0x2'), 'x'.repeat(5000));
  expect((found as string).length).toBeLessThan(600);
});
