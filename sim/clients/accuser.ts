import { encodeEvidence } from '../../core/codec/evidence.ts';
import { evidenceJson } from '../../core/codec/json.ts';
import { voteSignBytes } from '../../core/codec/signBytes.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { duplicateVoteEvidence } from '../../core/evidence/pool.ts';
import { present } from '../../core/lib/assert.ts';
import { toBase64 } from '../../core/lib/base64.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import { handleCometPost } from '../../core/rpc/comet/http.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import type { DuplicateVoteEvidence } from '../../core/types/evidence.ts';
import { compareTime, type Timestamp } from '../../core/types/ids.ts';
import type { ValidatorSet } from '../../core/types/validator.ts';
import type { Vote } from '../../core/types/vote.ts';
import { inventedBlock, UNSIGNED } from '../byzantine/behaviour.ts';
import { flipped } from '../byzantine/votes.ts';
import { isTooOld } from '../checkers/evidence/duplicateVotes.ts';
import type { Cluster, Member } from '../cluster.ts';
import type { Process } from '../machine/process.ts';
import { pieceAt } from '../reference/protoFields.ts';
import type { AccuserSpec } from '../scenario/clientSpecs.ts';
import { span } from '../span.ts';
import type { ChoiceStream } from '../world/choices.ts';
import type { World } from '../world/world.ts';
import { type ClientCalls, request } from './calls.ts';

const COMPLAINTS_MAX = 10;
/** The next block may be there before the node judges the evidence. */
const AHEAD = 4;
const NOBODY = new Uint8Array(20).fill(0x99);
const ELSEWHERE = 'another-chain';
const ADDED = 'failed to add evidence: ';
const BASIC = 'evidence.ValidateBasic failed: ';
const OTHER_TIME = `${ADDED}timestamp is not the block time of its height`;

/** What evidence is judged by at one height. */
interface Scene {
  readonly validators: ValidatorSet;
  readonly index: number;
  readonly time: Timestamp;
  readonly height: number;
}

/** Each way to falsify evidence, and the reason for which a node must refuse it. */
const FORGERIES = [
  ['signature', `${ADDED}a vote has a bad signature`],
  ['chain', `${ADDED}a vote has a bad signature`],
  ['power', `${ADDED}validator power is wrong`],
  ['total', `${ADDED}total voting power is wrong`],
  ['time', OTHER_TIME],
  ['place', `${ADDED}a vote names another place`],
  ['stranger', `${ADDED}the voter was no validator at that height`],
  ['two', `${ADDED}votes are of two validators`],
  ['round', `${ADDED}votes are of different height, round or type`],
  ['order', BASIC],
  ['same', BASIC],
] as const;
type Forgery = (typeof FORGERIES)[number][0];

const KINDS = ['fresh', 'fresh', 'again', 'old', 'ahead', 'forged', 'forged'] as const;

/** Evidence that a node took. */
export interface Taken {
  readonly evidence: DuplicateVoteEvidence;
  /** The node's life, and its head at that time. */
  readonly life: number;
  readonly head: number;
}

/**
 * A client that has the key of a validator. It brings a node evidence against that key: real and new, known already, too
 * old, of a block to come, and false in one point. It compares each verdict with CometBFT's.
 */
export class Accuser {
  readonly spec: AccuserSpec;
  readonly node: Process;
  hasActed = false;
  readonly complaints: string[] = [];
  readonly taken: Taken[] = [];
  readonly refused: DuplicateVoteEvidence[] = [];
  /** What the node has not answered yet, by life and by time. */
  readonly open = new Set<{ readonly life: number; readonly at: number }>();
  readonly #world: World;
  readonly #calls: ClientCalls;
  readonly #cluster: Cluster;
  readonly #suite: CryptoSuite;
  readonly #accused: Member;
  readonly #choices: ChoiceStream;
  /** Grows, so that no offence is like another. */
  #round = 0;

