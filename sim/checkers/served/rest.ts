import { formatAddress } from '../../../core/address/kinds.ts';
import type { View } from '../../../core/app/chain.ts';
import { present } from '../../../core/lib/assert.ts';
import { toBase64 } from '../../../core/lib/base64.ts';
import { type Bytes, to0xHex, toHex } from '../../../core/lib/bytes.ts';
import { decodeUtf8, encodeUtf8 } from '../../../core/lib/utf8.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { quantity } from '../../clients/answers/answers.ts';
import type { Sha256 } from '../../reference/merkle.ts';
import {
  bytesOf,
  eth,
  fieldsOf,
  heightsOf,
  listOf,
  PAGE,
  rest,
  someOf,
  textOrNull,
  unlike,
  withoutLimits,
} from '../questions.ts';
import { tellerOf } from './calls.ts';
import { answerOf, CONTRACT, code, isPretended } from './pretences.ts';

const EVM = '/chain/evm/v1';
const AUTH = '/cosmos/auth/v1beta1';
const COLLECTOR = 'fee_collector';
const STRANGER = new Uint8Array(20).fill(0x5e);
const NO_CODE_HASH = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';
/** gRPC's Unknown and InvalidArgument. */
const [UNKNOWN, INVALID] = [2, 3];

/** Accounts, storage, code, calls and traces in the Cosmos APIs, which JSON-RPC shows as well, at old heights, too. */
export async function wrongFaces(rpc: RpcContext, sha256: Sha256): Promise<string | undefined> {
  const { chain } = rpc;
  const heights = heightsOf(chain);
  for (const height of someOf(heights)) {
    const view = chain.view(height);
    const block = present(chain.ethBlock(height), 'a kept block');
    const tx = block.transactions.at(-1);
    const addresses = [block.header.coinbase, ...(tx === undefined ? [] : [tx.from, tx.to ?? tx.from])];
    for (const address of view === undefined ? [] : addresses) {
      const problem = await wrongFace(rpc, present(view, 'a view'), address, sha256);
      if (problem !== undefined) return `${problem} at ${height}`;
    }
  }
  return (
    (await wrongPages(rpc, heights)) ?? (await wrongNames(rpc)) ?? (await wrongCalls(rpc)) ?? wrongTraced(rpc)
  );
}

async function wrongFace(
  rpc: RpcContext,
  view: View,
  address: Bytes,
  sha256: Sha256,
): Promise<string | undefined> {
  const { hrp } = rpc.chain;
  const [name, text] = [to0xHex(address), formatAddress('acc', hrp, address)];
  const ask = (path: string) => rest(rpc, path, '', view.height);
  const { nonce = 0n, balance = 0n } = view.account(address) ?? {};
  const record = view.auth(address);
  const number = String(record?.accountNumber ?? 0n);
  const slot = toHex(view.storage(address, new Uint8Array(32))).padStart(64, '0');
  const collector = view.auth(sha256(encodeUtf8(COLLECTOR)).slice(0, 20))?.accountNumber ?? 0n;
  const module = fieldsOf(
    fieldsOf(await ask(`${AUTH}/module_accounts/${COLLECTOR}`), 'account'),
    'base_account',
  );
  const account =
    record === undefined
      ? undefined
      : fieldsOf(fieldsOf(await ask(`${AUTH}/accounts/${text}`), 'account'), 'base_account');
  const key = record?.pubKey && toBase64(record.pubKey);
  return (
    unlike(`the Cosmos face of ${name}`, await ask(`${EVM}/cosmos_account/${name}`), {
      cosmos_address: text,
      sequence: String(nonce),
      account_number: number,
    }) ??
    unlike(`the balance of ${text}`, await ask(`${EVM}/balances/${text}`), { balance: String(balance) }) ??
    unlike(`slot 0 of ${name}`, await ask(`${EVM}/storage/${name}/0x0`), { value: `0x${slot}` }) ??
    unlike(`the code of ${name}`, await ask(`${EVM}/codes/${name}`), {
      code: textOrNull(view.code(address)),
    }) ??
    unlike('the account of fees', module['account_number'], String(collector)) ??
    (account &&
      unlike(
        `account ${text}`,
        [account['sequence'], account['account_number'], fieldsOf(account, 'pub_key')['key'] ?? null],
        [String(nonce), number, key ?? null],
      ))
  );
}

