import { toBase64 } from '../../core/lib/base64.ts';
import type { MempoolRefusal } from '../../core/types/submit.ts';
import { comet, eth, posted } from '../checkers/questions.ts';
import type { Fields } from '../clients/answers/answers.ts';
import { shown } from '../difference.ts';
import { signedByNode } from './signed.ts';
import { type Stage, settle } from './stage.ts';

/** In no block. */
const TX = Uint8Array.of(7, 7, 7);
const OVERDRAWN = 'not that much';

interface Case {
  readonly refusal: MempoolRefusal;
  /** In codespace `sdk`. */
  readonly code: number;
  /** What the error text has for CometBFT's clients, and for geth's. */
  readonly engine: string;
  readonly geth: string;
}

/** Each refusal of a pool, in the words of each API. */
const CASES: readonly Case[] = [
  { refusal: { code: 'in-cache' }, code: 19, engine: 'tx already exists in cache', geth: 'already known' },
  {
    refusal: { code: 'full', txs: 3, txsMax: 3, bytes: 5, bytesMax: 7 },
    code: 20,
    engine: 'mempool is full: number of txs 3 (max: 3), total txs bytes 5 (max: 7)',
    geth: 'txpool is full',
  },
  {
    refusal: { code: 'too-large', bytes: 9, bytesMax: 8 },
    code: 21,
    engine: 'Tx too large. Max size is 8, but got 9',
    geth: 'oversized data',
  },
  {
    refusal: { code: 'replacement-underpriced' },
    code: 13,
    engine: 'replacement transaction underpriced',
    geth: 'replacement transaction underpriced',
  },
  { refusal: { code: 'overdraft', message: OVERDRAWN }, code: 5, engine: OVERDRAWN, geth: OVERDRAWN },
];

/**
 * A client sends a transaction by each API, the pool refuses it at once, and the client gets the reason, even where the
 * API does not wait for the application.
 */
export async function refusalsProblem(stage: Stage): Promise<string | undefined> {
  for (const one of CASES) {
    const problem = await wrongWords(stage, one);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function wrongWords(stage: Stage, { refusal, code, engine, geth }: Case): Promise<string | undefined> {
  const refused = async <T>(told: Promise<T>): Promise<T> => {
    // Some APIs check the transaction themselves before they ask the pool.
    if (stage.submitted.length === 0) await settle();
    const [tx] = stage.submitted;
    if (tx !== undefined) stage.answerSubmit({ kind: 'refused', hash: stage.ctx.suite.sha256(tx), refusal });
    return told;
  };
  for (const method of ['broadcast_tx_sync', 'broadcast_tx_async', 'broadcast_tx_commit']) {
    const told = await refused(comet(stage.ctx, method, { tx: toBase64(TX) }));
    const text = String(((told['refused'] ?? {}) as Fields)['data']);
    if (!text.includes(engine))
      return `${method} of what is refused is answered by ${shown(told)}, it should be by '${engine}'`;
  }
  const body = { tx_bytes: toBase64(TX), mode: 'BROADCAST_MODE_SYNC' };
  const { tx_response } = await refused(posted(stage.ctx, '/cosmos/tx/v1beta1/txs', body));
  const response = (tx_response ?? {}) as Fields;
  if (response['code'] !== code || response['codespace'] !== 'sdk')
    return `REST answers ${shown(response)} for what is refused, expected code ${code} of codespace sdk`;
  const told = await refused(eth(stage.ctx, 'eth_sendRawTransaction', [await signedByNode(stage, 0)]));
  const { refused: error } = told as { readonly refused?: Fields };
  return String(error?.['message']).includes(geth)
    ? undefined
    : `eth_sendRawTransaction of what is refused is answered by ${shown(told)}, it should be by '${geth}'`;
}
