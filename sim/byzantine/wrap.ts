import { decodeConsensusMessage, encodeConsensusMessage } from '../../core/codec/messages.ts';
import { proposalSignBytes, voteSignBytes } from '../../core/codec/signBytes.ts';
import { present } from '../../core/lib/assert.ts';
import { CHANNELS, type Effect, type Input } from '../../core/node/contract.ts';
import { channelOf } from '../../core/node/ingress.ts';
import type { Address } from '../../core/types/ids.ts';
import type { ConsensusMessage } from '../../core/types/messages.ts';
import { PPM } from '../choices.ts';
import type { Process, Wrapper } from '../process.ts';
import type { ByzantineEntry } from '../scenario/scenario.ts';
import type { World } from '../world.ts';
import type { Accomplice, Hooks, Send } from './behaviour.ts';
import { behaviourOf } from './registry.ts';

const CONSENSUS_CHANNELS: readonly number[] = [CHANNELS.state, CHANNELS.data, CHANNELS.vote, CHANNELS.bits];

export interface WrapOptions {
  readonly chainId: string;
  readonly address: Address;
  /** All validators' names. */
  readonly names: readonly string[];
}

/** Makes a process Byzantine: the same core, with its words changed on their way out. Several behaviours compose. */
export function wrap(
  world: World,
  process: Process,
  entries: readonly ByzantineEntry[],
  options: WrapOptions,
): Wrapper {
  const layers = entries.map((entry, i) => {
    const me = accomplice(world, process, entry, options, i);
    const behaviour = present(behaviourOf(entry.behaviour), 'a known behaviour');
    return { me, hooks: behaviour.create(me) };
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
      return sends;
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

const sendOf = (message: ConsensusMessage, to: readonly string[]): Send => ({
  kind: 'send',
  to,
  channel: channelOf(message),
  bytes: encodeConsensusMessage(message),
});

function accomplice(
  world: World,
  process: Process,
  entry: ByzantineEntry,
  options: WrapOptions,
  index: number,
): Accomplice {
  const { trigger, to, args } = entry;
  const signer = present(process.signer, 'a Byzantine validator has a key');
  const label = `byzantine/${process.name}/${entry.behaviour}/${index}`;
  const drawn = new Map<string, boolean>();
  const inSpan = (value: number, span: { readonly from: number; readonly to: number }): boolean =>
    value >= span.from && value <= span.to;
  const perform = (effect: Effect): void => {
    if (effect.kind === 'send') world.network.send(process.index, effect.to, effect.channel, effect.bytes);
  };
  return {
    name: process.name,
    address: options.address,
    chainId: options.chainId,
    others: options.names.filter((name) => name !== process.name),
    args,
    choices: world.choices.stream(label),
    rs: () => process.node?.rs(),
    isDue(height, round) {
      if (world.now < trigger.after) return false;
      if (!inSpan(height, trigger.heights) || !inSpan(round, trigger.rounds)) return false;
      if (trigger.chancePpm >= PPM) return true;
      const key = `${height}/${round}`;
      const known = drawn.get(key);
      if (known !== undefined) return known;
      const due = world.choices.stream(`${label}/chance`).chance(trigger.chancePpm);
      drawn.set(key, due);
      return due;
    },
    isAudience: (peer) => to === undefined || to.includes(peer),
    signVote: (vote, chainId = options.chainId) => ({
      ...vote,
      signature: signer.signFreely(voteSignBytes(chainId, vote)),
    }),
    signProposal: (proposal) => ({
      ...proposal,
      signature: signer.signFreely(proposalSignBytes(options.chainId, proposal)),
    }),
    send: (peers, message) => perform(sendOf(message, peers)),
    sendBytes: perform,
    later(micros, act) {
      world.schedule(world.now + micros, () => {
        if (process.state === 'up') act();
        return undefined;
      });
    },
  };
}
