/** Runs a scenario off the page's thread and hands the trace over in pieces while it runs. */
import { runScenario } from '../sim/run.ts';

interface Order {
  readonly text: string;
  readonly seed: string;
}

/** Lines of the trace in one message. */
const PIECE = 500;

const port = self as unknown as {
  onmessage: ((event: { readonly data: Order }) => void) | null;
  postMessage(message: unknown): void;
};

async function run({ text, seed }: Order): Promise<void> {
  let piece: unknown[] = [];
  const flush = (): void => {
    if (piece.length > 0) port.postMessage({ kind: 'lines', lines: piece });
    piece = [];
  };
  const result = await runScenario(text, {
    seed,
    trace(line) {
      piece.push(JSON.parse(line));
      if (piece.length >= PIECE) flush();
    },
  });
  flush();
  port.postMessage(
    result.ok ? { kind: 'report', report: result.value } : { kind: 'refused', error: result.error },
  );
}

port.onmessage = (event) => {
  run(event.data).catch((error: unknown) => port.postMessage({ kind: 'failed', text: String(error) }));
};
