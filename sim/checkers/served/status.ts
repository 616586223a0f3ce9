import { present } from '../../../core/lib/assert.ts';
import { toBase64 } from '../../../core/lib/base64.ts';
import { type Bytes, equalBytes, toUpperHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { grown } from '../../audience/stage.ts';
import { difference, quantity } from '../../clients/answers/answers.ts';
import { shownKey } from '../../events/shownKeys.ts';
import { momentOf } from '../../reference/goTime.ts';
import { comet, eth, fieldsOf, firstOf, heightsOf, listOf, PAGE, rest, unlike } from '../questions.ts';

/** A node's status is right: first and last block, own power, key and address, genesis, chain ids, pool size. */
export async function wrongStatus(
  rpc: RpcContext,
  own: Bytes | undefined,
  isSettled: boolean,
): Promise<string | undefined> {
  const { chain } = rpc;
  const status = await comet(rpc, 'status', {});
  const self = chain
    .validators((chain.head() || chain.genesisNumber()) + 1)
    ?.validators.find(({ address }) => own !== undefined && equalBytes(address, own));
  const told = fieldsOf(status, 'validator_info');
  return (
    wrongEnd(rpc, 'latest', fieldsOf(status, 'sync_info'), chain.head()) ??
    wrongEnd(rpc, 'earliest', fieldsOf(status, 'sync_info'), firstOf(chain)) ??
    unlike('its own power', told['voting_power'], String(self?.power ?? 0n)) ??
    (self && unlike('its own key', told['pub_key'], shownKey(self.pubKey))) ??
    unlike('its own address', told['address'], own === undefined ? '' : toUpperHex(own)) ??
    (await wrongGenesis(rpc)) ??
    (await wrongNames(rpc)) ??
    (await wrongBeforeChange(rpc, own)) ??
    (isSettled ? await wrongCounts(rpc) : undefined)
  );
}

/** The next validators and parameters, as shown when the newest block was the last one before either changed. */
async function wrongBeforeChange(rpc: RpcContext, own: Bytes | undefined): Promise<string | undefined> {
  const { chain } = rpc;
  const isChanged = (height: number): boolean => {
    const header = chain.blockMeta(height)?.header;
    const next = chain.blockMeta(height + 1)?.header;
    return (
      header !== undefined &&
      next !== undefined &&
      !(
        equalBytes(header.validatorsHash, next.validatorsHash) &&
        equalBytes(header.consensusHash, next.consensusHash)
      )
    );
  };
  const height = heightsOf(chain).findLast(isChanged);
  if (height === undefined || chain.view(height) === undefined) return undefined;
  const then = { ...rpc, chain: grown(chain, () => height) };
  const { validators } = present(chain.validators(height + 1), 'the set of a kept height');
  const power = validators.find(({ address }) => own !== undefined && equalBytes(address, own))?.power;
  const names = validators.map(({ address }) => toUpperHex(address)).slice(0, PAGE);
  const listed = await comet(then, 'validators', { page: '1', per_page: String(PAGE) });
  const params = await comet(then, 'consensus_params', {});
  const later = await comet(rpc, 'consensus_params', { height: String(height + 1) });
  const { header } = present(chain.blockMeta(height), 'a kept block');
  const { validator_hash } = await rest(then, '/cosmos/base/node/v1beta1/status');
  const told = fieldsOf(await comet(then, 'status', {}), 'validator_info');
  return (
    unlike(`its own power after ${height}`, told['voting_power'], String(power ?? 0n)) ??
    unlike(
      `who validates after ${height}`,
      listOf(listed, 'validators').map(({ address }) => address),
      names,
    ) ??
    unlike(`the parameters after ${height}`, params, later) ??
    unlike(
      `the hash of those who validate after ${height}`,
      validator_hash,
      toBase64(header.nextValidatorsHash),
    )
  );
}

function wrongEnd(
  { chain }: RpcContext,
  end: 'latest' | 'earliest',
  told: Readonly<Record<string, unknown>>,
  height: number,
): string | undefined {
  const { blockId, header } = present(chain.blockMeta(height), 'a kept block');
  const { seconds, nanos } = header.time;
  return (
    difference('status', told, {
      [`${end}_block_hash`]: toUpperHex(blockId.hash),
      [`${end}_app_hash`]: toUpperHex(header.appHash),
      [`${end}_block_height`]: String(height),
    }) ?? unlike(`the ${end} time`, momentOf(told[`${end}_block_time`]), { seconds, nanos })
  );
}

async function wrongGenesis(rpc: RpcContext): Promise<string | undefined> {
  const told = fieldsOf(await comet(rpc, 'genesis', {}), 'genesis');
  const { chainId, initialHeight, validators } = rpc.genesis;
  return (
    difference('genesis', told, { chain_id: chainId, initial_height: String(initialHeight) }) ??
    unlike(
      'the validators of genesis',
      listOf(told, 'validators').map(({ address, pub_key, power }) => [address, pub_key, power]),
      validators.map(({ address, pubKey, power }) => [toUpperHex(address), shownKey(pubKey), String(power)]),
    )
  );
}

async function wrongNames(rpc: RpcContext): Promise<string | undefined> {
  const id = rpc.chain.evmChainId;
  return (
    unlike('eth_chainId', await eth(rpc, 'eth_chainId', []), quantity(id)) ??
    unlike('net_version', await eth(rpc, 'net_version', []), String(id)) ??
    unlike('eth_blockNumber', await eth(rpc, 'eth_blockNumber', []), quantity(rpc.chain.head()))
  );
}

/** All APIs count the same waiting transactions. */
async function wrongCounts(rpc: RpcContext): Promise<string | undefined> {
  const content = rpc.pool.content();
  const count = (kind: 'pending' | 'queued'): number =>
    content.reduce((sum, one) => sum + one[kind].length, 0);
  const [pending, queued] = [count('pending'), count('queued')];
  const { n_txs } = await comet(rpc, 'num_unconfirmed_txs', {});
  return (
    unlike('txpool_status', await eth(rpc, 'txpool_status', []), {
      pending: quantity(pending),
      queued: quantity(queued),
    }) ?? unlike('num_unconfirmed_txs', n_txs, String(pending + queued))
  );
}
