import { nobleSuite } from '../../core/crypto/noble.ts';
import { type CoreNode, createNode } from '../../core/node/assembly.ts';
import type { Input } from '../../core/node/contract.ts';
import { DEFAULT_NODE_CONFIG } from '../../core/node/nodeConfig.ts';
import { handleEthRequest } from '../../core/rpc/eth/jsonrpc.ts';
import { MemoryKv } from '../../core/store/memoryKv.ts';
import { DEV_BALANCE, devAccounts } from '../config/devAccounts.ts';
import { newGenesis } from '../config/genesisFile.ts';
import type { OutsideEffect } from '../host.ts';
import { slicedPause } from '../system.ts';

const START = 1_767_225_600_000_000;
const BLOCKS = 4;
const SEED = new Uint8Array(32).fill(7);

export interface FuzzNode {
  /** The node's response to the body of one HTTP request. */
  ask(text: string): Promise<string | undefined>;
  /** Errors since the last look; empty if the node is correct. */
  readonly crashes: string[];
}

/**
 * A one-validator node in memory with its own clock. It makes a few blocks with transactions and then stops, so that
 * tens of thousands of requests run on the same chain.
 */
export async function fuzzNode(): Promise<FuzzNode> {
  const suite = nobleSuite;
  const publicKey = suite.ed25519PublicKey(SEED);
  const address = suite.sha256(publicKey).slice(0, 20);
  const accounts = devAccounts();
  const genesis = newGenesis({
    chainId: 'chain_9000-1',
    hrp: undefined,
    denom: undefined,
    now: START,
    validators: [{ address, pubKey: { type: 'ed25519', bytes: publicKey }, power: 10n, name: 'fuzz' }],
    accounts: accounts.map((account) => ({ address: account.address, balance: DEV_BALANCE })),
  });
  const crashes: string[] = [];
  let now = START;
  let rests = false;
  let ids = 0;
  const input = (one: Input): void => {
    setImmediate(() => node.driver.input(one));
  };
  const node: CoreNode = await createNode({
    genesis,
    kv: new MemoryKv(),
    suite,
    config: DEFAULT_NODE_CONFIG,
    log: [],
    identity: {
      nodeId: '00'.repeat(20),
      moniker: 'fuzz',
      version: '0',
      listenAddress: '',
      rpcAddress: '',
      validator: { address, pubKey: { type: 'ed25519', bytes: publicKey } },
    },
    keys: {
      addresses: accounts.map((account) => account.address),
      secret: (wanted) =>
        accounts.find((account) => wanted.every((byte, i) => byte === account.address[i]))?.secret,
    },
    pause: slicedPause(),
    randomId: () => {
      const id = new Uint8Array(16);
      new DataView(id.buffer).setUint32(12, ++ids);
      return id;
    },
    clock: () => now,
    // Fires at once, whatever the delay.
    after: (_ms, done) => {
      const timer = setImmediate(done);
      return () => clearImmediate(timer);
    },
    outside: ({ appService }) => ({
      now: () => now,
      append: (_records, durable) => durable(),
      perform(effect: OutsideEffect) {
        if (effect.kind === 'app') {
          const { call } = effect;
          appService.handle(effect.ask).then(
            (reply) => input({ kind: 'app', call, reply }),
            (error: unknown) => crashes.push(String(error)),
          );
        } else if (effect.kind === 'sign') {
          const { bytes } = effect.ask;
          const signature = suite.ed25519Sign(SEED, bytes);
          input({ kind: 'signed', call: effect.call, result: { ok: true, value: { signature, bytes } } });
        } else if (effect.kind === 'timer' && !rests) {
          // Ten times faster than asked, but slow enough for what the timer waits for.
          setTimeout(() => {
            now += effect.afterMs * 1000;
            input({ kind: 'timer', key: effect.key });
          }, effect.afterMs / 10);
        } else if (effect.kind === 'halt') crashes.push(effect.reason);
      },
    }),
  });
  node.hub.listen((event) => {
    if (event.kind === 'note' && event.level === 'error') crashes.push(event.text);
  });
  const ask = (text: string): Promise<string | undefined> => handleEthRequest(node.rpc, text, 'http');
  const committed = new Promise<void>((resolve) => {
    node.hub.listen((event) => {
      if (event.kind !== 'committed' || event.block.header.height < BLOCKS) return;
      rests = true;
      resolve();
    });
  });
  node.driver.input({ kind: 'start' });
  const [from] = JSON.parse((await ask('{"jsonrpc":"2.0","id":1,"method":"eth_accounts"}')) as string).result;
  for (const tx of [
    { from, data: '0x6001600055' },
    { from, to: from, value: '0x1' },
  ])
    await ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction', params: [tx] }));
  await committed;
  return { ask, crashes };
}
