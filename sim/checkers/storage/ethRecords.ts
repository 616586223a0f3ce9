import type { ChainReader, EthBlock, EthReceipt } from '../../../core/app/chain.ts';
import { simpleMapRoot } from '../../../core/crypto/merkle.ts';
import { present } from '../../../core/lib/assert.ts';
import { type Bytes, concat, equalBytes, hex, to0xHex } from '../../../core/lib/bytes.ts';
import { receiptJson } from '../../../core/rpc/eth/render.ts';
import type { Height } from '../../../core/types/ids.ts';
import { othersOf } from '../../expr/money.ts';
import { blockEvents } from '../../reference/blockEvents.ts';
import { receiptBytes } from '../../reference/receiptBytes.ts';
import { eventsProblem } from '../../reference/result.ts';
import { listRoot } from '../../reference/trieRoot.ts';
import { Sample } from '../../sample.ts';
import { type Checker, type CheckerContext, isTolerable } from '../checker.ts';
import { RecordedMisbehavior } from '../evidence/recordedMisbehavior.ts';
import { failBy } from '../unanswered.ts';
import { StoredBlocks } from './storedBlocks.ts';

/**
 * REC: every correct node stores the same Ethereum block, receipts and logs for a height. They match the header: roots,
 * bloom, gas and order of logs. The state under the header's state root is there.
 */
export function ethRecords(context: CheckerContext): Checker {
  const name = 'records';
  const known = new Map<number, EthBlock>();
  let rerunTo = 0;
  /** Runs each block again only once. The records of all nodes are compared with each other anyway. */
  const rerun = (chain: ChainReader): string | undefined => {
    if (chain.head() <= rerunTo) return undefined;
    const problem = context.past.reruns.problem(chain);
    rerunTo = chain.head();
    return problem;
  };
  const offences = new RecordedMisbehavior();
  const blocks = new StoredBlocks((message) => context.suite.sha256(message));
  const check = (who: string, chain: ChainReader): void => {
    const sample = new Sample(chain);
    for (let height = chain.base(); height <= chain.head(); height++) {
      const block = chain.ethBlock(height);
      const before = known.get(height);
      const isKnown = block !== undefined && before !== undefined && isSame(before, block);
      const [isAsked, isJudged] = [sample.has(height), !isKnown];
      const problem =
        block === undefined
          ? 'is missing'
          : ((isAsked || isJudged ? placeProblem(context, chain, height, block, sample) : undefined) ??
            (isAsked ? blocks.problem(chain, height, sample) : undefined) ??
            (isJudged ? problemOf(context, chain, height, block) : undefined));
      if (problem !== undefined) context.fail(name, `block ${height} of ${who} ${problem}`);
      if (block === undefined) continue;
      if (!isKnown && before !== undefined)
        context.fail(name, `block ${height} of ${who} has other receipts than on another node`);
      else known.set(height, block);
    }
    const problem = offences.problem(chain) ?? rerun(chain);
    if (problem !== undefined) context.fail(name, `${who}: ${problem}`);
  };
  return {
    name,
    finish() {
      // With too much faulty power, correct nodes may have forked.
      if (!isTolerable(context)) return;
      for (const node of context.correct) {
        const chain = node.node?.rpc?.chain;
        if (chain === undefined || node.state === 'halted') continue;
        try {
          check(node.name, context.past.of(node, chain));
        } catch (error) {
          failBy(context, node, error);
        }
      }
    },
  };
}

/** `Past` hands out the same object to nodes that store the same bytes. */
const isSame = (one: EthBlock, other: EthBlock): boolean => one === other || textOf(one) === textOf(other);

const textOf = (block: EthBlock): string =>
  JSON.stringify([
    to0xHex(block.hash),
    to0xHex(block.header.stateRoot),
    block.transactions.map(({ raw }) => to0xHex(raw)),
    block.receipts.map((_, i) => receiptJson(block, i)),
  ]);

/**
 * The block is found by its hashes, belongs to the consensus block of its height, and the app hash covers the Ethereum
 * state and the modules.
 */
