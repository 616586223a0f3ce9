import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';

interface Reader {
  readonly lines: Interface;
  readonly queue: string[];
  readonly waiting: ((line: string) => void)[];
  ended: boolean;
}

/**
 * Of a pipe there is one reader a process: a second one would lose what the first had read ahead of its line. A
 * terminal is read only while it is asked, so that Ctrl-C works in between and nothing waits for it at the end.
 */
let reader: Reader | undefined;
/** While a password is typed nothing is echoed. */
let isHidden = false;

/** What the terminal shows of the keys pressed. */
const echo = (): Writable =>
  new Writable({
    write(chunk: Buffer, _, done) {
      if (!isHidden) process.stderr.write(chunk);
      done();
    },
  });

function openReader(): Reader {
  const lines = createInterface({
    input: process.stdin,
    prompt: '',
    ...(process.stdin.isTTY ? { output: echo(), terminal: true, historySize: 0 } : {}),
  });
  const opened: Reader = { lines, queue: [], waiting: [], ended: false };
  lines.on('line', (line) => {
    const next = opened.waiting.shift();
    if (next === undefined) opened.queue.push(line);
    else next(line);
  });
  lines.on('close', () => {
    opened.ended = true;
    for (const next of opened.waiting.splice(0)) next('');
  });
  lines.on('SIGINT', () => {
    lines.close();
    process.kill(process.pid, 'SIGINT');
  });
  return opened;
}

async function nextLine({ queue, waiting, ended }: Reader): Promise<string> {
  const ready = queue.shift();
  if (ready !== undefined) return ready;
  return ended ? '' : new Promise((resolve) => waiting.push(resolve));
}

/** Asks on stderr and reads one line from stdin; an empty text when there is no more input. */
export async function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY) {
    process.stderr.write(question);
    reader ??= openReader();
    return nextLine(reader);
  }
  // Opened before it asks: until then the terminal itself echoes what is typed.
  const one = openReader();
  process.stderr.write(question);
  try {
    return await nextLine(one);
  } finally {
    one.lines.close();
  }
}

/** As `ask`, for what must not be seen: nothing is echoed at a terminal. */
export async function askHidden(question: string): Promise<string> {
  isHidden = process.stdin.isTTY === true;
  try {
    return await ask(question);
  } finally {
    if (isHidden) process.stderr.write('\n');
    isHidden = false;
  }
}

/** Only a clear yes counts. */
export const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim());
