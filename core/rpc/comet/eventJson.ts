/** Events in the JSON of websocket messages (CometBFT's types/events.go). */
import {
  base64Json,
  blockIdJson,
  blockJson,
  eventJson,
  evidenceJson,
  headerJson,
  paramsJson,
  txResultJson,
  validatorJson,
  validatorUpdateJson,
  voteJson,
} from '../../codec/json.ts';
import type { Publication, PublicationData } from '../../events/eventModel.ts';
import { unreachable } from '../../lib/assert.ts';
import { toBase64 } from '../../lib/base64.ts';
import { type Bytes, toUpperHex } from '../../lib/bytes.ts';
import type { FinalizeReply } from '../../types/app.ts';
import type { RoundStateEvent } from '../../types/nodeEvent.ts';
import type { TxResult } from '../../types/result.ts';
import { goJson } from '../jsonText.ts';

interface EventJson {
  readonly type: string;
  readonly value: unknown;
}

const event = (name: string, value: unknown): EventJson => ({ type: `tendermint/event/${name}`, value });

const optionalBytes = (key: string, bytes: Bytes) => (bytes.length === 0 ? {} : { [key]: toBase64(bytes) });
const optionalText = (key: string, text: string) => (text === '' ? {} : { [key]: text });
const optionalList = (key: string, list: readonly unknown[]) => (list.length === 0 ? {} : { [key]: list });

/** Go encodes the result by value here, so its zero fields are omitted. */
const sparseTxResult = (result: TxResult) => ({
  ...(result.code === 0 ? {} : { code: result.code }),
  ...optionalBytes('data', result.data),
  ...optionalText('log', result.log),
  ...optionalText('info', result.info),
  ...(result.gasWanted === 0n ? {} : { gas_wanted: String(result.gasWanted) }),
  ...(result.gasUsed === 0n ? {} : { gas_used: String(result.gasUsed) }),
  ...optionalList('events', result.events.map(eventJson)),
  ...optionalText('codespace', result.codespace),
});

const finalizeJson = (results: FinalizeReply) => ({
  ...optionalList('events', results.events.map(eventJson)),
  ...optionalList('tx_results', results.txResults.map(txResultJson)),
  validator_updates: results.validatorUpdates.map(validatorUpdateJson),
  ...(results.paramUpdates === undefined
    ? {}
    : { consensus_param_updates: paramsJson(results.paramUpdates) }),
  app_hash: base64Json(results.appHash),
});

const roundJson = ({ height, round, step }: RoundStateEvent) => ({ height: String(height), round, step });

function dataJson(data: PublicationData): EventJson {
  switch (data.kind) {
    case 'NewBlock': {
      const { block, blockId, results } = data.of;
      const value = { block: blockJson(block), block_id: blockIdJson(blockId) };
      return event('NewBlock', { ...value, result_finalize_block: finalizeJson(results) });
    }
    case 'NewBlockHeader':
      return event('NewBlockHeader', { header: headerJson(data.of.block.header) });
    case 'NewBlockEvents': {
      const { block, results } = data.of;
      const height = String(block.header.height);
      const events = results.events.map(eventJson);
      return event('NewBlockEvents', { height, events, num_txs: String(block.txs.length) });
    }
    case 'NewEvidence':
      return event('NewEvidence', { height: String(data.height), evidence: evidenceJson(data.evidence) });
    case 'Tx': {
      const index = data.index === 0 ? {} : { index: data.index };
      const result = sparseTxResult(data.result);
      return event('Tx', {
        TxResult: { height: String(data.height), ...index, tx: toBase64(data.tx), result },
      });
    }
    case 'ValidatorSetUpdates':
      return event('ValidatorSetUpdates', { validator_updates: data.validators.map(validatorJson) });
    case 'NewRound': {
      const { address, index } = data.of.proposer;
      return event('NewRound', {
        ...roundJson(data.of.at),
        proposer: { address: toUpperHex(address), index },
      });
    }
    case 'CompleteProposal':
      return event('CompleteProposal', { ...roundJson(data.of.at), block_id: blockIdJson(data.of.blockId) });
    case 'Vote':
      return event('Vote', { Vote: voteJson(data.of.vote) });
    case 'NewRoundStep':
    case 'ValidBlock':
    case 'Lock':
    case 'Relock':
    case 'Polka':
    case 'TimeoutPropose':
    case 'TimeoutWait':
      return event('RoundState', roundJson(data.of.at));
    default:
      return unreachable(data);
  }
}

/** `"data":…,"events":…` of a publication: the part that all subscribers share. */
export const publicationText = ({ keys, data }: Publication): string =>
  `"data":${goJson(dataJson(data))},"events":${goJson(Object.fromEntries(keys))}`;
