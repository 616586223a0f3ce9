import { TX_BYTES_MAX } from '../../core/codec/limits.ts';
import { DEFAULT_CONSENSUS_CONFIG as CONSENSUS } from '../../core/consensus/contract.ts';
import { DEFAULT_MEMPOOL as MEMPOOL } from '../../core/mempool/config.ts';
import { PAYLOAD_BYTES_MAX } from '../../core/p2p/packets.ts';
import { boolean, count, duration, list, oneOf, text } from './field.ts';
import { listenAt } from './listen.ts';
import { idList, peerList } from './peerList.ts';

const checkNamespace = (value: string): string | undefined =>
  /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(value)
    ? undefined
    : 'expected letters, digits and underscores, and no digit first';

/**
 * config.toml: the node as a member of the network. Names and defaults are those of CometBFT 0.38 where the meaning is
 * the same. Unknown keys are refused, not ignored.
 */
export const CONFIG_TOML = {
  '': {
    moniker: text('Name of this node, shown to peers and in status.', ''),
    db_dir: text('Folder of the database and the log, relative to the home.', 'data'),
    log_level: oneOf('Lowest level that is printed.', 'info', ['debug', 'info', 'warn', 'error', 'none']),
    log_format: oneOf('Form of a log line.', 'plain', ['plain', 'json']),
    genesis_file: text('Relative to the home, as the files below.', 'config/genesis.json'),
    priv_validator_key_file: text('Consensus key. Keep it secret.', 'config/priv_validator_key.json'),
    priv_validator_state_file: text(
      'What the validator signed last. Never copy it back from a backup.',
      'data/priv_validator_state.json',
    ),
    node_key_file: text('Key that names this node to its peers.', 'config/node_key.json'),
  },
  rpc: {
    laddr: listenAt('Consensus RPC and its websocket (/websocket). Empty: off.', 'tcp://127.0.0.1:26657'),
    cors_allowed_origins: list('Origins that browsers may call from; "*" allows all.', []),
    max_open_connections: count('Open connections.', 900, 1),
    max_subscription_clients: count('Websocket clients with subscriptions.', 100),
    max_subscriptions_per_client: count('Subscriptions of one client.', 5),
    timeout_broadcast_tx_commit: duration('Wait of broadcast_tx_commit for the block.', 10_000),
    max_request_batch_size: count('Calls in one batch.', 10, 1),
    max_body_bytes: count('Largest request body, bytes.', 1_000_000, 1),
    unsafe: boolean(
      'Serve dial_seeds, dial_peers and unsafe_flush_mempool to everybody who can reach this port.',
      false,
    ),
  },
  p2p: {
    laddr: listenAt('Where peers connect. Empty: nowhere.', 'tcp://0.0.0.0:26656'),
    external_address: listenAt('Where peers shall dial us, when it is not laddr. host:port.', ''),
    seeds: peerList('Nodes that are asked for addresses, id@host:port, separated by commas.'),
    persistent_peers: peerList('Nodes to stay connected to, id@host:port, separated by commas.'),
    addr_book_file: text('Known addresses, relative to the home.', 'config/addrbook.json'),
    addr_book_strict: boolean(
      'Keep only addresses that can be reached from everywhere. Off in private networks.',
      true,
    ),
    max_num_inbound_peers: count('Peers that may connect to us.', 40),
    max_num_outbound_peers: count('Peers that we look for, persistent ones not counted.', 10),
    unconditional_peer_ids: idList('Ids that no limit keeps out, separated by commas.'),
    persistent_peers_max_dial_period: duration(
      'Longest wait between dials of a persistent peer; 0s: 30s.',
      0,
    ),
    flush_throttle_timeout: duration(
      'Longest wait for more to send in one packet. Orrery never waits longer than one turn of its loop.',
      100,
    ),
    max_packet_msg_payload_size: count(
      'Data bytes of a packet; the same on all nodes.',
      1024,
      1,
      PAYLOAD_BYTES_MAX,
    ),
    send_rate: count('Bytes a second to one peer.', 5_120_000, 1),
    recv_rate: count('Bytes a second from one peer.', 5_120_000, 1),
    pex: boolean('Exchange addresses with peers.', true),
    seed_mode: boolean('Answer with addresses, then hang up.', false),
    private_peer_ids: idList('Ids whose addresses are told to nobody, separated by commas.'),
    allow_duplicate_ip: boolean('Let several peers come from one IP.', false),
    handshake_timeout: duration('A connection must be up within this time; each step within 3s.', 20_000),
    dial_timeout: duration('Wait for a dialled socket.', 3000),
    ping_interval: duration('Between two pings to a peer.', 60_000, 10),
    pong_timeout: duration('A peer that answers no ping within this time is taken for gone.', 45_000, 10),
  },
  tx_index: {
    indexer: oneOf(
      'Where events are indexed: "kv" in the node\'s own database, which searches need; "psql" in PostgreSQL; "null" nowhere.',
      'kv',
      ['kv', 'psql', 'null'],
    ),
    'psql-conn': text('postgresql://user:password@host:port/db, for "psql". Keep it secret.', ''),
  },
  mempool: {
    size: count('Transactions in the pool.', MEMPOOL.txsMax, 1),
    max_txs_bytes: count('Bytes of all transactions in the pool.', MEMPOOL.bytesMax, 1),
    cache_size: count('Remembered hashes of transactions already seen.', MEMPOOL.cacheMax),
    max_tx_bytes: count('Largest transaction, bytes.', MEMPOOL.txBytesMax, 1, TX_BYTES_MAX),
    max_wait: duration(
      'Above 0: clients are refused while a transaction would wait longer for its block, as far as the last blocks tell.',
      MEMPOOL.maxWaitMs,
    ),
  },
  consensus: {
    timeout_propose: duration('Wait for a proposal before prevoting nil.', CONSENSUS.timeoutProposeMs),
    timeout_propose_delta: duration('Growth of it with each round.', CONSENSUS.timeoutProposeDeltaMs),
    timeout_prevote: duration('Wait after +2/3 of prevotes for anything.', CONSENSUS.timeoutPrevoteMs),
    timeout_prevote_delta: duration('Growth of it with each round.', CONSENSUS.timeoutPrevoteDeltaMs),
    timeout_precommit: duration('Wait after +2/3 of precommits for anything.', CONSENSUS.timeoutPrecommitMs),
    timeout_precommit_delta: duration('Growth of it with each round.', CONSENSUS.timeoutPrecommitDeltaMs),
    timeout_commit: duration(
      'Wait for late precommits after a commit, before the next height.',
      CONSENSUS.timeoutCommitMs,
    ),
    skip_timeout_commit: boolean('Go on as soon as all precommits are in.', CONSENSUS.skipTimeoutCommit),
    create_empty_blocks: boolean('Make blocks without transactions too.', CONSENSUS.createEmptyBlocks),
    create_empty_blocks_interval: duration(
      'Above 0: a block without transactions is made only after this time.',
      CONSENSUS.createEmptyBlocksIntervalMs,
    ),
  },
  instrumentation: {
    prometheus: boolean('Serve figures for Prometheus, at /metrics.', false),
    prometheus_listen_addr: listenAt('Where they are served.', '127.0.0.1:26660'),
    max_open_connections: count('Open connections.', 3, 1),
    namespace: text('First part of the names of all figures.', 'cometbft', checkNamespace),
  },
} as const;
