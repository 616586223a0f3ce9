// npm run build:playground [FOLDER]: writes the static files of the playground, by default to dist/playground/site.
import * as fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** A script of the playground, bundled with everything that it imports. */
async function bundled(file) {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, 'playground', file)],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    define: { global: 'globalThis' },
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}

const setting = (name, value) => `globalThis.${name} = ${JSON.stringify(value, undefined, 1)};\n`;

/**
 * Bundles the page and puts the shipped scenarios next to it. The worker is embedded as text, because a page opened from
 * a file cannot load a worker from another file.
 */
export async function buildPlayground(folder) {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'main.js'), await bundled('main.ts'));
  fs.writeFileSync(path.join(folder, 'view.js'), await bundled('view.js'));
  fs.writeFileSync(path.join(folder, 'worker.js'), setting('WORKER', await bundled('worker.ts')));
  for (const file of ['index.html', 'view.css'])
    fs.copyFileSync(path.join(root, 'playground', file), path.join(folder, file));
  const shipped = fs.readdirSync(path.join(root, 'scenarios')).filter((file) => file.endsWith('.yaml'));
  const texts = shipped.map((file) => [
    path.basename(file, '.yaml'),
    fs.readFileSync(path.join(root, 'scenarios', file), 'utf8'),
  ]);
  fs.writeFileSync(path.join(folder, 'scenarios.js'), setting('SCENARIOS', Object.fromEntries(texts)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = path.resolve(process.argv[2] ?? path.join(root, 'dist', 'playground', 'site'));
  await buildPlayground(folder);
  const bytes = fs
    .readdirSync(folder)
    .reduce((sum, file) => sum + fs.statSync(path.join(folder, file)).size, 0);
  console.log(`${folder}: ${Math.ceil(bytes / 1024)} KiB; serve it with any web server, or open index.html`);
}
