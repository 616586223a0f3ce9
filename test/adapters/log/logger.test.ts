import { expect, test } from 'vitest';
import { createLogger, type LogFormat, type LogLevel } from '../../../adapters/log/logger.ts';

function logged(level: LogLevel | 'none', format: LogFormat) {
  const lines: string[] = [];
  const clock = (): Date => new Date(0);
  const write = (at: LogLevel, line: string): void => void lines.push(`${at}| ${line}`);
  return { lines, log: createLogger({ level, format, clock, write }) };
}

test('plain lines carry time, level, text and fields', () => {
  const { lines, log } = logged('info', 'plain');
  log.info('committed block', { height: 5, hash: 'AB12', moniker: 'my node', gas: 7n, none: undefined });
  log.error('stopped');
  expect(lines).toEqual([
    'info| 1970-01-01T00:00:00.000Z info  committed block height=5 hash=AB12 moniker="my node" gas=7',
    'error| 1970-01-01T00:00:00.000Z error stopped',
  ]);
});

test('json lines are one object each', () => {
  const { lines, log } = logged('debug', 'json');
  log.warn('two\nlines', { gas: 2n ** 70n });
  expect(lines).toEqual([
    'warn| {"time":"1970-01-01T00:00:00.000Z","level":"warn","text":"two\\nlines","gas":"1180591620717411303424"}',
  ]);
});

test('levels below the chosen one are left out', () => {
  const { lines, log } = logged('warn', 'plain');
  log.debug('a');
  log.info('b');
  log.warn('c');
  expect(lines.length).toBe(1);
  const silent = logged('none', 'plain');
  silent.log.error('a');
  expect(silent.lines).toEqual([]);
});

test('text from outside cannot forge a line or steer a terminal', () => {
  const { lines, log } = logged('info', 'plain');
  log.info('peer\n2026 error forged', { name: 'a\u001b[2Jb' });
  expect(lines).toEqual([
    'info| 1970-01-01T00:00:00.000Z info  peer\\x0a2026 error forged name="a\\u001b[2Jb"',
  ]);
});
