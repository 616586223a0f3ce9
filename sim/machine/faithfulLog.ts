import { assert } from '../../core/lib/assert.ts';
import { equalBytes, toHex } from '../../core/lib/bytes.ts';
import type { Effect, Host, LogRecord, Machine } from '../../core/node/contract.ts';
import { type BlockId, isZeroBlockId } from '../../core/types/block.ts';
import { STEP } from '../../core/types/messages.ts';
import type { RoundState, VoteSetReader } from '../../core/types/roundState.ts';
import { type Running, Shadow, type ShadowParts, type Standing } from './shadow.ts';

type Performed = Exclude<Effect, { kind: 'persist' }>;

/** Effects that the node handles itself. */
const isInner = ({ kind }: Effect): boolean => kind === 'publish' || kind === 'reply';

/** A message may go to fewer peers than asked for: some are gone. */
const isSame = (asked: Performed, done: Performed): boolean =>
  asked === done || (asked.kind === 'send' && done.kind === 'send' && asked.bytes === done.bytes);

/** Rounds beyond the current one whose votes are compared. */
const ROUNDS_AHEAD = 3;

/**
 * Checks during one life of a node that the log serves its purpose, whatever a power loss does later. Nothing that
 * others can see may leave before every record so far is durable. A complete log has to give the next life the very
 * state that was lost.
 */
export class FaithfulLog {
  #produced = 0;
  #durable = 0;
  #last: LogRecord | undefined;
  /** Undefined during a step: one that throws, as on a disk that cannot be read, is half done and not in the log. */
  #rs: RoundState | undefined;
  /** Effects that steps have asked for and that are not performed yet, in order. */
  #asked: Performed[] = [];
  #done = 0;

  /**
   * Counts the records of a machine that has not started yet, and sometimes tries what a restart would make of them.
   */
  attach(machine: Machine, running: Running, parts: ShadowParts): void {
    const { rs } = running;
    this.#rs = rs;
    const shadow = new Shadow(running, parts);
    const step = machine.step.bind(machine);
    machine.step = (now, input) => {
      this.#rs = undefined;
      const effects = step(now, input);
      this.#rs = rs;
      shadow.hear(input);
      // Nothing has changed: every move of the machine is published.
      if (effects.length === 0) return effects;
      for (const effect of effects) {
        shadow.note(effect);
        if (effect.kind !== 'persist') {
          if (!isInner(effect)) this.#asked.push(effect);
          continue;
        }
        this.#produced++;
        this.#last = effect.record;
      }
      const isOver = effects.some(({ kind }) => kind === 'halt');
      const restored = isOver ? undefined : shadow.restored(now);
      if (typeof restored === 'string') assert(false, `the log cannot be replayed: ${restored}`);
      if (restored !== undefined) {
        for (const { voteA } of running.conflicts())
          assert(
            voteA.height >= rs.height - 1,
            `an offence of ${voteA.height} is taken along to ${rs.height}`,
          );
        mustBeSame(rs, restored.rs);
        mustWaitForTheSame(shadow.present(), restored);
      }
      return effects;
    };
  }

  append(real: Host['append']): Host['append'] {
    return (records, durable) =>
      real(records, () => {
        this.#durable += records.length;
        durable();
      });
  }

  /** To be called before an effect is performed. */
  check(effect: Performed): void {
    const { kind } = effect;
    this.#mustBeNext(effect);
    if (kind === 'timer') return;
    assert(this.#produced === this.#durable, `a ${kind} left before the log that it rests on was durable`);
  }

  /** Effects are performed in the order in which steps asked for them. Messages to peers that are gone are skipped. */
  #mustBeNext(effect: Performed): void {
    for (; this.#done < this.#asked.length; this.#done++) {
      const asked = this.#asked[this.#done] as Performed;
      if (isSame(asked, effect)) break;
      assert(asked.kind === 'send', `a ${effect.kind} overtook a ${asked.kind}`);
    }
    assert(this.#done < this.#asked.length, `a ${effect.kind} was done that no step asked for`);
    this.#done++;
    if (this.#done < this.#asked.length) return;
    this.#asked = [];
    this.#done = 0;
  }

  /**
   * The next life has found `log` and made `rs` of it. If no record of this life is missing, both states are the same.
   */
  compare(log: readonly LogRecord[], rs: RoundState): void {
    const [last, found, before] = [this.#last, log.at(-1), this.#rs];
    if (last === undefined || found === undefined || before === undefined) return;
    if (last.height !== found.height || !equalBytes(last.bytes, found.bytes)) return;
    // The stored chain may have advanced with the very batch that the node was waiting for.
    if (before.height !== rs.height) return;
    mustBeSame(before, rs);
  }
}

function mustBeSame(before: RoundState, rs: RoundState): void {
  const [was, is] = [stateText(before), stateText(rs)];
  assert(was === is, `the log gives back another state: ${difference(was, is)}`);
}

/** A restart asks again for everything that the node waits for: nothing else would wake it. */
function mustWaitForTheSame({ rs, waitsFor }: Standing, restored: Standing): void {
  const [is, would] = [[...waitsFor].sort(), [...restored.waitsFor].sort()];
  const place = `${rs.height}/${rs.round}, step ${rs.step}`;
  for (const one of is) assert(would.includes(one), `begun anew at ${place}, it would not wait for ${one}`);
  assert(is.length === would.length, `begun anew at ${place}, it would wait for ${would.join(', ')}`);
}

const idText = (id: BlockId | undefined): string =>
  id === undefined ? '-' : isZeroBlockId(id) ? 'nil' : toHex(id.hash).slice(0, 8);

function votesText(votes: VoteSetReader | undefined): string {
  if (votes === undefined) return '';
  const given: string[] = [];
  for (let i = 0; i < votes.bits.size; i++) {
    const vote = votes.vote(i);
    if (vote !== undefined) given.push(`${i}:${idText(vote.blockId)}`);
  }
  return given.join(' ');
}

/** What a node's further votes depend on, one item per line. */
function stateText(rs: RoundState): string {
  const { proposal, proposalParts: parts } = rs;
  const lines = [
    `at ${rs.height}/${rs.round}/${rs.step}, commit round ${rs.commitRound}`,
    // The next height begins a fixed time after this.
    `decided at ${rs.step === STEP.commit ? rs.commitTime : '-'}`,
    `locked ${idText(rs.lockedBlock)} of ${rs.lockedRound}, valid ${idText(rs.validBlock)} of ${rs.validRound}`,
    `proposal ${idText(proposal?.blockId)} with polka of ${proposal?.polRound ?? '-'}`,
    `parts ${parts === undefined ? '-' : `${toHex(parts.header.hash).slice(0, 8)} ${parts.bits.words().join()}`}`,
    `precommit timer ${rs.held.precommitTimer}`,
    `last commit ${votesText(rs.lastPrecommits)}`,
  ];
  for (let round = 0; round <= rs.round + ROUNDS_AHEAD; round++)
    for (const type of ['prevote', 'precommit'] as const) {
      const text = votesText(rs.votes(round, type));
      if (text !== '') lines.push(`${type}s of round ${round}: ${text}`);
    }
  return lines.join('\n');
}

/** The first line that differs. */
function difference(was: string, is: string): string {
  const [before, after] = [was.split('\n'), is.split('\n')];
  const at = before.findIndex((line, i) => line !== after[i]);
  return at < 0 ? `more: ${after[before.length]}` : `"${before[at]}" became "${after[at]}"`;
}
