import { expect, test } from 'vitest';
import type { ChainReader } from '../../core/app/chain.ts';
import { decodeTx } from '../../core/app/tx/decodeTx.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { readBankTx } from '../../sim/reference/bank.ts';
import { cosmosTx, sendMessage } from '../core/app/support/cosmosTx.ts';
import { wallet } from '../core/app/support/wallet.ts';

const chain = { hrp: 'chain', denom: 'achain' } as ChainReader;
const alice = wallet(0).address;
const messages = [sendMessage(alice, new Uint8Array(20).fill(7), 1n)];

test.each([
  ['direct', false, ['direct', 'typed'], true],
  ['direct', true, ['direct'], true],
  ['aminoJson', false, ['amino', 'typed'], true],
  ['aminoJson', true, [], false],
] as const)(
  'signed %s, with defaults written out: %s, core and reference agree who may sign',
  (mode, isWordy, forms, isTaken) => {
    const tx = cosmosTx({ messages, mode, isWordy });
    expect(readBankTx(tx, chain).forms).toEqual(forms);
    const decoded = decodeTx(tx, nobleSuite, 'achain');
    expect(decoded.ok).toBe(isTaken);
    if (decoded.ok) expect(decoded.value).toMatchObject({ isBeyondAmino: isWordy });
  },
);
