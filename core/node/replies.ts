import type { EvidenceResult, FlushResult, SubmitResult } from '../types/submit.ts';
import type { Effect } from './contract.ts';
import { Waiters } from './waiters.ts';

/** Clients of this process that wait for the outcome of what they submitted. */
export class Replies {
  readonly submits = new Waiters<SubmitResult>();
  readonly evidences = new Waiters<EvidenceResult>();
  readonly flushes = new Waiters<FlushResult>();

  answer({ call, result }: Extract<Effect, { kind: 'reply' }>): void {
    if (result.kind === 'flushed') this.flushes.answer(call, result);
    else if (result.kind === 'evidence') this.evidences.answer(call, result);
    else this.submits.answer(call, result);
  }
}
