/** cosmos.base.tendermint.v1beta1.Block: a block with the proposer address in Bech32. */
import { formatAddress } from '../../address/kinds.ts';
import { DATA } from '../../codec/block.ts';
import { COMMIT } from '../../codec/commit.ts';
import { EVIDENCE_LIST } from '../../codec/evidence.ts';
import { bytes, embed, int64, string } from '../../codec/fields.ts';
import { BLOCK_ID, CONSENSUS_VERSION } from '../../codec/header.ts';
import { APP_HASH_BYTES_MAX, CHAIN_ID_BYTES_MAX, HASH_BYTES } from '../../codec/limits.ts';
import { table } from '../../codec/proto.ts';
import { TIMESTAMP } from '../../codec/time.ts';
import type { Block, Commit, Header } from '../../types/block.ts';

const PACKAGE = 'cosmos.base.tendermint.v1beta1';
const BECH32_CHARS_MAX = 1023;

interface SdkHeader extends Omit<Header, 'proposerAddress'> {
  readonly proposerAddress: string;
}

const SDK_HEADER = table<SdkHeader>(`${PACKAGE}.Header`, [
  embed(1, 'version', CONSENSUS_VERSION),
  string(2, 'chainId', CHAIN_ID_BYTES_MAX),
  int64(3, 'height'),
  embed(4, 'time', TIMESTAMP),
  embed(5, 'lastBlockId', BLOCK_ID),
  bytes(6, 'lastCommitHash', HASH_BYTES),
  bytes(7, 'dataHash', HASH_BYTES),
  bytes(8, 'validatorsHash', HASH_BYTES),
  bytes(9, 'nextValidatorsHash', HASH_BYTES),
  bytes(10, 'consensusHash', HASH_BYTES),
  bytes(11, 'appHash', APP_HASH_BYTES_MAX),
  bytes(12, 'lastResultsHash', HASH_BYTES),
  bytes(13, 'evidenceHash', HASH_BYTES),
  string(14, 'proposerAddress', BECH32_CHARS_MAX),
]);

export interface SdkBlock {
  readonly header: SdkHeader;
  readonly data: { readonly txs: Block['txs'] };
  readonly evidence: { readonly evidence: Block['evidence'] };
  readonly lastCommit: Commit;
}

export const SDK_BLOCK = table<SdkBlock>(`${PACKAGE}.Block`, [
  embed(1, 'header', SDK_HEADER),
  embed(2, 'data', DATA),
  embed(3, 'evidence', EVIDENCE_LIST),
  embed(4, 'lastCommit', COMMIT),
]);

export const sdkBlock = ({ header, txs, evidence, lastCommit }: Block, hrp: string): SdkBlock => ({
  header: { ...header, proposerAddress: formatAddress('cons', hrp, header.proposerAddress) },
  data: { txs },
  evidence: { evidence },
  lastCommit,
});
