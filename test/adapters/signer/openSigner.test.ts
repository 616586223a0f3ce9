import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSignState, FileSigner } from '../../../adapters/signer/fileSigner.ts';
import { validatorKey } from '../../../adapters/signer/keyFile.ts';
import { openSigner } from '../../../adapters/signer/openSigner.ts';
import { silencePath } from '../../../adapters/signer/silence.ts';
import { voteSignBytes } from '../../../core/codec/signBytes.ts';
import { encodeLogRecord } from '../../../core/consensus/log.ts';
import { validatorAddress } from '../../../core/crypto/addresses.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import type { LogRecord, SignAsk } from '../../../core/node/contract.ts';
import { BlockStore } from '../../../core/store/blockStore.ts';
import { MemoryKv } from '../../../core/store/memoryKv.ts';
import { pubKeyOf, StoreChain } from '../../core/store/storeChain.ts';
import { tempDir } from '../tempDir.ts';

// The keys of the stored chain are filler; only the address counts here.
const key = {
  ...validatorKey(new Uint8Array(32).fill(3), nobleSuite),
  address: validatorAddress(pubKeyOf(1)),
};

function prevote(height: number): SignAsk {
  const id = new Uint8Array(32).fill(9);
  const blockId = { hash: id, parts: { total: 1, hash: id } };
  const part = { type: 'prevote', height, round: 0, blockId, timestamp: { seconds: 1, nanos: 0 } } as const;
  return { kind: 'prevote', height, round: 0, bytes: voteSignBytes('chain_9000-1', part) };
}

/** Of the round after, for no block. */
function nilPrevote(height: number): SignAsk {
  const blockId = { hash: new Uint8Array(0), parts: { total: 0, hash: new Uint8Array(0) } };
  const vote = { type: 'prevote', height, round: 1, blockId, timestamp: { seconds: 1, nanos: 0 } } as const;
  return { kind: 'prevote', height, round: 1, bytes: voteSignBytes('chain_9000-1', vote) };
}

const signedRecord = (height: number, of: 'prevote' | 'precommit'): LogRecord =>
  encodeLogRecord(height, 1, {
    kind: 'signed',
    of,
    round: 0,
    signature: new Uint8Array(64),
    bytes: prevote(height).bytes,
    reason: '',
  });

interface Home {
  readonly statePath: string;
  readonly notes: string[];
  open(log?: readonly LogRecord[], lossy?: boolean, cut?: object): FileSigner;
}

/** A home whose store has `blocks` blocks, and whose state says that `signed` was signed last. */
async function home(blocks: number, signed: number): Promise<Home> {
  const kv = new MemoryKv();
  const store = new BlockStore(kv);
  const chain = new StoreChain();
  await store.commitGenesis(chain.genesis, []);
  for (let i = 0; i < blocks; i++) await store.commit(chain.next(), []);
  const statePath = join(tempDir(), 'priv_validator_state.json');
  createSignState(statePath);
  if (signed > 0) writeFileSync(statePath, JSON.stringify({ height: String(signed), round: 0, step: 2 }));
  const notes: string[] = [];
  return {
    statePath,
    notes,
    open: (log = [], lossy = false, cut = undefined) =>
      openSigner({
        key,
        statePath,
        suite: nobleSuite,
        kv,
        wal: { losses: { lossy, cut: cut !== undefined }, turnedOver: 0, records: () => log },
        warn: (text) => notes.push(text),
      }),
  };
}

