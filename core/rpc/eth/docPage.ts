import { compareText } from '../../lib/bytes.ts';
import type { EthMethod, Param } from './method.ts';

const HEAD = `# Ethereum JSON-RPC

<!-- Written by scripts/jsonRpcDoc.mjs from the handler table; do not edit. -->

The node answers on port 8545 (HTTP) and 8546 (websocket) what geth answers, in its shapes, with its error codes and
texts. \`json-rpc.api\` chooses the namespaces; a method of a disabled one is \`-32601\`, as an unknown one is.
\`rpc.discover\` answers an OpenRPC document of the enabled methods.

## What differs from geth

| Where | Here | Why |
|---|---|---|
| \`latest\`, \`safe\`, \`finalized\` | one and the same block | a committed block is final |
| \`pending\` | the block this node would propose now; its transactions have no block fields; no log search | who proposes next may order the pool otherwise |
| rules | \`app_state.evm.params.fork\` in genesis, \`berlin\` to \`osaka\`, from the first block on; headers have Prague's fields under all of them, no base fee before London | a chain without a past has no forks to pass |
| uncles, withdrawals, blobs | none; blob transactions are \`transaction type not supported\` | there is no beacon chain |
| \`extraData\` | hash of the consensus block of that height | joins the two faces of a block |
| \`mixHash\` (PREVRANDAO) | keccak256(parent hash ‖ number) | known to whoever knows the parent: no secret |
| \`miner\` | consensus address of the proposer, which earns the tips | validators have no other account |
| \`eth_simulateV1\` | log indexes count only logs that stay; no blobs, no withdrawals; before the first block there is no proof of work | as in a real block |
| time | \`eth_call\`, \`eth_estimateGas\`, simulations, each trace and \`debug_intermediateRoots\` end after \`evm.rpc.evm-timeout\` (5 s; \`json-rpc.evm-timeout\` in app.toml) with \`execution aborted (timeout = 5s)\`, those of \`debug\` with \`execution timeout\`; the config of a trace cannot change it | whoever asks must not hold up consensus: long executions pause every 5 ms |
| \`eth_getLogs\` | may span any number of blocks but reads at most \`json-rpc.block-range-cap\` (10,000) of those that the index names for its addresses and topics, else \`exceed maximum block range 10000\`, and answers at most \`logs-cap\` logs and 64 Mi characters of them (one block's have room in any case); a node with \`tx_index.indexer\` other than \`kv\` has no such index and bounds the span; a range that begins after the head is empty | one request must not read the whole chain; a poller that asks from the next block gets nothing yet, not an error |
| errors of executions | as geth 1.17.10 words them; of a precompile that was fed with several wrong things, another of them may be told, and MODEXP with more than 1024 bytes is \`out of gas\`; \`prestateTracer\` in \`diffMode\` shows no \`codeHash\` of zeros for who is nobody | their words are part of results, and so of the chain |
| traces | at most 4,000,000 cells of struct logs, 16 MB that the frames of \`callTracer\` and \`flatCallTracer\` were given and gave back, 32 MB of preimages; of a block about 64 Mi characters, the rest of its transactions have an error | a trace must fit in memory; use \`limit\`, \`onlyTopCall\` or another tracer |
| JavaScript tracers, \`debug\` profiling, \`setHead\`, \`db…\`, \`chaindb…\` | not there | the node runs no code of a request but the EVM's, and a request does not reach into its process or its database |
| \`debug_standardTraceBlockToFile\`, \`debug_standardTraceBadBlockToFile\`, \`debug_traceBlockFromFile\` | not there | a request reads and writes no files of the node: \`debug_traceBlockByHash\` and \`debug_traceBlock\` carry the same in request and answer |
| \`debug_executionWitness\`, \`debug_setTrieFlushInterval\`, \`debug_getTrieFlushInterval\` | not there | blocks are agreed on, not proven one by one; each block's state is written with it |
| \`debug_accountRange\`, \`debug_dumpBlock\` | accounts without \`storage\` | slots are kept by their hashes alone; geth leaves out what it has no preimage of, too |
| \`debug_getBadBlocks\`, \`debug_traceBadBlock\` | empty, not found | a block is checked before it is decided |
| \`personal\` | as its models have it; keys of dev accounts are never locked, keys that requests bring have a password each | geth has removed it; \`start\` unlocks no keys and takes none |
| a full pool | \`transaction underpriced\` for what pays less than all that is there, \`txpool is full\` when it cannot even be looked at | |

## Settings of the pool

In app.toml, section \`evm.mempool\`; each is also a flag of \`start\` and \`devnet\`.

| Key | Default | Meaning |
|---|---|---|
| \`account-slots\` | 16 | a full pool first evicts from senders with more transactions than this |
| \`account-queue\` | 64 | of one sender that wait for an earlier nonce |
| \`global-queue\` | 1024 | of all senders that wait for an earlier nonce |
| \`lifetime\` | 3h | how long they wait while nothing of their sender moves |
| \`price-bump\` | 10 | per cent that a replacement must pay more, in both fee fields |
| \`journal\` | true | what was sent through this node survives its restart |

How many transactions and bytes the whole pool holds stands in config.toml, section \`mempool\`.

## Fuzzing

\`orrery fuzz TARGET\` throws generated input at one part: \`jsonrpc\` (envelopes, and parameters of every method, against
a running node), \`rlp\`, \`ethtx\` and \`abi-revert\` (against second implementations) are those of this API.

## In a devnet

\`orrery devnet\` prints a line for each transaction (type, sender, receiver, value in coins, gas, and \`ok\` or why it
failed: the reason, the panic, the bytes of a custom error) and what its contracts wrote with hardhat's
console contract, in transactions, \`eth_call\` and \`eth_estimateGas\`; \`--quiet\` leaves all that out. For it, each
block with transactions is run a second time.

\`evm_snapshot\`, \`evm_revert\`, \`evm_increaseTime\`, \`anvil_setBalance\` and their like are \`-32601\`: a devnet is a
chain with consensus, on which a committed block is final and time is what validators agree on, so they could only lie.
Start a second devnet with \`--home\` instead, with the balances of your choice in its genesis.

## Errors of all methods

| Code | Meaning |
|---|---|
| -32700 | not JSON |
| -32600 | no request, an empty batch, or a batch too large |
| -32601 | unknown method or disabled namespace |
| -32602 | a parameter is missing, superfluous or malformed |
| -32603 | the handler crashed: a bug |
| -32000 | refused, with geth's text |
| -32003 | the batch's answers are too large |
| -38010 to -38015, -38020, -38021, -38025, -32015 | \`eth_simulateV1\`: nonce, fees, gas, funds, order of blocks, init code; a call that failed |
| -38026 | asked for more than one request may |
| 3 | the EVM reverted; \`data\` holds the revert bytes |
| 4 | sent, but in no block in time |
`;

const signature = ({ name, required }: Param<unknown>): string => (required ? name : `[${name}]`);

const row = ({ method, params, result, doc }: EthMethod): string =>
  `| \`${method}\` | ${params.map(signature).join(', ') || '–'} | ${result.replaceAll('|', '\\|')} | ${doc.replaceAll('|', '\\|')} |`;

/** Generates docs/json-rpc.md from the method table. */
export function docPage(methods: readonly EthMethod[]): string {
  const names = [...new Set(methods.map(({ namespace }) => namespace))].sort(compareText);
  const sections = names.map((name) => {
    const rows = methods
      .filter(({ namespace }) => namespace === name)
      .sort((a, b) => compareText(a.method, b.method))
      .map(row);
    return `\n## ${name}\n\n| Method | Parameters | Result | |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return HEAD + sections.join('');
}
