/** What CometBFT itself refuses, and how: random requests whose answers do not depend on the chain. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { toHex } from '../../../../core/lib/bytes.ts';
import { fromGoBase64 } from '../../../../core/rpc/comet/goBase64.ts';
import { handleCometGet, handleCometPost } from '../../../../core/rpc/comet/http.ts';
import { RpcWorld } from '../support/rpcWorld.ts';

interface Refusal {
  readonly get?: string;
  readonly post?: string;
  readonly status: number;
  readonly body: string;
}
const { refusals, base64 } = JSON.parse(
  readFileSync(new URL('../../../vectors/cometbft/refusals.json', import.meta.url), 'utf8'),
) as { readonly refusals: readonly Refusal[]; readonly base64: readonly (readonly [string, string])[] };

let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open();
});

test.each(refusals.map((refusal) => [refusal.get ?? refusal.post ?? '', refusal] as const))(
  '%s is refused as upstream does it',
  async (_request, { get, post = '', status, body }) => {
    const [path = '', query = ''] = get?.split('?') ?? [];
    const answer = await (get === undefined
      ? handleCometPost(world.ctx, post)
      : handleCometGet(world.ctx, path, query));
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
  },
);

test('base64 is read as Go reads it, with its errors', () => {
  for (const [text, wanted] of base64) {
    const read = fromGoBase64(text);
    expect(read.ok ? `0x${toHex(read.value)}` : read.error, JSON.stringify(text)).toBe(wanted);
  }
});
