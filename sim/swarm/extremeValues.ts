/** Least, greatest or odd values of a key; null leaves it out. */
export type Values = readonly unknown[];
type Table = Readonly<Record<string, Values>>;

/** With these delays, a fast validator that needs no other makes blocks faster than they get to anybody. */
export const FAR_DELAYS: readonly string[] = ['1s', '0ms-3s'];

/** Sections of a scenario to which keys may also be added. A chain goes on with any of these values. */
export const SECTIONS: Readonly<Record<string, Table>> = {
  engine: {
    block_time: ['10s'],
    empty_blocks_interval: ['1ms', '30s', null],
    index: [false, null],
  },
  genesis: {
    block_bytes: [4_000, 104_857_600, -1, null],
    evidence_bytes: [0, 1, 400, 4_000, null],
    evidence_blocks: [1, 1_000_000, null],
    evidence_time: ['1us', '1ms', '8784h', null],
    starts_in: ['1us', '700ms', '20s'],
  },
  network: {
    delay: ['0ms', '1us', ...FAR_DELAYS],
    reset: ['2%', null],
    rate: [null],
  },
};

/** For worlds in which no script relies on every transaction being taken. */
export const SCANT: Readonly<Record<string, Table>> = {
  engine: {
    block_gas: [105_000, 1_000_000_000, null],
    pool_txs: [1, 4, 100_000, null],
    pool_bytes: [1_000, 3_000, null],
    pool_lifetime: ['1ms', '24h', null],
    pool_max_wait: ['1ms', '24h', null],
  },
};

/** For worlds in which no script relies on the usual prices. */
export const PRICES: Readonly<Record<string, Table>> = {
  genesis: {
    base_fee: ['0wei', '1wei', '7wei', '3gwei'],
    min_gas_price: ['0wei', '1wei', '3gwei'],
    collect_base_fee: [true, false],
    elasticity: [1, 2, 1_000],
    base_fee_denominator: [1, 2, 1_000_000],
    no_base_fee: [true, false, null],
  },
};

/** A chain that makes blocks as fast as it can. */
export const HASTY: Readonly<Record<string, Table>> = {
  engine: {
    block_time: ['0ms', '1ms'],
    skip_timeout_commit: [true],
  },
};

/** The same, and values with which a chain may stand still. */
export const HOLDING: Readonly<Record<string, Table>> = {
  engine: {
    empty_blocks: [false],
    timeout_propose: ['0ms', '1ms', '60s'],
    timeout_prevote: ['0ms', '1ms', '60s'],
    timeout_precommit: ['0ms', '1ms', '60s'],
    timeout_propose_delta: ['1ms', '10s'],
    timeout_prevote_delta: ['1ms', '10s'],
    timeout_precommit_delta: ['1ms', '10s'],
  },
  network: {
    rate: ['1kB/s', '20kB/s'],
  },
};

/** A machine that is late. A chain that needs it may stand still. */
export const LATE: Table = {
  store: [{ sync: '600ms-2s' }, { sync: '1s-20s' }, { batch: '5s' }, { sign: '800ms-900ms' }],
  app: [{ answer: '600ms-2s' }, { answer: '5s' }, { verdict: '10s' }],
};

/** For worlds in which nodes discover each other. */
export const PEERS: Readonly<Record<string, Table>> = {
  peers: {
    inbound_max: [0, 1],
    outbound_max: [0, 1],
    seed_mode: [true],
  },
};

/** Link faults that break a stream. */
export const ROUGH: Table = {
  loss: ['30%', null],
  dup: ['100%', null],
  reorder: ['60%', null],
  corrupt: ['2%', null],
};

/** Keys in entries of a list, at any depth of the entry. */
export const LISTED: Readonly<Record<string, Table>> = {
  clients: {
    rate: ['1/m', '10/s'],
    read_rate: ['1/m', '1000/s', null],
    accounts: [1, 20],
    count: [1, 2],
    revert_ratio: [0, 1],
    reads: [1, 1_000_000],
    room: [1, 1_000, 16_777_216],
    witnesses: [null],
  },
  timeline: {
    at: ['0s', '1us', '1ms'],
    for: ['0s', '1us', '30s'],
    power_loss: ['none', 'hostile', null],
    count: [1, 2],
    delay: ['0ms', '20s'],
    loss: ['100%'],
    rate: ['2kB/s'],
    dup: ['100%'],
    reorder: ['100%'],
    keep: [0],
    jump: ['-1us', '+1us', '-24h', '+24h'],
  },
  byzantine: {
    when: [null],
    to: [null],
  },
  updates: {
    block_bytes: [4_000, 104_857_600],
    evidence_bytes: [0, 1],
    evidence_blocks: [1, 1_000_000],
    evidence_time: ['1us', '8784h'],
  },
};

/** Everything that may be set in the sections of any world. */
export const EXTREMES: readonly Readonly<Record<string, Table>>[] = [
  SECTIONS,
  { network: ROUGH },
  SCANT,
  PRICES,
  HASTY,
  HOLDING,
];
