import { formatAddress } from '../../../core/address/kinds.ts';
import { present } from '../../../core/lib/assert.ts';
import { toBase64 } from '../../../core/lib/base64.ts';
import type { Bytes } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import type { Block, BlockId, Commit, Header } from '../../../core/types/block.ts';
import { difference, type Fields } from '../../clients/answers/answers.ts';
import { sdkKey } from '../../events/shownKeys.ts';
import { protoMomentOf } from '../../reference/goTime.ts';
import { fieldsOf, listOf, rest, textOrNull, toldOf, unlike, validatorRow } from '../questions.ts';
import { wrongSdkEvidence } from './evidenceForms.ts';

const ROOT = '/cosmos/base/tendermint/v1beta1';
const FLAGS = {
  absent: 'BLOCK_ID_FLAG_ABSENT',
  commit: 'BLOCK_ID_FLAG_COMMIT',
  nil: 'BLOCK_ID_FLAG_NIL',
} as const;

/** Blocks and the next validator set as the SDK's API shows them. */
export async function wrongSdkBlocks(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  for (const height of toldOf(chain)) {
    const problem = await wrongBlock(rpc, `${ROOT}/blocks/${height}`, height);
    if (problem !== undefined) return problem;
  }
  return (await wrongBlock(rpc, `${ROOT}/blocks/latest`, chain.head())) ?? (await wrongNext(rpc));
}

const shownId = ({ hash, parts }: BlockId): Fields => ({
  hash: textOrNull(hash),
  part_set_header: { total: parts.total, hash: textOrNull(parts.hash) },
});

const shownHeader = (header: Header): Fields => ({
  version: { block: String(header.version.block), app: String(header.version.app) },
  chain_id: header.chainId,
  height: String(header.height),
  last_block_id: shownId(header.lastBlockId),
  ...Object.fromEntries(
    Object.entries({
      last_commit_hash: header.lastCommitHash,
      data_hash: header.dataHash,
      validators_hash: header.validatorsHash,
      next_validators_hash: header.nextValidatorsHash,
      consensus_hash: header.consensusHash,
      app_hash: header.appHash,
      last_results_hash: header.lastResultsHash,
      evidence_hash: header.evidenceHash,
    }).map(([name, hash]) => [name, textOrNull(hash)]),
  ),
});

/** The answer has the block twice; `sdk_block` names its proposer in Bech32. */
async function wrongBlock(rpc: RpcContext, path: string, height: number): Promise<string | undefined> {
  const { chain } = rpc;
  const block = present(chain.block(height), 'a kept block');
  const told = await rest(rpc, path);
  const { blockId } = present(chain.blockMeta(height), 'its name');
  const proposer = block.header.proposerAddress;
  return (
    unlike(`the name of ${path}`, told['block_id'], shownId(blockId)) ??
    wrongBody(`block of ${path}`, fieldsOf(told, 'block'), block, toBase64(proposer)) ??
    wrongBody(
      `sdk_block of ${path}`,
      fieldsOf(told, 'sdk_block'),
      block,
      formatAddress('cons', chain.hrp, proposer),
    )
  );
}

function wrongBody(what: string, told: Fields, block: Block, proposer: string): string | undefined {
  const header = fieldsOf(told, 'header');
  return (
    difference(what, header, { ...shownHeader(block.header), proposer_address: proposer }) ??
    unlike(`the time of ${what}`, protoMomentOf(header['time']), moment(block.header.time)) ??
    unlike(`the data of ${what}`, told['data'], { txs: block.txs.map(toBase64) }) ??
    wrongSdkEvidence(what, told, block.evidence) ??
    wrongCommit(`the last commit of ${what}`, fieldsOf(told, 'last_commit'), block.lastCommit)
  );
}

const moment = ({ seconds, nanos }: Header['time']): Fields => ({ seconds, nanos });

function wrongCommit(what: string, told: Fields, commit: Commit): string | undefined {
  const signatures = listOf(told, 'signatures');
  const rows = signatures.map((one) => [one['block_id_flag'], one['validator_address'], one['signature']]);
  const wanted = commit.signatures.map(({ flag, validatorAddress, signature }) => [
    FLAGS[flag],
    textOrNull(validatorAddress),
    textOrNull(signature),
  ]);
  const times = (commit.signatures.length === signatures.length ? commit.signatures : []).map(
    ({ flag, timestamp }, i) =>
      flag === 'absent' ? [] : [protoMomentOf(signatures[i]?.['timestamp']), moment(timestamp)],
  );
  return (
    difference(what, told, {
      height: String(commit.height),
      round: commit.round,
      block_id: shownId(commit.blockId),
    }) ??
    unlike(`the signatures in ${what}`, rows, wanted) ??
    unlike(
      `the times in ${what}`,
      times.map(([is]) => is),
      times.map(([, should]) => should),
    )
  );
}

/** The validators of the block after the newest, also in a page of one. */
async function wrongNext({ chain, ...rpc }: RpcContext): Promise<string | undefined> {
  const next = Math.max(chain.head(), chain.genesisNumber()) + 1;
  const { validators } = present(chain.validators(next), 'the next set');
  const path = `${ROOT}/validatorsets/latest`;
  const told = await rest({ chain, ...rpc }, path, 'pagination.limit=1000');
  const first = await rest({ chain, ...rpc }, path, 'pagination.limit=1');
  const shown = (address: Bytes) => formatAddress('cons', chain.hrp, address);
  return (
    unlike(`the height of ${path}`, told['block_height'], String(next)) ??
    unlike(
      path,
      listOf(told, 'validators').map(validatorRow),
      validators.map(({ address, pubKey, power, priority }) => [
        shown(address),
        sdkKey(pubKey),
        String(power),
        String(priority),
      ]),
    ) ??
    unlike(`how many are in ${path}`, fieldsOf(first, 'pagination')['total'], String(validators.length)) ??
    unlike(`a page of ${path}`, listOf(first, 'validators').length, 1)
  );
}