function placeProblem(
  { suite: { keccak256: keccak } }: CheckerContext,
  chain: ChainReader,
  height: Height,
  block: EthBlock,
  sample: Sample,
): string | undefined {
  const { header, hash, transactions } = block;
  const isAsked = sample.has(height);
  const [meta, results, view] = [chain.blockMeta(height), chain.results(height), chain.view(height)];
  if (isAsked && chain.heightOfEthHash(hash) !== height) return 'is not found by its hash';
  if (height === 0 || meta === undefined) return undefined;
  if (isAsked && chain.heightOfBlockHash(meta.blockId.hash) !== height)
    return 'is not found by its consensus hash';
  if (!equalBytes(header.extraData, meta.blockId.hash)) return 'names another consensus block';
  if (header.timestamp !== meta.header.time.seconds) return 'has another time than its consensus block';
  if (!equalBytes(header.coinbase, meta.header.proposerAddress)) return 'has another proposer';
  if (header.gasLimit !== chain.gasLimit()) return 'has another gas limit';
  if (!equalBytes(header.mixHash, keccak(concat(header.parentHash, word(height).subarray(24)))))
    return 'has another random number than its parent and height make';
  const ran = results?.txResults.filter(({ code }) => code === 0).length ?? 0;
  if (ran < transactions.length) return `has ${transactions.length} transactions, its results only ${ran}`;
  for (const i of isAsked ? sample.ethTxs(block) : []) {
    const place = chain.ethTxLocation(present(transactions[i], 'a transaction').hash);
    if (place?.height !== height || place.ethIndex !== i) return `does not find its transaction ${i}`;
  }
  if (view !== undefined && !equalBytes(view.stateRoot, header.stateRoot)) return 'has a wrong stateRoot';
  if (results === undefined) return undefined;
  const { events } = results;
  // Events of offences come first and are checked elsewhere.
  const own = events.slice(events.findIndex(({ type }) => type !== 'misbehavior'));
  const told = eventsProblem(own, blockEvents(header));
  if (view === undefined || told !== undefined) return told;
  const worlds = [
    ['ethereum', hash],
    ['modules', view.modulesRoot],
  ] as const;
  if (!equalBytes(results.appHash, simpleMapRoot(worlds))) return 'has a wrong app hash';
  const parent = isAsked ? parentOf(chain, height) : undefined;
  if (parent === undefined) return undefined;
  const kept = view.storage(HISTORY_ADDRESS, word((height - 1) % HISTORY_WINDOW));
  return view.code(HISTORY_ADDRESS).length === 0 || equalBytes(kept, parent.hash)
    ? undefined
    : 'does not tell contracts the hash of its parent (EIP-2935)';
}

/** Genesis is stored under height 0, whatever the number of the first block. */
const parentOf = (chain: ChainReader, height: Height): EthBlock | undefined =>
  height === 0 ? undefined : chain.ethBlock(height === chain.genesisNumber() + 1 ? 0 : height - 1);

/** EIP-2935, written apart from the core. */
const HISTORY_ADDRESS = hex('0000f90827f1c53a10cb7a02335b175320002935');
const HISTORY_WINDOW = 8191;
const word = (value: number): Bytes => hex(value.toString(16).padStart(64, '0'));

function problemOf(
  context: CheckerContext,
  chain: ChainReader,
  height: Height,
  block: EthBlock,
): string | undefined {
  const { header, transactions, receipts } = block;
  const keccak = (message: Bytes): Bytes => context.suite.keccak256(message);
  if (receipts.length !== transactions.length) return 'has not one receipt a transaction';
  const root = listRoot(receipts.map(receiptBytes), keccak);
  if (!equalBytes(root, header.receiptsRoot)) return 'has a wrong receiptsRoot';
  const raws = transactions.map(({ raw }) => raw);
  if (!equalBytes(listRoot(raws, keccak), header.transactionsRoot)) return 'has a wrong transactionsRoot';
  if (!equalBytes(bloomOf(receipts, keccak), header.logsBloom)) return 'has a wrong bloom';
  if (header.gasUsed !== (receipts.at(-1)?.cumulativeGasUsed ?? 0n) + otherGas(chain, height))
    return 'has a wrong gasUsed';
  const parent = parentOf(chain, height);
  if (parent !== undefined && !equalBytes(parent.hash, header.parentHash)) return 'has a wrong parentHash';
  return receiptProblem(receipts);
}

/** Gas of the transactions that are not Ethereum transactions; they share the block's gas limit. */
function otherGas(chain: ChainReader, height: number): bigint {
  return othersOf(chain, height).reduce(
    (sum, { gasUsed, gasWanted }) => sum + (gasUsed < gasWanted ? gasUsed : gasWanted),
    0n,
  );
}

function receiptProblem(receipts: readonly EthReceipt[]): string | undefined {
  let gas = 0n;
  let logs = 0;
  for (const receipt of receipts) {
    gas += receipt.gasUsed;
    if (receipt.cumulativeGasUsed !== gas) return 'has a wrong cumulativeGasUsed';
    if (receipt.status === 0 && receipt.logs.length > 0) return 'keeps logs of a failed transaction';
    for (const { logIndex } of receipt.logs) if (logIndex !== logs++) return 'counts its logs wrongly';
  }
  return undefined;
}

/** The yellow paper's M3:2048, computed apart from the core. */
function bloomOf(receipts: readonly EthReceipt[], keccak: (message: Bytes) => Bytes): Bytes {
  const bloom = new Uint8Array(256);
  for (const { logs } of receipts) {
    for (const item of logs.flatMap((log) => [log.address, ...log.topics])) {
      const hash = keccak(item);
      for (const i of [0, 2, 4]) {
        const bit = (((hash[i] ?? 0) << 8) | (hash[i + 1] ?? 0)) & 0x7ff;
        const at = 255 - (bit >>> 3);
        bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7));
      }
    }
  }
  return bloom;
}
