import { describe, expect, test } from 'vitest';
import { nearest } from '../../../core/lib/nearest.ts';

describe('a word that nobody knows', () => {
  test.each([
    ['heigth', ['height', 'heights', 'time'], '; did you mean height?'],
    ['los', ['delay', 'loss', 'dup'], '; did you mean loss?'],
    ['double-prevoet', ['double-prevote', 'double-precommit'], '; did you mean double-prevote?'],
    ['one_way', ['partition', 'oneway'], '; did you mean oneway?'],
    ['x', ['to', 'at', 'on'], ''],
    ['everything', ['all', 'who'], ''],
    ['v9', [], ''],
  ])('%s', (word, known, said) => {
    expect(nearest(word, known)).toBe(said);
  });
});
