import type { EthTx } from '../app/chain.ts';
import type { TxDecoder } from '../app/tx/decoder.ts';
import { compareBytes, hex, toHex } from '../lib/bytes.ts';
import type { Lane, PoolTx } from '../mempool/lane.ts';
import type { Mempool } from '../mempool/mempool.ts';
import type { PooledSender, PoolReader } from '../rpc/context.ts';

/** Decodes the pool's Ethereum transactions, each only once. */
class Read {
  readonly #decoder: TxDecoder;
  readonly #known = new WeakMap<PoolTx, readonly EthTx[]>();

  constructor(decoder: TxDecoder) {
    this.#decoder = decoder;
  }

  all(txs: readonly PoolTx[]): readonly EthTx[] {
    return txs.flatMap((tx) => this.one(tx));
  }

  one(tx: PoolTx): readonly EthTx[] {
    const known = this.#known.get(tx);
    if (known !== undefined) return known;
    const decoded = this.#decoder.decode(tx.bytes);
    const read = decoded.ok && decoded.value.kind === 'ethereum' ? [decoded.value.tx] : [];
    this.#known.set(tx, read);
    return read;
  }
}

/** Each sender's transactions in the pool, collected again only after its lane has changed. */
class Senders {
  readonly #read: Read;
  readonly #known = new WeakMap<Lane, { readonly revision: number; readonly shown: PooledSender }>();

  constructor(read: Read) {
    this.#read = read;
  }

  of(sender: string, lane: Lane): PooledSender {
    const known = this.#known.get(lane);
    if (known?.revision === lane.revision) return known.shown;
    const read = this.#read;
    const pending = read.all(lane.txs.slice(0, lane.executable));
    const queued = read.all(lane.txs.slice(lane.executable));
    const shown = { sender: hex(sender), pending, queued };
    this.#known.set(lane, { revision: lane.revision, shown });
    return shown;
  }
}

/** The mempool as RPC handlers read it. */
export function poolReader(mempool: Mempool, decoder: TxDecoder): PoolReader {
  const read = new Read(decoder);
  const senders = new Senders(read);
  return {
    content() {
      const content: PooledSender[] = [];
      for (const [sender, lane] of mempool.lanes()) {
        const shown = senders.of(sender, lane);
        if (shown.pending.length + shown.queued.length > 0) content.push(shown);
      }
      return content.sort((a, b) => compareBytes(a.sender, b.sender));
    },
    pendingNonce(sender) {
      const lane = mempool.lane(toHex(sender));
      return lane === undefined ? undefined : lane.stateNonce + BigInt(lane.executable);
    },
    byEthHash(hash) {
      const tx = mempool.byEthHash(hash);
      return tx === undefined ? undefined : read.one(tx)[0];
    },
    stats: () => mempool.stats(),
    best: (bytesMax) => mempool.reap(bytesMax).map((tx) => tx.bytes),
    list: (max) =>
      mempool
        .txs()
        .slice(0, max)
        .map((tx) => tx.bytes),
  };
}
