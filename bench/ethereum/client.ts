import { Agent, request } from 'node:http';

/** Connections that a client keeps open, and calls it has under way. */
const CONNECTIONS = 64;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** JSON-RPC over connections that stay open: the same client for whatever is measured. */
export class RpcClient {
  readonly port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

  constructor(port: number) {
    this.port = port;
  }

  /** A server may close a connection just as it is used again: one more try, as browsers do. */
  post(body: string): Promise<string> {
    return this.#post(body).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET') throw error;
      return this.#post(body);
    });
  }

  #post(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const options = { host: '127.0.0.1', port: this.port, method: 'POST', agent: this.#agent, headers };
      const call = request(options, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => void parts.push(part));
        answer.on('end', () => resolve(Buffer.concat(parts).toString()));
        answer.on('error', reject);
      });
      call.on('error', reject);
      call.end(body);
    });
  }

  async call<T = unknown>(method: string, params: readonly unknown[] = []): Promise<T> {
    const answer = JSON.parse(await this.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })));
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Asks until a block has the transaction. */
export async function receiptOf<T>(client: RpcClient, hash: unknown): Promise<T> {
  for (;;) {
    const receipt = await client.call<T | null>('eth_getTransactionReceipt', [hash]);
    if (receipt !== null) return receipt;
    await pause(10);
  }
}

/** Does `work` for every index below `count`, `CONNECTIONS` at a time; stops early at the deadline. */
export async function spread(
  count: number,
  work: (index: number) => Promise<unknown>,
  deadline = Number.POSITIVE_INFINITY,
): Promise<number> {
  let next = 0;
  let done = 0;
  const worker = async (): Promise<void> => {
    while (next < count && performance.now() < deadline) {
      await work(next++);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONNECTIONS, count) }, worker));
  return done;
}
