import { createInterface, type Interface } from 'node:readline';

/** One reader a process: a second one would lose what the first had read ahead of its line. */
let reader:
  | {
      readonly lines: Interface;
      readonly queue: string[];
      waiting: ((line: string) => void)[];
      ended: boolean;
    }
  | undefined;
/** While a password is typed nothing is echoed. */
let isHidden = false;

function openReader() {
  const output = { write: (text: string): boolean => isHidden || process.stderr.write(text) };
  const lines = createInterface({
    input: process.stdin,
    ...(process.stdin.isTTY ? { output: output as unknown as NodeJS.WritableStream, terminal: true } : {}),
  });
  const opened: NonNullable<typeof reader> = { lines, queue: [], waiting: [], ended: false };
  lines.on('line', (line) => {
    const next = opened.waiting.shift();
    if (next === undefined) opened.queue.push(line);
    else next(line);
  });
  lines.on('close', () => {
    opened.ended = true;
    for (const next of opened.waiting.splice(0)) next('');
  });
  return opened;
}

/** Asks on stderr and reads one line from stdin; an empty text when there is no more input. */
export async function ask(question: string): Promise<string> {
  process.stderr.write(question);
  reader ??= openReader();
  const ready = reader.queue.shift();
  if (ready !== undefined) return ready;
  if (reader.ended) return '';
  const { waiting } = reader;
  return new Promise((resolve) => waiting.push(resolve));
}

/** As `ask`, for what must not be seen: nothing is echoed at a terminal. */
export async function askHidden(question: string): Promise<string> {
  reader ??= openReader();
  const answer = ask(question);
  isHidden = process.stdin.isTTY === true;
  try {
    return await answer;
  } finally {
    if (isHidden) process.stderr.write('\n');
    isHidden = false;
  }
}

/** Only a clear yes counts. */
export const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim());
