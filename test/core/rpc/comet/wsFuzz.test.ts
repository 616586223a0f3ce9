import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { compileQuery } from '../../../../core/events/query/query.ts';
import { cometFeed } from '../../../../core/rpc/comet/feed.ts';
import { CometSession } from '../../../../core/rpc/comet/session.ts';
import { ethServices } from '../../../../core/rpc/eth/services.ts';
import { EthSession } from '../../../../core/rpc/eth/session.ts';
import { FakeSocket, RpcWorld } from '../support/rpcWorld.ts';

let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open();
  await world.commit();
});

const piece = fc.oneof(
  fc.constantFrom(
    'AND',
    'EXISTS',
    'CONTAINS',
    'TIME ',
    'DATE ',
    '=',
    '<',
    '<=',
    '>',
    '>=',
    ' ',
    "'",
    '.',
    '-',
  ),
  fc.constantFrom('tm.event', 'a.b', "'Tx'", '5', '1.5', '2013-05-03', '2013-05-03T14:45:00Z', '007'),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
);
const anyQuery = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));

test('any text is a query or an error with its offset, and a query matches anything without throwing', () => {
  fc.assert(
    fc.property(
      anyQuery,
      fc.dictionary(fc.string(), fc.array(fc.string(), { maxLength: 3 })),
      (text, events) => {
        const compiled = compileQuery(text);
        if (!compiled.ok) expect(compiled.error).toMatch(/^(offset \d+: |more than )/);
        else {
          compiled.value.matches(new Map(Object.entries(events)));
          // The normal form is a query again, and the same one.
          const again = compileQuery(compiled.value.text);
          expect(again.ok && again.value.text).toBe(compiled.value.text);
        }
      },
    ),
    { numRuns: 2000 },
  );
});

const query = fc.oneof(anyQuery, fc.constantFrom("tm.event='Tx'", "tm.event='NewBlock'", 'tm.event EXISTS'));
const cometFrame = fc.oneof(
  fc.string(),
  fc.json(),
  fc
    .record({
      jsonrpc: fc.constant('2.0'),
      id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
      method: fc.constantFrom(
        'subscribe',
        'unsubscribe',
        'unsubscribe_all',
        'health',
        'status',
        'tx_search',
        'nothing',
      ),
      params: fc.oneof(
        query.map((text) => ({ query: text })),
        query.map((text) => [text]),
        fc.tuple(query, fc.constantFrom('1', '0', '-1', '99', null)).map(([text, from]) => [text, from]),
        fc.jsonValue(),
      ),
    })
    .map((request) => JSON.stringify(request)),
);
const ethFrame = fc.oneof(
  fc.string(),
  fc.json(),
  fc
    .record({
      id: fc.oneof(fc.integer(), fc.string()),
      method: fc.constantFrom('eth_subscribe', 'eth_unsubscribe', 'eth_blockNumber'),
      params: fc.oneof(
        fc.tuple(
          fc.constantFrom(
            'newHeads',
            'logs',
            'transactionReceipts',
            'newPendingTransactions',
            'syncing',
            'x',
          ),
          fc.oneof(fc.constant({}), fc.constant({ fromBlock: '0x0' }), fc.jsonValue()),
        ),
        fc.jsonValue(),
      ),
    })
    .map((request) => JSON.stringify(request)),
);
const step = <T>(frame: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 6, arbitrary: frame.map((text) => ({ kind: 'frame' as const, text })) },
    { weight: 1, arbitrary: fc.constant({ kind: 'commit' as const }) },
    { weight: 1, arbitrary: fc.nat(100_000_000).map((unread) => ({ kind: 'unread' as const, unread })) },
    { weight: 1, arbitrary: fc.constant({ kind: 'drained' as const }) },
  );

async function converse(
  steps: readonly (
    | { kind: 'frame'; text: string }
    | { kind: 'commit' | 'drained' }
    | { kind: 'unread'; unread: number }
  )[],
  session: { receive(text: string): Promise<void> | undefined; drained(): void; closed(): void },
  socket: FakeSocket,
): Promise<void> {
  for (const one of steps) {
    if (one.kind === 'frame') await session.receive(one.text);
    else if (one.kind === 'commit') await world.commit();
    else if (one.kind === 'unread') socket.unread = one.unread;
    else {
      socket.unread = 0;
      session.drained();
    }
  }
  await new Promise((resolve) => setImmediate(resolve));
  for (const text of socket.sent) JSON.parse(text);
  session.closed();
}

test('no sequence of frames, blocks and stalls breaks a consensus websocket or leaves anything behind', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step(cometFrame), { maxLength: 25 }), async (steps) => {
      const socket = new FakeSocket();
      await converse(steps, new CometSession(world.ctx, socket, '127.0.0.1:1'), socket);
      expect(cometFeed(world.ctx).size).toBe(0);
    }),
    { numRuns: 60 },
  );
  expect(world.notes.filter((note) => note.includes('crashed'))).toEqual([]);
});

test('no sequence of frames, blocks and stalls breaks an EVM websocket or leaves anything behind', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step(ethFrame), { maxLength: 25 }), async (steps) => {
      const socket = new FakeSocket();
      const session = new EthSession(world.ctx, socket);
      await converse(
        steps,
        {
          receive: (text) => session.receive(text) ?? session.settled(),
          drained: () => session.drained(),
          closed: () => session.closed(),
        },
        socket,
      );
      expect(ethServices(world.ctx).feed.size).toBe(0);
    }),
    { numRuns: 60 },
  );
  expect(world.notes.filter((note) => note.includes('crashed'))).toEqual([]);
});
