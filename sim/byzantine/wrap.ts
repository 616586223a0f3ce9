import { present } from '../../core/lib/assert.ts';
import { type Bytes, equalBytes } from '../../core/lib/bytes.ts';
import { CHANNELS, type Input } from '../../core/node/contract.ts';
import type { Process, Wrapper } from '../machine/process.ts';
import { readMessage } from '../network/readMessage.ts';
import type { ByzantineEntry } from '../scenario/scenario.ts';
import type { World } from '../world/world.ts';
import { accomplice, sendOf, type WrapOptions } from './accomplice.ts';
import { type Accomplice, type Behaviour, CONSENSUS_CHANNELS, type Hooks, type Send } from './behaviour.ts';
import { MUTATE } from './mutate.ts';
import { behaviourOf } from './registry.ts';

interface Layer {
  readonly me: Accomplice;
  readonly hooks: Hooks;
  readonly behaviour: Behaviour;
  /** The message that the behaviour is looking at, if any. */
  said: Send | undefined;
  /** Records that the layer has changed something. */
  act(): void;
}

/**
 * Makes a process Byzantine: the same core, with its messages changed on their way out. Behaviours compose: each
 * changes what the earlier entries of the file left. Delivery behaviours come last, so that a delayed message is still
 * the lie.
 */
export function wrap(
  world: World,
  process: Process,
  entries: readonly ByzantineEntry[],
  options: WrapOptions,
): Wrapper {
  const layers: Layer[] = [];
  for (const { entry, behaviour, index } of inOrder(entries)) {
    const act = (): void => void options.acted.add(entry);
    // Messages that a behaviour sends by itself pass through the delivery behaviours too.
    const next = layers.length + 1;
    const deliver = (send: Send): readonly Send[] =>
      layers
        .slice(next)
        .filter((layer) => layer.behaviour.isDelivery === true)
        .reduce<readonly Send[]>((sends, layer) => sends.flatMap((one) => changed(layer, one)), [send]);
    const said = (): Send | undefined => layers[next - 1]?.said;
    const me = accomplice(world, process, entry, options, { index, act, said, deliver });
    layers.push({ me, hooks: behaviour.create(me), behaviour, said: undefined, act });
  }
  return {
    input(input: Input): readonly Input[] {
      let inputs: readonly Input[] = [input];
      for (const { hooks, act } of layers) {
        const { input: change } = hooks;
        if (change === undefined) continue;
        const before = inputs;
        inputs = before.flatMap((one) => change(one));
        if (inputs.length !== before.length || inputs.some((one, i) => one !== before[i])) act();
      }
      return inputs;
    },
    effect(effect) {
      if (effect.kind !== 'send') return [effect];
      let sends: readonly Send[] = [effect];
      for (const layer of layers) {
        speakBeside(layer, effect);
        sends = sends.flatMap((send) => changed(layer, send));
      }
      for (const { bytes } of sends) if (!isSame(bytes, effect.bytes)) world.lies.add(bytes);
      world.remarkWithheld(process, effect, sends);
      return sends;
    },
    // Address exchange bypasses the node, so behaviours have no part in it. Only mutations change it.
    exchange(peer, bytes) {
      let sends: readonly Send[] = [{ kind: 'send', to: [peer], channel: CHANNELS.pex, bytes }];
      for (const layer of layers)
        if (layer.behaviour === MUTATE) sends = sends.flatMap((send) => changed(layer, send));
      return sends.map((send) => send.bytes);
    },
  };
}

/**
 * In file order, delivery behaviours last. `index` counts the entries of one behaviour. It names their choices, so that
 * other entries can be added or removed.
 */
function inOrder(
  entries: readonly ByzantineEntry[],
): readonly { readonly entry: ByzantineEntry; readonly behaviour: Behaviour; readonly index: number }[] {
  const all = entries.map((entry, place) => {
    const known = entry.behaviour === MUTATE.id ? MUTATE : behaviourOf(entry.behaviour);
    const index = entries.slice(0, place).filter((one) => one.behaviour === entry.behaviour).length;
    return { entry, behaviour: present(known, 'a known behaviour'), index };
  });
  const isLast = ({ behaviour }: (typeof all)[0]): boolean => behaviour.isDelivery === true;
  return [...all.filter((one) => !isLast(one)), ...all.filter(isLast)];
}

function speakBeside(layer: Layer, send: Send): void {
  const { me, hooks } = layer;
  if (hooks.beside === undefined || !CONSENSUS_CHANNELS.includes(send.channel)) return;
  const decoded = readMessage(send.bytes);
  if (!decoded.ok) return;
  layer.said = send;
  for (const peer of send.to) if (me.isAudience(peer)) hooks.beside(decoded.value, peer);
  layer.said = undefined;
}

/** The message to all other peers as it was, and to each peer in the audience as the hooks change it. */
function changed(layer: Layer, send: Send): readonly Send[] {
  const { me, hooks, act } = layer;
  const rest = send.to.filter((peer) => !me.isAudience(peer));
  const out: Send[] = rest.length > 0 ? [{ ...send, to: rest }] : [];
  for (const peer of send.to) {
    if (!me.isAudience(peer)) continue;
    layer.said = send;
    const messages = changedMessages(hooks, send, peer);
    const said = messages.flatMap((message) => hooks.send?.(message) ?? [message]);
    layer.said = undefined;
    const [only, ...more] = said;
    if (only === undefined || more.length > 0 || !isSame(only.bytes, send.bytes)) act();
    out.push(...said);
  }
  return out;
}

const isSame = (one: Bytes, other: Bytes): boolean => one === other || equalBytes(one, other);

function changedMessages(hooks: Hooks, send: Send, peer: string): readonly Send[] {
  const same = [{ ...send, to: [peer] }];
  if (hooks.message === undefined || !CONSENSUS_CHANNELS.includes(send.channel)) return same;
  const decoded = readMessage(send.bytes);
  // An earlier layer may have made it undecodable on purpose.
  if (!decoded.ok) return same;
  return hooks
    .message(decoded.value, peer)
    .map((message) => (message === decoded.value ? (same[0] as Send) : sendOf(message, [peer])));
}
