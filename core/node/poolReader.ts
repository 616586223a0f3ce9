import type { EthTx } from '../app/chain.ts';
import type { TxDecoder } from '../app/tx/decoder.ts';
import { compareBytes, hex, toHex } from '../lib/bytes.ts';
import type { PoolTx } from '../mempool/lane.ts';
import type { Mempool } from '../mempool/mempool.ts';
import type { PooledSender, PoolReader } from '../rpc/context.ts';

function ethTxs(txs: readonly PoolTx[], decoder: TxDecoder): readonly EthTx[] {
  return txs.flatMap(({ bytes }) => {
    const decoded = decoder.decode(bytes);
    return decoded.ok && decoded.value.kind === 'ethereum' ? [decoded.value.tx] : [];
  });
}

/** The mempool as RPC handlers may see it. */
export const poolReader = (mempool: Mempool, decoder: TxDecoder): PoolReader => ({
  content() {
    const senders: PooledSender[] = [];
    for (const [sender, lane] of mempool.lanes()) {
      const pending = ethTxs(lane.txs.slice(0, lane.executable), decoder);
      const queued = ethTxs(lane.txs.slice(lane.executable), decoder);
      if (pending.length + queued.length > 0) senders.push({ sender: hex(sender), pending, queued });
    }
    return senders.sort((a, b) => compareBytes(a.sender, b.sender));
  },
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
  best: (bytesMax) => mempool.reap(bytesMax).map((tx) => tx.bytes),
  list: (max) =>
    mempool
      .txs()
      .slice(0, max)
      .map((tx) => tx.bytes),
});
