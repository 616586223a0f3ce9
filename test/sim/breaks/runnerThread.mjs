/** A thread of runner.ts: loads a bundle, runs one scenario until something is noticed, and says what. */
import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';

parentPort.on('message', async ({ outfile, text, seed }) => {
  const { runScenario } = await import(pathToFileURL(outfile).href);
  let failure;
  const result = await runScenario(text, {
    crypto: 'keyed-hash',
    seed,
    onFailure: (one) => {
      failure ??= one;
    },
    stop: () => failure !== undefined,
  });
  if (result.ok) parentPort.postMessage({ failure: result.value.failures[0] });
  else parentPort.postMessage({ error: result.error.message });
});
