/** What a trace may hold: the same memory can be shown again and again by who has paid for it once. */
import { expect, test } from 'vitest';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { EMPTY } from '../../../../core/lib/bytes.ts';
import { CallTracer } from '../../../../core/rpc/eth/tracers/callTracer.ts';
import { PreimageTracer } from '../../../../core/rpc/eth/tracers/preimageTracer.ts';
import { StructLogger } from '../../../../core/rpc/eth/tracers/structLogger.ts';
import type { TracerContext } from '../../../../core/rpc/eth/tracers/tracer.ts';
import type { Frame, FrameEnd, Step, TraceState } from '../../../../core/types/trace.ts';

const MEGABYTE = 1_000_000;
const ADDRESS = new Uint8Array(20);

const step = (change: Partial<Step> = {}): Step => ({
  pc: 0,
  code: 0,
  op: 'STOP',
  gas: 1n,
  cost: 1n,
  leastCost: 1n,
  refund: 0n,
  depth: 1,
  address: ADDRESS,
  stack: [],
  memory: EMPTY,
  ...change,
});
const frame = (depth: number, input: Uint8Array): Frame => ({
  kind: 'CALL',
  depth,
  from: ADDRESS,
  to: ADDRESS,
  value: 0n,
  gas: 0n,
  input,
});
const frameEnd = (depth: number, output: Uint8Array): FrameEnd => ({
  depth,
  output,
  gasUsed: 0n,
  error: undefined,
});

test.each([
  ['are given', MEGABYTE, 0],
  ['give back', 0, MEGABYTE],
])('calls are shown with what they %s, as far as it fits', (_, given, givenBack) => {
  const traced = (calls: number) => {
    const tracer = new CallTracer({ onlyTopCall: false });
    tracer.enter(frame(1, EMPTY));
    for (let call = 0; call < calls; call++) {
      tracer.enter(frame(2, new Uint8Array(given)));
      tracer.exit(frameEnd(2, new Uint8Array(givenBack)));
    }
    tracer.exit(frameEnd(1, EMPTY));
    return tracer.result();
  };
  expect(traced(15)).toMatchObject({ calls: { length: 15 } });
  expect(() => traced(16)).toThrow(
    'trace too large: frames were given and gave back more than 16000000 bytes',
  );
});

test('many calls of nothing take room, too, and those inside the top call none where they are not shown', () => {
  const traced = (calls: number, onlyTopCall: boolean) => {
    const tracer = new CallTracer({ onlyTopCall });
    tracer.enter(frame(1, EMPTY));
    for (let call = 0; call < calls; call++) {
      tracer.enter(frame(2, EMPTY));
      tracer.exit(frameEnd(2, EMPTY));
    }
    tracer.exit(frameEnd(1, EMPTY));
    return tracer.result();
  };
  expect(() => traced(60_000, false)).toThrow('trace too large');
  expect(traced(60_000, true)).toMatchObject({ type: 'CALL' });
});

test('the struct logger refuses a trace whose return data exceeds the size limit', () => {
  const logged = (rows: number, enableReturnData: boolean) => {
    const options = { disableStack: false, disableStorage: false, enableMemory: false, limit: 0 };
    const logger = new StructLogger({ ...options, enableReturnData });
    logger.exit(frameEnd(2, new Uint8Array(MEGABYTE)));
    let looked = 0;
    const read = {
      get op() {
        looked++;
        return 'STOP';
      },
    };
    const shown = Object.defineProperties(step(), Object.getOwnPropertyDescriptors(read));
    for (let row = 0; row < rows; row++) logger.step(shown, undefined as unknown as TraceState);
    return { logger, looked };
  };
  expect(logged(127, true).logger.result()).toMatchObject({ structLogs: { length: 127 } });
  expect(logged(1000, false).logger.result()).toMatchObject({ structLogs: { length: 1000 } });
  const { logger, looked } = logged(1000, true);
  expect(() => logger.result()).toThrow('trace too large: use limit, or a tracer that sums up');
  expect(looked).toBe(128);
});

test('the preimage tracer refuses a trace beyond its size limit and stops hashing', () => {
  let hashed = 0;
  const keccak256 = (message: Uint8Array): Uint8Array => {
    hashed++;
    return nobleSuite.sha256(message.subarray(0, 4));
  };
  const traced = (count: number) => {
    const tracer = new PreimageTracer({ suite: { keccak256 } } as unknown as TracerContext);
    for (let n = 0; n < count; n++) {
      const memory = new Uint8Array(4 * MEGABYTE).fill(n, 0, 4);
      tracer.step(step({ code: 0x20, stack: [BigInt(memory.length), 0n], memory }));
    }
    return tracer;
  };
  expect(Object.keys(traced(2).result() as object)).toHaveLength(2);
  hashed = 0;
  expect(() => traced(20).result()).toThrow('trace too large: more than 32000000 bytes were hashed');
  expect(hashed).toBe(9);
});
