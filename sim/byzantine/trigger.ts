import { STEP } from '../../core/types/messages.ts';
import type { Process } from '../machine/process.ts';
import { readMessage } from '../network/readMessage.ts';
import { type ByzantineTrigger, EVENT_WORDS, type StepWord } from '../scenario/scenario.ts';
import { isAwaited } from '../timeline/happens.ts';
import { PPM } from '../world/choices.ts';
import type { World } from '../world/world.ts';
import { type Accomplice, CONSENSUS_CHANNELS, type Send } from './behaviour.ts';

/** Pairs of height and round for which the drawn result is remembered. */
const DRAWN_MAX = 4_096;

/** First and last round step of each word, in CometBFT's numbers. */
const STEPS: Readonly<Record<StepWord, readonly [number, number]>> = {
  propose: [STEP.newHeight, STEP.propose],
  prevote: [STEP.prevote, STEP.prevoteWait],
  precommit: [STEP.precommit, STEP.precommitWait],
  commit: [STEP.commit, STEP.commit],
};

const inSpan = (value: number, span: { readonly from: number; readonly to: number }): boolean =>
  value >= span.from && value <= span.to;

/**
 * Says whether a trigger holds now for a height and round. Chance, `times` and `every` are decided once per height and
 * round.
 * @param said the message that the node is about to send, if any.
 */
export function dueAt(
  world: World,
  process: Process,
  trigger: ByzantineTrigger,
  label: string,
  said: () => Send | undefined,
): Accomplice['isDue'] {
  const { event, step, duration, times, every } = trigger;
  let from: number | undefined = event === undefined ? 0 : undefined;
  if (event !== undefined) {
    world.observe(EVENT_WORDS, (fact) => {
      if (from === undefined && isAwaited(event, fact)) from = world.now;
    });
  }
  const drawn = new Map<string, boolean>();
  let used = 0;
  let span = -1;
  const draw = (): boolean => {
    const now =
      every === undefined ? span + 1 : Math.floor((world.now - (from ?? 0) - trigger.after) / every);
    if (now === span) return false;
    span = now;
    if (times !== undefined && used >= times) return false;
    const due = trigger.chancePpm >= PPM || world.choices.stream(`${label}/chance`).chance(trigger.chancePpm);
    if (due) used++;
    return due;
  };
  return (height, round) => {
    if (from === undefined || world.now < from + trigger.after) return false;
    if (duration !== undefined && world.now >= from + trigger.after + duration) return false;
    if (!inSpan(height, trigger.heights) || !inSpan(round, trigger.rounds)) return false;
    if (step !== undefined && !isIn(step, stepOf(said()) ?? process.node?.rs()?.step ?? 0)) return false;
    if (trigger.chancePpm >= PPM && times === undefined && every === undefined) return true;
    const key = `${height}/${round}`;
    const known = drawn.get(key);
    if (known !== undefined) return known;
    const due = draw();
    // Evict the oldest: nothing asks for a round that far back again.
    if (drawn.size >= DRAWN_MAX) for (const old of drawn.keys()) if (drawn.delete(old)) break;
    drawn.set(key, due);
    return due;
  };
}

function isIn(word: StepWord, step: number): boolean {
  const [first, last] = STEPS[word];
  return step >= first && step <= last;
}

/**
 * The round step that a message belongs to, if any. The node itself may have moved on by the time the message leaves.
 */
function stepOf(send: Send | undefined): number | undefined {
  if (send === undefined || !CONSENSUS_CHANNELS.includes(send.channel)) return undefined;
  const decoded = readMessage(send.bytes);
  if (!decoded.ok) return undefined;
  switch (decoded.value.kind) {
    case 'proposal':
    case 'proposalPol':
    case 'blockPart':
      return STEP.propose;
    case 'vote':
      return STEP[decoded.value.vote.type];
    case 'newRoundStep':
      return decoded.value.step;
    default:
      return undefined;
  }
}
