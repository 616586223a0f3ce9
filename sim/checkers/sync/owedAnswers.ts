import { headerHash } from '../../../core/codec/hashes.ts';
import { equalBytes } from '../../../core/lib/bytes.ts';
import { blockBytes } from '../../../core/sync/blockBytes.ts';
import type { BlocksyncMessage } from '../../../core/types/messages.ts';
import type { Process } from '../../machine/process.ts';

/** A node answers so many requests of one moment at once, and so many more each second after. */
const BURST_MAX = 200;
const ANSWERS_PER_SECOND = 2000;

/** A node may leave requests of a peer unanswered that it has sent nearly so many bytes (of 64 MiB). */
const BYTES_MAX = 0.9 * 64 * 1024 * 1024;
/** So many are forgotten each second. */
const BYTES_PER_SECOND = 32_000_000;

type Request = Extract<BlocksyncMessage, { kind: 'blockRequest' | 'statusRequest' }>;
export type Answer = Exclude<BlocksyncMessage, Request>;

interface Owed {
  /** A `greeting` is the status that a node sends to a new peer unasked. */
  readonly request: Request | { readonly kind: 'greeting' };
  readonly at: number;
  /** The node's head when it came to owe this. */
  readonly head: number;
}

/** The block sync answers that a node owes one peer since they are connected. */
export class OwedAnswers {
  readonly #owed: Owed[];
  /** Debts of the previous connection. An answer decided on then may leave the node only now. */
  readonly #before: Owed[];
  /** Answers sent so far to requests that came at one moment. */
  #burst = { at: -1, count: 0 };
  /** Bytes of blocks sent and not forgotten yet, at that time. */
  #served = { bytes: 0, at: 0 };
  /** When the node had last sent so much that it may have left requests unanswered. */
  #spentAt = -1;

  constructor({ head }: Process, now: number, before: OwedAnswers | undefined) {
    this.#owed = [{ request: { kind: 'greeting' }, at: now, head }];
    this.#before = before === undefined ? [] : before.#owed;
  }

  asked({ head }: Process, request: Request, now: number): void {
    this.#owed.push({ request, at: now, head });
  }

  /** What is wrong with the answer. `isTimely` means that nothing delays answers the node has decided to send. */
  answered(node: Process, message: Answer, now: number, isTimely: boolean): string | undefined {
    const asked = this.#settle(message);
    if (message.kind === 'blockResponse') this.#serve(blockBytes(message.block), now);
    if (asked === undefined && isTimely) return `sends a ${message.kind} that was not asked for`;
    if (asked !== undefined && asked.request.kind !== 'greeting') {
      if (this.#burst.at !== asked.at) this.#burst = { at: asked.at, count: 0 };
      const earned = ((now - asked.at) * ANSWERS_PER_SECOND) / 1_000_000;
      if (++this.#burst.count > BURST_MAX + 1 + earned)
        return `sends ${this.#burst.count} answers to requests that came at once, expected at most ${BURST_MAX} and then ${ANSWERS_PER_SECOND} a second`;
    }
    return node.disk.isDamaged ? undefined : contentProblem(node, message, asked?.head ?? 0);
  }

  #serve(bytes: number, now: number): void {
    const forgotten = ((now - this.#served.at) * BYTES_PER_SECOND) / 1_000_000;
    this.#served = { bytes: Math.max(0, this.#served.bytes - forgotten) + bytes, at: now };
    if (this.#served.bytes >= BYTES_MAX) this.#spentAt = now;
  }

  /** The kind of the oldest request still open, if it came before `since` and the node had to answer it. */
  overdue(since: number): Owed['request']['kind'] | undefined {
    const isExcused = ({ request, at }: Owed): boolean =>
      request.kind === 'blockRequest' && at <= this.#spentAt;
    const first = this.#owed.find((one) => !isExcused(one));
    return first !== undefined && first.at < since ? first.request.kind : undefined;
  }

  /**
   * Finds the request that the message answers and takes it off the list. A status that was decided on before a newer
   * one was owed may have waited for the drive; its head then fits only the older debt.
   */
  #settle(message: Answer): Owed | undefined {
    const isAnswered = (one: Owed): boolean => isAbout(one, message);
    const isTrue = (one: Owed): boolean => isAnswered(one) && isSince(one, message);
    return taken(this.#owed, isTrue) ?? taken(this.#before, isTrue) ?? taken(this.#owed, isAnswered);
  }
}

function taken(owed: Owed[], isIt: (one: Owed) => boolean): Owed | undefined {
  const at = owed.findIndex(isIt);
  return at === -1 ? undefined : owed.splice(at, 1)[0];
}

const isAbout = ({ request }: Owed, answer: Answer): boolean =>
  request.kind === 'blockRequest'
    ? answer.kind !== 'statusResponse' && heightOf(answer) === request.height
    : answer.kind === 'statusResponse';

/** A status names no lower head than the node had when it came to owe the status. */
const isSince = ({ head }: Owed, answer: Answer): boolean =>
  answer.kind !== 'statusResponse' || answer.height >= head;

export const heightOf = (answer: Exclude<Answer, { kind: 'statusResponse' }>): number =>
  answer.kind === 'blockResponse' ? answer.block.header.height : answer.height;

/** An answer must be true when it is sent, or have been true when it was asked for. */
function contentProblem({ node }: Process, message: Answer, headThen: number): string | undefined {
  const chain = node?.rpc?.chain;
  if (chain === undefined) return undefined;
  const [base, head] = [Math.min(chain.base(), chain.head()), chain.head()];
  if (message.kind === 'statusResponse')
    return message.base <= base && message.height <= head && message.height >= headThen
      ? undefined
      : `claims ${message.base} to ${message.height}, having ${base} to ${head},`;
  if (message.kind === 'noBlockResponse')
    // Before the first block, the status names base 0, and there is no such block.
    return message.height >= Math.max(base, 1) && message.height <= headThen
      ? `denies that it has block ${message.height}, which it has,`
      : undefined;
  const { header } = message.block;
  const own = chain.blockMeta(header.height)?.blockId.hash;
  return own !== undefined && equalBytes(own, headerHash(header))
    ? undefined
    : `serves a block ${header.height} that is not of its chain`;
}
