import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { devAccounts } from '../../adapters/config/devAccounts.ts';
import { to0xHex } from '../../core/lib/bytes.ts';
import { EPHEMERAL_FLAGS } from './devnet.ts';

const KILLS = 10;
const EVENTS_PER_LIFE = 15;
const SENDERS = 3;

let home: string;
let child: ChildProcess | undefined;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'orrery-resume-'));
});
afterAll(() => {
  child?.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

interface Running {
  readonly process: ChildProcess;
  readonly jsonRpc: string;
  readonly consensusRpc: string;
}

async function start(): Promise<Running> {
  const args = ['bin/orrery.js', 'devnet', '--home', home, '--quiet', '--block-time', '100ms'];
  const started = spawn(process.execPath, [...args, ...EPHEMERAL_FLAGS], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = started;
  let errors = '';
  started.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  const urls = new Map<string, string>();
  for await (const line of createInterface({ input: started.stdout })) {
    const match = /^(JSON-RPC|Consensus RPC) +(http:\S+)/.exec(line);
    if (match !== null) urls.set(match[1] as string, match[2] as string);
    const [jsonRpc, consensusRpc] = [urls.get('JSON-RPC'), urls.get('Consensus RPC')];
    if (jsonRpc === undefined || consensusRpc === undefined) continue;
    started.stdout.resume();
    return { process: started, jsonRpc, consensusRpc };
  }
  throw new Error(`the node did not start: ${errors}`);
}

interface Position {
  readonly height: number;
  readonly event: number;
}

/** What a client keeps: the events, and how far they reach. */
class Follower {
  readonly seen: string[] = [];
  #last: Position = { height: 1, event: -1 };

  /** Follows until the socket ends; `onEvent` after each new one. */
  async follow(url: string, onEvent: () => void): Promise<void> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/websocket`);
    socket.on('error', () => {});
    socket.on('message', (data) => {
      const { result, error } = JSON.parse(String(data));
      if (error !== undefined) throw new Error(JSON.stringify(error));
      if (result.data === undefined || !this.#isNews(result.position)) return;
      const { height, index = 0 } = result.data.value.TxResult;
      this.seen.push(`${height}/${index} ${result.events['tx.hash'][0]}`);
      onEvent();
    });
    await once(socket, 'open');
    const params = { query: "tm.event='Tx'", from_height: String(this.#last.height) };
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params }));
    await once(socket, 'close');
  }

  #isNews(position: { height: string; event_index: number }): boolean {
    const [height, event] = [Number(position.height), position.event_index];
    const { last } = { last: this.#last };
    if (height < last.height || (height === last.height && event <= last.event)) return false;
    this.#last = { height, event };
    return true;
  }
}

/** Sends until the node is gone. */
async function load(url: string): Promise<void> {
  const to = '0x00000000000000000000000000000000000051a0';
  const senders = devAccounts()
    .slice(0, SENDERS)
    .map(async ({ address }) => {
      for (let value = 1; ; value++) {
        const params = [{ from: to0xHex(address), to, value: `0x${value.toString(16)}` }];
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction', params });
        const headers = { 'content-type': 'application/json' };
        await (await fetch(url, { method: 'POST', headers, body })).text();
      }
    });
  await Promise.allSettled(senders);
}

async function get(url: string, path: string): Promise<Record<string, never>> {
  return ((await (await fetch(`${url}${path}`)).json()) as { result: Record<string, never> }).result;
}

/** Every transaction of the chain, as the blocks and as the index have them. */
async function everything(url: string): Promise<{ blocks: number; indexed: string[] }> {
  const { last_height } = (await get(url, '/blockchain')) as unknown as { last_height: string };
  let blocks = 0;
  for (let height = 1; height <= Number(last_height); height++) {
    const { block } = (await get(url, `/block?height=${height}`)) as unknown as {
      block: { data: { txs: string[] } };
    };
    blocks += block.data.txs.length;
  }
  const indexed: string[] = [];
  for (let page = 1, total = 1; indexed.length < total; page++) {
    const query = encodeURIComponent(`"ethereum.amount > 0 AND tx.height <= ${last_height}"`);
    const found = (await get(url, `/tx_search?query=${query}&per_page=100&page=${page}`)) as unknown as {
      txs: { height: string; index: number; hash: string }[];
      total_count: string;
    };
    total = Number(found.total_count);
    if (found.txs.length === 0) break;
    indexed.push(...found.txs.map(({ height, index, hash }) => `${height}/${index} ${hash}`));
  }
  return { blocks, indexed };
}

test('a client that resumes after each of ten kills has every event once, in order', {
  timeout: 900_000,
}, async () => {
  const follower = new Follower();
  for (let life = 0; life < KILLS; life++) {
    const node = await start();
    const exited = once(node.process, 'exit');
    const enough = follower.seen.length + EVENTS_PER_LIFE;
    const following = follower.follow(node.consensusRpc, () => {
      if (follower.seen.length >= enough) node.process.kill('SIGKILL');
    });
    await Promise.all([load(node.jsonRpc), following, exited]);
  }
  const node = await start();
  const { blocks, indexed } = await everything(node.consensusRpc);
  expect(indexed).toHaveLength(blocks);
  const exited = once(node.process, 'exit');
  if (follower.seen.length < blocks)
    await follower.follow(node.consensusRpc, () => {
      if (follower.seen.length >= blocks) node.process.kill('SIGKILL');
    });
  else node.process.kill('SIGKILL');
  await exited;
  // What waited when the node was killed may be in a block by now that was not there when everything was read.
  expect(follower.seen.slice(0, blocks)).toEqual(indexed);
  expect(follower.seen.length).toBeGreaterThanOrEqual(KILLS * EVENTS_PER_LIFE);
});
