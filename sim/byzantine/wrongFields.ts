/** Blocks with one wrong field, for all behaviours that show or decide such a block. */
import { equalBytes } from '../../core/lib/bytes.ts';
import type { Block, Header } from '../../core/types/block.ts';
import { addMillis } from '../../core/types/ids.ts';
import type { Accomplice } from './behaviour.ts';

/** Ways to make a block wrong in one field; everything else stays as it is. */
const SPOILERS: Readonly<Record<string, (header: Header, me: Accomplice) => Partial<Header>>> = {
  app_hash: ({ appHash }) => ({ appHash: wrong(appHash) }),
  time: ({ time }) => ({ time: addMillis(time, 60_000) }),
  data_hash: ({ dataHash }) => ({ dataHash: wrong(dataHash) }),
  validators: ({ validatorsHash }) => ({ validatorsHash: wrong(validatorsHash) }),
  next_validators: ({ nextValidatorsHash }) => ({ nextValidatorsHash: wrong(nextValidatorsHash) }),
  height: ({ height }) => ({ height: height + 1 }),
  results: ({ lastResultsHash }) => ({ lastResultsHash: wrong(lastResultsHash) }),
  consensus: ({ consensusHash }) => ({ consensusHash: wrong(consensusHash) }),
  evidence_hash: ({ evidenceHash }) => ({ evidenceHash: wrong(evidenceHash) }),
  commit_hash: ({ lastCommitHash }) => ({ lastCommitHash: wrong(lastCommitHash) }),
  chain_id: ({ chainId }) => ({ chainId: `${chainId}-2` }),
  version: ({ version }) => ({ version: { ...version, app: version.app + 1 } }),
  last_block: ({ lastBlockId }) => ({ lastBlockId: { ...lastBlockId, hash: wrong(lastBlockId.hash) } }),
  proposer: ({ proposerAddress }) => ({ proposerAddress: wrong(proposerAddress) }),
  other_proposer: ({ height, proposerAddress }, me) => {
    const validators = me.chain()?.validators(height)?.validators;
    const other = validators?.find(({ address }) => !equalBytes(address, proposerAddress));
    return { proposerAddress: other?.address ?? proposerAddress };
  },
};

const wrong = (hash: Uint8Array): Uint8Array =>
  hash.length === 0 ? new Uint8Array(32).fill(1) : hash.map((byte) => byte ^ 1);

/** Values of the argument `field`. */
export const WRONG_FIELDS: readonly string[] = [...Object.keys(SPOILERS), 'tx'];

/** The block with a wrong `field`; with a wrong app hash if `field` is left out. */
export function spoiled(me: Accomplice, block: Block): Block {
  const field = String(me.args.get('field') ?? 'app_hash');
  if (field === 'tx') return { ...block, txs: [...block.txs, Uint8Array.of(1, 2, 3)] };
  const { header } = block;
  return { ...block, header: { ...header, ...SPOILERS[field]?.(header, me) } };
}
