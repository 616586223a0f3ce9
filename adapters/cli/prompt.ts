import { createInterface } from 'node:readline/promises';

/** Asks on stderr and reads one line from stdin; an empty text when there is no more input. */
export async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  try {
    process.stderr.write(question);
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
  }
}

/** Only a clear yes counts. */
export const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim());
