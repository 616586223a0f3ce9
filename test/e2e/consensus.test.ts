import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Comet38Client, connectComet, HttpClient, WebsocketClient } from '@cosmjs/tendermint-rpc';
import { createWalletClient, defineChain, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toHex, toUpperHex } from '../../core/lib/bytes.ts';
import { type Devnet, KEYS, startDevnet } from './devnet.ts';
import { headerHash } from './headerHash.ts';

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startDevnet();
});
afterAll(() => devnet?.stop());

/** The first `count` events of a subscription that are wanted. */
function collect<T>(
  stream: { addListener(l: { next(v: T): void; error(e: unknown): void }): void },
  count: number,
  isWanted: (event: T) => boolean = () => true,
): Promise<T[]> {
  const events: T[] = [];
  return new Promise((done, fail) => {
    stream.addListener({
      next(event) {
        if (isWanted(event)) events.push(event);
        if (events.length === count) done(events);
      },
      error: fail,
    });
  });
}

/** The first header has no last block to hash. */
const isLinked = ({ height }: { readonly height: number }): boolean => height > 1;

async function sendTransfer(): Promise<string> {
  const chain = defineChain({
    id: 9000,
    name: 'devnet',
    nativeCurrency: { name: 'chain', symbol: 'CHAIN', decimals: 18 },
    rpcUrls: { default: { http: [devnet.jsonRpc] } },
  });
  const wallet = createWalletClient({ chain, transport: http(), account: privateKeyToAccount(KEYS[0]) });
  return wallet.sendTransaction({ to: wallet.account.address, value: 1n });
}

test('the independent header hash is right for a block of CometBFT', async () => {
  const file = 'test/vectors/cometbft/rpc-fixtures-v0_38/incoming/block_at_height_10.json';
  const answer = JSON.parse(readFileSync(file, 'utf8'));
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...answer, id: JSON.parse(body).id }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { block, blockId } = await Comet38Client.create(new HttpClient(url)).block(10);
  expect(headerHash(block.header)).toBe(toHex(blockId.hash));
  server.closeAllConnections();
  server.close();
});

describe("CosmJS's client of the consensus RPC", () => {
  test('reads status, block, commit and validators, and finds the header hashes right', async () => {
    const client = Comet38Client.create(new HttpClient(devnet.consensusRpc));
    const socket = new WebsocketClient(devnet.consensusRpc.replace('http', 'ws'));
    const live = Comet38Client.create(socket);
    const [header] = await collect(live.subscribeNewBlockHeader(), 1, ({ height }) => height > 2);
    const height = (header?.height ?? 0) - 1;
    const status = await client.status();
    expect(status.nodeInfo).toMatchObject({ network: 'chain_9000-1', moniker: 'devnet' });
    expect(status.syncInfo.catchingUp).toBe(false);
    expect(status.syncInfo.latestBlockHeight).toBeGreaterThan(height);
    expect(status.validatorInfo.votingPower).toBe(10n);
    const { block, blockId } = await client.block(height);
    expect(headerHash(block.header)).toBe(toHex(blockId.hash));
    const commit = await client.commit(height);
    expect(toHex(commit.commit.blockId.hash)).toBe(toHex(blockId.hash));
    expect(headerHash(commit.header)).toBe(toHex(blockId.hash));
    const { validators } = await client.validatorsAll(height);
    expect(validators.map(({ address }) => toUpperHex(address))).toEqual([
      toUpperHex(status.validatorInfo.address),
    ]);
    expect(commit.commit.signatures[0]?.validatorAddress).toEqual(validators[0]?.address);
    expect((await client.abciInfo()).lastBlockHeight).toBeGreaterThanOrEqual(height);
    live.disconnect();
    client.disconnect();
  });

  test('chooses the reader of CometBFT 0.38 when it may choose', async () => {
    const client = await connectComet(devnet.consensusRpc);
    expect(client).toBeInstanceOf(Comet38Client);
    client.disconnect();
  });

  test('receives every NewBlockHeader in order, each linked to the one before', async () => {
    const client = await Comet38Client.connect(devnet.consensusRpc.replace('http', 'ws'));
    const headers = await collect(client.subscribeNewBlockHeader(), 3, isLinked);
    for (const [i, header] of headers.entries()) {
      const before = headers[i - 1];
      if (before === undefined) continue;
      expect(header.height).toBe(before.height + 1);
      expect(toHex(header.lastBlockId?.hash ?? new Uint8Array())).toBe(headerHash(before));
    }
    client.disconnect();
  });

  test('receives the Tx event of a transfer that came in by JSON-RPC', async () => {
    const client = await Comet38Client.connect(devnet.consensusRpc.replace('http', 'ws'));
    const events = collect(client.subscribeTx(), 1);
    await client.health();
    const ethHash = await sendTransfer();
    const [event] = await events;
    expect(event?.result.code).toBe(0);
    const attributes = event?.result.events.flatMap(({ type, attributes }) =>
      attributes.map(({ key, value }) => `${type}.${key}=${value}`),
    );
    expect(attributes).toContain(`ethereum_tx.ethereumTxHash=${ethHash}`);
    const { block } = await client.block(event?.height);
    expect(block.txs.map((tx) => toHex(tx))).toContain(toHex(event?.tx ?? new Uint8Array()));
    client.disconnect();
  });

  test('is told why a broadcast is refused', async () => {
    const client = Comet38Client.create(new HttpClient(devnet.consensusRpc));
    const answer = await client.broadcastTxSync({ tx: Uint8Array.of(1, 2, 3) });
    expect(answer.code).not.toBe(0);
    expect(answer.log).not.toBe('');
    client.disconnect();
  });
});
