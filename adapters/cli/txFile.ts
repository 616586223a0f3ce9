/** Transactions in files and on the command line. */
import { readFileSync } from 'node:fs';
import { feeAt, parseCoins } from '../../core/app/cosmos/coins.ts';
import { decodeWordy, type Table } from '../../core/codec/proto.ts';
import { fromBase64 } from '../../core/lib/base64.ts';
import { parseHex } from '../../core/lib/bytes.ts';
import { fromProtoJson, protoJson } from '../../core/rpc/cosmos/protoJson.ts';
import { GrpcError } from '../../core/rpc/cosmos/status.ts';
import { FULL_TX, type FullTx } from '../../core/rpc/cosmos/txTables.ts';
import { onFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';

const TX_TABLE = FULL_TX as unknown as Table<unknown>;

export const txJson = (tx: FullTx): unknown => protoJson(TX_TABLE, tx);

function txFromJson(text: string): FullTx {
  try {
    return fromProtoJson(TX_TABLE, JSON.parse(text)) as unknown as FullTx;
  } catch (failure) {
    if (failure instanceof GrpcError || failure instanceof SyntaxError)
      // V8's message quotes the invalid text, including line ends.
      throw new OperatingError(`not a transaction in JSON: ${failure.message.replace(/\s+/g, ' ')}`);
    throw failure;
  }
}

export const readTx = (file: string): FullTx =>
  txFromJson(onFile('read', file, () => readFileSync(file, 'utf8')));

export function coinsOf(flag: string, text: string) {
  const coins = parseCoins(text);
  if (coins === undefined) throw new OperatingError(`${flag}: expected coins like 1000achain, found ${text}`);
  return coins;
}

/** The fee at the prices of --gas-prices. */
export function feeOf(prices: string, gas: bigint) {
  const fee = feeAt(prices, gas);
  if (fee === undefined)
    throw new OperatingError(`--gas-prices: expected prices like 0.5achain, found ${prices}`);
  return fee;
}

export function decodedTx(text: string): FullTx {
  const asHex = /^(0x)?[0-9a-fA-F]+$/.test(text) ? parseHex(text) : undefined;
  const bytes = asHex?.ok === true ? asHex : fromBase64(text);
  const tx = bytes.ok ? decodeWordy(FULL_TX, bytes.value) : undefined;
  if (tx?.ok !== true) throw new OperatingError('tx parse error');
  return tx.value;
}
