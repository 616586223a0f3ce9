import { formatAddress, parseAddress } from '../../../core/address/kinds.ts';
import type { View } from '../../../core/app/chain.ts';
import { present } from '../../../core/lib/assert.ts';
import { toBase64 } from '../../../core/lib/base64.ts';
import { type Bytes, to0xHex, toHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import type { Fields } from '../../clients/answers/answers.ts';
import type { Keccak } from '../../reference/trieRoot.ts';
import { everyAccount, fieldsOf, firstOf, heightsOf, pagesOf, rest, unlike } from '../questions.ts';

const BANK = '/cosmos/bank/v1beta1';
const AUTH = '/cosmos/auth/v1beta1';
/** A denom that no account holds. */
const FOREIGN = 'foreign';

/**
 * Supply, balances, fees and accounts at a height, as REST shows them, are those in the state of that height, complete.
 */
export async function wrongMoney(rpc: RpcContext, keccak: Keccak): Promise<string | undefined> {
  const { chain } = rpc;
  const heights = new Set([firstOf(chain), Math.max(firstOf(chain), chain.head() - 2), chain.head()]);
  for (const height of heights) {
    const view = chain.view(height);
    if (view === undefined) continue;
    const problem =
      (await wrongSupply(rpc, view)) ?? (await wrongOwners(rpc, view)) ?? (await wrongFees(rpc, height));
    if (problem !== undefined) return `${problem} at ${height}`;
  }
  return wrongLists(rpc, heightsOf(chain).at(-3) ?? firstOf(chain), keccak);
}

/** The supply is the sum of all balances. */
async function wrongSupply(rpc: RpcContext, view: View): Promise<string | undefined> {
  const { denom } = rpc.chain;
  const accounts = everyAccount(view);
  const amount = accounts.reduce((sum, { account }) => sum + account.balance, 0n).toString();
  const of = async (one: string): Promise<unknown> =>
    (await rest(rpc, `${BANK}/supply/by_denom`, `denom=${one}`, view.height))['amount'];
  const { supply } = await rest(rpc, `${BANK}/supply`, '', view.height);
  return (
    unlike('the supply', supply, [{ denom, amount }]) ??
    unlike('the supply by its name', await of(denom), { denom, amount }) ??
    unlike('the supply of what nobody has', await of(FOREIGN), { denom: FOREIGN, amount: '0' })
  );
}

/** The proposer and the sender of the last Ethereum transaction. */
function ownersOf({ chain }: RpcContext, height: number): readonly Bytes[] {
  const { header, transactions } = present(chain.ethBlock(height), 'a kept block');
  return [header.coinbase, ...transactions.slice(-1).map(({ from }) => from)];
}

async function wrongOwners(rpc: RpcContext, view: View): Promise<string | undefined> {
  const { height } = view;
  const { hrp, denom } = rpc.chain;
  for (const address of ownersOf(rpc, height)) {
    const name = formatAddress('acc', hrp, address);
    const { balance = 0n, nonce = 0n } = view.account(address) ?? {};
    for (const [one, amount] of [
      [denom, balance],
      [FOREIGN, 0n],
    ] as const) {
      const path = `${BANK}/balances/${name}/by_denom`;
      const told = (await rest(rpc, path, `denom=${one}`, height))['balance'];
      const problem = unlike(`the ${one} of ${name}`, told, { denom: one, amount: amount.toString() });
      if (problem !== undefined) return problem;
    }
    const account = await rest(rpc, `/chain/evm/v1/account/${to0xHex(address)}`, '', height);
    const told = [account['balance'], account['nonce']];
    const problem = unlike(`account ${name}`, told, [balance, nonce].map(String));
    if (problem !== undefined || view.auth(address) === undefined) return problem;
    const info = fieldsOf(await rest(rpc, `${AUTH}/account_info/${name}`, '', height), 'info');
    const wrong = unlike(`the sequence of ${name}`, info['sequence'], String(nonce));
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** Fees at a height are those of that block. */
async function wrongFees(rpc: RpcContext, height: number): Promise<string | undefined> {
  const { baseFeePerGas, gasUsed } = present(rpc.chain.ethBlock(height), 'a kept block').header;
  const told: unknown[] = [];
  for (const service of ['feemarket', 'evm'])
    told.push((await rest(rpc, `/chain/${service}/v1/base_fee`, '', height))['base_fee']);
  const fee = String(baseFeePerGas);
  const { gas } = await rest(rpc, '/chain/feemarket/v1/block_gas', '', height);
  return unlike('the base fee', told, [fee, fee]) ?? unlike('the gas used', gas, String(gasUsed));
}

/** Paginated lists have every item exactly once. */
async function wrongLists(rpc: RpcContext, height: number, keccak: Keccak): Promise<string | undefined> {
  const { chain } = rpc;
  const set = present(chain.validators(height), 'the set of a kept height');
  const path = `/cosmos/base/tendermint/v1beta1/validatorsets/${height}`;
  const validators = await pagesOf(rpc, path, 'validators', {});
  const keys = validators.map(({ pub_key }) => (pub_key as Fields)['key']);
  const wanted = set.validators.map(({ pubKey }) => toBase64(pubKey.bytes));
  const view = chain.view(height);
  return (
    unlike(path, keys, wanted) ??
    (view && ((await wrongAccounts(rpc, view, keccak)) ?? (await wrongHolders(rpc, view, keccak))))
  );
}

const keyOf = (text: unknown, hrp: string, keccak: Keccak): string => {
  const address = parseAddress('acc', String(text), hrp);
  return address.ok ? toHex(keccak(address.value)) : '';
};

/** Accounts are in the order of their numbers, which have no gaps, and every account of the state is listed. */
async function wrongAccounts(rpc: RpcContext, view: View, keccak: Keccak): Promise<string | undefined> {
  const { height } = view;
  const told = (await pagesOf(rpc, `${AUTH}/accounts`, 'accounts', { height })).map((one) =>
    fieldsOf(one, 'base_account'),
  );
  const sequences = new Map(
    told.map((one) => [keyOf(one['address'], rpc.chain.hrp, keccak), one['sequence']] as const),
  );
  const problem = unlike(
    `the numbers of accounts at ${height}`,
    told.map((one) => one['account_number']),
    told.map((_, i) => String(i)),
  );
  if (problem !== undefined) return problem;
  for (const { keyHash, account } of everyAccount(view)) {
    const sequence = sequences.get(toHex(keyHash));
    const wrong = unlike(`the sequence of ${toHex(keyHash)} at ${height}`, sequence, String(account.nonce));
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

async function wrongHolders(rpc: RpcContext, view: View, keccak: Keccak): Promise<string | undefined> {
  const { height } = view;
  const path = `${BANK}/denom_owners/${rpc.chain.denom}`;
  const told = (await pagesOf(rpc, path, 'denom_owners', { height })).map((one) => [
    keyOf(one['address'], rpc.chain.hrp, keccak),
    fieldsOf(one, 'balance')['amount'],
  ]);
  const truth = everyAccount(view)
    .filter(({ account }) => account.balance > 0n)
    .map(({ keyHash, account }) => [toHex(keyHash), account.balance.toString()]);
  return unlike(`${path} at ${height}`, told.sort(), truth.sort());
}
