import { readdirSync } from 'node:fs';
import { type Bench, figureLine } from './figure.ts';

const NOT_BENCHES = ['main', 'figure', 'networkCost'];

/** Runs the bench NAME (`bench/NAME.ts`); its figures go to stdout, one JSON line each. */
export async function main(args: readonly string[]): Promise<void> {
  const names = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.js'))
    .map((file) => file.slice(0, -3))
    .filter((name) => !NOT_BENCHES.includes(name))
    .sort();
  const [name, ...rest] = args;
  if (name === undefined || !names.includes(name)) {
    process.stderr.write(`usage: npm run bench -- NAME, where NAME is one of: ${names.join(', ')}\n`);
    process.exitCode = 2;
    return;
  }
  const bench: Bench = await import(`./${name}.js`);
  await bench.run((figure) => process.stdout.write(`${figureLine(figure)}\n`), rest);
}
