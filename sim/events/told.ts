/** What CometBFT 0.38 tells of a decided block, and in which order. The core's events are judged by this. */
import { formatTime } from '../../core/codec/timeText.ts';
import { present } from '../../core/lib/assert.ts';
import { toBase64 } from '../../core/lib/base64.ts';
import { type Bytes, toUpperHex } from '../../core/lib/bytes.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import type { Evidence } from '../../core/types/evidence.ts';
import type { AbciEvent, TxResult } from '../../core/types/result.ts';
import type { Vote } from '../../core/types/vote.ts';
import { shown } from '../difference.ts';
import type { Sha256 } from '../reference/merkle.ts';
import { shownEvent, shownHeader, shownId } from '../reference/shown.ts';
import { validatorAddressOf } from '../reference/validatorAddress.ts';
import { shownParams } from './params.ts';
import type { Keys } from './query.ts';
import { changedKey, shownKey } from './shownKeys.ts';

/** What must be told. `undefined` must be left out, and a field that is not named is not checked. */
type Truth = unknown;

export interface Event {
  readonly type: string;
  readonly keys: Keys;
  readonly value: Truth;
  readonly txIndex: number | null;
}

/** Events between blocks, by `tm.event`, with the type of their data. */
export const BETWEEN: Readonly<Record<string, string>> = {
  NewRound: 'NewRound',
  CompleteProposal: 'CompleteProposal',
  Vote: 'Vote',
  NewRoundStep: 'RoundState',
  ValidBlock: 'RoundState',
  Lock: 'RoundState',
  Relock: 'RoundState',
  Polka: 'RoundState',
  TimeoutPropose: 'RoundState',
  TimeoutWait: 'RoundState',
};

/** Everything that is told of a kept block, in order. */
export function eventsOf({ chain, suite }: RpcContext, at: number): readonly Event[] {
  const block = present(chain.block(at), 'a kept block');
  const { blockId } = present(chain.blockMeta(at), 'the meta of a kept block');
  const results = present(chain.results(at), 'its results');
  const { events, txResults, validatorUpdates, paramUpdates, appHash } = results;
  const height = String(at);
  const header = { ...shownHeader(block.header), time: formatTime(block.header.time) };
  const shown = events.map(shownEvent);
  const updates = validatorUpdates.map(({ pubKey, power }) => ({
    pub_key: changedKey(pubKey),
    power: power === 0n ? undefined : String(power),
  }));
  const news = (type: string, of: readonly AbciEvent[], value: Truth): Event => ({
    type,
    keys: keysOf(of, { 'tm.event': type }),
    value,
    txIndex: null,
  });
  const data = { txs: block.txs.map(toBase64) };
  const evidence = block.evidence.map(shownEvidence);
  const { height: committed, round, signatures } = block.lastCommit;
  const last = { height: String(committed), round, signatures: signatures.map(() => ({})) };
  return [
    news('NewBlock', events, {
      block: { header, data, evidence: { evidence }, last_commit: last },
      block_id: shownId(blockId),
      result_finalize_block: {
        events: listed(shown),
        tx_results: listed(txResults.map(fullResult)),
        validator_updates: updates,
        consensus_param_updates: paramUpdates && shownParams(paramUpdates),
        app_hash: toBase64(appHash),
      },
    }),
    news('NewBlockHeader', [], { header }),
    news('NewBlockEvents', events, { height, events: shown, num_txs: String(block.txs.length) }),
    ...evidence.map((one) => news('NewEvidence', [], { height, evidence: one })),
    ...block.txs.map((tx, i) => txEvent(height, i, tx, present(txResults[i], 'its result'), suite.sha256)),
    ...(validatorUpdates.length === 0
      ? []
      : [
          news('ValidatorSetUpdates', [], {
            validator_updates: validatorUpdates.map(({ pubKey, power }) => ({
              address: toUpperHex(validatorAddressOf(pubKey)),
              pub_key: shownKey(pubKey),
              voting_power: String(power),
              proposer_priority: '0',
            })),
          }),
        ]),
  ];
}

