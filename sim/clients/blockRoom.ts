import type { ChainReader } from '../../core/app/chain.ts';
import { present } from '../../core/lib/assert.ts';
import { heightAfter } from '../../core/rpc/heightSteps.ts';

/** Limit for a chain that sets none. */
const BLOCK_BYTES_MAX = 100 * 1024 * 1024;
const HEADER_BYTES = 626;
const COMMIT_BYTES = { all: 94, each: 111 } as const;
const FRAME_BYTES = 11;

/** Room by chain at its last head. Cached because pools are looked at several times a block. */
const rooms = new WeakMap<ChainReader, { readonly head: number; readonly room: number }>();

/**
 * Bytes for transactions in the next block, beside a commit signed by all its validators (CometBFT's
 * MaxDataBytesNoEvidence).
 */
export function blockRoom(chain: ChainReader): number {
  const [known, head] = [rooms.get(chain), chain.head()];
  if (known?.head === head) return known.room;
  const room = roomAfter(chain);
  rooms.set(chain, { head, room });
  return room;
}

function roomAfter(chain: ChainReader): number {
  const height = heightAfter(chain, chain.head());
  const { maxBytes } = present(chain.params(height), 'the parameters of the next block').block;
  const signers = present(chain.validators(height), 'the validators of the next block').validators.length;
  return roomBeside(maxBytes, signers);
}

/** Bytes for transactions in a block of at most `maxBytes`, beside a commit with so many places; negative if none fits. */
export function roomBeside(maxBytes: number, signers: number): number {
  const commit = COMMIT_BYTES.all + COMMIT_BYTES.each * signers;
  return (maxBytes === -1 ? BLOCK_BYTES_MAX : maxBytes) - FRAME_BYTES - HEADER_BYTES - commit;
}

/** Upper bound of the bytes around a raw Ethereum transaction in a block. */
const WRAPPING_BYTES = 512;

/** Says why a node must not refuse a transaction of so many bytes as too large for any block. */
export function oversizeProblem(chain: ChainReader, rawBytes: number): string | undefined {
  const room = blockRoom(chain);
  if (rawBytes + WRAPPING_BYTES > room) return undefined;
  return `refused with ${rawBytes} bytes as too large, where a block has room for ${room}`;
}
