import { headerHash } from '../../core/codec/hashes.ts';
import { equalBytes } from '../../core/lib/bytes.ts';
import type { BlocksyncMessage } from '../../core/types/messages.ts';
import type { Process } from '../machine/process.ts';

/** Of what is asked at once so much is answered, and as time goes by so much more a second. */
const BURST_MAX = 200;
const ANSWERS_PER_SECOND = 2000;

type Request = Extract<BlocksyncMessage, { kind: 'blockRequest' | 'statusRequest' }>;
export type Answer = Exclude<BlocksyncMessage, Request>;

interface Owed {
  /** Whoever connects is told the status without having asked. */
  readonly request: Request | { readonly kind: 'greeting' };
  readonly at: number;
  /** What the node had then. */
  readonly head: number;
}

/** What a node has to tell one peer of its blocks, since they are connected. */
export class Debts {
  readonly #owed: Owed[];
  /** Of the connection before: what the node has decided then may leave it now. */
  readonly #before: Owed[];
  /** How many requests that came at one moment have been answered. */
  #burst = { at: -1, count: 0 };

  constructor({ head }: Process, now: number, before: Debts | undefined) {
    this.#owed = [{ request: { kind: 'greeting' }, at: now, head }];
    this.#before = before === undefined ? [] : before.#owed;
  }

  asked({ head }: Process, request: Request, now: number): void {
    this.#owed.push({ request, at: now, head });
  }

  /** `isTimely`: nothing makes the node wait with what it has decided. */
  answered(node: Process, message: Answer, now: number, isTimely: boolean): string | undefined {
    const asked = this.#settle(message);
    if (asked === undefined && isTimely) return `sends a ${message.kind} that was not asked for`;
    if (asked !== undefined && asked.request.kind !== 'greeting') {
      if (this.#burst.at !== asked.at) this.#burst = { at: asked.at, count: 0 };
      const earned = ((now - asked.at) * ANSWERS_PER_SECOND) / 1_000_000;
      if (++this.#burst.count > BURST_MAX + 1 + earned)
        return `sends ${this.#burst.count} answers to what came at once`;
    }
    return node.disk.isDamaged ? undefined : contentProblem(node, message, asked?.head ?? 0);
  }

  /** What was asked for before that time, and waits still. */
  overdue(since: number): Owed['request']['kind'] | undefined {
    const [first] = this.#owed;
    return first !== undefined && first.at < since ? first.request.kind : undefined;
  }

  /** What the answer is to, taken off the list. An old status was decided before a newer one was owed, and may wait for the drive. */
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

/** A status says no less than what the node had when it came to owe it. */
const isSince = ({ head }: Owed, answer: Answer): boolean =>
  answer.kind !== 'statusResponse' || answer.height >= head;

export const heightOf = (answer: Exclude<Answer, { kind: 'statusResponse' }>): number =>
  answer.kind === 'blockResponse' ? answer.block.header.height : answer.height;

/** What is said must be so when it is said, or have been when it was asked. */
function contentProblem({ node }: Process, message: Answer, headThen: number): string | undefined {
  const chain = node?.rpc?.chain;
  if (chain === undefined) return undefined;
  const [base, head] = [Math.min(chain.base(), chain.head()), chain.head()];
  if (message.kind === 'statusResponse')
    return message.base <= base && message.height <= head && message.height >= headThen
      ? undefined
      : `claims ${message.base} to ${message.height}, having ${base} to ${head},`;
  if (message.kind === 'noBlockResponse')
    // Before the first block the least one is said to be 0, and there is none.
    return message.height >= Math.max(base, 1) && message.height <= headThen
      ? `denies its block ${message.height}`
      : undefined;
  const { header } = message.block;
  const own = chain.blockMeta(header.height)?.blockId.hash;
  return own !== undefined && equalBytes(own, headerHash(header))
    ? undefined
    : `serves a block ${header.height} that is not of its chain`;
}
