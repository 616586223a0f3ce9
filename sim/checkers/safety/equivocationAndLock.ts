import { validatorAddress } from '../../../core/crypto/addresses.ts';
import { type Bytes, equalBytes, toHex } from '../../../core/lib/bytes.ts';
import { SIGN_STEPS } from '../../../core/node/signGuard.ts';
import { findByAddress } from '../../../core/types/validator.ts';
import type { Process } from '../../machine/process.ts';
import { type Fact, hearing } from '../../world/facts.ts';
import type { Checker, CheckerContext } from '../checker.ts';
import { NewDisks } from './newDisk.ts';
import { signedValue } from './signedValue.ts';

/** Heights whose signatures are kept for each node. All are kept if a node may be wiped, because it signs old heights again. */
const KEPT_MAX = 16;

interface Signature {
  /** How often the node's disk had been replaced by then, and how often it had forgotten records unnoticed. */
  readonly wipes: number;
  readonly forgets: number;
  readonly height: number;
  readonly kind: string;
  readonly round: number;
  readonly bytes: Bytes;
  /** The block hash; undefined for nil. */
  readonly value: string | undefined;
}

/** All signatures of correct nodes, by node and height. Old heights are forgotten. */
class Ledger {
  readonly #byNode = new Map<Process, Map<number, Signature[]>>();
  readonly #keptMax: number;

  constructor({ scenario }: CheckerContext) {
    const hasWipe = scenario.timeline.some(({ action }) => action.kind === 'wipe');
    this.#keptMax = hasWipe ? Number.MAX_SAFE_INTEGER : KEPT_MAX;
  }

  of(node: Process, height: number): readonly Signature[] {
    return this.#byNode.get(node)?.get(height) ?? [];
  }

  add(node: Process, made: Omit<Signature, 'wipes' | 'forgets'>): void {
    const { wipes, forgets } = node.disk;
    const signature = { ...made, wipes, forgets };
    const { height } = signature;
    let heights = this.#byNode.get(node);
    if (heights === undefined) {
      heights = new Map();
      this.#byNode.set(node, heights);
    }
    const known = heights.get(height);
    if (known === undefined) {
      for (const old of heights.keys()) if (old <= height - this.#keptMax) heights.delete(old);
      heights.set(height, [signature]);
    } else known.push(signature);
  }
}

/**
 * NOEQ: a correct validator never signs two different messages for one height, round and type, restarts included.
 * Excused after a replaced disk (newDisk.ts).
 */
export function noSelfEquivocation(context: CheckerContext): Checker {
  const name = 'no_self_equivocation';
  const ledger = new Ledger(context);
  const newDisks = new NewDisks(context);
  return {
    name,
    ...hearing(['signed', ...NewDisks.TOPICS], (fact) => {
      newDisks.on(fact);
      if (fact.kind !== 'signed' || !fact.node.isCorrect) return;
      const { ask, signed, node } = fact;
      const { height, round, kind } = ask;
      const { wipes } = node.disk;
      const same = ledger.of(node, height).findLast((one) => one.round === round && one.kind === kind);
      const isFirst = same === undefined || (same.wipes < wipes && newDisks.mayRepeat(node, height));
      if (isFirst) ledger.add(node, { height, round, kind, bytes: signed.bytes, value: undefined });
      else if (!equalBytes(same.bytes, signed.bytes))
        context.fail(name, `${node.name} signed two different ${kind}s at ${height}/${round}`);
    }),
  };
}

/**
 * LOCK: a correct node precommits a value only with a polka for it in that round. If it precommitted another value in
 * an earlier round, it prevotes the new one only if the new one has a polka in a round from that lock on and before the
 * vote. Checked against the votes that the node itself holds.
 *
 * If a WAL was cut and the vote that the node signed last is not in the rest, a lock may be lost, too. The node then signs
 * nothing else at that height before replay has asked for that vote again.
 */
export function lockRule(context: CheckerContext): Checker {
  const name = 'lock';
  const ledger = new Ledger(context);
  const cutLogs = new CutLogs();
  return {
    name,
    ...hearing(['signed', 'started'], (fact) => {
      if (!fact.node.isCorrect) return;
      const debt = cutLogs.on(fact);
      if (debt !== undefined) context.fail(name, debt);
      if (fact.kind !== 'signed' || fact.ask.kind === 'proposal') return;
      const { node, ask } = fact;
      const { height, round, kind } = ask;
      const value = signedValue(fact.signed.bytes);
      // The lock is kept in the WAL. A node whose drive has lost durable data since then cannot respect a lock that it
      // does not know of.
      if (kind === 'prevote' && value !== undefined) {
        const known = ledger.of(node, height).filter((one) => one.forgets === node.disk.forgets);
        const problem = lockProblem(node, known, { round, value });
        if (problem !== undefined) context.fail(name, `${node.name} at ${height}/${round}: ${problem}`);
      }
      if (kind === 'precommit' && value !== undefined && !hasPolka(node, round, value))
        context.fail(
          name,
          `${node.name} precommitted ${value.slice(0, 12)} at ${height}/${round} without two thirds of prevotes for it (L36)`,
        );
      ledger.add(node, { height, round, kind, bytes: fact.signed.bytes, value });
    }),
  };
}

type Signed = Extract<Fact, { kind: 'signed' }>;

/** The votes that nodes have to repeat because the cut WAL lacks them. */
class CutLogs {
  /** By node: what it signed last, and how often its disk had been replaced by then. */
  readonly #last = new Map<Process, { readonly said: Signed; readonly wipes: number }>();
  readonly #owed = new Map<Process, Signed>();

