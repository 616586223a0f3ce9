import { encodeBech32 } from '../../../core/address/bech32.ts';
import { formatAddress, parseAddress } from '../../../core/address/kinds.ts';
import { present } from '../../../core/lib/assert.ts';
import { toBase64 } from '../../../core/lib/base64.ts';
import { to0xHex } from '../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { handleRest } from '../../../core/rpc/cosmos/rest.ts';
import type { Fields } from '../../clients/answers/answers.ts';
import type { Sha256 } from '../../reference/merkle.ts';
import { fieldsOf, heightsOf, listOf, PAGE, pagesOf, rest, someOf, unlike } from '../questions.ts';

const AUTH = '/cosmos/auth/v1beta1';
const BANK = '/cosmos/bank/v1beta1';
const EVM = '/chain/evm/v1';
/** gRPC's InvalidArgument. */
const INVALID = 3;
/** The SDK's defaults, for params that genesis leaves out. */
const AUTH_PARAMS = {
  max_memo_characters: '256',
  tx_sig_limit: '7',
  tx_size_cost_per_byte: '10',
  sig_verify_cost_ed25519: '590',
  sig_verify_cost_secp256k1: '1000',
};

/** Addresses in all their forms, params and accounts of modules, and every way to request a page or a height. */
export async function wrongNames(rpc: RpcContext, sha256: Sha256): Promise<string | undefined> {
  return (
    (await wrongForms(rpc)) ??
    (await wrongNumbers(rpc)) ??
    (await wrongModules(rpc, sha256)) ??
    (await wrongEarners(rpc)) ??
    (await wrongOrder(rpc)) ??
    (await wrongHeights(rpc))
  );
}

/** Addresses of 20 and 32 bytes convert to bech32 and back. A path takes them in URL-safe base64. */
async function wrongForms({ chain, ...rpc }: RpcContext): Promise<string | undefined> {
  const all = { chain, ...rpc };
  for (const length of [20, 32]) {
    const bytes = new Uint8Array(length).fill(0xfb);
    const text = encodeBech32(chain.hrp, bytes);
    const name = toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_');
    const shown = await rest(all, `${AUTH}/bech32/${encodeURIComponent(name)}`);
    const problem = unlike(`the text of ${length} bytes`, shown['address_string'], text);
    if (problem !== undefined) return problem;
  }
  const own = encodeBech32(chain.hrp, new Uint8Array(20).fill(0xfb));
  const { address_bytes } = await rest(all, `${AUTH}/bech32/${own}`);
  const foreign = await rest(all, `${AUTH}/bech32/${encodeBech32('cosmos', new Uint8Array(20))}`);
  const { bech32_prefix } = await rest(all, `${AUTH}/bech32`);
  return (
    unlike(`the bytes of ${own}`, address_bytes, toBase64(new Uint8Array(20).fill(0xfb))) ??
    unlike('an address of another chain', foreign['code'], INVALID) ??
    unlike('the prefix of addresses', bech32_prefix, chain.hrp)
  );
}

