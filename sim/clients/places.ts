import type { Process } from '../machine/process.ts';

/**
 * A node has a hundred places for clients that listen or wait for a block. With more clients than this nobody can tell
 * which of them find none: a place may be given back a moment later than its client leaves.
 */
const FEW = 50;

const TURNED_AWAY = 'max_subscription_clients';

/** Whether the node may refuse one more client, and has done so with these words. */
export const isTurnedAway = ({ seated }: Process, words: string): boolean =>
  seated.size >= FEW && words.startsWith(TURNED_AWAY);

/** Whether a node with so few clients has no right to refuse one more. */
export const hasRoom = ({ seated }: Process): boolean => seated.size < FEW;
