import type { EthBlock } from '../../core/app/chain.ts';
import { to0xHex } from '../../core/lib/bytes.ts';
import { logsOf } from './filters.ts';

/** Subscriptions that audiences make on the EVM websocket, and how audiences name the events that they get. */

export const KINDS = ['newHeads', 'logs', 'transactionReceipts', 'newPendingTransactions'] as const;
export type Kind = (typeof KINDS)[number];
/** Subscriptions about blocks, which can include past ones. */
export const BLOCK_KINDS = ['newHeads', 'logs', 'transactionReceipts'] as const satisfies readonly Kind[];

export interface Frame {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
  readonly params?: { readonly subscription: string; readonly result: unknown };
}

/** What a block has for a subscription. If `named` is given, only the receipts of those transactions. */
export function newsOf(kind: Kind, block: EthBlock, named?: readonly string[]): readonly string[] {
  if (kind === 'newHeads') return [to0xHex(block.hash)];
  if (kind === 'logs') return logsOf(block);
  if (kind === 'newPendingTransactions') return [];
  const hashes = hashesIn(block).filter((hash) => named?.includes(hash) !== false);
  return hashes.length === 0 ? [] : [hashes.join()];
}

export const hashesIn = ({ transactions }: EthBlock): readonly string[] =>
  transactions.map(({ hash }) => to0xHex(hash));

/** Names an event by the hash of what it is about. */
export function shown(result: unknown): string {
  if (typeof result === 'string') return result;
  if (Array.isArray(result)) return result.map((one: Told) => one.transactionHash).join();
  const { hash, transactionHash, logIndex } = result as Told;
  return hash ?? `${transactionHash}/${logIndex}`;
}

interface Told {
  readonly hash?: string;
  readonly transactionHash?: string;
  readonly logIndex?: string;
}
