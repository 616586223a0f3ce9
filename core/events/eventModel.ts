/** The events that subscribers of the consensus websocket can match, and their order in a block. */
import { validatorAddress } from '../crypto/addresses.ts';
import type { Bytes } from '../lib/bytes.ts';
import { toUpperHex } from '../lib/bytes.ts';
import type { Evidence } from '../types/evidence.ts';
import type { Height } from '../types/ids.ts';
import type { NodeEvent } from '../types/nodeEvent.ts';
import type { AbciEvent, TxResult } from '../types/result.ts';
import type { Validator, ValidatorUpdate } from '../types/validator.ts';
import type { EventKeys } from './query/query.ts';

export const EVENT_KEY = 'tm.event';
export const TX_HASH_KEY = 'tx.hash';
export const TX_HEIGHT_KEY = 'tx.height';
export const BLOCK_HEIGHT_KEY = 'block.height';

/** The data of a decided block's events: the same whether it was just committed or is read from the store. */
export type Committed = Pick<Extract<NodeEvent, { kind: 'committed' }>, 'block' | 'blockId' | 'results'>;
type OfRound = Extract<NodeEvent, { kind: 'round' }>;

export type PublicationData =
  | { readonly kind: 'NewBlock' | 'NewBlockHeader' | 'NewBlockEvents'; readonly of: Committed }
  | { readonly kind: 'NewEvidence'; readonly height: Height; readonly evidence: Evidence }
  | {
      readonly kind: 'Tx';
      readonly height: Height;
      readonly index: number;
      readonly tx: Bytes;
      readonly result: TxResult;
    }
  | { readonly kind: 'ValidatorSetUpdates'; readonly validators: readonly Validator[] }
  | { readonly kind: OfRound['name']; readonly of: OfRound }
  | { readonly kind: 'NewRound'; readonly of: Extract<NodeEvent, { kind: 'newRound' }> }
  | { readonly kind: 'CompleteProposal'; readonly of: Extract<NodeEvent, { kind: 'completeProposal' }> }
  | { readonly kind: 'Vote'; readonly of: Extract<NodeEvent, { kind: 'vote' }> };

/** Position of an event of a block. All events of a chain are ordered by height and `index`. */
export interface EventPosition {
  readonly height: Height;
  /** Index of the transaction in the block; undefined for events of the block itself. */
  readonly txIndex: number | undefined;
  /** Index among all events of the block, from 0. */
  readonly index: number;
}

/** One event as subscribers see it. Queries match `keys`. */
export interface Publication {
  readonly keys: EventKeys;
  readonly data: PublicationData;
  /** undefined for events between blocks, which cannot be replayed. */
  readonly position: EventPosition | undefined;
}

/** Composite keys `type.attribute`. Types and attributes without a name are skipped. The index flag is ignored. */
export function keysOf(
  events: readonly AbciEvent[],
  reserved: readonly (readonly [string, string])[],
): EventKeys {
  const keys = new Map<string, string[]>();
  const add = (key: string, value: string): void => {
    const values = keys.get(key);
    if (values === undefined) keys.set(key, [value]);
    else values.push(value);
  };
  for (const { type, attributes } of events) {
    if (type === '') continue;
    for (const { key, value } of attributes) if (key !== '') add(`${type}.${key}`, value);
  }
  for (const [key, value] of reserved) add(key, value);
  return keys;
}

const bare = (kind: string): EventKeys => new Map([[EVENT_KEY, [kind]]]);

const updateToValidator = ({ pubKey, power }: ValidatorUpdate): Validator => ({
  address: validatorAddress(pubKey),
  pubKey,
  power,
  priority: 0n,
});

type Unplaced = Omit<Publication, 'position'>;

function txPublication(of: Committed, index: number, sha256: (bytes: Bytes) => Bytes): Unplaced {
  const { height } = of.block.header;
  const tx = of.block.txs[index] as Bytes;
  const result = of.results.txResults[index] as TxResult;
  const keys = keysOf(result.events, [
    [EVENT_KEY, 'Tx'],
    [TX_HASH_KEY, toUpperHex(sha256(tx))],
    [TX_HEIGHT_KEY, String(height)],
  ]);
  return { keys, data: { kind: 'Tx', height, index, tx, result } };
}

/** In CometBFT's order: NewBlock, NewBlockHeader, NewBlockEvents, NewEvidence*, Tx*, ValidatorSetUpdates. */
function* unplacedOf(of: Committed, sha256: (bytes: Bytes) => Bytes): IterableIterator<Unplaced> {
  const { block, results } = of;
  const { height } = block.header;
  yield { keys: keysOf(results.events, [[EVENT_KEY, 'NewBlock']]), data: { kind: 'NewBlock', of } };
  yield { keys: bare('NewBlockHeader'), data: { kind: 'NewBlockHeader', of } };
  yield {
    keys: keysOf(results.events, [[EVENT_KEY, 'NewBlockEvents']]),
    data: { kind: 'NewBlockEvents', of },
  };
  for (const evidence of block.evidence) {
    yield { keys: bare('NewEvidence'), data: { kind: 'NewEvidence', height, evidence } };
  }
  for (let i = 0; i < block.txs.length; i++) yield txPublication(of, i, sha256);
  if (results.validatorUpdates.length > 0) {
    const validators = results.validatorUpdates.map(updateToValidator);
    yield { keys: bare('ValidatorSetUpdates'), data: { kind: 'ValidatorSetUpdates', validators } };
  }
}

/** All events of a decided block, in order. */
export function* committedPublications(
  of: Committed,
  sha256: (bytes: Bytes) => Bytes,
): IterableIterator<Publication> {
  const { height } = of.block.header;
  let index = 0;
  for (const { keys, data } of unplacedOf(of, sha256)) {
    const txIndex = data.kind === 'Tx' ? data.index : undefined;
    yield { keys, data, position: { height, txIndex, index: index++ } };
  }
}

const between = (kind: string, data: PublicationData): Publication => ({
  keys: bare(kind),
  data,
  position: undefined,
});

/** The events that subscribers get for a node event, in order; none for events of the node alone. */
export function* publicationsOf(
  event: NodeEvent,
  sha256: (bytes: Bytes) => Bytes,
): IterableIterator<Publication> {
  switch (event.kind) {
    case 'committed':
      yield* committedPublications(event, sha256);
      return;
    case 'round':
      yield between(event.name, { kind: event.name, of: event });
      return;
    case 'newRound':
      yield between('NewRound', { kind: 'NewRound', of: event });
      return;
    case 'completeProposal':
      yield between('CompleteProposal', { kind: 'CompleteProposal', of: event });
      return;
    case 'vote':
      yield between('Vote', { kind: 'Vote', of: event });
      return;
    // Evidence is published once a block carries it. Pending txs and notes are no CometBFT events.
    case 'newEvidence':
    case 'pendingTx':
    case 'note':
      return;
  }
}
