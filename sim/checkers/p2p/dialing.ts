import type { Bytes } from '../../../core/lib/bytes.ts';
import type { LinkId } from '../../../core/p2p/links.ts';
import { decodePexMessage } from '../../../core/p2p/pexMessages.ts';
import type { PeerId } from '../../../core/types/ids.ts';
import type { Process } from '../../machine/process.ts';
import { idOf } from '../../peers/addresses.ts';
import type { Switchboard } from '../../peers/switchboard.ts';
import { type FactOf, hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { PersistentPeerDials } from './persistentPeerDials.ts';

const NAME = 'peers';

/** A node asks one peer for addresses at most this often. */
const ASK_MICROS = 30_000_000;
/** When two connections to one peer compete, the older may stay if something was heard on it within this time. */
const ALIVE_MICROS = 5_000_000;

const TOPICS = [
  'started',
  'called',
  'connected',
  'peer',
  'closedByPeer',
  'dropped',
  'refused',
  'pexSaid',
  'pexHeard',
] as const;

/**
 * How correct nodes find peers: whom they dial and how often, whom they accept, what they say in the address exchange.
 */
export function dialing(context: CheckerContext, board: Switchboard): Checker {
  const all = new Map(context.correct.map((node) => [node, new Caller(context, board, node)]));
  return {
    name: NAME,
    ...hearing(TOPICS, (fact) => all.get(fact.node)?.on(fact)),
    finish() {
      for (const [node, caller] of all) if (node.state === 'up') caller.finish();
    },
  };
}

/** What a node has said on one connection in its present life. */
interface Talk {
  askedAt: number | undefined;
  isAnswered: boolean;
}

/** Judges one node that looks for peers. */
class Caller {
  readonly #context: CheckerContext;
  readonly #board: Switchboard;
  readonly #node: Process;
  readonly #id: PeerId;
  /** Ids of the peers that no limit counts. */
  readonly #uncounted: ReadonlySet<string>;
  readonly #needed: PersistentPeerDials;
  readonly #talks = new Map<LinkId, Talk>();

  constructor(context: CheckerContext, board: Switchboard, node: Process) {
    this.#context = context;
    this.#board = board;
    this.#node = node;
    this.#id = idOf(node.name);
    this.#uncounted = new Set([...board.spec.persistent, ...board.spec.unconditional].map(idOf));
    this.#needed = new PersistentPeerDials(context, board, node, (text) => this.#fail(text));
  }

  #fail(text: string): void {
    this.#context.fail(NAME, `${this.#node.name} ${text}`);
  }

  on(fact: FactOf<(typeof TOPICS)[number]>): void {
    switch (fact.kind) {
      case 'started':
        this.#talks.clear();
        return this.#needed.onStarted();
      case 'called':
        return this.#onCall(fact.address.id);
      case 'connected':
        return this.#needed.onConnected(fact.peer.name);
      case 'peer':
        return this.#needed.onPeer(fact.peer, fact.isUp);
      case 'closedByPeer':
        return this.#needed.onDisowned(fact.peer.name, fact.micros);
      case 'dropped':
        return this.#needed.onDropped();
      case 'refused':
        return this.#onRefused(fact.peer.name, fact.isOutbound);
      case 'pexSaid':
        return this.#onSaid(fact.link, fact.bytes);
      case 'pexHeard':
        return this.#onHeard(fact.link, fact.bytes);
    }
  }

  #onCall(id: string): void {
    const { processes } = this.#context.world;
    const { spec } = this.#board;
    const { index } = this.#node;
    const peer = processes.findIndex((one) => idOf(one.name) === id);
    const whom = processes[peer]?.name ?? id;
    if (id === this.#id) this.#fail('calls itself');
    if (this.#board.bannedBy(index).includes(peer)) this.#fail(`calls ${whom}, which it banned`);
    const open = this.#board.calledBy(index);
    if (open.includes(id) || this.#board.establishedOf(index).some((one) => one.node === peer))
      this.#fail(`calls ${whom}, with which it is connected or about to be`);
    if (spec.persistent.includes(whom)) this.#needed.onCall(whom);
    else if (!spec.seeds.includes(whom)) {
      const others = open.filter((one) => !this.#uncounted.has(one));
      if (others.length >= spec.outboundMax) this.#fail(`calls ${whom} beside ${others.length} others`);
    }
  }

  /**
   * A node must keep a peer that it has not banned. Excused: an older connection to that peer is alive, or other peers
   * fill the slots of that direction. The second excuse does not hold for a peer that the operator named.
   */
  #onRefused(peer: string, isOutbound: boolean): void {
    const { spec } = this.#board;
    const { name, index } = this.#node;
    if (peer === name || this.#board.banEnd(index, peer) !== undefined) return;
    const kept = this.#board.keptBy(index);
    const old = kept.find((one) => one.peer === idOf(peer));
    if (old !== undefined && this.#context.world.now - old.heardAt < ALIVE_MICROS) return;
    if (this.#board.isNeeded(peer)) this.#fail(`refuses ${peer}, which it needs`);
    const direction = isOutbound ? 'outbound' : 'inbound';
    const alike = kept.filter(
      (one) => one !== old && one.direction === direction && !this.#uncounted.has(one.peer),
    ).length;
    if (alike < (isOutbound ? spec.outboundMax : spec.inboundMax))
      this.#fail(`refuses ${peer}, and has ${alike} ${direction} peers`);
  }

  #onSaid(link: LinkId, bytes: Bytes): void {
    const message = decodePexMessage(bytes);
    if (!message.ok) return;
    if (message.value.kind === 'request') this.#onAsk(this.#talkOf(link));
    else if (message.value.addresses.some(({ id }) => id === this.#id))
      this.#fail('tells of itself as of another');
  }

  #onAsk(talk: Talk): void {
    const { now } = this.#context.world;
    if (!talk.isAnswered) this.#fail('asks for addresses again before it has an answer');
    if (talk.askedAt !== undefined && now - talk.askedAt < ASK_MICROS)
      this.#fail(`asks for addresses again after ${now - talk.askedAt} µs`);
    talk.askedAt = now;
    talk.isAnswered = false;
  }

  #onHeard(link: LinkId, bytes: Bytes): void {
    const message = decodePexMessage(bytes);
    if (message.ok && message.value.kind === 'addresses') this.#talkOf(link).isAnswered = true;
  }

  #talkOf(link: LinkId): Talk {
    const talk = this.#talks.get(link) ?? { askedAt: undefined, isAnswered: true };
    this.#talks.set(link, talk);
    return talk;
  }

  finish(): void {
    this.#needed.finish();
  }
}
