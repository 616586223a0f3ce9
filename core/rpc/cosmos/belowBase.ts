import type { ChainReader } from '../../app/chain.ts';
import { notAvailable } from '../notAvailable.ts';
import { GRPC, GrpcError } from './status.ts';

/** The SDK passes on CometBFT's refusal of a height below the lowest block, as an error of unknown kind. */
export function refuseBelowBase(chain: ChainReader, height: number): void {
  const base = chain.base();
  if (height < base) throw new GrpcError(GRPC.unknown, notAvailable(height, base));
}
