import type { Behaviour, Send } from './behaviour.ts';

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

export const EDGE_RIDER: Behaviour = {
  id: 'B17',
  alias: 'edge-rider',
  text: 'Holds everything back for `ms` milliseconds, to land just before or after a timeout.',
  args: ['ms'],
  isDelivery: true,
  create: (me) => ({
    send(send) {
      if (!me.isDue(me.rs()?.height ?? 0, me.rs()?.round ?? 0)) return [send];
      me.later(Number(me.args.get('ms') ?? 2_900) * 1_000, () => me.sendBytes(send));
      return [];
    },
  }),
};

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
