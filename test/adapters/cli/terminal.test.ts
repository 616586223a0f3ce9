import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

const PROGRAM = `
  import { ask, askHidden } from './adapters/cli/prompt.ts';
  const secret = await askHidden('Secret: ');
  const open = await ask('Open: ');
  console.log(JSON.stringify([secret, open]));
`;

/** Runs the program at a terminal of its own, and types each answer once its question is there. */
async function atTerminal(typed: readonly (readonly [question: string, keys: string])[]) {
  const command = `'${process.execPath}' --import tsx --input-type=module -e "$PROGRAM"`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: root,
    env: { ...process.env, PROGRAM },
  });
  const waiting = [...typed];
  let screen = '';
  let seen = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
    const [next] = waiting;
    const at = next === undefined ? -1 : screen.indexOf(next[0], seen);
    if (next === undefined || at < 0) return;
    seen = at + next[0].length;
    waiting.shift();
    child.stdin.write(next[1]);
  });
  const status = await new Promise((resolve) => child.once('exit', resolve));
  return { screen, status };
}

test.skipIf(!hasTerminal)(
  'a password typed at a terminal is read, with its corrections, and never shown',
  async () => {
    const { screen, status } = await atTerminal([
      ['Secret: ', 'hunterX\u007f2\r'],
      ['Open: ', 'shown\r'],
    ]);
    expect(screen).toContain('["hunter2","shown"]');
    expect(screen.replace('["hunter2"', '')).not.toContain('hunter');
    expect(screen).toContain('Open: shown');
    expect(status).toBe(0);
  },
);

test.skipIf(!hasTerminal)('Ctrl-C ends a question', async () => {
  const { screen, status } = await atTerminal([['Secret: ', 'hun\u0003']]);
  expect(screen).not.toContain('["');
  expect(status).not.toBe(0);
});
