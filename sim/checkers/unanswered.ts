import { AssertionError } from '../../core/lib/assert.ts';
import { StorageFault } from '../../core/lib/storageFault.ts';
import { type Process, textOf } from '../machine/process.ts';
import type { CheckerContext } from './checker.ts';
import { Refused } from './questions.ts';

/** What reading an answer of another shape throws. */
const SHAPES = [TypeError, RangeError, SyntaxError];

/** For what asking a node threw. A drive that is broken may make it refuse. */
export function failBy(context: CheckerContext, node: Process, error: unknown): void {
  if (error instanceof StorageFault || error instanceof Refused) {
    if (!node.disk.isDamaged) context.fail('records', `${node.name} ${error.message}`);
  } else if (error instanceof AssertionError) context.fail('no_crash', `${node.name} threw ${textOf(error)}`);
  else if (error instanceof Error && SHAPES.some((shape) => error instanceof shape))
    context.fail('records', `${node.name} answers what cannot be read: ${error.message}`);
  else throw error;
}
