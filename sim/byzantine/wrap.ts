import { decodeConsensusMessage } from '../../core/codec/messages.ts';
import { present } from '../../core/lib/assert.ts';
import { CHANNELS, type Input } from '../../core/node/contract.ts';
import type { Process, Wrapper } from '../machine/process.ts';
import type { ByzantineEntry } from '../scenario/scenario.ts';
import type { World } from '../world/world.ts';
import { accomplice, sendOf, type WrapOptions } from './accomplice.ts';
import type { Accomplice, Hooks, Send } from './behaviour.ts';
import { MUTATE } from './mutate.ts';
import { behaviourOf } from './registry.ts';

const CONSENSUS_CHANNELS: readonly number[] = [CHANNELS.state, CHANNELS.data, CHANNELS.vote, CHANNELS.bits];

/** Makes a process Byzantine: the same core, with its words changed on their way out. Several behaviours compose. */
export function wrap(
  world: World,
  process: Process,
  entries: readonly ByzantineEntry[],
  options: WrapOptions,
): Wrapper {
  const layers = entries.map((entry, i) => {
    const me = accomplice(world, process, entry, options, i);
    const isMutation = entry.behaviour === MUTATE.id;
    const behaviour = isMutation ? MUTATE : present(behaviourOf(entry.behaviour), 'a known behaviour');
    return { me, hooks: behaviour.create(me), isMutation };
  });
  return {
    input(input: Input): readonly Input[] {
      let inputs: readonly Input[] = [input];
      for (const { hooks } of layers) {
        const { input: change } = hooks;
        if (change !== undefined) inputs = inputs.flatMap((one) => change(one));
      }
      return inputs;
    },
    effect(effect) {
      if (effect.kind !== 'send') return [effect];
      let sends: readonly Send[] = [effect];
      for (const { me, hooks } of layers) sends = sends.flatMap((send) => changed(me, hooks, send));
      for (const { bytes } of sends) if (bytes !== effect.bytes) world.lies.add(bytes);
      world.remarkWithheld(process, effect, sends);
      return sends;
    },
    // Behaviours speak through the node, which has no say here: of them only small changes reach what is told of addresses.
    exchange(peer, bytes) {
      let sends: readonly Send[] = [{ kind: 'send', to: [peer], channel: CHANNELS.pex, bytes }];
      for (const { me, hooks, isMutation } of layers)
        if (isMutation) sends = sends.flatMap((send) => changed(me, hooks, send));
      return sends.map((send) => send.bytes);
    },
  };
}

/** The send to the rest as it was, and to each of the audience as the hooks have it. */
function changed(me: Accomplice, hooks: Hooks, send: Send): readonly Send[] {
  const rest = send.to.filter((peer) => !me.isAudience(peer));
  const out: Send[] = rest.length > 0 ? [{ ...send, to: rest }] : [];
  for (const peer of send.to) {
    if (!me.isAudience(peer)) continue;
    const messages = changedMessages(hooks, send, peer);
    for (const message of messages) out.push(...(hooks.send?.(message) ?? [message]));
  }
  return out;
}

function changedMessages(hooks: Hooks, send: Send, peer: string): readonly Send[] {
  const same = [{ ...send, to: [peer] }];
  if (hooks.message === undefined || !CONSENSUS_CHANNELS.includes(send.channel)) return same;
  const decoded = decodeConsensusMessage(send.bytes);
  // An earlier layer may have made it undecodable on purpose.
  if (!decoded.ok) return same;
  return hooks
    .message(decoded.value, peer)
    .map((message) => (message === decoded.value ? (same[0] as Send) : sendOf(message, [peer])));
}
