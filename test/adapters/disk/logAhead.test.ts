import { expect, test } from 'vitest';
import { refuseLogAhead } from '../../../adapters/disk/logAhead.ts';
import { OperatingError } from '../../../adapters/operatingError.ts';
import { MemoryKv } from '../../../core/store/memoryKv.ts';

const record = (height: number) => [{ height, bytes: new Uint8Array(1) }];

test('a log above the chain is refused with what to do about it', () => {
  expect(() => refuseLogAhead(new MemoryKv(), record(51), 1, '/home/data')).toThrow(OperatingError);
  expect(() => refuseLogAhead(new MemoryKv(), record(51), 1, '/home/data')).toThrow(
    /database in \/home\/data is missing or an old copy: it ends at height 0, and the log goes on at 51\. .*keep priv_validator_state\.json/,
  );
});

test('a log of the height in progress, of the first height of a chain, or none, is taken', () => {
  refuseLogAhead(new MemoryKv(), record(1), 1, '/d');
  refuseLogAhead(new MemoryKv(), record(100), 100, '/d');
  refuseLogAhead(new MemoryKv(), [], 1, '/d');
});
