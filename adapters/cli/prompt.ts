import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { OperatingError } from '../operatingError.ts';

interface Reader {
  readonly lines: Interface;
  readonly queue: string[];
  readonly waiting: ((line: string) => void)[];
  ended: boolean;
}

/**
 * Reader of a pipe: one per process, as a second one would lose lines that the first has read ahead. A terminal gets a
 * reader for each question, so Ctrl-C works in between and no reader keeps the process alive.
 */
let reader: Reader | undefined;
/** True while a password is typed, which must not be echoed. */
let isHidden = false;

/** Output that echoes typed keys on the terminal. */
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

/** Asks on stderr and reads a line from stdin; returns an empty text at the end of input. */
export async function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY) {
    process.stderr.write(question);
    reader ??= openReader();
    return nextLine(reader);
  }
  // Opened before the question appears: until then the terminal itself echoes typed keys.
  const one = openReader();
  process.stderr.write(question);
  try {
    return await nextLine(one);
  } finally {
    one.lines.close();
  }
}

/** Like `ask`, but a terminal does not echo the answer. */
export async function askHidden(question: string): Promise<string> {
  isHidden = process.stdin.isTTY === true;
  try {
    return await ask(question);
  } finally {
    if (isHidden) process.stderr.write('\n');
    isHidden = false;
  }
}

/** Only `y` or `yes` counts as yes. */
export const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim());

/** Asks for a confirmation, unless a flag has given it already. */
export async function confirmed(isSure: boolean | undefined, question: string): Promise<void> {
  if (isSure === true) return;
  if (!isYes(await ask(question))) throw new OperatingError('aborted');
}
