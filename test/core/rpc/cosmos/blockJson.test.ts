/** A block with evidence of both kinds, as the SDK's REST server writes it. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decodeBlock } from '../../../../core/codec/block.ts';
import { toBase64 } from '../../../../core/lib/base64.ts';
import { hex } from '../../../../core/lib/bytes.ts';
import { blockBody } from '../../../../core/rpc/cosmos/blockJson.ts';

const { block, json } = JSON.parse(
  readFileSync(new URL('../../../vectors/cosmos/block.json', import.meta.url), 'utf8'),
) as { readonly block: string; readonly json: unknown };

test('a block is written as the gateway of the SDK writes it', () => {
  const decoded = decodeBlock(hex(block));
  if (!decoded.ok) throw new Error(decoded.error.message);
  expect(blockBody(decoded.value, toBase64(decoded.value.header.proposerAddress))).toEqual(json);
});
