import { beforeAll, expect, test } from 'vitest';
import { RpcWorld } from '../support/rpcWorld.ts';

let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open();
});

const word = (value: bigint | number): string => value.toString(16).padStart(64, '0');
const ones = (bytes: number): string => 'ff'.repeat(bytes);
const zeros = (bytes: number): string => '00'.repeat(bytes);
const GENERATOR = word(1) + word(2);

// Texts as geth 1.17.10 has them.
test.each([
  ['an addition with a point off the curve', 0x06, word(1) + word(1), 'point is not on curve'],
  ['a product with a number outside the field', 0x07, ones(32) + word(2), 'invalid fp.Element encoding'],
  ['a pairing of no pair', 0x08, zeros(191), 'bad elliptic curve pairing size'],
  ['a pairing with a point off the curve', 0x08, GENERATOR + word(1).repeat(4), 'point is not on curve'],
  ['a compression of too little', 0x09, zeros(212), 'invalid input length'],
  ['a compression with a flag that is none', 0x09, `${zeros(212)}02`, 'invalid final flag'],
  ['an opening of too little', 0x0a, zeros(191), 'invalid input length'],
  ['an opening of another commitment', 0x0a, zeros(192), 'mismatched versioned hash'],
  ['an addition on BLS12-381 of too little', 0x0b, zeros(255), 'invalid input length'],
  [
    'an addition of points off that curve',
    0x0b,
    word(0) + word(1) + zeros(192),
    'invalid point: not on curve',
  ],
  ['a sum of no products', 0x0c, '', 'invalid input length'],
  ['a map of what is too long', 0x10, ones(64), 'invalid field element top bytes'],
  ['a map of what is outside the field', 0x10, zeros(16) + ones(48), 'invalid fp.Element encoding'],
  ['a pairing on BLS12-381 of nothing', 0x0f, '', 'invalid input length'],
  ['a pairing of what is too long', 0x0f, ones(384), 'invalid field element top bytes'],
  [
    'a pairing whose last number alone is too long',
    0x0f,
    zeros(320) + word(1n << 255n) + zeros(32),
    'invalid field element top bytes',
  ],
])('%s fails with what is wrong', async (_name, address, data, text) => {
  const to = `0x${address.toString(16).padStart(40, '0')}`;
  const { error } = await world.rpc('eth_call', { to, data: `0x${data}`, gas: '0x100000' }, 'latest');
  expect(error).toEqual({ code: -32000, message: text });
});

// A program that returns so many zeros as code: geth's words, in the order in which it looks.
test.each([
  ['616001', '0x600000', 'max code size exceeded: code size 24577 limit 24576'],
  ['616001', '0x100000', 'contract creation code storage out of gas'],
  ['612000', '0x100000', 'contract creation code storage out of gas'],
])('code of PUSH2 %s bytes with %s gas is not kept: %s', async (length, gas, text) => {
  const { error } = await world.rpc('eth_call', { data: `0x${length}5ff3`, gas }, 'latest');
  expect(error).toEqual({ code: -32000, message: text });
});

test.each([
  [0x08, zeros(191)],
  [0x0f, ''],
])('the pairing %i asks for its gas first', async (address, data) => {
  const to = `0x${address.toString(16).padStart(40, '0')}`;
  const { error } = await world.rpc('eth_call', { to, data: `0x${data}`, gas: '0x7530' }, 'latest');
  expect(error).toEqual({ code: -32000, message: 'out of gas' });
});