describe('opening the signer of a home', () => {
  test('whose log is missing keeps it silent up to the height it signed last, and says so', async () => {
    const { open, notes } = await home(2, 3);
    const signer = open();
    expect(notes.join()).toMatch(
      /^the log is missing .* height 3, .* votes again\. If there are no others, .*to 2 /,
    );
    expect(await signer.sign({ ...prevote(3), kind: 'prevote' })).toMatchObject({ ok: false });
    expect(await signer.sign(prevote(4))).toMatchObject({ ok: true });
  });

  test('whose block of that height is stored has nothing to forget', async () => {
    const { open, notes } = await home(3, 3);
    open();
    open([], true);
    expect(notes).toEqual([]);
  });

  test('whose log has records of that height votes on, unless some were lost', async () => {
    const { open, notes } = await home(2, 3);
    open([signedRecord(3, 'prevote')]);
    expect(notes).toEqual([]);
    open([signedRecord(3, 'prevote')], true);
    expect(notes).toHaveLength(1);
  });

  test('whose last vote is not in a log that was cut repeats it, or is silent at that height', async () => {
    const { open, statePath } = await home(2, 2);
    await open().sign(prevote(3));
    const settings = encodeLogRecord(3, 1, { kind: 'settings', waitsForTxs: false, skipsWait: false });
    // The process ended between the signature and its record: replay asks for the same.
    const repeating = open([settings], false, {});
    expect(await repeating.sign(prevote(3))).toMatchObject({ ok: true });
    expect(await repeating.sign(nilPrevote(3))).toMatchObject({ ok: true });
    writeFileSync(statePath, JSON.stringify({ height: '2', round: 0, step: 2 }));
    await open().sign(prevote(3));
    // The log has lost what the vote stood on: another round may not be voted in.
    const forgetful = open([settings], false, {});
    expect(await forgetful.sign(nilPrevote(3))).toMatchObject({
      ok: false,
      error: { code: 'unavailable', message: expect.stringMatching(/lost its end/) },
    });
    // What it lacks is of that height alone.
    expect(await forgetful.sign(prevote(4))).toMatchObject({ ok: true });
    expect(await forgetful.sign(nilPrevote(4))).toMatchObject({ ok: true });
  });

  test('that had to be silent is silent after every further start, until the height is over', async () => {
    const { open, statePath } = await home(2, 3);
    open();
    // The log has records of that height again, and was cut nowhere.
    const again = open([signedRecord(3, 'prevote')]);
    expect(await again.sign(nilPrevote(3))).toMatchObject({ ok: false });
    expect(await again.sign(prevote(4))).toMatchObject({ ok: true });
    expect(await open([signedRecord(4, 'prevote')]).sign(nilPrevote(4))).toMatchObject({ ok: true });
    expect(existsSync(silencePath(statePath))).toBe(false);
  });

  test('that may only repeat its last vote remembers so after every further start, until it has', async () => {
    const { open, statePath } = await home(2, 2);
    await open().sign(prevote(3));
    const settings = encodeLogRecord(3, 1, { kind: 'settings', waitsForTxs: false, skipsWait: false });
    open([settings], false, {});
    expect(await open([settings]).sign(nilPrevote(3))).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/lost its end/) },
    });
    const repeating = open([settings]);
    expect(await repeating.sign(prevote(3))).toMatchObject({ ok: true });
    expect(existsSync(silencePath(statePath))).toBe(false);
    expect(await open([settings]).sign(nilPrevote(3))).toMatchObject({ ok: true });
  });

  test('whose note of such a height cannot be read is refused with what to do', async () => {
    const { open, statePath } = await home(2, 3);
    writeFileSync(silencePath(statePath), '{"height":0}');
    expect(() => open([signedRecord(3, 'prevote')])).toThrow(/is not usable: .* Remove it once the chain/);
  });

  test('whose last vote is not in a whole log votes in the round that the others have come to', async () => {
    const { open } = await home(2, 2);
    await open().sign(prevote(3));
    const settings = encodeLogRecord(3, 1, { kind: 'settings', waitsForTxs: false, skipsWait: false });
    expect(await open([settings]).sign(nilPrevote(3))).toMatchObject({ ok: true });
  });

  test('whose state was signed with another key is refused with what to do', async () => {
    const { open, statePath } = await home(2, 2);
    await open().sign(prevote(3));
    const other = { ...validatorKey(new Uint8Array(32).fill(4), nobleSuite), address: key.address };
    const options = { statePath, suite: nobleSuite, kv: new MemoryKv(), warn: () => {} };
    const wal = { losses: { cut: false, lossy: false }, turnedOver: 0, records: () => [] };
    expect(() => openSigner({ ...options, key: other, wal })).toThrow(
      /do not belong together: .* height 3, was made with another key\. Restore the key/,
    );
  });

  test('whose state is older than the log is refused with what to do', async () => {
    const { open } = await home(2, 2);
    expect(() => open([signedRecord(3, 'prevote')])).toThrow(
      /stale: .* height 2, but the log has one of height 3/,
    );
    const same = await home(2, 3);
    expect(() => same.open([signedRecord(3, 'precommit')])).toThrow(/Restore the newest copy/);
  });

  test('whose state is older than a commit that bears its signature is refused with what to do', async () => {
    const { open } = await home(4, 2);
    expect(() => open()).toThrow(/stale: .* height 2, but the chain has one of height 4.*at least 4/);
  });

  test('whose state is as new as the chain, or newer, is taken', async () => {
    for (const signed of [4, 5]) {
      const { open } = await home(4, signed);
      expect(open([signedRecord(5, 'prevote')].slice(0, signed - 4)).last.height).toBe(signed);
    }
  });

  test('whose state is missing or torn is refused with what to do', () => {
    const statePath = join(tempDir(), 'state.json');
    const options = { key, statePath, suite: nobleSuite };
    expect(() => FileSigner.open(options)).toThrow(/is missing: .* Restore its newest copy/);
    writeFileSync(statePath, '{"height":"7"');
    expect(() => FileSigner.open(options)).toThrow(/not usable: not JSON; restore its newest copy$/);
  });
});

test.skipIf(!existsSync('/dev/full'))(
  'a full disk costs the signer its signature, not the node its life, and later signatures are made',
  async () => {
    const dir = tempDir();
    const statePath = join(dir, 'state.json');
    createSignState(statePath);
    const signer = FileSigner.open({ key, statePath, suite: nobleSuite });
    symlinkSync('/dev/full', `${statePath}.tmp`);
    expect(await signer.sign(prevote(1))).toMatchObject({
      ok: false,
      error: { code: 'unavailable', message: expect.stringMatching(/no space left on device/) },
    });
    expect(signer.last.height).toBe(0);
    const { rmSync } = await import('node:fs');
    rmSync(`${statePath}.tmp`);
    expect(await signer.sign(prevote(1))).toMatchObject({ ok: true });
  },
);
