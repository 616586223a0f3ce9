import type { ChainReader, EthTx } from '../../core/app/chain.ts';
import type { ConsensusConfig } from '../../core/consensus/contract.ts';
import { type Bytes, equalBytes } from '../../core/lib/bytes.ts';
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
  /** undefined creates a contract. */
  readonly to?: Bytes | undefined;
  readonly data?: Bytes;
  readonly value?: bigint;
  /** Wei. */
  readonly feeCap?: bigint;
  readonly chainId?: bigint;
}

/** What the wrapping of an Ethereum transaction repeats of it. */
export type Wrapping = Partial<Pick<EthTx, 'from' | 'gasLimit' | 'maxFeePerGas'>>;

/** Those who share a behaviour in one run: they may talk to each other unseen. */
export interface Coalition {
  readonly members: Accomplice[];
  readonly memory: Map<string, unknown>;
}

/** What a behaviour may use: its own key, its own node's state, dice, time. It sees no other node. */
export interface Accomplice {
  readonly name: string;
  readonly address: Address;
  readonly chainId: string;
  /** How long every node waits for what. */
  readonly timeouts: ConsensusConfig;
  /** Every other node, in the scenario's order. */
  readonly others: readonly string[];
  /** All nodes with this behaviour, this one among them. */
  readonly coalition: Coalition;
  /** The two blocks of a proposer that lies, by height and round: known to all liars, whatever their behaviour. */
  readonly twoBlocks: Map<string, readonly BlockId[]>;
  readonly args: ReadonlyMap<string, string | number | boolean>;
  readonly choices: ChoiceStream;
  /** Consensus state of the correct core inside. */
  rs(): RoundState | undefined;
  /** What the correct core inside has stored; undefined while the process is down. */
  chain(): ChainReader | undefined;
  /** Of a validator; undefined for a node without a key. */
  addressOf(name: string): Address | undefined;
  /** Whether the behaviour is due at this height and round; drawn once for each. */
  isDue(height: number, round: number): boolean;
  /** Whether the behaviour is aimed at this peer. */
  isAudience(peer: string): boolean;
  /** With a signature of this node over its content, whatever that is. */
  signVote(vote: Vote, chainId?: string): Vote;
  signProposal(proposal: Proposal): Proposal;
  /** Signed with the key of an account that no client uses, as it stands in a block, or in a wrapping that says otherwise. */
  signTx(tx: OwnTx, said?: Wrapping): Bytes;
  /** From the same account: one that no node may believe. */
  signLie(what: EthLieName, nonce: number): Bytes;
  /** A consensus transaction of bank messages from the same account. */
  signBank(draft: Omit<BankDraft, 'from'>, sequence: number): Bytes;
  /** Any bytes in the place of an Ethereum transaction. */
  wrapTx(raw: Bytes): Bytes;
  /** The account's next nonce in the state of its own node, or that of another. */
  nonce(of?: Bytes): number;
  /** An account whose key it has not. */
  readonly victim: Bytes;
  /** Answers light clients that ask this node for a height; undefined is what the chain has. */
  serveLight(serve: (height: number) => LightBlock | undefined): void;
  /** Sends outside of any effect, e.g. later. */
  send(to: readonly string[], message: ConsensusMessage): void;
  sendBytes(send: Send): void;
  later(micros: number, act: () => void): void;
}

/** The changes a behaviour makes; what is absent is left alone. */
export interface Hooks {
  /** Consensus messages of the core, whatever behaviours before have left of them: an occasion to say something else. */
  beside?(message: ConsensusMessage, peer: string): void;
  /** Consensus messages on their way out: what is sent instead to the audience. */
  message?(message: ConsensusMessage, peer: string): readonly ConsensusMessage[];
  /** Any send to the audience: what is sent instead. After `message`. */
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
  /** Arguments that are one of these words. */
  readonly words?: Readonly<Record<string, readonly string[]>>;
  /** It decides whether, when and how often something arrives, not what it says: it comes after all that do. */
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

/** Says something to each of the audience beside its prevotes, where a behaviour before this one has dropped them, too. */
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
 * Acts when the message is the node's prevote. One without a place among the validators has none: it acts when others cast
 * theirs, as long after it told them of its round as they wait before they begin.
 */
export function atPrevote(me: Accomplice, message: ConsensusMessage, act: (at: Position) => void): void {
  if (isOwnVote(me, message) && message.vote.type === 'prevote') act(message.vote);
  if (message.kind !== 'newRoundStep' || isValidator(me)) return;
  me.later(1_000 * me.timeouts.timeoutCommitMs, () => act(message));
}

/** Whether it has a vote at the height at hand. */
export const isValidator = (me: Accomplice): boolean =>
  me.rs()?.validators.validators.some(({ address }) => equalBytes(address, me.address)) === true;

/** Begins the bytes of invented values; another number would only make others. */
const INVENTED = 0x76;

/** A value nobody proposed; the same for one height and round, so that all of an audience see one lie, whoever tells it. */
export function inventedBlock(height: number, round: number): BlockId {
  const fill = (salt: number): Bytes =>
    Uint8Array.from({ length: 32 }, (_, i) => (i * 7 + salt * 31 + height * 13 + round * 5 + INVENTED) & 255);
  return { hash: fill(1), parts: { total: 1, hash: fill(2) } };
}
