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

test('a request is an object whose members are texts, with names in letters of either case', () => {
  expect(read('{"id":1,"method":"health"}')).toEqual({ id: '1', method: 'health', params: undefined });
  expect(read('{}')).toEqual({ id: undefined, method: '', params: undefined });
  expect(read('{"ID":1,"Method":"health"}')).toEqual({ id: '1', method: 'health', params: undefined });
  expect(read('null')).toEqual({ id: undefined, method: '', params: undefined });
  for (const [text, kind] of [
    ['5', 'number'],
    ['"x"', 'string'],
    ['[]', 'array'],
  ] as const)
    expect(read(text)).toMatch(
      `json: cannot unmarshal ${kind} into Go value of type struct { JSONRPC string`,
    );
  for (const name of ['method', 'jsonrpc'])
    for (const [value, kind] of [
      ['5', 'number'],
      ['true', 'bool'],
      ['{}', 'object'],
    ] as const)
      expect(read(`{"${name}":${value}}`)).toBe(
        `error unmarshaling request: json: cannot unmarshal ${kind} into Go struct field .${name} of type string`,
      );
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
  const least = '-9223372036854775808';
  for (const [sent, echoed] of [
    ['9007199254740993', '9007199254740992'],
    ['1152921504606846976', '1152921504606846976'],
    ['9223372036854774784', '9223372036854774784'],
    ['9223372036854775807', least],
    ['-9223372036854775808', least],
    ['-9223372036854780000', least],
    ['1e21', least],
    ['-1e300', least],
  ] as const)
    expect(id(sent)).toBe(echoed);
  for (const [other, printed, type] of [
    ['true', 'true', 'bool'],
    ['[1,[null,"a"]]', '[1 [<nil> a]]', '[]interface {}'],
    ['{"b":{},"a":[1]}', 'map[a:[1] b:map[]]', 'map[string]interface {}'],
  ])
    expect(id(other as string)).toBe(
      `error unmarshaling request: json-rpc ID (${printed}) is of unknown type (${type})`,
    );
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
