import { expect, test } from 'vitest';
import { httpUrl } from '../../../adapters/cli/getJson.ts';

test('a listen address becomes a URL, and a wildcard address becomes 127.0.0.1', () => {
  for (const everywhere of ['tcp://0.0.0.0:1317', 'tcp://:1317', ':1317', '[::]:1317', 'tcp://[::]:1317'])
    expect(httpUrl(everywhere)).toBe('http://127.0.0.1:1317');
  expect(httpUrl('tcp://10.0.0.0:1317')).toBe('http://10.0.0.0:1317');
  expect(httpUrl('tcp://[::1]:1317')).toBe('http://[::1]:1317');
  expect(httpUrl('https://node.example/rest/')).toBe('https://node.example/rest');
});
