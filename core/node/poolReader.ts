import type { TxDecoder } from '../app/tx/decoder.ts';
import { toHex } from '../lib/bytes.ts';
import type { Mempool } from '../mempool/mempool.ts';
import type { PoolReader } from '../rpc/context.ts';

/** The mempool as RPC handlers may see it. */
export const poolReader = (mempool: Mempool, decoder: TxDecoder): PoolReader => ({
  pendingNonce(sender) {
    const lane = mempool.lane(toHex(sender));
    return lane === undefined ? undefined : lane.stateNonce + BigInt(lane.executable);
  },
  byEthHash(hash) {
    const tx = mempool.byEthHash(hash);
    const decoded = tx === undefined ? undefined : decoder.decode(tx.bytes);
    return decoded?.ok && decoded.value.kind === 'ethereum' ? decoded.value.tx : undefined;
  },
  stats: () => mempool.stats(),
  list: (max) =>
    mempool
      .txs()
      .slice(0, max)
      .map((tx) => tx.bytes),
});
