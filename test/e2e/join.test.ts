import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeNetwork, type TestNode, type Testnet } from './testnet.ts';

/** How long the chain is when the fifth node comes; ORRERY_JOIN_HEIGHT=1000 makes it a measurement, and takes minutes. */
const HEIGHT = Number(process.env['ORRERY_JOIN_HEIGHT'] ?? 30);
const IS_LONG = HEIGHT >= 1000;
/** Blocks a second that a node must catch up at; over short distances start-up outweighs everything. */
const RATE_MIN = 100;
const TIMEOUT_MS = 600_000 + 500 * HEIGHT;

let net: Testnet;
beforeAll(async () => {
  net = await makeNetwork(4, new Map([['consensus.timeout_commit', '1ms']]));
  for (const node of net.nodes) node.start();
});
afterAll(() => net.stop());

/** Seconds that the node has computed; Linux tells, in hundredths. */
function cpuSeconds(node: TestNode): number {
  try {
    const fields = readFileSync(`/proc/${node.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}

async function appHashAt(node: TestNode, height: number): Promise<string> {
  const { block } = await node.call<{ block: { header: { app_hash: string } } }>(`block?height=${height}`);
  return block.header.app_hash;
}

test(`a fifth node with an empty home joins at height ${HEIGHT}, catches up by block sync and follows`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const server = net.nodes[0] as TestNode;
  await server.reaches(HEIGHT);
  // From here on a block a second, as chains have it: the validators would else use up the processors.
  await Promise.all(net.nodes.map((one) => one.kill('SIGTERM')));
  for (const one of net.nodes)
    one.start('--consensus.timeout_commit', '1s', '--consensus.skip_timeout_commit=false');
  await server.reaches(HEIGHT + 1);
  const node = net.another();
  node.start();
  await node.reaches(1);
  const [from, startedAt, cpuBefore] = [await node.height(), performance.now(), cpuSeconds(node)];
  await node.reaches(HEIGHT);
  const [to, seconds] = [await node.height(), (performance.now() - startedAt) / 1000];
  const rate = (to - from) / seconds;
  const cpu = cpuSeconds(node) - cpuBefore;
  const took = `${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s of them computing`;
  process.stdout.write(`block sync: ${to - from} blocks in ${took}: ${rate.toFixed(0)} blocks/s\n`);
  if (IS_LONG) expect(rate).toBeGreaterThan(RATE_MIN);

  const target = (await server.height()) + 5;
  await node.reaches(target);
  for (const height of [1, HEIGHT, target]) {
    expect(await appHashAt(node, height)).toBe(await appHashAt(server, height));
  }
  while ((await node.status())?.catchingUp !== false) await node.reaches(target);
});
