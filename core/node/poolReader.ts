import { decodePoolTx } from '../app/tx/poolTx.ts';
import { toHex } from '../lib/bytes.ts';
import type { Mempool } from '../mempool/mempool.ts';
import type { PoolReader } from '../rpc/context.ts';

/** The mempool as RPC handlers may see it. */
export const poolReader = (mempool: Mempool): PoolReader => ({
  pendingNonce(sender) {
    const lane = mempool.lane(toHex(sender));
    return lane === undefined ? undefined : lane.stateNonce + BigInt(lane.executable);
  },
  byEthHash(hash) {
    const tx = mempool.byEthHash(hash);
    return tx === undefined ? undefined : decodePoolTx(tx.bytes);
  },
  stats: () => mempool.stats(),
});
