import { expect, test } from 'vitest';
import { scenarioIndex, writtenIndex } from './scenarioIndex.ts';

test('every behaviour of the catalogue and every kind of fault has a scenario', () => {
  expect(scenarioIndex().missing).toEqual([]);
});

test('scenarios/README.md lists the scenarios as they are', () => {
  expect(writtenIndex()).toBe(scenarioIndex().text);
});