  /** @returns What is wrong with a signature. */
  on(fact: Signed | Extract<Fact, { kind: 'started' }>): string | undefined {
    const { node } = fact;
    if (fact.kind === 'started') {
      const { said, wipes } = this.#last.get(node) ?? {};
      const isOwed = fact.tornBytes > 0 && wipes === node.disk.wipes;
      if (isOwed && said !== undefined && isNewest(said) && isLost(said)) this.#owed.set(node, said);
      else this.#owed.delete(node);
      return undefined;
    }
    const { ask, signed } = fact;
    this.#last.set(node, { said: fact, wipes: node.disk.wipes });
    const owed = this.#owed.get(node);
    if (owed === undefined) return undefined;
    this.#owed.delete(node);
    if (ask.height !== owed.ask.height || equalBytes(signed.bytes, owed.signed.bytes)) return undefined;
    const { height, round, kind } = owed.ask;
    return `${node.name} signs a ${ask.kind} at ${ask.height}/${ask.round}, should first repeat its ${kind} at ${height}/${round}, which its torn WAL lacks`;
  }
}

/**
 * Whether the node has signed nothing later. It may have died right after a signature, which only its last-signed state
 * knows of.
 */
function isNewest({ node, ask }: Signed): boolean {
  const newest = node.disk.guard?.last;
  if (newest === undefined || newest.height !== ask.height) return true;
  const { round, step } = newest;
  return round < ask.round || (round === ask.round && step <= SIGN_STEPS[ask.kind]);
}

/** Whether it is a vote of the height in progress that the replayed WAL has not given back to the node. */
function isLost({ node, ask }: Signed): boolean {
  const rs = node.node?.rs();
  if (ask.kind === 'proposal' || node.signer === undefined || rs?.height !== ask.height) return false;
  const own = findByAddress(rs.validators, validatorAddress(node.signer.pubKey));
  return own !== undefined && rs.votes(ask.round, ask.kind)?.bits.has(own.index) !== true;
}

/** L36: whether the node itself sees two thirds of prevotes for the value in that round. */
function hasPolka(node: Process, round: number, value: string): boolean {
  const polka = node.node?.rs()?.votes(round, 'prevote')?.majority();
  return polka !== undefined && toHex(polka.hash) === value;
}

function lockProblem(
  node: Process,
  signed: readonly Signature[],
  vote: { readonly round: number; readonly value: string },
): string | undefined {
  let lock: Signature | undefined;
  for (const one of signed) {
    const isEarlier = one.kind === 'precommit' && one.round < vote.round;
    if (isEarlier && one.value !== undefined && (lock === undefined || one.round > lock.round)) lock = one;
  }
  if (lock === undefined || lock.value === vote.value) return undefined;
  for (let round = lock.round; round < vote.round; round++) {
    if (hasPolka(node, round, vote.value)) return undefined;
  }
  return `prevoted ${vote.value.slice(0, 12)} against its lock on ${lock.value?.slice(0, 12)} of round ${lock.round}, without a later polka (L28)`;
}
