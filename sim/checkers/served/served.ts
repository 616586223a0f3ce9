import { formatAddress } from '../../../core/address/kinds.ts';
import type { CryptoSuite } from '../../../core/crypto/suite.ts';
import { present } from '../../../core/lib/assert.ts';
import { toBase64 } from '../../../core/lib/base64.ts';
import { type Bytes, toUpperHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import type { KvStore } from '../../../core/store/kv.ts';
import type { Fields } from '../../clients/answers/answers.ts';
import { baseFeeAfter, type FeeMarket, feeMarketSection } from '../../clients/answers/feeMarket.ts';
import { settledPool } from '../../clients/settledPool.ts';
import { sdkKey, shownKey } from '../../events/shownKeys.ts';
import type { Process } from '../../machine/process.ts';
import type { Reruns } from '../../reference/reruns.ts';
import { type Checker, type CheckerContext, isTolerable } from '../checker.ts';
import { isSteady } from '../past.ts';
import { comet, firstOf, listOf, PAGE, rest, unlike, validatorRow } from '../questions.ts';
import { failBy } from '../unanswered.ts';
import { wrongAccusations } from './accusations.ts';
import { wrongArguments } from './arguments.ts';
import { wrongBlockAnswers } from './blocks.ts';
import { wrongBounds } from './bounds.ts';
import { wrongCalls } from './calls.ts';
import { wrongCallTrees } from './callTrees.ts';
import { wrongCoding } from './coding.ts';
import { wrongExport } from './export.ts';
import { wrongHistories, wrongSharesBetween } from './fees.ts';
import { wrongGrpcWeb } from './grpcWeb.ts';
import { wrongImpossible } from './impossible.ts';
import { wrongBlocks, wrongTxs } from './lists.ts';
import { wrongLogs } from './logs.ts';
import { wrongMessages } from './messages.ts';
import { wrongMisbehavior } from './misbehavior.ts';
import { wrongMoney } from './money.ts';
import { wrongNames } from './names.ts';
import { wrongNode } from './node.ts';
import { wrongOddRequests } from './oddRequests.ts';
import { wrongOddRound } from './oddRound.ts';
import { wrongOddTraces } from './oddTraces.ts';
import { wrongOwnKeys } from './ownKeys.ts';
import { wrongLargePages, wrongLastPages, wrongTotals } from './pages.ts';
import { wrongPlaces } from './places.ts';
import { wrongWaiting } from './pool.ts';
import { wrongPrecompiles } from './precompiles.ts';
import { wrongPretences } from './pretences.ts';
import { wrongProofs } from './proofs.ts';
import { wrongProtos } from './protos.ts';
import { wrongRaw } from './raw.ts';
import { wrongFaces } from './rest.ts';
import { wrongRestCalls } from './restCalls.ts';
import { wrongRound } from './round.ts';
import { wrongSdkBlocks } from './sdkBlocks.ts';
import { wrongSendings } from './sendings.ts';
import { wrongSignings } from './signings.ts';
import { wrongSimulated } from './simulated.ts';
import { wrongSimulatedFees } from './simulatedFees.ts';
import { wrongSimulations } from './simulations.ts';
import { wrongSpellings } from './spellings.ts';
import { wrongStates } from './state.ts';
import { wrongStatus } from './status.ts';
import { wrongSenders, wrongTracedCalls, wrongUndoneLogs } from './tracedCalls.ts';
import { wrongTraces } from './traces.ts';
import { wrongTxAnswers } from './txs.ts';
import { wrongUnknown } from './unknown.ts';
import { wrongUris } from './uris.ts';

/** Blocks at the end of the chain whose commits are asked for. */
const COMMITS_MAX = 8;
/** Items in a page of CometBFT's RPC by default. */
const PAGE_USUAL = 30;

/**
 * REC: at the end, correct nodes are asked about everything that they serve. Commits are those in the next block, lists
 * are complete and in order however they are cut into pages, no zero balance is listed, proofs lead to headers, and
 * answers about a height show its own state. Nodes with a common past share the questions, because another checker
 * compares their stores.
 */
export function served(context: CheckerContext): Checker {
  return {
    name: 'records',
    async finish() {
      if (!isTolerable(context)) return;
      const turn = context.world.choices.stream('checkers/served').choose(QUESTIONS.length);
      for (const group of groupsOf(context))
        for (const [place, node] of group.entries()) {
          const rpc = present(node.node?.rpc, 'a node that serves');
          const questions = QUESTIONS.filter((_, i) => (i + turn) % group.length === place);
          try {
            const problem =
              rpc.chain.head() < 2 ? undefined : await problemOf(askedOf(context, node, rpc), questions);
            if (problem !== undefined) context.fail('records', `${node.name} ${problem}`);
          } catch (error) {
            failBy(context, node, error);
          }
        }
    },
  };
}

/** Nodes that serve: those that ran all the time, and those that restarted or joined later. */
function groupsOf({ correct, scenario }: CheckerContext): readonly (readonly Process[])[] {
  // Answers from a stale drive are the drive's fault.
  const serving = correct.filter(
    ({ node, state, disk }) => node?.rpc !== undefined && state !== 'halted' && !disk.kv.isStale,
  );
  const steady = serving.filter((node) => isSteady(scenario, node));
  return [steady, serving.filter((node) => !steady.includes(node))];
}

interface Asked {
  readonly rpc: RpcContext;
  readonly suite: CryptoSuite;
  readonly kv: Pick<KvStore, 'get'>;
  /** The address of the node's validator. */
  readonly own: Bytes | undefined;
  readonly market: FeeMarket;
  readonly reruns: Reruns;
  readonly isIndexed: boolean;
  /** All waiting transactions are shown by nonce, and the pool has processed the newest block. */
  readonly isSettled: boolean;
}

function askedOf({ suite, cluster, scenario, past }: CheckerContext, node: Process, rpc: RpcContext): Asked {
  // Bank transactions are in the pool, too, and are not shown by nonce.
  const isShown = (scenario.bankers ?? []).length === 0;
  return {
    rpc,
    suite,
    kv: node.disk.kv,
    own: cluster.members.find(({ name }) => name === node.name)?.address,
    market: cluster.feeMarket,
    reruns: past.reruns,
    isIndexed: node.isIndexed ?? scenario.engine.isIndexed,
    isSettled: isShown && settledPool(node, Number.POSITIVE_INFINITY) !== undefined,
  };
}

type Answer = Promise<string | undefined>;

const whereIndexed =
  (ask: (asked: Asked) => Answer) =>
  async (asked: Asked): Answer =>
    asked.isIndexed ? ask(asked) : undefined;

const QUESTIONS: readonly ((asked: Asked) => Answer)[] = [
  ({ rpc }) => wrongCommits(rpc),
  ({ rpc }) => wrongValidators(rpc),
  ({ rpc }) => wrongBalances(rpc),
  ({ rpc, market }) => wrongFees(rpc, market),
  ({ rpc }) => wrongBlockAnswers(rpc),
  ({ rpc }) => wrongLogs(rpc),
  ({ rpc }) => wrongBounds(rpc),
  ({ rpc }) => wrongCalls(rpc),
  ({ rpc }) => wrongPretences(rpc),
  ({ rpc }) => wrongImpossible(rpc),
  ({ rpc }) => wrongArguments(rpc),
  ({ rpc }) => wrongPrecompiles(rpc),
  ({ rpc, suite }) => wrongUnknown(rpc, suite.sha256),
  ({ rpc, suite }) => wrongUris(rpc, suite.sha256),
  ({ rpc, suite }) => wrongFaces(rpc, suite.sha256),
  ({ rpc, suite }) => wrongSimulated(rpc, suite.keccak256),
  ({ rpc }) => wrongSimulations(rpc),
  ({ rpc, suite, market }) => wrongSimulatedFees(rpc, suite, market),
  ({ rpc, reruns }) => wrongCallTrees(rpc, reruns),
  ({ rpc, market }) => wrongTraces(rpc, market),
  ({ rpc }) => wrongTracedCalls(rpc),
  async ({ rpc }) => (await wrongUndoneLogs(rpc)) ?? wrongOddTraces(rpc),
  ({ rpc }) => wrongSenders(rpc),
  ({ rpc }) => wrongWaiting(rpc),
  ({ rpc }) => wrongTotals(rpc),
  ({ rpc, suite }) => wrongProofs(rpc, suite),
  ({ rpc, suite }) => wrongMoney(rpc, suite.keccak256),
  ({ rpc, isSettled }) => wrongStates(rpc, isSettled),
  ({ rpc, suite }) => wrongRaw(rpc, suite.keccak256),
  ({ rpc, own, isSettled }) => wrongStatus(rpc, own, isSettled),
  async ({ rpc }) => (await wrongSdkBlocks(rpc)) ?? (await wrongMisbehavior(rpc)) ?? wrongAccusations(rpc),
  ({ rpc, market }) => wrongNode(rpc, market),
  async ({ rpc, market }) => (await wrongHistories(rpc, market)) ?? wrongSharesBetween(rpc),
  async ({ rpc }) => (await wrongRound(rpc)) ?? wrongOddRound(rpc),
  ({ rpc, suite, kv, market, reruns }) => wrongExport(rpc, suite, kv, market, reruns),
  ({ rpc, suite }) => wrongNames(rpc, suite.sha256),
  ({ rpc, suite }) => wrongSpellings(rpc, suite.keccak256),
  ({ rpc }) => wrongRestCalls(rpc),
  ({ rpc }) => wrongPlaces(rpc),
  ({ rpc }) => wrongProtos(rpc),
  ({ rpc }) => wrongGrpcWeb(rpc),
  async ({ rpc }) =>
    (await wrongMessages(rpc)) ??
    (await wrongSendings(rpc)) ??
    (await wrongSignings(rpc)) ??
    (await wrongOwnKeys(rpc)) ??
    wrongOddRequests(rpc),
  whereIndexed(({ rpc, suite }) => wrongTxAnswers(rpc, suite.sha256)),
  whereIndexed(({ rpc, suite }) => wrongCoding(rpc, suite.sha256)),
  whereIndexed(({ rpc }) => wrongBlocks(rpc)),
  whereIndexed(({ rpc, suite }) => wrongTxs(rpc, suite)),
  whereIndexed(async ({ rpc, suite }) => (await wrongLargePages(rpc, suite)) ?? wrongLastPages(rpc)),
];

async function problemOf(asked: Asked, questions: typeof QUESTIONS): Answer {
  for (const ask of questions) {
    const problem = await ask(asked);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The next block fixes a commit. Of the newest block the node has only the commit it saw itself. */
async function wrongCommits(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const head = chain.head();
  for (let height = Math.max(firstOf(chain), head - COMMITS_MAX); height <= head; height++) {
    const answer = await comet(rpc, 'commit', { height: String(height) });
    const fixed = height === head ? undefined : present(chain.block(height + 1), 'a kept block').lastCommit;
    const isCanonical = unlike(`canonical of commit ${height}`, answer['canonical'], fixed !== undefined);
    if (isCanonical !== undefined) return isCanonical;
    if (fixed === undefined) continue;
    const shown = answer['signed_header'] as { readonly commit: Fields } | undefined;
    const told = listOf(shown?.commit ?? {}, 'signatures').map(({ signature }) => signature);
    const truth = fixed.signatures.map(({ signature }) =>
      signature === undefined || signature.length === 0 ? null : toBase64(signature),
    );
    const problem = unlike(`commit ${height}`, told, truth);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The validator set of the head in pages, and in reverse. */
async function wrongValidators(rpc: RpcContext): Promise<string | undefined> {
  const height = rpc.chain.head();
  const { validators } = present(rpc.chain.validators(height), 'the set of a kept height');
  const told: unknown[] = [];
  for (let page = 1; page <= Math.ceil(validators.length / PAGE); page++) {
    const asked = { height: String(height), page: String(page), per_page: String(PAGE) };
    const answer = await comet(rpc, 'validators', asked);
    const shown = listOf(answer, 'validators').map(validatorRow);
    const counts = [String(shown.length), String(validators.length)];
    const problem = unlike('how many validators', [answer['count'], answer['total']], counts);
    if (problem !== undefined) return problem;
    told.push(...shown);
  }
  const rows = validators.map(({ address, pubKey, power, priority }) => [
    toUpperHex(address),
    shownKey(pubKey),
    String(power),
    String(priority),
  ]);
  // A page of zero items has thirty.
  const usual = await comet(rpc, 'validators', { height: String(height), per_page: '0' });
  const first = listOf(usual, 'validators').map(validatorRow);
  const path = `/cosmos/base/tendermint/v1beta1/validatorsets/${height}`;
  const last = await rest(rpc, path, `pagination.limit=${PAGE}&pagination.reverse=true`);
  const keys = listOf(last, 'validators').map(({ pub_key }) => pub_key);
  const backwards = validators.map(({ pubKey }) => sdkKey(pubKey)).reverse();
  return (
    unlike('validators', told, rows) ??
    unlike('validators in a page of none', first, rows.slice(0, PAGE_USUAL)) ??
    unlike(`${path} backwards`, keys, backwards.slice(0, PAGE))
  );
}

/** The balances of an account with coins and of one without. */
async function wrongBalances(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const owner = chain.block(chain.head())?.header.proposerAddress ?? new Uint8Array(20);
  for (const address of [owner, new Uint8Array(20).fill(0x5e)]) {
    const name = formatAddress('acc', chain.hrp, address);
    const { balance = 0n } = chain.latest().account(address) ?? {};
    const coins = balance === 0n ? [] : [{ denom: chain.denom, amount: balance.toString() }];
    const { balances } = await rest(rpc, `/cosmos/bank/v1beta1/balances/${name}`);
    const problem = unlike(`the coins of ${name}`, balances, coins);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Fee parameters of genesis, and the base fee of the next block. */
async function wrongFees(rpc: RpcContext, market: FeeMarket): Promise<string | undefined> {
  const { params } = feeMarketSection(market);
  const head = present(rpc.chain.ethBlock(rpc.chain.head()), 'the head').header;
  const next = baseFeeAfter(head, market).toString();
  for (const [path, truth] of [
    ['feemarket/v1/params', { params }],
    ['feemarket/v1/base_fee', { base_fee: next }],
    ['evm/v1/base_fee', { base_fee: next }],
    ['evm/v1/min_gas_price', { min_gas_price: params.min_gas_price }],
  ] as const) {
    const problem = unlike(path, await rest(rpc, `/chain/${path}`), truth);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
