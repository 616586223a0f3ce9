/** What a million gas takes where it buys most: loops of one thing each, and how much longer each takes than arithmetic. */
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { acceleratedSuite } from '../adapters/crypto/accelerated.ts';
import { createCommon, EnginePool } from '../core/app/evm/engine.ts';
import { CHAIN_ID, median, ourRun } from './evm.ts';
import type { Print } from './figure.ts';

const bench = 'gas';
const GAS = 1_000_000n;
const RUNS = 5;

const word = (value: bigint | number): string => value.toString(16).padStart(64, '0');
const push2 = (value: number): string => `61${value.toString(16).padStart(4, '0')}`;

/** `before` once, then `body` until the gas is gone. */
const loop = (body: string, before = ''): string => `${before}5b${body}${push2(before.length / 2)}56`;

/** `input` to memory. */
function stored(input: string): string {
  let code = '';
  for (let at = 0; at < input.length; at += 64)
    code += `7f${input.slice(at, at + 64).padEnd(64, '0')}${push2(at / 2)}52`;
  return code;
}

/** STATICCALL of `address` with all gas and the first bytes of memory. */
const called = (address: number, bytes: number): string => `5f5f${push2(bytes)}5f${push2(address)}5afa50`;

/** Calls of a precompile with one input. */
const ofPrecompile = (address: number, input: string): string =>
  loop(called(address, input.length / 2), stored(input));

const { x: X, y: Y } = bls12_381.G1.Point.BASE;
const bls = (value: bigint): string => value.toString(16).padStart(128, '0');
const G1 = bls(X) + bls(Y);
const SIGNED =
  '18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1c' +
  word(28) +
  '73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75f' +
  'eeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549';
const STRANGER = '60cc';

const LOOPS: Readonly<Record<string, string>> = {
  arithmetic: loop('60026007066003016003900350'),
  calls: loop(`5f5f5f5f5f${STRANGER}5af150`),
  'delegate calls of oneself': loop('5f5f5f5f305af450'),
  'copies of call data': loop('6120005f5f37'),
  'copies of code': loop(`6120005f5f${STRANGER}3c`),
  recoveries: ofPrecompile(0x01, SIGNED),
  'additions on BN254': ofPrecompile(0x06, (word(1) + word(2)).repeat(2)),
  'products on BN254': ofPrecompile(0x07, word(1) + word(2) + 'ff'.repeat(32)),
  'additions on BLS12-381': ofPrecompile(0x0b, G1 + G1),
  'products on BLS12-381': ofPrecompile(0x0c, G1 + 'ff'.repeat(32)),
  'hashes of a word': loop('60205f2050'),
  'reads of a slot': loop('5f5450'),
  'creations of nothing': loop('5f5f5ff050'),
};

export async function run(print: Print): Promise<void> {
  const suite = await acceleratedSuite();
  const engines = new EnginePool(createCommon(CHAIN_ID, 'osaka', suite));
  const runs = Object.entries(LOOPS).map(
    ([name, code]) => [name, ourRun(suite, engines, undefined, code, GAS), [] as number[]] as const,
  );
  for (const [, run] of runs) await run();
  for (let i = 0; i < RUNS; i++)
    for (const [, run, times] of runs) {
      const began = performance.now();
      await run();
      times.push(performance.now() - began);
    }
  const [first, ...others] = runs.map(([name, , times]) => ({ metric: name, value: median(times) }));
  if (first === undefined) return;
  print({ bench, ...first, unit: 'ms/Mgas' });
  for (const { metric, value } of others)
    print({
      bench,
      metric,
      value,
      unit: 'ms/Mgas',
      vs: 'times as long as arithmetic',
      ratio: value / first.value,
    });
}