  constructor(world: World, calls: ClientCalls, cluster: Cluster, suite: CryptoSuite, spec: AccuserSpec) {
    this.spec = spec;
    this.node = world.process(spec.at);
    this.#world = world;
    this.#calls = calls;
    this.#cluster = cluster;
    this.#suite = suite;
    this.#accused = present(
      cluster.members.find(({ name }) => name === spec.against),
      'the accused',
    );
    this.#choices = world.choices.stream(`client/${spec.name}`);
  }

  start(): void {
    this.#world.every(this.spec.period, () => this.#calls.within(this.node, (rpc) => this.#turn(rpc)));
  }

  async #turn(rpc: RpcContext): Promise<void> {
    const head = rpc.chain.head();
    const kind = KINDS[this.#choices.choose(KINDS.length)] as (typeof KINDS)[number];
    if (kind === 'again') {
      const known = this.taken[this.#choices.choose(Math.max(1, this.taken.length))];
      // It may be too old by now, or be lost in a crash.
      if (known !== undefined)
        await this.#bring(rpc, known.evidence, 'what it took before', { isKnown: true });
      return;
    }
    const scene = this.#scene(rpc, this.#heightFor(kind, head));
    if (scene === undefined) return;
    if (kind === 'forged') {
      const [what, reason] = FORGERIES[this.#choices.choose(FORGERIES.length)] as (typeof FORGERIES)[0];
      const forged = this.#forged(scene, what);
      if (forged !== undefined) await this.#bring(rpc, forged, `a false ${what}`, { reason });
    } else await this.#bring(rpc, this.#offence(scene), 'an offence', {});
  }

  /** Old evidence is of a height around the limit of its age in blocks. */
  #heightFor(kind: 'fresh' | 'old' | 'ahead' | 'forged', head: number): number {
    const { maxAgeNumBlocks } = this.#cluster.schedule.params(head + 1).evidence;
    if (kind === 'old') return head - maxAgeNumBlocks + 1 - this.#choices.choose(5);
    return kind === 'ahead' ? head + 1 + this.#choices.choose(AHEAD) : head - this.#choices.choose(2);
  }

  /** A height to come has the validators and the time of the head. */
  #scene({ chain }: RpcContext, height: number): Scene | undefined {
    const at = Math.min(height, chain.head());
    if (at < Math.max(1, chain.base())) return undefined;
    const time = chain.blockMeta(at)?.header.time;
    const validators = chain.validators(at);
    if (time === undefined || validators === undefined) return undefined;
    const { address } = this.#accused;
    const index = validators.validators.findIndex((one) => equalBytes(one.address, address));
    return index < 0 ? undefined : { validators, index, time, height };
  }

  #vote(
    scene: Scene,
    salt: number,
    change: Partial<Vote> = {},
    chainId = this.#cluster.genesis.chainId,
  ): Vote {
    const { height, time, index } = scene;
    const vote: Vote = {
      type: 'prevote',
      height,
      round: this.#round,
      blockId: inventedBlock(height, this.#round + salt),
      timestamp: time,
      validatorAddress: this.#accused.address,
      validatorIndex: index,
      ...UNSIGNED,
      ...change,
    };
    const bytes = voteSignBytes(chainId, vote);
    const { type: kind, round } = vote;
    const node = this.#world.process(this.spec.against);
    if (chainId === this.#cluster.genesis.chainId)
      this.#world.witness({ kind: 'byzantineSigned', node, ask: { kind, height, round, bytes } });
    return { ...vote, signature: this.#accused.signer.signFreely(bytes) };
  }

  #offence(scene: Scene): DuplicateVoteEvidence {
    this.#round += 1;
    const [voteA, voteB] = [this.#vote(scene, 0), this.#vote(scene, 1)];
    return duplicateVoteEvidence({ voteA, voteB }, scene.validators, scene.time);
  }

  #forged(scene: Scene, what: Forgery): DuplicateVoteEvidence | undefined {
    const real = this.#offence(scene);
    const { voteA, voteB } = real;
    const again = (vote: Vote, change: Partial<Vote>, chainId?: string): Vote =>
      this.#vote(scene, 0, { ...vote, ...change }, chainId);
    const both = (change: Partial<Vote>, chainId?: string): DuplicateVoteEvidence => ({
      ...real,
      voteA: again(voteA, change, chainId),
      voteB: again(voteB, change, chainId),
    });
    switch (what) {
      case 'signature':
        return { ...real, voteB: { ...voteB, signature: flipped(voteB.signature) } };
      case 'chain':
        return both({}, ELSEWHERE);
      case 'power':
        return { ...real, validatorPower: real.validatorPower + 1n };
      case 'total':
        return { ...real, totalVotingPower: real.totalVotingPower + 1n };
      case 'time':
        return { ...real, timestamp: { ...real.timestamp, seconds: real.timestamp.seconds + 1 } };
      case 'place': {
        const size = scene.validators.validators.length;
        return size < 2 ? undefined : both({ validatorIndex: (scene.index + 1) % size });
      }
      case 'stranger':
        return both({ validatorAddress: NOBODY });
      case 'two': {
        const other = scene.validators.validators.find((_, i) => i !== scene.index);
        return other && { ...real, voteB: again(voteB, { validatorAddress: other.address }) };
      }
      case 'round':
        return { ...real, voteB: again(voteB, { round: voteB.round + 1 }) };
      case 'order':
        return { ...real, voteA: voteB, voteB: voteA };
      case 'same':
        return { ...real, voteB: voteA };
    }
  }

  async #bring(
    rpc: RpcContext,
    evidence: DuplicateVoteEvidence,
    what: string,
    { reason, isKnown = false }: { readonly reason?: string; readonly isKnown?: boolean },
  ): Promise<void> {
    this.hasActed = true;
    const before = this.#lastKnown(rpc);
    const life = this.node.lives;
    const asked = { life, at: this.#world.now };
    this.open.add(asked);
    const { body } = await handleCometPost(
      rpc,
      request('broadcast_evidence', { evidence: evidenceJson(evidence) }),
    );
    this.open.delete(asked);
    const reply = JSON.parse(String(body)) as {
      readonly result?: { readonly hash?: string };
      readonly error?: { readonly data?: string };
    };
    const { hash } = reply.result ?? {};
    const refusal = reply.error?.data;
    const heads = span(before, rpc.chain.head());
    const due = new Set(heads.flatMap((head) => this.#verdicts(rpc, evidence, head, reason)));
    if (isKnown) due.add(undefined);
    const isDue = [...due].some((one) =>
      one === undefined ? refusal === undefined : refusal?.startsWith(one),
    );
    const { height } = evidence.voteA;
    if (!isDue)
      this.#complain(
        `${this.node.name}, at ${before}, says ${refusal ?? 'nothing'} against evidence of ${what} at ${height}, should say ${[...due].join(' or ')}`,
      );
    else if (refusal === undefined && hash !== this.#hashOf(evidence))
      this.#complain(`${this.node.name} takes evidence of ${what} by the name ${hash}`);
    // What it took before may be stored although it is too old by now.
    if (isKnown) return;
    if (refusal === undefined) this.taken.push({ evidence, life, head: rpc.chain.head() });
    else this.refused.push(evidence);
  }

  /** The node judges by the newest block that its consensus knows of. That may be one behind what is stored. */
  #lastKnown({ chain }: RpcContext): number {
    const { node } = this.node;
    const head = chain.head();
    const rs = node?.isSyncing() === false ? node.rs() : undefined;
    return Math.max(0, Math.min(head, rs === undefined ? head - 1 : rs.height - 1));
  }

  /** How the reason of each refusal begins that is right at this head; undefined: the evidence is taken. */
  #verdicts(
    { chain }: RpcContext,
    { voteA: { height }, timestamp: time }: DuplicateVoteEvidence,
    head: number,
    reason: string | undefined,
  ): readonly (string | undefined)[] {
    const last = chain.blockMeta(head)?.header;
    if (reason?.startsWith(BASIC)) return [reason];
    if (last === undefined || height > head) return [`${ADDED}no block ${height} to judge evidence by`];
    if (reason === OTHER_TIME) return [reason];
    // The parameters may change with the block.
    const verdicts = [1, 2].map((ahead) =>
      isTooOld(this.#cluster.schedule.params(head + ahead), { height, time }, last)
        ? `${ADDED}evidence from height ${height} is too old`
        : reason,
    );
    // If all nodes have lost their disks, the evidence is of a chain that nobody has any more.
    const other = chain.blockMeta(height)?.header.time;
    return other === undefined || compareTime(other, time) === 0 ? verdicts : [...verdicts, OTHER_TIME];
  }

  #complain(text: string): void {
    if (this.complaints.length < COMPLAINTS_MAX) this.complaints.push(text);
  }

  /** CometBFT's: SHA-256 of the message without the envelope that says of which kind it is. */
  #hashOf(evidence: DuplicateVoteEvidence): string {
    const bytes = encodeEvidence(evidence);
    const { from, end } = present(pieceAt(bytes, 0), 'an envelope');
    return toBase64(this.#suite.sha256(bytes.subarray(from, end)));
  }
}
