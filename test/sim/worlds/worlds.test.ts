import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runScenario } from '../../../sim/run.ts';
import { isCampaign } from '../../support/campaign.ts';

const FOLDER = import.meta.dirname;
const yamlOf = (folder: string): readonly string[] =>
  readdirSync(path.join(FOLDER, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => path.join(folder, name));
/** Those that take two seconds and more are left to `npm run campaign`. */
const files = [...yamlOf('.'), ...(isCampaign ? yamlOf('long') : [])];

/** Worlds that once found something, in a node or in what judges it; those of the swarm as they were drawn then. */
describe('a world that was trouble once', () => {
  test.each(files)('%s passes', async (file) => {
    const result = await runScenario(readFileSync(path.join(FOLDER, file), 'utf8'));
    expect(result.ok && result.value.failures).toEqual([]);
  });
});
