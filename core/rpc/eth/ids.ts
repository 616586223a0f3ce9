import { toHex } from '../../lib/bytes.ts';
import type { RpcContext } from '../context.ts';
import { quantity } from './goHex.ts';

/** Id of a filter or subscription: 16 random bytes as a quantity, as in geth. */
export const newId = (ctx: RpcContext): string => quantity(BigInt(`0x${toHex(ctx.randomId())}`));
