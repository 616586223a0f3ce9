import { headerHash } from '../../core/codec/hashes.ts';
import { makeValidatorSet } from '../../core/consensus/priority.ts';
import { verifyCommitLight } from '../../core/consensus/verifyCommit.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { compareBytes, equalBytes, toHex } from '../../core/lib/bytes.ts';
import type { LightBlock, LightClientAttackEvidence } from '../../core/types/evidence.ts';
import type { Validator } from '../../core/types/validator.ts';
import { type Cluster, EPOCH_MICROS } from '../cluster.ts';
import type { Process } from '../machine/process.ts';
import { validatorAddressOf } from '../reference/validatorAddress.ts';
import type { LightSpec } from '../scenario/clientSpecs.ts';
import { soundly } from '../soundly.ts';
import { span } from '../span.ts';
import type { World } from '../world/world.ts';
import type { ClientCalls } from './calls.ts';
import { shapeProblem, type WayEnd, wayTo } from './lightVerify.ts';

/** Headers verified one by one in a look at most. The rest waits for the next look. */
const STEPS_MAX = 256;
const COMPLAINTS_MAX = 20;
/** Time to another look when no witness had a block yet. */
const AGAIN_MICROS = 300_000;

/** How a look ends: all is trusted, the node showed nothing that can be trusted, or no witness has the block yet. */
type End = 'trusted' | 'broken-off' | 'unwitnessed';

export interface Verified {
  readonly height: number;
  readonly hash: string;
  readonly from: string;
}

/**
 * A light client (CometBFT light/client.go). It begins with genesis' validators, and trusts what more than two thirds
 * of the right set signed. It asks one node and compares with witnesses. When two blocks both count as decided, it
 * sends each side the evidence against the other, and stops. It leaves a node that shows something that cannot be
 * verified.
 */
export class LightClient {
  readonly spec: LightSpec;
  hasActed = false;
  readonly verified: Verified[] = [];
  /** Blocks that it refused, and the node that showed them. */
  readonly refused: { readonly from: Process; readonly height: number; readonly why: string }[] = [];
  /** Evidence about blocks of which a witness has another valid one. */
  readonly attacks: LightClientAttackEvidence[] = [];
  readonly #world: World;
  readonly #calls: ClientCalls;
  readonly #suite: CryptoSuite;
  readonly #cluster: Cluster;
  readonly #providers: readonly Process[];
  #primary = 0;
  /** Two nodes showed blocks that both count as decided. The client cannot know which node lies. */
  #isStopped = false;
  #trusted: LightBlock | undefined;

  constructor(world: World, calls: ClientCalls, cluster: Cluster, suite: CryptoSuite, spec: LightSpec) {
    this.spec = spec;
    this.#world = world;
    this.#calls = calls;
    this.#suite = suite;
    this.#cluster = cluster;
    const names = [spec.at, ...spec.witnesses.filter((name) => name !== spec.at)];
    this.#providers = names.map((name) => world.process(name));
  }

