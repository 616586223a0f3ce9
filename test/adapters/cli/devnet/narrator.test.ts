import { type Abi, encodeFunctionData, getAddress, parseAbi, parseEther } from 'viem';
import { beforeEach, describe, expect, test } from 'vitest';
import { tellingConsole } from '../../../../adapters/cli/devnet/consoleCalls.ts';
import { ConsoleLog } from '../../../../adapters/cli/devnet/consoleLog.ts';
import { Narrator } from '../../../../adapters/cli/devnet/narrator.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { hex } from '../../../../core/lib/bytes.ts';
import { handleEthRequest } from '../../../../core/rpc/eth/jsonrpc.ts';
import { deploying, LOOP } from '../../../core/app/support/code.ts';
import { signRaw } from '../../../core/app/support/wallet.ts';
import { bytesHex, RpcWorld } from '../../../core/rpc/support/rpcWorld.ts';

const encode = (args: readonly unknown[], signature: string): `0x${string}` => {
  const abi: Abi = parseAbi([`function ${signature}` as string]);
  return encodeFunctionData({ abi, args: [...args] });
};

/** Sends what it is called with to the console. */
const TO_CONSOLE = '366000600037600060003660006a636f6e736f6c652e6c6f675afa00';
/** Reverts with the calldata. */
const ECHO_REVERT = '366000600037366000fd';

describe('a call of console.log', () => {
  const log = new ConsoleLog(nobleSuite);
  test.each<[string, string, readonly unknown[]]>([
    ['log(string)', 'hello', ['hello']],
    ['log(uint256)', '42', [42n]],
    ['log(int256)', '-7', [-7n]],
    ['log(bytes4)', '0x01020304', ['0x01020304']],
    ['log(string,uint256)', 'balance 5', ['balance', 5n]],
    ['log(string,string,uint256)', 'a b of 3', ['a %s of %d', 'b', 3n]],
    [
      'log(bool,address,string,uint256)',
      `true 0x${'ab'.repeat(20)} x 1`,
      [true, `0x${'ab'.repeat(20)}`, 'x', 1n],
    ],
  ])('%s reads %s', (signature, text, args) => {
    const line = log.line(hex(encode(args, signature)));
    expect(line?.toLowerCase()).toBe(text.toLowerCase());
  });

  test('of old library versions, which hashed short type names, reads the same', () => {
    const input = hex(encode([42n], 'log(uint256)'));
    input.set(hex(bytesHex(nobleSuite.keccak256(new TextEncoder().encode('log(uint)')).slice(0, 4))));
    expect(log.line(input)).toBe('42');
  });

  test('that is cut off or unknown is no line', () => {
    const whole = hex(encode(['hello'], 'log(string)'));
    for (let size = 0; size < 4 + 64 + 5; size++) expect(log.line(whole.subarray(0, size))).toBeUndefined();
    expect(log.line(hex('0xdeadbeef'))).toBeUndefined();
  });
});

describe('the lines of a devnet', () => {
  let world: RpcWorld;
  let narrator: Narrator;
  let lines: string[];
  let nonce: number;

  beforeEach(async () => {
    world = await RpcWorld.open();
    [lines, nonce] = [[], 0];
    narrator = new Narrator(world.ctx, (line) => lines.push(line));
    narrator.start();
  });

  const send = async (fields: Record<string, unknown>): Promise<string> => {
    const raw = await signRaw(world.dev, { nonce: nonce++, gas: 200_000n, ...fields });
    const hash = await world.get('eth_sendRawTransaction', bytesHex(raw));
    await world.commit();
    await narrator.told;
    return (await world.get('eth_getTransactionReceipt', hash)).contractAddress;
  };
  const call = async (runtime: string, data: string): Promise<readonly string[]> => {
    const to = await send({ data: deploying(runtime) });
    lines = [];
    await send({ to, data });
    return lines;
  };

  test('say type, sender, receiver, value, gas and outcome', async () => {
    await send({ to: `0x${'77'.repeat(20)}`, value: parseEther('1.5'), gas: 21_000n });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^ {2}tx 0x[0-9a-f]{64} {2}type 2 {2}0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 → 0x7777[7]+ {2}value 1\.5 {2}gas 21000 of 21000 {2}ok$/,
    );
    await send({ data: deploying(LOOP) });
    expect(lines[1]).toMatch(/→ new 0x[0-9a-fA-F]{40} {2}value 0 .* ok$/);
  });

  test('print console.log of contracts without control characters', async () => {
    const told = await call(TO_CONSOLE, encode(['count\u001b[2J\n', 5n], 'log(string,uint256)'));
    expect(told.at(-1)).toBe('    console.log: count\\x1b[2J\\x0a 5');
  });

  test('print console.log of calls and estimates once each', async () => {
    const to = await send({ data: deploying(TO_CONSOLE) });
    lines = [];
    const evm = tellingConsole(world.ctx.evm, nobleSuite, (line) => lines.push(line));
    const ask = async (method: string, data: string) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [{ to, data }] });
      return JSON.parse((await handleEthRequest({ ...world.ctx, evm }, body, 'http')) ?? '');
    };
    const data = encode(['hello', 5n], 'log(string,uint256)');
    expect(await ask('eth_call', data)).toEqual({ jsonrpc: '2.0', id: 1, result: '0x' });
    const checked = getAddress(to);
    const zero = `0x${'0'.repeat(40)}`;
    expect(lines.splice(0)).toEqual([`  call  ${zero} → ${checked}`, '    console.log: hello 5']);
    expect((await ask('eth_estimateGas', data)).result).toBe(
      await world.get('eth_estimateGas', { to, data }),
    );
    expect(lines.splice(0)).toEqual([`  estimate  ${zero} → ${checked}`, '    console.log: hello 5']);
    await ask('eth_call', '0x');
    expect(lines).toEqual([]);
  });

  test.each([
    [encodeError('no coins left'), 'reverted: no coins left'],
    [`0x4e487b71${'11'.padStart(64, '0')}`, 'reverted: arithmetic underflow or overflow'],
    ['0xdeadbeef', 'reverted with 0xdeadbeef'],
    ['0x', 'reverted'],
  ])('name the reason of %s', async (data, outcome) => {
    const told = await call(ECHO_REVERT, data);
    expect(told[0]?.endsWith(`  ${outcome}`)).toBe(true);
  });

  test('end with a count when a block is longer than anybody reads', async () => {
    for (let i = 0; i < 53; i++) {
      const fields = { nonce: i, gas: 21_000n, to: `0x${'77'.repeat(20)}` };
      await world.get('eth_sendRawTransaction', bytesHex(await signRaw(world.dev, fields)));
    }
    await world.commit();
    await narrator.told;
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe('  and 3 more, 0 of them failed');
  });

  test('name other failures', async () => {
    expect((await call(LOOP, '0x'))[0]).toMatch(/gas 200000 of 200000 {2}failed: out of gas$/);
  });
});

function encodeError(text: string): string {
  return encodeFunctionData({ abi: parseAbi(['function Error(string)']), args: [text] });
}
