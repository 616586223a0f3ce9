import type { ChainReader, EthTx } from '../../core/app/chain.ts';
import type { ConsensusConfig } from '../../core/consensus/contract.ts';
import { type Bytes, EMPTY, equalBytes } from '../../core/lib/bytes.ts';
import { CHANNELS, type Effect, type Input } from '../../core/node/contract.ts';
import type { BlockId } from '../../core/types/block.ts';
import type { LightBlock } from '../../core/types/evidence.ts';
import type { Address } from '../../core/types/ids.ts';
import type { ConsensusMessage } from '../../core/types/messages.ts';
import type { RoundState } from '../../core/types/roundState.ts';
import type { Proposal, Vote } from '../../core/types/vote.ts';
import type { BankDraft } from '../clients/cosmosTx.ts';
import type { EthLieName } from '../scripts/ethLies.ts';
import type { ChoiceStream } from '../world/choices.ts';

export type Send = Extract<Effect, { kind: 'send' }>;

export const CONSENSUS_CHANNELS: readonly number[] = [
  CHANNELS.state,
  CHANNELS.data,
  CHANNELS.vote,
  CHANNELS.bits,
];

/** An EIP-1559 transaction of the accomplice's own account. */
export interface OwnTx {
  readonly nonce: number;
  readonly tipGwei?: number;
  readonly gas?: bigint;
  /** undefined: the transaction creates a contract. */
  readonly to?: Bytes | undefined;
  readonly data?: Bytes;
  readonly value?: bigint;
  /** Wei. */
  readonly feeCap?: bigint;
  readonly chainId?: bigint;
}

/** Fields of an Ethereum transaction that its Cosmos wrapping repeats. */
export type Wrapping = Partial<Pick<EthTx, 'from' | 'gasLimit' | 'maxFeePerGas'>>;

/** The Byzantine nodes of one run that share a behaviour. They may exchange information outside the network. */
export interface Coalition {
  readonly members: Accomplice[];
  readonly memory: Map<string, unknown>;
}

/** What a behaviour may use: the node's own key and state, random choices and timers. It cannot see other nodes. */
export interface Accomplice {
  readonly name: string;
  readonly address: Address;
  readonly chainId: string;
  /** Consensus timeouts, the same on every node. */
  readonly timeouts: ConsensusConfig;
  /** Every other node, in the scenario's order. */
  readonly others: readonly string[];
  /** All nodes with this behaviour, this one among them. */
  readonly coalition: Coalition;
  /**
   * Both blocks of a proposer that equivocates, by height and round. Known to every Byzantine node, whatever its
   * behaviour.
   */
  readonly twoBlocks: Map<string, readonly BlockId[]>;
  readonly args: ReadonlyMap<string, string | number | boolean>;
  readonly choices: ChoiceStream;
  /** Consensus state of the correct core inside. */
  rs(): RoundState | undefined;
  /** What the correct core inside has stored; undefined while the process is down. */
  chain(): ChainReader | undefined;
  /** Address of a validator; undefined for a node without a key. */
  addressOf(name: string): Address | undefined;
  /** Whether the behaviour is due at this height and round; drawn once for each. */
  isDue(height: number, round: number): boolean;
  /** Whether the behaviour is aimed at this peer. */
  isAudience(peer: string): boolean;
  /** Signs a vote with this node's key, whatever its content is. */
  signVote(vote: Vote, chainId?: string): Vote;
  signProposal(proposal: Proposal): Proposal;
  /**
   * A transaction of an account that no client uses, in its Cosmos wrapping; `said` makes the wrapping contradict it.
   */
  signTx(tx: OwnTx, said?: Wrapping): Bytes;
  /** A transaction of the same account that no node may accept. */
  signLie(what: EthLieName, nonce: number): Bytes;
  /** A consensus transaction of bank messages from the same account. */
  signBank(draft: Omit<BankDraft, 'from'>, sequence: number): Bytes;
  /** Wraps any bytes as if they were an Ethereum transaction. */
  wrapTx(raw: Bytes): Bytes;
  /** The next nonce of the account, or of account `of`, in the state of this node. */
  nonce(of?: Bytes): number;
  /** An account whose key this node does not have. */
  readonly victim: Bytes;
  /** Answers light clients that ask this node for a height; undefined shows them the chain's own block. */
  serveLight(serve: (height: number) => LightBlock | undefined): void;
  /** Sends a message that is not a change of one from the core, at once or from a timer. */
  send(to: readonly string[], message: ConsensusMessage): void;
  sendBytes(send: Send): void;
  later(micros: number, act: () => void): void;
}