function txEvent(height: string, index: number, tx: Bytes, result: TxResult, sha256: Sha256): Event {
  const { code, data, log, gasWanted, gasUsed, events, codespace } = result;
  return {
    type: 'Tx',
    keys: keysOf(events, { 'tm.event': 'Tx', 'tx.hash': toUpperHex(sha256(tx)), 'tx.height': height }),
    value: {
      TxResult: {
        height,
        index: index === 0 ? undefined : index,
        tx: toBase64(tx),
        result: {
          code: code === 0 ? undefined : code,
          data: data.length === 0 ? undefined : toBase64(data),
          log: log === '' ? undefined : log,
          gas_wanted: gasWanted === 0n ? undefined : String(gasWanted),
          gas_used: gasUsed === 0n ? undefined : String(gasUsed),
          events: listed(events.map(shownEvent)),
          codespace: codespace === '' ? undefined : codespace,
        },
      },
    },
    txIndex: index,
  };
}

const listed = (list: readonly unknown[]): Truth => (list.length === 0 ? undefined : list);

/** Every attribute with a name, of every event with a type, indexed or not; then the keys that the node adds. */
function keysOf(events: readonly AbciEvent[], own: Readonly<Record<string, string>>): Keys {
  const named = events.flatMap(({ type, attributes }) =>
    attributes.flatMap(({ key, value }) =>
      type === '' || key === '' ? [] : [[`${type}.${key}`, value] as const],
    ),
  );
  const keys = new Map<string, string[]>();
  for (const [key, value] of [...named, ...Object.entries(own)])
    keys.set(key, [...(keys.get(key) ?? []), value]);
  return keys;
}

const fullResult = ({ code, gasWanted, gasUsed, events }: TxResult): Truth => ({
  code,
  gas_wanted: String(gasWanted),
  gas_used: String(gasUsed),
  events: events.map(shownEvent),
});

const shownVote = (vote: Vote): Truth => ({
  height: String(vote.height),
  round: vote.round,
  block_id: shownId(vote.blockId),
  validator_address: toUpperHex(vote.validatorAddress),
  signature: toBase64(vote.signature),
});

const shownEvidence = (evidence: Evidence): Truth =>
  evidence.kind === 'duplicate-vote'
    ? {
        type: 'tendermint/DuplicateVoteEvidence',
        value: {
          vote_a: shownVote(evidence.voteA),
          vote_b: shownVote(evidence.voteB),
          TotalVotingPower: String(evidence.totalVotingPower),
          ValidatorPower: String(evidence.validatorPower),
        },
      }
    : {
        type: 'tendermint/LightClientAttackEvidence',
        value: {
          CommonHeight: String(evidence.commonHeight),
          TotalVotingPower: String(evidence.totalVotingPower),
        },
      };

/** Describes where something is told otherwise than it is; undefined if nowhere. */
export function untruth(told: unknown, truth: Truth, path = ''): string | undefined {
  if (typeof truth !== 'object' || truth === null)
    return told === truth ? undefined : `${path} ${shown(told)}, should be ${shown(truth)}`;
  if (typeof told !== 'object' || told === null)
    return `${path} ${shown(told)}, should be a ${Array.isArray(truth) ? 'list' : 'structure'}`;
  if (Array.isArray(truth) && (told as { readonly length?: number }).length !== truth.length)
    return `${path} ${shown(told)}, should have ${truth.length} entries`;
  for (const [key, value] of Object.entries(truth)) {
    const problem = untruth((told as Readonly<Record<string, unknown>>)[key], value, `${path}.${key}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The same for an event's keys. There may be no other keys. */
export function wrongKeys(told: Readonly<Record<string, readonly string[]>>, keys: Keys): string | undefined {
  const stranger = Object.keys(told).find((key) => !keys.has(key));
  return stranger === undefined ? untruth(told, Object.fromEntries(keys), 'events') : `events.${stranger}`;
}
