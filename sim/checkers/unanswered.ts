import { AssertionError } from '../../core/lib/assert.ts';
import { StorageFault } from '../../core/lib/storageFault.ts';
import { type Process, textOf } from '../machine/process.ts';
import type { CheckerContext } from './checker.ts';
import { Refused } from './questions.ts';

/** Errors from reading an answer of an unexpected shape. */
const SHAPES = [TypeError, RangeError, SyntaxError];

/** Reports an error thrown while asking a node. A node with a broken drive may refuse to answer. */
export function failBy(context: CheckerContext, node: Process, error: unknown): void {
  if (error instanceof StorageFault || error instanceof Refused) {
    if (!node.disk.isDamaged) context.fail('records', `${node.name} ${error.message}`);
  } else if (error instanceof AssertionError) {
    context.world.onThrow?.(error);
    context.fail('no_crash', `${node.name} threw ${textOf(error)}`);
  } else if (error instanceof Error && SHAPES.some((shape) => error instanceof shape))
    context.fail('records', `${node.name} answers what cannot be read: ${error.message}`);
  else throw error;
}
