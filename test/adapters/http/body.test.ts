import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect, test, vi } from 'vitest';
import { type BodyOutcome, readBody } from '../../../adapters/http/body.ts';

/** A request whose body comes in these pieces; what became of it, and whether anybody listened. */
function read(bytesMax: number, pieces: readonly string[], announced?: number) {
  const headers = announced === undefined ? {} : { 'content-length': String(announced) };
  const request = Object.assign(new EventEmitter(), { headers });
  const outcomes: BodyOutcome[] = [];
  readBody(request as unknown as IncomingMessage, bytesMax, (outcome) => void outcomes.push(outcome));
  const isRead = request.listenerCount('data') > 0;
  for (const piece of pieces) request.emit('data', Buffer.from(piece));
  request.emit('end');
  return { outcomes, isRead };
}

test('the size limit of a body holds for the sum of its pieces', () => {
  for (const pieces of [['0123456789'], ['01234', '56789'], ['0', '12', '345', '6789']])
    expect(read(10, pieces).outcomes).toEqual([{ kind: 'body', text: '0123456789' }]);
  for (const pieces of [['01234567890'], ['01234', '567890'], ['0123456789', '0', '1']])
    expect(read(10, pieces).outcomes).toEqual([{ kind: 'too-large', bytes: 11 }]);
});

test('a body whose Content-Length exceeds the limit is not read', () => {
  expect(read(10, [], 11)).toEqual({ outcomes: [{ kind: 'too-large', bytes: 11 }], isRead: false });
  expect(read(10, ['0123456789'], 10)).toEqual({
    outcomes: [{ kind: 'body', text: '0123456789' }],
    isRead: true,
  });
});

test('a body is copied out of its chunks into one growing buffer', () => {
  const request = Object.assign(new EventEmitter(), { headers: {} });
  const outcomes: BodyOutcome[] = [];
  readBody(request as unknown as IncomingMessage, 10_000, (outcome) => void outcomes.push(outcome));
  const allocations = vi.spyOn(Buffer, 'allocUnsafe');
  const text = '0123456789'.repeat(1000);
  request.emit('data', Buffer.from(text.slice(0, 1)));
  // One buffer for all chunks: a chunk that is kept would end up as the last one.
  const chunk = Buffer.from(' ');
  for (const char of text.slice(1)) {
    chunk.write(char);
    request.emit('data', chunk);
  }
  request.emit('end');
  expect(outcomes).toEqual([{ kind: 'body', text }]);
  // It doubles each time, so that the copying stays proportional to the body.
  expect(allocations).toHaveBeenCalledTimes(14);
  allocations.mockRestore();
});
