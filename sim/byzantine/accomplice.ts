import { encodeConsensusMessage } from '../../core/codec/messages.ts';
import { proposalSignBytes, voteSignBytes } from '../../core/codec/signBytes.ts';
import type { ConsensusConfig } from '../../core/consensus/contract.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import { channelOf } from '../../core/node/ingress.ts';
import type { ConsensusMessage } from '../../core/types/messages.ts';
import type { Cluster } from '../cluster.ts';
import type { Process } from '../machine/process.ts';
import type { ByzantineEntry } from '../scenario/scenario.ts';
import type { World } from '../world/world.ts';
import type { Accomplice, Coalition, Send } from './behaviour.ts';
import { ownAccount } from './ownAccount.ts';
import { dueAt } from './trigger.ts';

export interface WrapOptions {
  readonly chainId: string;
  readonly timeouts: ConsensusConfig;
  readonly cluster: Cluster;
  readonly suite: CryptoSuite;
  /** One coalition per behaviour, shared by all Byzantine nodes of one run. */
  readonly coalitions: Map<string, Coalition>;
  readonly twoBlocks: Accomplice['twoBlocks'];
  /** Entries that have changed or sent at least one message. */
  readonly acted: Set<ByzantineEntry>;
}

export const sendOf = (message: ConsensusMessage, to: readonly string[]): Send => ({
  kind: 'send',
  to,
  channel: channelOf(message),
  bytes: encodeConsensusMessage(message),
});

/** The context of one entry among all entries of its node. */
export interface Place {
  /** Counts the node's entries of the same behaviour, in file order. */
  readonly index: number;
  /** Records that the entry has changed or sent something. */
  act(): void;
  /** The message that the behaviour is looking at; undefined at any other time. */
  said(): Send | undefined;
  /** What the later delivery behaviours make of a message that the behaviour sends by itself. */
  deliver(send: Send): readonly Send[];
}

/** What one entry of a scenario gives its behaviour to work with. */
export function accomplice(
  world: World,
  process: Process,
  entry: ByzantineEntry,
  options: WrapOptions,
  { index, act, said, deliver }: Place,
): Accomplice {
  const { cluster, suite, chainId, timeouts } = options;
  const signer = present(process.signer, 'a Byzantine validator has a key');
  const label = `byzantine/${process.name}/${entry.behaviour}/${index}`;
  const addressOf: Accomplice['addressOf'] = (name) =>
    cluster.members.find((one) => one.name === name)?.address;
  const perform = (send: Send): void => {
    act();
    for (const { to, channel, bytes: said } of deliver(send)) {
      // Copies the bytes: the core may send the same array to other peers as an honest message.
      const bytes = said.slice();
      world.lies.add(bytes);
      world.network.send(process.index, to, channel, bytes);
    }
  };
  const me: Accomplice = {
    name: process.name,
    address: present(addressOf(process.name), 'an address'),
    chainId,
    timeouts,
    others: world.processes.map((one) => one.name).filter((name) => name !== process.name),
    coalition: coalitionOf(options, entry.behaviour),
    twoBlocks: options.twoBlocks,
    args: entry.args,
    choices: world.choices.stream(label),
    rs: () => process.node?.rs(),
    chain: () => process.node?.rpc?.chain,
    addressOf,
    isDue: dueAt(world, process, entry.trigger, label, said),
    isAudience: audienceOf(world, process, entry, addressOf, label),
    signVote: (vote, chain = chainId) => {
      const bytes = voteSignBytes(chain, vote);
      const { type: kind, height, round } = vote;
      if (chain === chainId)
        world.witness({ kind: 'byzantineSigned', node: process, ask: { kind, height, round, bytes } });
      return { ...vote, signature: signer.signFreely(bytes) };
    },
    signProposal: (proposal) => ({
      ...proposal,
      signature: signer.signFreely(proposalSignBytes(chainId, proposal)),
    }),
    ...ownAccount(process, cluster, suite, chainId),
    serveLight(serve) {
      const { lightLies: others } = process;
      process.lightLies = (height) => {
        const lie = serve(height);
        if (lie !== undefined) act();
        return lie ?? others?.(height);
      };
    },
    send: (peers, message) => perform(sendOf(message, peers)),
    sendBytes: perform,
    later(micros, act) {
      // Its reads may fail on a bad drive, which stops the node like any other of its own reads.
      const acts = (): undefined => {
        act();
      };
      world.schedule(world.now + micros, () => (process.state === 'up' ? process.guard(acts) : undefined));
    },
  };
  me.coalition.members.push(me);
  return me;
}

function coalitionOf({ coalitions }: WrapOptions, behaviour: string): Coalition {
  const known = coalitions.get(behaviour);
  if (known !== undefined) return known;
  const fresh: Coalition = { members: [], memory: new Map() };
  coalitions.set(behaviour, fresh);
  return fresh;
}

/** Whether a peer is in the audience: by name, as proposer of the current round, or by lot in each round. */
function audienceOf(
  world: World,
  process: Process,
  { to }: ByzantineEntry,
  addressOf: Accomplice['addressOf'],
  label: string,
): Accomplice['isAudience'] {
  switch (to.kind) {
    case 'all':
      return () => true;
    case 'names':
      return (peer) => to.names.includes(peer);
    case 'proposer':
      return (peer) => {
        const proposer = process.node?.rs()?.proposer.address;
        const address = addressOf(peer);
        return proposer !== undefined && address !== undefined && equalBytes(proposer, address);
      };
    case 'random': {
      let drawn: { readonly key: string; readonly names: readonly string[] } | undefined;
      return (peer) => {
        const rs = process.node?.rs();
        const key = `${rs?.height}/${rs?.round}`;
        if (drawn?.key !== key) {
          const left = world.processes.map((one) => one.name).filter((name) => name !== process.name);
          const stream = world.choices.stream(`${label}/audience`);
          const names: string[] = [];
          while (names.length < to.count && left.length > 0)
            names.push(...left.splice(stream.choose(left.length), 1));
          drawn = { key, names };
        }
        return drawn.names.includes(peer);
      };
    }
  }
}
