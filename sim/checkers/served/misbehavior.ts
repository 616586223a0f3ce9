import {
  type OffenceRecord,
  offenderAt,
  offenderCount,
  readOffences,
} from '../../../core/app/evidence/keeper.ts';
import { type Bytes, EMPTY, toUpperHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import type { Height } from '../../../core/types/ids.ts';
import type { Fields } from '../../clients/answers/answers.ts';
import { protoMomentOf } from '../../reference/goTime.ts';
import { bech32 } from '../../reference/spelling.ts';
import { accusingOf, listOf, pagesOf, rest, someOf, unlike } from '../questions.ts';

const ROOT = '/chain/evidence/v1/misbehavior';
/** gRPC's InvalidArgument. */
const INVALID = 3;

/** Proven offenders, at the head and before the newest evidence: in pages and one by one, in both spellings. */
export async function wrongMisbehavior(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const newest = accusingOf(chain);
  for (const height of newest === undefined ? [chain.head()] : [chain.head(), newest - 1]) {
    const problem = await wrongAt(rpc, height);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const nameOf = ({ chain }: RpcContext, address: Bytes): string => bech32(`${chain.hrp}valcons`, address);

/** The number of offences and the newest of them. */
const recordOf = (record: OffenceRecord | undefined): readonly unknown[] => [
  String(record?.count ?? 0n),
  (record?.offences ?? []).map(({ kind, height, time, power, totalPower, recordedAt }) => [
    kind,
    ...[height, power, totalPower, recordedAt].map(String),
    { seconds: time.seconds, nanos: time.nanos },
  ]),
];

const shownOf = (record: Fields): readonly unknown[] => [
  record['consensus_address'],
  record['count'],
  listOf(record, 'offences').map((one) => [
    one['type'],
    ...['height', 'power', 'total_power', 'recorded_at'].map((name) => one[name]),
    protoMomentOf(one['time']),
  ]),
];

async function wrongAt(rpc: RpcContext, height: Height): Promise<string | undefined> {
  const { chain } = rpc;
  const view = height < chain.base() ? undefined : chain.view(height);
  if (view === undefined) return undefined;
  const count = Number(offenderCount(view));
  const guilty = Array.from({ length: count }, (_, i) => offenderAt(view, BigInt(i)) ?? EMPTY);
  const listed = await pagesOf(rpc, ROOT, 'records', { height });
  const names = guilty.map((address) => nameOf(rpc, address));
  const told = listed.map(({ consensus_address }) => consensus_address);
  const problem = unlike(`who was guilty at ${height}`, told, names);
  if (problem !== undefined) return problem;
  const validators = (chain.validators(height)?.validators ?? []).map(({ address }) => address);
  for (const address of [...someOf(guilty), ...someOf(validators)]) {
    const name = nameOf(rpc, address);
    const truth = recordOf(readOffences(view, address));
    for (const spelled of [name, toUpperHex(address)]) {
      const { record } = await rest(rpc, `${ROOT}/${spelled}`, '', height);
      const shown = shownOf((record ?? {}) as Fields);
      const wrong = unlike(`what ${spelled} has done by ${height}`, shown, [name, ...truth]);
      if (wrong !== undefined) return wrong;
    }
  }
  const own = bech32(chain.hrp, new Uint8Array(20));
  return unlike(`${ROOT} of an account`, (await rest(rpc, `${ROOT}/${own}`))['code'], INVALID);
}
