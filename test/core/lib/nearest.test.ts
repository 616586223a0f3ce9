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

  test('is not compared letter by letter with what is much longer or shorter', () => {
    let looks = 0;
    const counted = (text: string): string =>
      new Proxy(new String(text), {
        get: (whole, name) => {
          if (name !== 'length') looks++;
          return Reflect.get(whole, name);
        },
      }) as string;
    expect(nearest(counted('heights'), ['heig', 'height_now'])).toBe('; did you mean heig?');
    expect(looks).toBeGreaterThan(0);
    looks = 0;
    expect(nearest(counted('heights'), ['hei', 'height_nows'])).toBe('');
    expect(looks).toBe(0);
  });
});
