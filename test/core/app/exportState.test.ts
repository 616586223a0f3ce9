/** What of a state no genesis can hold is an answer to whoever exports it. */
import { expect, test } from 'vitest';
import { toEip55 } from '../../../core/address/eip55.ts';
import { type ExportOptions, exportAppState } from '../../../core/app/exportState.ts';
import { keccak256 } from '../../../core/crypto/hash.ts';
import { present } from '../../../core/lib/assert.ts';
import { hex } from '../../../core/lib/bytes.ts';
import { StateDb } from '../../../core/state/stateDb.ts';
import { WorldState } from '../../../core/state/worldState.ts';
import { TestChain, testGenesis } from './support/chain.ts';

const CONTRACT = `0x${'c1'.repeat(20)}`;
const SLOT = new Uint8Array(32).fill(1);
const word = `0x${'01'.repeat(32)}`;

/** Of a chain with one contract, whose only slot the trie tells `count` times. */
async function exported(count: number) {
  const genesis = testGenesis({ accounts: [] });
  const appState = genesis.appState as Record<string, Record<string, unknown>>;
  const accounts = [{ address: CONTRACT, code: '0x00', storage: [{ key: word, value: word }] }];
  const { kv, reader } = await TestChain.open({
    ...genesis,
    appState: { ...appState, evm: { ...appState.evm, accounts, preinstalls: [] } },
  });
  const view = present(reader.view(0), 'the genesis state');
  const db = new StateDb(kv, keccak256);
  const entries: StateDb['trie']['entries'] = (root, range) =>
    new Array(Math.min(count, range.limitMax)).fill(db.trie.entries(root, range)[0]);
  return exportAppState({
    world: WorldState.open(db, view as unknown as Parameters<typeof WorldState.open>[1]),
    view,
    db: { keccak256, trie: { entries } } as unknown as ExportOptions['db'],
    hrp: 'chain',
    denom: 'achain',
    genesis: {},
    baseFee: 1n,
    slots: { slotsOf: () => [SLOT] },
  });
}

test('a contract is exported with as many slots as genesis takes of one, and not with more', async () => {
  expect(await exported(1_000_000)).toMatchObject({ ok: true });
  expect(await exported(1_000_001)).toEqual({
    ok: false,
    error: {
      code: 'too-many-slots',
      message: `contract ${toEip55(hex(CONTRACT.slice(2)))} has more than 1000000 slots, which no genesis can hold`,
    },
  });
});
