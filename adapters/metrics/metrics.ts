import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ChainReader } from '../../core/app/chain.ts';
import { toUpperHex } from '../../core/lib/bytes.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import type { Address } from '../../core/types/ids.ts';
import { type BlockFigures, type Committed, figuresOf, partIn } from './blockFigures.ts';

/** Seconds from 0.1 to 100 in logarithmic steps. */
const STEP_SECONDS = Array.from({ length: 8 }, (_, i) => 10 ** (-1 + (3 * i) / 7));
const BLOCK_SECONDS = [0.1, 0.25, 0.5, 1, 1.5, 2, 3, 5, 10, 30, 60];

const MICROS = 1_000_000;

/**
 * The node's Prometheus metrics: names and meanings as in CometBFT 0.38, plus process metrics. Values that can be
 * computed at any time are computed when read; the others are updated with each block.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #namespace: string;

  constructor(rpc: RpcContext, namespace: string) {
    this.#namespace = namespace;
    this.#registry.setDefaultLabels({ chain_id: rpc.genesis.chainId });
    collectDefaultMetrics({ register: this.#registry });
    this.#live(rpc);
    const onBlock = this.#blocks(rpc);
    const onStep = this.#steps(rpc);
    rpc.hub.listen((event) => {
      if (event.kind === 'committed') onBlock(event);
      else if (event.kind === 'round' && event.name === 'NewRoundStep') onStep(event.at.step);
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #options(name: string, help: string) {
    return { name: `${this.#namespace}_${name}`, help, registers: [this.#registry] };
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge(this.#options(name, help));
  }

  #read(name: string, help: string, value: () => number): void {
    const collect = function (this: Gauge): void {
      this.set(value());
    };
    new Gauge({ ...this.#options(name, help), collect });
  }

  #live({ consensus, pool, chain, peerCount, catchingUp }: RpcContext): void {
    const pooled = (): number => pool.stats().pending + pool.stats().queued;
    this.#read(
      'consensus_height',
      'Height that consensus works on.',
      () => consensus?.roundState.height ?? 0,
    );
    this.#read('consensus_rounds', 'Round that consensus is in.', () => consensus?.roundState.round ?? 0);
    this.#read('consensus_latest_block_height', 'Height of the newest block.', () => chain.head());
    this.#read('p2p_peers', 'Connected peers.', () => peerCount?.() ?? 0);
    this.#read('mempool_size', 'Transactions in the pool.', pooled);
    this.#read('mempool_size_bytes', 'Bytes of the transactions in the pool.', () => pool.stats().bytes);
    this.#read('blocksync_syncing', '1 while blocks are fetched from peers.', () => Number(catchingUp()));
  }

  /** Returns the handler to call with each block. */
  #blocks({ chain, identity }: RpcContext): (event: Committed) => void {
    const gauges: Readonly<Record<keyof BlockFigures, Gauge>> = {
      validators: this.#gauge('consensus_validators', 'Validators.'),
      validatorsPower: this.#gauge('consensus_validators_power', 'Power of all validators.'),
      missing: this.#gauge('consensus_missing_validators', 'Validators that the last commit lacks.'),
      missingPower: this.#gauge('consensus_missing_validators_power', 'Power that the last commit lacks.'),
      byzantine: this.#gauge('consensus_byzantine_validators', 'Validators that the block proves faulty.'),
      byzantinePower: this.#gauge('consensus_byzantine_validators_power', 'Power of those proved faulty.'),
      txs: this.#gauge('consensus_num_txs', 'Transactions in the block.'),
      bytes: this.#gauge('consensus_block_size_bytes', 'Size of the block.'),
    };
    const total = this.#gauge('consensus_total_txs', 'Transactions since the start.');
    const interval = new Histogram({
      ...this.#options('consensus_block_interval_seconds', 'Time from block to block, by their headers.'),
      buckets: BLOCK_SECONDS,
    });
    const own = identity.validator === undefined ? undefined : this.#own(chain, identity.validator.address);
    let before: number | undefined;
    return (event) => {
      const figures = figuresOf(chain, event);
      for (const [name, gauge] of Object.entries(gauges)) gauge.set(figures[name as keyof BlockFigures]);
      total.inc(figures.txs);
      const { seconds, nanos } = event.block.header.time;
      const at = seconds + nanos / 1e9;
      if (before !== undefined) interval.observe(at - before);
      before = at;
      own?.(event);
    };
  }

  /** This validator's power, and whether it signed the last commit. */
  #own(chain: ChainReader, address: Address): (event: Committed) => void {
    const labels = { validator_address: toUpperHex(address) };
    const labelNames = Object.keys(labels);
    const power = new Gauge({
      ...this.#options('consensus_validator_power', 'Power of this validator.'),
      labelNames,
    });
    const signed = new Gauge({
      ...this.#options(
        'consensus_validator_last_signed_height',
        'Last height whose commit has its signature.',
      ),
      labelNames,
    });
    const missed = new Gauge({
      ...this.#options('consensus_validator_missed_blocks', 'Commits without its signature since the start.'),
      labelNames,
    });
    return (event) => {
      const part = partIn(chain, event, address);
      power.set(labels, part?.power ?? 0);
      if (part === undefined) return;
      if (part.signed) signed.set(labels, event.block.lastCommit.height);
      // Also adds zero: a counter that first appears with the first miss would not show it as an increase.
      missed.inc(labels, part.signed ? 0 : 1);
    };
  }

  #steps({ now }: RpcContext): (step: string) => void {
    const seconds = new Histogram({
      ...this.#options('consensus_step_duration_seconds', 'Time in each step.'),
      labelNames: ['step'],
      buckets: STEP_SECONDS,
    });
    let before: { readonly step: string; readonly at: number } | undefined;
    return (name) => {
      const at = now();
      if (before !== undefined) seconds.observe({ step: before.step }, Math.max(0, at - before.at) / MICROS);
      before = { step: name.replace('RoundStep', ''), at };
    };
  }
}
