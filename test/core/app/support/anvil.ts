/** anvil (revm) as a second implementation beside ours. */
import { spawn } from 'node:child_process';

export interface Anvil {
  rpc(method: string, ...params: readonly unknown[]): Promise<unknown>;
  stop(): void;
}

export async function startAnvil(...flags: readonly string[]): Promise<Anvil> {
  const all = ['--port', '0', '--chain-id', '9000', '--gas-limit', '40000000', ...flags];
  const child = spawn(process.execPath, ['node_modules/@foundry-rs/anvil/bin.mjs', ...all]);
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`anvil ended: ${text}`)));
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const match = /Listening on (\S+)/.exec(text);
      if (match !== null) resolve(`http://${match[1]}`);
    });
  });
  return {
    async rpc(method, ...params) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const headers = { 'content-type': 'application/json' };
      const reply = (await (await fetch(url, { method: 'POST', body, headers })).json()) as {
        result?: unknown;
        error?: { message: string };
      };
      if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`);
      return reply.result;
    },
    stop() {
      child.removeAllListeners('exit');
      child.kill();
    },
  };
}
