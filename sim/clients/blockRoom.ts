import type { ChainReader } from '../../core/app/chain.ts';
import { present } from '../../core/lib/assert.ts';
import { heightAfter } from '../../core/rpc/heightSteps.ts';

/** Of a chain that sets none. */
const BLOCK_BYTES_MAX = 100 * 1024 * 1024;
const HEADER_BYTES = 626;
const COMMIT_BYTES = { all: 94, each: 111 } as const;
const FRAME_BYTES = 11;

/** Of each chain, at its last head: pools are looked at several times a block. */
const rooms = new WeakMap<ChainReader, { readonly head: number; readonly room: number }>();

/** Bytes for transactions in a block of the next height, beside the commit of all who sign there (CometBFT's MaxDataBytesNoEvidence). */
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
  const commit = COMMIT_BYTES.all + COMMIT_BYTES.each * signers;
  return (maxBytes === -1 ? BLOCK_BYTES_MAX : maxBytes) - FRAME_BYTES - HEADER_BYTES - commit;
}

/** More than what a block has around the raw bytes of an Ethereum transaction. */
const WRAPPING_BYTES = 512;

/** What is wrong with a refusal of so many raw bytes as too large for any block. */
export function oversizeProblem(chain: ChainReader, rawBytes: number): string | undefined {
  const room = blockRoom(chain);
  if (rawBytes + WRAPPING_BYTES > room) return undefined;
  return `refused with ${rawBytes} bytes as too large, where a block has room for ${room}`;
}