/** Each account number leads to its address, and each account shows the code hash of its address. */
async function wrongNumbers(rpc: RpcContext): Promise<string | undefined> {
  const view = rpc.chain.latest();
  const accounts = listOf(await rest(rpc, `${AUTH}/accounts`, 'pagination.limit=1000'), 'accounts');
  for (const account of someOf(accounts)) {
    const { address, account_number } = fieldsOf(account, 'base_account');
    const byNumber = await rest(rpc, `${AUTH}/address_by_id/${String(account_number)}`);
    const problem = unlike(`account ${String(account_number)}`, byNumber['account_address'], address);
    if (problem !== undefined) return problem;
  }
  for (const account of accounts) {
    const { address } = fieldsOf(account, 'base_account');
    const bytes = parseAddress('acc', String(address), rpc.chain.hrp);
    const state = bytes.ok ? view.account(bytes.value) : undefined;
    if (state === undefined) continue;
    const problem = unlike(
      `the code hash of ${String(address)}`,
      account['code_hash'],
      to0xHex(state.codeHash),
    );
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function wrongModules(rpc: RpcContext, sha256: Sha256): Promise<string | undefined> {
  const { auth } = (rpc.genesis.appState ?? {}) as { readonly auth?: { readonly params?: Fields } };
  const collector = sha256(encodeUtf8('fee_collector')).slice(0, 20);
  const { accounts } = await rest(rpc, `${AUTH}/module_accounts`);
  const modules = (accounts as readonly Fields[]).map((one) => [
    one['name'],
    fieldsOf(one, 'base_account')['address'],
  ]);
  const { params } = await rest(rpc, `${AUTH}/params`);
  const { send_enabled } = await rest(rpc, `${BANK}/send_enabled`);
  return (
    unlike('the accounts of modules', modules, [
      ['fee_collector', formatAddress('acc', rpc.chain.hrp, collector)],
    ]) ??
    unlike(`${AUTH}/params`, params, { ...AUTH_PARAMS, ...auth?.params }) ??
    unlike(`${BANK}/params`, (await rest(rpc, `${BANK}/params`))['params'], {
      send_enabled: [],
      default_send_enabled: true,
    }) ??
    unlike(`${BANK}/send_enabled`, send_enabled, [])
  );
}

/** A validator's rewards go to the account of its address. All of an account's balance is spendable. */
async function wrongEarners(rpc: RpcContext): Promise<string | undefined> {
  const { hrp } = rpc.chain;
  const view = rpc.chain.latest();
  const { validators } = present(rpc.chain.validators(rpc.chain.head()), 'the set of the head');
  for (const { address } of someOf(validators)) {
    const told = await rest(rpc, `${EVM}/validator_account/${formatAddress('cons', hrp, address)}`);
    const text = formatAddress('acc', hrp, address);
    const owned = await rest(rpc, `${BANK}/balances/${text}`);
    const problem =
      unlike(`the account of ${text}`, told, {
        account_address: text,
        sequence: String(view.account(address)?.nonce ?? 0n),
        account_number: String(view.auth(address)?.accountNumber ?? 0n),
      }) ?? unlike(`what ${text} may spend`, await rest(rpc, `${BANK}/spendable_balances/${text}`), owned);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A list read backwards is the same reversed, and its total is that of its height. */
async function wrongOrder(rpc: RpcContext): Promise<string | undefined> {
  const path = `${AUTH}/accounts`;
  const height = heightsOf(rpc.chain).at(-3) ?? rpc.chain.head();
  if (rpc.chain.view(height) === undefined) return undefined;
  const numbersOf = (list: readonly Fields[]) =>
    list.map((one) => fieldsOf(one, 'base_account')['account_number']);
  const forwards = numbersOf(await pagesOf(rpc, path, 'accounts', { height }));
  const backwards = numbersOf(
    await pagesOf(rpc, path, 'accounts', { query: 'pagination.reverse=true&', height }),
  );
  const counted = await rest(rpc, path, `pagination.limit=${PAGE}&pagination.countTotal=true`, height);
  return (
    unlike(`${path} backwards at ${height}`, backwards, [...forwards].reverse()) ??
    unlike(
      `how many there were in ${path} at ${height}`,
      fieldsOf(counted, 'pagination')['total'],
      String(forwards.length),
    )
  );
}

/** Either header requests a height, and the answer repeats it in both. A height after the head is refused. */
async function wrongHeights(rpc: RpcContext): Promise<string | undefined> {
  const path = `${BANK}/supply`;
  const height = heightsOf(rpc.chain).at(-2) ?? rpc.chain.head();
  if (rpc.chain.view(height) === undefined) return undefined;
  const asked = async (name: string, at: number, method = 'GET') => {
    const { body, headers } = await handleRest(rpc, {
      method,
      path,
      query: '',
      headers: { [name]: String(at) },
      body: '',
    });
    const heights = [headers['x-cosmos-block-height'], headers['grpc-metadata-x-cosmos-block-height']];
    return [heights, JSON.parse(String(body))] as const;
  };
  const [shown, direct] = await asked('x-cosmos-block-height', height);
  const gateway = await asked('grpc-metadata-x-cosmos-block-height', height);
  const [, after] = await asked('x-cosmos-block-height', rpc.chain.head() + 1);
  const glance = await asked('x-cosmos-block-height', height, 'HEAD');
  return (
    unlike('who asks for no more than the headers', glance, [shown, direct]) ??
    unlike('the heights of an answer', shown, [String(height), String(height)]) ??
    unlike('a height that the gateway names', gateway, [shown, direct]) ??
    unlike('the height after the head', (after as Fields)['code'], INVALID)
  );
}