/** A block's transactions in pages, and accounts from an offset on. */
async function wrongPages(rpc: RpcContext, heights: readonly number[]): Promise<string | undefined> {
  const { chain } = rpc;
  const size = (height: number): number => chain.blockMeta(height)?.numTxs ?? 0;
  const fullest = heights.reduce(
    (best, height) => (size(height) > size(best) ? height : best),
    heights[0] ?? 1,
  );
  const path = `/cosmos/tx/v1beta1/txs/block/${fullest}`;
  // A page behind the last transaction does not exist.
  const offset = size(fullest) > 1 ? 1 : 0;
  const page = await rest(rpc, path, `pagination.offset=${offset}&pagination.limit=${PAGE}`);
  const { total } = fieldsOf(page, 'pagination');
  const whole = listOf(await rest(withoutLimits(rpc), path, 'pagination.limit=1000'), 'txs');
  const behind = await rest(rpc, path, `pagination.offset=${size(fullest)}`);
  const accounts = `${AUTH}/accounts`;
  const first = listOf(await rest(rpc, accounts, `pagination.limit=${PAGE}`), 'accounts');
  const second = listOf(
    await rest(rpc, accounts, `pagination.offset=1&pagination.limit=${PAGE - 1}`),
    'accounts',
  );
  const both = await rest(rpc, accounts, 'pagination.offset=1&pagination.key=AAAAAAAAAAE=');
  return (
    unlike(`transactions of block ${fullest}`, whole.length, size(fullest)) ??
    unlike(`how many transactions block ${fullest} has`, total, String(size(fullest))) ??
    unlike(
      `transactions of block ${fullest} from ${offset} on`,
      page['txs'],
      whole.slice(offset, offset + PAGE),
    ) ??
    unlike(
      `transactions of block ${fullest} behind the last, with the code`,
      behind['code'],
      size(fullest) === 0 ? undefined : UNKNOWN,
    ) ??
    unlike('accounts after the first', second, first.slice(1)) ??
    unlike('accounts by key and by offset', both['code'], INVALID)
  );
}

/** An address of one kind is not accepted as another. */
async function wrongNames(rpc: RpcContext): Promise<string | undefined> {
  const { hrp } = rpc.chain;
  const other = await rest(rpc, `${AUTH}/accounts/${formatAddress('val', hrp, STRANGER)}`);
  const nobody = await rest(rpc, `${EVM}/account/${to0xHex(STRANGER)}`);
  const { validators } = present(rpc.chain.validators(rpc.chain.head()), 'the set of the head');
  const own = present(validators[0], 'a validator').address;
  const known = await rest(rpc, `${EVM}/validator_account/${formatAddress('cons', hrp, own)}`);
  const unknown = await rest(rpc, `${EVM}/validator_account/${formatAddress('cons', hrp, STRANGER)}`);
  return (
    unlike("an operator's account", other['code'], INVALID) ??
    unlike('an account that nobody has', nobody, { balance: '0', code_hash: NO_CODE_HASH, nonce: '0' }) ??
    unlike("a validator's account", known['account_address'], formatAddress('acc', hrp, own)) ??
    unlike('the account of who is no validator', unknown['account_address'], undefined)
  );
}

const packed = (value: unknown): string => encodeURIComponent(toBase64(encodeUtf8(JSON.stringify(value))));

/** Calls and estimates run at the requested height and with their overrides. */
async function wrongCalls(rpc: RpcContext): Promise<string | undefined> {
  if (!isPretended(rpc)) return undefined;
  const height = heightsOf(rpc.chain).at(-2) ?? rpc.chain.head();
  if (rpc.chain.view(height) === undefined) return undefined;
  const query = `args=${packed({ to: CONTRACT })}&overrides=${packed(code(tellerOf(['43'])))}`;
  const called = await rest(rpc, `${EVM}/eth_call`, query, height);
  const estimated = await rest(
    rpc,
    `${EVM}/estimate_gas`,
    `args=${packed({ to: to0xHex(STRANGER) })}`,
    height,
  );
  return (
    unlike('eth_call', to0xHex(bytesOf(called['ret'])), answerOf(BigInt(height))) ??
    unlike('estimate_gas', estimated['gas'], '21000')
  );
}

/** A trace equals the one that JSON-RPC shows. */
async function wrongTraced(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const height = heightsOf(chain).findLast((at) => (chain.ethBlock(at)?.transactions.length ?? 0) > 0);
  const hash = height === undefined ? undefined : chain.ethBlock(height)?.transactions.at(-1)?.hash;
  const below = height === rpc.genesis.initialHeight ? 0 : (height ?? 0) - 1;
  if (hash === undefined || chain.view(below) === undefined) return undefined;
  const config = { tracer: 'callTracer' };
  const [name, number] = [to0xHex(hash), quantity(height ?? 0)];
  const shown = async (method: string, named: string): Promise<unknown> => {
    const { data } = await rest(rpc, `${EVM}/${method}`, `${named}&trace_config=${packed(config)}`);
    return JSON.parse(decodeUtf8(bytesOf(data)) || 'null');
  };
  return (
    unlike(
      'trace_tx',
      await shown('trace_tx', `hash=${name}`),
      await eth(rpc, 'debug_traceTransaction', [name, config]),
    ) ??
    unlike(
      'trace_block',
      await shown('trace_block', `block_number=${height}`),
      await eth(rpc, 'debug_traceBlockByNumber', [number, config]),
    )
  );
}
