import { OUTBOX_BYTES_MAX as COMET_BYTES_MAX, CometSession } from '../../core/rpc/comet/session.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { OUTBOX_BYTES_MAX as ETH_BYTES_MAX, EthSession } from '../../core/rpc/eth/session.ts';
import { Wire } from '../clients/wire.ts';
import { type Stage, settle } from './stage.ts';

const TURNS = 3;
const ANSWERS_MAX = 4;

/**
 * The socket of a client that has left nearly as much unread as its node allows: there is room for only a few more
 * answers.
 */
class NearlyFull extends Wire {
  readonly #bytesMax: number;
  /** Bytes that may still come before it is cut off; undefined while the client reads everything. */
  left: number | undefined;

  constructor(bytesMax: number) {
    super(0, Number.MAX_SAFE_INTEGER);
    this.#bytesMax = bytesMax;
  }

  override buffered(): number {
    return this.left === undefined ? 0 : this.#bytesMax - this.left;
  }
}

/** A websocket, and a request whose answer is always the same. */
interface Face {
  readonly name: string;
  readonly bytesMax: number;
  readonly question: string;
  open(ctx: RpcContext, wire: Wire): { receive(text: string): Promise<void> | undefined; drained(): void };
}

const FACES: readonly Face[] = [
  {
    name: 'the consensus websocket',
    bytesMax: COMET_BYTES_MAX,
    question: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'health', params: {} }),
    open: (ctx, wire) => new CometSession(ctx, wire, 'nearly full'),
  },
  {
    name: 'the EVM websocket',
    bytesMax: ETH_BYTES_MAX,
    question: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
    open: (ctx, wire) => new EthSession(ctx, wire),
  },
];

/**
 * A client leaves as many bytes unread as it may, up to the last answer that fits, and then reads them, again and
 * again. It is not cut off and gets every answer. With one answer more it is cut off.
 */
export async function roomProblem(
  { ctx }: Stage,
  choose: (n: number) => number,
): Promise<string | undefined> {
  for (const { name, bytesMax, question, open } of FACES) {
    const wire = new NearlyFull(bytesMax);
    const session = open(ctx, wire);
    const ask = async (): Promise<void> => {
      await session.receive(question);
      await settle();
    };
    await ask();
    const bytes = wire.read()?.length ?? 0;
    for (let turn = 0; turn < TURNS; turn++) {
      const answers = 1 + choose(ANSWERS_MAX);
      wire.left = answers * bytes;
      for (let i = 0; i < answers; i++) await ask();
      if (wire.isClosed) return `whoever leaves unread by ${name} what it may is cut off: ${wire.reason}`;
      if (turn === TURNS - 1) break;
      wire.left = undefined;
      session.drained();
      await settle();
      const got = wire.unread.length;
      if (got !== answers) return `whoever reads late by ${name} gets ${got} of ${answers} answers`;
      while (wire.unread.length > 0) wire.read();
    }
    await ask();
    if (!wire.isClosed) return `whoever leaves unread by ${name} one answer too many is not cut off`;
  }
  return undefined;
}