  start(): void {
    const look = async (): Promise<void> => {
      await this.#turn();
    };
    this.#world.every(this.spec.period, async () => {
      const end = await this.#turn();
      if (end === 'unwitnessed') this.#world.schedule(this.#world.now + AGAIN_MICROS, look);
    });
  }

  get #check() {
    return { chainId: this.#cluster.genesis.chainId, suite: this.#suite };
  }

  async #turn(): Promise<End> {
    const primary = present(this.#providers[this.#primary], 'a node to ask');
    if (this.#isStopped) return 'broken-off';
    const head = primary.state === 'up' ? primary.node?.rpc?.chain.head() : undefined;
    if (head === undefined) return 'broken-off';
    this.hasActed = true;
    this.#trusted ??= this.#root(primary);
    if (this.#trusted === undefined) return 'broken-off';
    if (head <= this.#trusted.header.height) return 'trusted';
    const above = this.#trusted.header.height + 1;
    const end = Math.min(head, above + STEPS_MAX - 1);
    const heights = this.spec.mode === 'skipping' ? [head] : span(above, end);
    for (const height of heights) {
      const end = await this.#follow(primary, height);
      if (end !== 'trusted') return end;
    }
    return 'trusted';
  }

  /** The first block, which the validators of genesis must have signed. */
  #root(from: Process): LightBlock | undefined {
    const { genesis } = this.#cluster;
    const block = this.#fetch(from, genesis.initialHeight);
    if (block === undefined) return undefined;
    const members = genesis.validators.map(({ pubKey, power }) => ({
      pubKey,
      power,
      address: validatorAddressOf(pubKey),
    }));
    const set = makeValidatorSet(members);
    if (!set.ok) return undefined;
    const { commit, header } = block;
    const shape = shapeProblem(block, genesis.chainId);
    const decided = verifyCommitLight(this.#check, set.value, commit.blockId, header.height, commit);
    const problem = shape ?? (decided.ok ? undefined : decided.error.code);
    if (problem === undefined) return block;
    this.#refuse(from, header.height, problem);
    return undefined;
  }

  async #follow(from: Process, target: number): Promise<End> {
    let trusted = present(this.#trusted, 'something to start from');
    const way = this.#way(from, trusted, target);
    for (;;) {
      const step = way.next();
      if (step.done === true) {
        if (typeof step.value === 'object') return this.#refuse(from, step.value.height, step.value.bad);
        return step.value === 'missing' ? 'broken-off' : 'trusted';
      }
      const block = step.value;
      const end = await this.#compare(trusted, block);
      if (end !== 'trusted') return end;
      const { height } = block.header;
      this.verified.push({ height, hash: toHex(headerHash(block.header)), from: from.name });
      trusted = block;
      this.#trusted = block;
    }
  }

  #way(from: Process, trusted: LightBlock, target: number): Generator<LightBlock, WayEnd> {
    return wayTo(
      this.#check,
      trusted,
      target,
      (height) => this.#fetch(from, height),
      () => EPOCH_MICROS + this.#world.now,
    );
  }

  #refuse(from: Process, height: number, why: string): 'broken-off' {
    if (this.refused.length < COMPLAINTS_MAX) this.refused.push({ from, height, why });
    this.#primary = (this.#primary + 1) % this.#providers.length;
    return 'broken-off';
  }

  /**
   * Asks every witness. The first one that differs and the primary are each sent evidence about the other's block. A
   * block that no witness has yet may be a lie that nobody else has heard of, so it is looked at again later.
   */
  async #compare(common: LightBlock, block: LightBlock): Promise<End> {
    const { height } = block.header;
    let [isWitnessed, isAwaited] = [false, false];
    for (const [i, witness] of this.#providers.entries()) {
      if (i === this.#primary) continue;
      const other = this.#fetch(witness, height);
      if (other === undefined) {
        isAwaited = true;
        continue;
      }
      if (equalBytes(headerHash(other.header), headerHash(block.header))) {
        isWitnessed = true;
        continue;
      }
      // A witness whose block cannot be verified does not count.
      const way = [...this.#way(witness, common, height)];
      if (way.at(-1)?.header.height !== height) continue;
      const primary = present(this.#providers[this.#primary], 'a node to ask');
      const evidence = evidenceOf(common, block, other);
      this.attacks.push(evidence);
      await this.#tell(witness, evidence);
      await this.#tell(primary, this.#fork([common, ...way], primary, block));
      this.#isStopped = true;
      return 'broken-off';
    }
    return isAwaited && !isWitnessed ? 'unwitnessed' : 'trusted';
  }

  /** Evidence about the first block on a witness' way to its rival of `block` that differs from the primary's. */
  #fork(way: readonly LightBlock[], primary: Process, block: LightBlock): LightClientAttackEvidence {
    const pairs = way.slice(1).flatMap((shown, i) => {
      const { height } = shown.header;
      const real = height === block.header.height ? block : this.#fetch(primary, height);
      const isSame = real === undefined || equalBytes(headerHash(real.header), headerHash(shown.header));
      return isSame ? [] : [evidenceOf(present(way[i], 'the block before'), shown, real)];
    });
    return present(pairs[0], 'blocks that differ');
  }

  #tell(node: Process, evidence: LightClientAttackEvidence): Promise<void> {
    return this.#calls.within(node, async ({ submitEvidence }) => {
      await submitEvidence?.(evidence);
    });
  }

  /** The block that a node shows; undefined when its damaged disk refuses the read. */
  #fetch(from: Process, height: number): LightBlock | undefined {
    return soundly(from, () => lightBlockOf(from, height));
  }
}

function lightBlockOf(from: Process, height: number): LightBlock | undefined {
  const chain = from.state === 'up' ? from.node?.rpc?.chain : undefined;
  const header = chain?.blockMeta(height)?.header;
  const commit = chain?.commit(height) ?? chain?.seenCommit(height);
  const validators = chain?.validators(height);
  if (header === undefined || commit === undefined || validators === undefined) return undefined;
  return from.lightLies?.(height) ?? { header, commit, validators };
}

/** The evidence against those who signed the shown block (CometBFT's GetByzantineValidators). */
function evidenceOf(common: LightBlock, shown: LightBlock, real: LightBlock): LightClientAttackEvidence {
  const isLunatic =
    !equalBytes(shown.header.validatorsHash, real.header.validatorsHash) ||
    !equalBytes(shown.header.nextValidatorsHash, real.header.nextValidatorsHash) ||
    !equalBytes(shown.header.consensusHash, real.header.consensusHash) ||
    !equalBytes(shown.header.appHash, real.header.appHash) ||
    !equalBytes(shown.header.lastResultsHash, real.header.lastResultsHash);
  const isBoth = shown.commit.round === real.commit.round;
  const signers = shown.commit.signatures.flatMap(({ flag, validatorAddress: address }, i) => {
    const counts = isLunatic || (isBoth && real.commit.signatures[i]?.flag === 'commit');
    return flag === 'commit' && counts ? [address] : [];
  });
  const judged = isLunatic ? common.validators : shown.validators;
  const guilty = signers.flatMap((address) =>
    judged.validators.filter((one) => equalBytes(one.address, address)),
  );
  return {
    kind: 'light-client-attack',
    conflictingBlock: shown,
    // Unless the attack is lunatic, both blocks have the same set, so the common height is their own.
    commonHeight: isLunatic ? common.header.height : shown.header.height,
    byzantineValidators: guilty.sort(byPower),
    totalVotingPower: (isLunatic ? common : real).validators.totalPower,
    timestamp: (isLunatic ? common : real).header.time,
  };
}

function byPower(a: Validator, b: Validator): number {
  if (a.power !== b.power) return a.power > b.power ? -1 : 1;
  return compareBytes(a.address, b.address);
}