/** How a behaviour changes messages. A hook that is absent changes nothing. */
export interface Hooks {
  /**
   * Called for each consensus message of the core, even one that an earlier behaviour dropped. May send something else.
   */
  beside?(message: ConsensusMessage, peer: string): void;
  /** Called for an outgoing consensus message to a peer in the audience. Returns the messages to send in its place. */
  message?(message: ConsensusMessage, peer: string): readonly ConsensusMessage[];
  /** The same for any outgoing message, after `message`. */
  send?(send: Send): readonly Send[];
  input?(input: Input): readonly Input[];
}

export interface Behaviour {
  /** Catalogue id, e.g. B02. */
  readonly id: string;
  readonly alias: string;
  /** What it does, in one sentence. */
  readonly text: string;
  readonly args: readonly string[];
  /** Arguments whose value must be one of these words. */
  readonly words?: Readonly<Record<string, readonly string[]>>;
  /** Arguments that have an effect only next to one of these words of another. `usual` is what it is when left out. */
  readonly effectiveWith?: Readonly<
    Record<string, { readonly arg: string; readonly words: readonly string[]; readonly usual: string }>
  >;
  /** Flags of which only the first that is true has an effect. */
  readonly excludes?: readonly string[];
  /**
   * The behaviour changes whether, when and how often a message arrives, not what it says. It runs after all others.
   */
  readonly isDelivery?: true;
  create(me: Accomplice): Hooks;
}

export interface Position {
  readonly height: number;
  readonly round: number;
}

export const isOwnVote = (
  me: Accomplice,
  message: ConsensusMessage,
): message is ConsensusMessage & { kind: 'vote' } =>
  message.kind === 'vote' && equalBytes(message.vote.validatorAddress, me.address);

/** Says something to each peer in the audience beside its prevotes, even if an earlier behaviour dropped them. */
export function besidePrevotes(me: Accomplice, say: (peer: string, at: Position) => void): Hooks {
  const told = new Map<string, string>();
  return {
    beside(message, peer) {
      atPrevote(me, message, (at) => {
        const key = `${at.height}/${at.round}`;
        if (message.kind !== 'vote' && told.get(peer) === key) return;
        if (!me.isDue(at.height, at.round)) return;
        told.set(peer, key);
        say(peer, at);
      });
    },
  };
}

/**
 * Acts when the message is the node's own prevote. A node outside the validator set casts none: it acts
 * `timeoutCommitMs` after it announced its round, which is when the validators may prevote.
 */
export function atPrevote(me: Accomplice, message: ConsensusMessage, act: (at: Position) => void): void {
  if (isOwnVote(me, message) && message.vote.type === 'prevote') act(message.vote);
  if (message.kind !== 'newRoundStep' || isValidator(me)) return;
  me.later(1_000 * me.timeouts.timeoutCommitMs, () => act(message));
}

/** Whether the node is in the validator set at the current height. */
export const isValidator = (me: Accomplice): boolean =>
  me.rs()?.validators.validators.some(({ address }) => equalBytes(address, me.address)) === true;

/** Part of the bytes of an invented value. Any other number would do. */
const INVENTED = 0x76;

/** The fields of a vote that are empty until it is signed. */
export const UNSIGNED = { signature: new Uint8Array(64), extension: EMPTY, extensionSignature: EMPTY };

/**
 * A value that nobody proposed. It depends on height and round only, so every liar shows an audience the same value.
 */
export function inventedBlock(height: number, round: number): BlockId {
  const fill = (salt: number): Bytes =>
    Uint8Array.from({ length: 32 }, (_, i) => (i * 7 + salt * 31 + height * 13 + round * 5 + INVENTED) & 255);
  return { hash: fill(1), parts: { total: 1, hash: fill(2) } };
}
