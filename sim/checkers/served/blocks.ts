import type { ChainReader } from '../../../core/app/chain.ts';
import { present } from '../../../core/lib/assert.ts';
import { toBase64 } from '../../../core/lib/base64.ts';
import { toUpperHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import type { Header } from '../../../core/types/block.ts';
import type { TxResult } from '../../../core/types/result.ts';
import { difference, type Fields } from '../../clients/answers/answers.ts';
import { shownParams } from '../../events/params.ts';
import { changedKey } from '../../events/shownKeys.ts';
import { momentOf } from '../../reference/goTime.ts';
import { shownEvent, shownHeader, shownId } from '../../reference/shown.ts';
import { comet, fieldsOf, firstOf, listOf, textOrNull, toldOf, unlike } from '../questions.ts';
import { wrongEngineEvidence } from './evidenceForms.ts';

/** Most block metas in one answer. */
const METAS_MAX = 20;

/** CometBFT's RPC shows blocks, their results and the consensus params in force as the node stores them. */
export async function wrongBlockAnswers(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  for (const height of toldOf(chain)) {
    const problem =
      (await wrongBlock(rpc, height)) ??
      (await wrongResults(rpc, height)) ??
      unlike(`consensus_params ${height}`, await comet(rpc, 'consensus_params', { height: String(height) }), {
        block_height: String(height),
        consensus_params: shownParams(present(chain.params(height), 'params of a kept height')),
      });
    if (problem !== undefined) return problem;
  }
  return wrongMetas(rpc);
}

const listOrNull = <T>(list: readonly T[]): readonly T[] | null => (list.length === 0 ? null : list);

function wrongHeader(what: string, told: Fields, header: Header): string | undefined {
  const { seconds, nanos } = header.time;
  return (
    difference(what, told, shownHeader(header)) ??
    unlike(`the time of ${what}`, momentOf(told['time']), { seconds, nanos })
  );
}

async function wrongBlock(rpc: RpcContext, height: number): Promise<string | undefined> {
  const { chain } = rpc;
  const block = present(chain.block(height), 'a kept block');
  const id = present(chain.blockMeta(height), 'its name').blockId;
  const answers = {
    block: await comet(rpc, 'block', { height: String(height) }),
    block_by_hash: await comet(rpc, 'block_by_hash', { hash: toBase64(id.hash) }),
  };
  const { lastCommit } = block;
  for (const [method, answer] of Object.entries(answers)) {
    const [name, told] = [`${method} ${height}`, fieldsOf(answer, 'block')];
    const commit = fieldsOf(told, 'last_commit');
    const problem =
      unlike(`the name of ${name}`, answer['block_id'], shownId(id)) ??
      wrongHeader(name, fieldsOf(told, 'header'), block.header) ??
      unlike(`the data of ${name}`, told['data'], { txs: block.txs.map(toBase64) }) ??
      wrongEngineEvidence(name, told, block.evidence) ??
      difference(`the last commit of ${name}`, commit, {
        height: String(lastCommit.height),
        round: lastCommit.round,
        block_id: shownId(lastCommit.blockId),
      }) ??
      unlike(
        `the signatures in ${name}`,
        listOf(commit, 'signatures').map(({ signature }) => signature),
        lastCommit.signatures.map(({ signature }) => textOrNull(signature)),
      );
    if (problem !== undefined) return problem;
  }
  const header = await comet(rpc, 'header', { height: String(height) });
  const byHash = await comet(rpc, 'header_by_hash', { hash: toUpperHex(id.hash) });
  return (
    wrongHeader(`header ${height}`, fieldsOf(header, 'header'), block.header) ??
    wrongHeader(`header_by_hash ${height}`, fieldsOf(byHash, 'header'), block.header)
  );
}

/** A transaction result as CometBFT's RPC shows it. */
export const shownResult = (result: TxResult): Fields => ({
  code: result.code,
  data: textOrNull(result.data),
  log: result.log,
  info: result.info,
  gas_wanted: String(result.gasWanted),
  gas_used: String(result.gasUsed),
  events: result.events.map(shownEvent),
  codespace: result.codespace,
});

async function wrongResults(rpc: RpcContext, height: number): Promise<string | undefined> {
  const results = present(rpc.chain.results(height), 'results of a kept height');
  const told = await comet(rpc, 'block_results', { height: String(height) });
  const { validatorUpdates, paramUpdates } = results;
  const updates = listOf(told, 'validator_updates').map(({ pub_key, power }) => [pub_key, power ?? '0']);
  return (
    difference(`block_results ${height}`, told, {
      height: String(height),
      txs_results: listOrNull(results.txResults.map(shownResult)),
      finalize_block_events: listOrNull(results.events.map(shownEvent)),
      app_hash: textOrNull(results.appHash),
    }) ??
    unlike(
      `the validators changed by block ${height}`,
      updates,
      validatorUpdates.map(({ pubKey, power }) => [changedKey(pubKey), String(power)]),
    ) ??
    unlike(
      `the parameters changed by block ${height}`,
      told['consensus_param_updates'],
      paramUpdates === undefined ? null : shownParams(paramUpdates),
    )
  );
}

function shownMeta(chain: ChainReader, height: number): Fields {
  const { blockId, blockSize, header, numTxs } = present(chain.blockMeta(height), 'a kept block');
  return {
    block_id: shownId(blockId),
    block_size: String(blockSize),
    hash: toUpperHex(header.dataHash),
    height: String(height),
    num_txs: String(numTxs),
  };
}

/** The answer has the newest of the requested heights, at most `METAS_MAX` of them. */
async function wrongMetas(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const [first, head] = [firstOf(chain), chain.head()];
  const middle = Math.floor((first + head) / 2);
  for (const [min, max, low, high] of [
    [0, 0, first, head],
    [first, middle, first, middle],
    [middle, head + 5, middle, head],
  ] as const) {
    const answer = await comet(rpc, 'blockchain', { minHeight: String(min), maxHeight: String(max) });
    const told = listOf(answer, 'block_metas').map(({ header, ...rest }) => {
      const { data_hash: hash, height } = (header ?? {}) as Fields;
      const { block_id, block_size, num_txs } = rest;
      return { block_id, block_size, hash, height, num_txs };
    });
    const count = Math.min(METAS_MAX, high - low + 1);
    const problem =
      unlike(`the end of blockchain ${min} ${max}`, answer['last_height'], String(head)) ??
      unlike(
        `blockchain ${min} ${max}`,
        told,
        Array.from({ length: count }, (_, i) => shownMeta(chain, high - i)),
      );
    if (problem !== undefined) return problem;
  }
  return undefined;
}
