import { expect, test } from 'vitest';
import { errorText, parseRequest, resultText } from '../../../../core/rpc/comet/envelope.ts';
import { CODES } from '../../../../core/rpc/rpcError.ts';

const read = (text: string) => {
  const request = parseRequest(text);
  return request.ok ? request.value : request.error;
};
const id = (text: string) => {
  const request = read(`{"method":"health","id":${text}}`);
  return typeof request === 'string' ? request : request.id;
};

test('a request is an object whose method is a text', () => {
  expect(read('{"id":1,"method":"health"}')).toEqual({ id: '1', method: 'health', params: undefined });
  expect(read('{}')).toEqual({ id: undefined, method: '', params: undefined });
  for (const text of ['null', '5', '"x"', '[]', '[{}]'])
    expect(read(text)).toBe('error unmarshaling request: expected an object');
  for (const method of ['5', 'true', '[]', '{}'])
    expect(read(`{"method":${method}}`)).toBe('error unmarshaling request: method is not a string');
  expect(read('{')).toMatch(/^error unmarshaling request: /);
});

test('an id is a text or a whole number, cut as Go cuts it', () => {
  expect(['"a\\u003c"', '5', '1.9', '-1.9', '-0', '0.5', 'null'].map(id)).toEqual([
    '"a\\u003c"',
    '5',
    '1',
    '-1',
    '0',
    '0',
    undefined,
  ]);
  for (const other of ['true', '[]', '{}'])
    expect(id(other)).toBe('error unmarshaling request: json-rpc ID is of unknown type');
  expect(id('1e999')).toContain('cannot unmarshal number 1e999');
});

test('answers carry the id, a notification none', () => {
  expect(resultText('7', undefined)).toBe('{"jsonrpc":"2.0","id":7,"result":null}');
  expect(resultText(undefined, {})).toBe('{"jsonrpc":"2.0","result":{}}');
  expect(errorText('"a"', CODES.internal, '')).toBe(
    '{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"Internal error"}}',
  );
  expect(errorText('1', CODES.invalidParams, 'why')).toBe(
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params","data":"why"}}',
  );
});
