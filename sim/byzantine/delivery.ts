import type { ConsensusConfig } from '../../core/consensus/contract.ts';
import { precommitTimeoutMs, prevoteTimeoutMs, proposeTimeoutMs } from '../../core/consensus/timeouts.ts';
import { isZeroBlockId } from '../../core/types/block.ts';
import type { ConsensusMessage } from '../../core/types/messages.ts';
import type { Accomplice, Behaviour, Hooks, Send } from './behaviour.ts';

/** Messages kept for replay. */
const KEPT_MAX = 256;

export const SELECTIVE_DELIVERY: Behaviour = {
  id: 'B16',
  alias: 'selective-delivery',
  text: 'Sends nothing at all to the audience.',
  args: [],
  isDelivery: true,
  create: (me) => ({
    send: (send) => (me.isDue(me.rs()?.height ?? 0, me.rs()?.round ?? 0) ? [] : [send]),
  }),
};

/** A held message leaves at most this long before or after its time-out ends: about one network delay. */
const EDGE_MS = 100;

export const EDGE_RIDER: Behaviour = {
  id: 'B17',
  alias: 'edge-rider',
  text: 'Sends proposals, parts and votes so late that they arrive just before or after the time-out that ends the wait for them, which is drawn for each receiver; with `ms` it holds everything back for so many milliseconds instead.',
  args: ['ms'],
  isDelivery: true,
  create(me) {
    const ms = me.args.get('ms');
    if (ms !== undefined) return holding(me, Number(ms) * 1_000);
    return {
      message(message, peer) {
        const timeoutMs = awaitedMs(me.timeouts, message);
        const { height, round } = me.rs() ?? { height: 0, round: 0 };
        if (timeoutMs === undefined || !me.isDue(height, round)) return [message];
        const micros = 1_000 * Math.max(0, timeoutMs - EDGE_MS) + me.choices.choose(2_000 * EDGE_MS);
        me.later(micros, () => me.send([peer], message));
        return [];
      },
    };
  },
};

const holding = (me: Accomplice, micros: number): Hooks => ({
  send(send) {
    if (!me.isDue(me.rs()?.height ?? 0, me.rs()?.round ?? 0)) return [send];
    me.later(micros, () => me.sendBytes(send));
    return [];
  },
});

/** The time-out that bounds the wait for such a message; undefined when nothing waits for it. */
function awaitedMs(timeouts: ConsensusConfig, message: ConsensusMessage): number | undefined {
  if (message.kind === 'proposal') return proposeTimeoutMs(timeouts, message.proposal.round);
  if (message.kind === 'blockPart') return proposeTimeoutMs(timeouts, message.round);
  if (message.kind !== 'vote') return undefined;
  const { type, round, blockId } = message.vote;
  if (type === 'prevote') return prevoteTimeoutMs(timeouts, round);
  // A node that has committed the block adds late precommits to its last commit until the next height begins.
  return isZeroBlockId(blockId) ? precommitTimeoutMs(timeouts, round) : timeouts.timeoutCommitMs;
}

export const REPLAY: Behaviour = {
  id: 'B21',
  alias: 'replay',
  text: 'Sends something old again with everything new.',
  args: [],
  isDelivery: true,
  create(me) {
    const kept: Send[] = [];
    return {
      send(send) {
        if (kept.length < KEPT_MAX) kept.push(send);
        else kept[me.choices.choose(KEPT_MAX)] = send;
        if (!me.isDue(me.rs()?.height ?? 0, me.rs()?.round ?? 0)) return [send];
        const old = kept[me.choices.choose(kept.length)] as Send;
        return [send, { ...old, to: send.to }];
      },
    };
  },
};
