// npm run digests: prints the digests of fifty fixed scenarios, one a line, to compare runtimes. The output must be the
// same, byte for byte, under another Node (`OTHER/node scripts/digests.mjs` after a build) and in a browser
// (`npm run digests -- --page FOLDER`, then open FOLDER/digests.html).
import * as fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export const root = path.resolve(import.meta.dirname, '..');
/** How many of the shipped scenarios are run: the first ones by name, each with seed 1. */
const COUNT = 50;

export const fixedScenarios = () =>
  fs
    .readdirSync(path.join(root, 'scenarios'))
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .slice(0, COUNT)
    .map((file) => [
      path.basename(file, '.yaml'),
      fs.readFileSync(path.join(root, 'scenarios', file), 'utf8'),
    ]);

/** @param runScenario The simulator's function, from the build or from a bundle. */
export async function digestLines(runScenario, scenarios, onLine = () => {}) {
  const lines = [];
  for (const [name, text] of scenarios) {
    const result = await runScenario(text, { seed: '1', crypto: 'keyed-hash' });
    const line = result.ok ? `${name} ${result.value.digest}` : `${name} ${result.error.message}`;
    lines.push(line);
    onLine(line);
  }
  return lines;
}

/** Builds a page that runs the same scenarios and shows the same lines. */
export async function buildDigestsPage(folder) {
  const { build } = await import('esbuild');
  fs.mkdirSync(folder, { recursive: true });
  const contents = `
import { runScenario } from './sim/run.ts';
const out = document.getElementById('out');
const run = async () => {
  for (const [name, text] of ${JSON.stringify(fixedScenarios())}) {
    const result = await runScenario(text, { seed: '1', crypto: 'keyed-hash' });
    out.textContent += name + ' ' + (result.ok ? result.value.digest : result.error.message) + '\\n';
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  document.body.dataset.state = 'done';
};
run().catch((error) => { document.body.dataset.state = 'failed ' + error.stack; });
`;
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    outfile: path.join(folder, 'digests.js'),
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    define: { global: 'globalThis' },
    logLevel: 'warning',
  });
  const page = path.join(folder, 'digests.html');
  fs.writeFileSync(
    page,
    '<!doctype html><meta charset="utf-8"><title>digests</title><body><pre id="out"></pre><script src="digests.js"></script>\n',
  );
  return page;
}

async function main([flag, folder]) {
  if (flag === '--page') {
    const page = await buildDigestsPage(path.resolve(folder ?? path.join(root, '.cache', 'digests')));
    process.stdout.write(`${page}\n`);
    return;
  }
  const { runScenario } = await import(pathToFileURL(path.join(root, 'dist', 'sim', 'run.js')).href);
  await digestLines(runScenario, fixedScenarios(), (line) => process.stdout.write(`${line}\n`));
}

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));
