/** Genesis transaction files: proto JSON, with commission rates as decimal numbers. */
import { decimalDigits, decimalText } from '../../core/app/cosmos/genTx.ts';
import { AUTH_INFO, TX_BODY, TX_RAW, type TxRaw } from '../../core/app/tx/tables.ts';
import { decode, encode, type Table } from '../../core/codec/proto.ts';
import { present } from '../../core/lib/assert.ts';
import { fromProtoJson, protoJson } from '../../core/rpc/cosmos/protoJson.ts';
import { GrpcError } from '../../core/rpc/cosmos/status.ts';
import { FULL_TX, type FullTx } from '../../core/rpc/cosmos/txTables.ts';
import { OperatingError } from '../operatingError.ts';

const TX_TABLE = FULL_TX as unknown as Table<unknown>;
const RATES = ['rate', 'max_rate', 'max_change_rate'] as const;

interface GenTxJson {
  readonly body?: {
    readonly messages?: readonly { readonly commission?: Record<string, unknown> }[];
  };
}

/** Converts the commission rates in place. */
function mapRates(json: unknown, map: (text: string) => string): void {
  const commission = (json as GenTxJson).body?.messages?.[0]?.commission;
  if (typeof commission !== 'object' || commission === null) return;
  for (const name of RATES) {
    const value = commission[name];
    if (typeof value === 'string') commission[name] = map(value);
  }
}

/** JSON on one line, with a line end. */
export function renderGenTx(raw: TxRaw): string {
  const tx = decode(FULL_TX, encode(TX_RAW, raw));
  const json = protoJson(TX_TABLE, present(tx.ok ? tx.value : undefined, 'a transaction that we made'));
  mapRates(json, decimalText);
  return `${JSON.stringify(json)}\n`;
}

/** Throws OperatingError if the text is not a transaction in JSON. */
export function parseGenTx(text: string, file: string): TxRaw {
  let tx: FullTx;
  try {
    const json: unknown = JSON.parse(text);
    mapRates(json, (rate) => decimalDigits(rate) ?? rate);
    tx = fromProtoJson(TX_TABLE, json) as unknown as FullTx;
  } catch (failure) {
    if (failure instanceof GrpcError || failure instanceof SyntaxError)
      throw new OperatingError(`genesis transaction ${file} is not usable: ${failure.message}`);
    throw failure;
  }
  const raw = decode(TX_RAW, encode(FULL_TX, tx));
  const isWhole =
    raw.ok && decode(TX_BODY, raw.value.bodyBytes).ok && decode(AUTH_INFO, raw.value.authInfoBytes).ok;
  if (!raw.ok || !isWhole)
    throw new OperatingError(`genesis transaction ${file} is not usable: body or auth info is missing`);
  return raw.value;
}
