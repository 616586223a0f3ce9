import { decode } from '../../../core/codec/proto.ts';
import { toBase64 } from '../../../core/lib/base64.ts';
import { concat, toHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { SERVICE_METHODS } from '../../../core/rpc/cosmos/table.ts';
import type { Fields } from '../../clients/answers/answers.ts';
import { amountField, bytesField, textField } from '../../reference/protobuf.ts';
import { bytesOf, comet, fieldsOf, heightsOf, rest, unlike } from '../questions.ts';

/** A denom that no account holds. */
const FOREIGN = 'foreign';
const SUPPLY = '/cosmos.bank.v1beta1.Query/SupplyOf';
const ACCOUNTS = { grpc: '/cosmos.auth.v1beta1.Query/Accounts', rest: '/cosmos/auth/v1beta1/accounts' };
/** Fields of a request that only a later client knows. */
const LATER = concat(amountField(90, 7n), textField(91, 'later'));

/** Each service answers alike in protobuf and in JSON, at the head and at a height. */
export async function wrongProtos(rpc: RpcContext): Promise<string | undefined> {
  const { chain } = rpc;
  const height = heightsOf(chain).at(-3) ?? chain.head();
  const heights = chain.view(height) === undefined ? [chain.head()] : [height, chain.head()];
  for (const { grpcPath, path, verb, response, render } of SERVICE_METHODS) {
    // Methods with arguments are checked elsewhere.
    if (verb !== 'GET' || path.includes('{')) continue;
    for (const at of heights) {
      const shown = await rest(rpc, path, '', at);
      if ('code' in shown && 'details' in shown) continue;
      const told = await asked(rpc, grpcPath, '', at);
      const read = decode(response, bytesOf(told['value']));
      const problem =
        unlike(`the height of ${grpcPath}`, told['height'], String(at)) ??
        unlike(`${grpcPath} at ${at}`, read.ok ? render(read.value) : read.error.message, shown);
      if (problem !== undefined) return problem;
    }
  }
  return (await wrongRepeated(rpc)) ?? (await wrongPage(rpc));
}

const asked = async (rpc: RpcContext, path: string, data: string, height: number): Promise<Fields> =>
  fieldsOf(await comet(rpc, 'abci_query', { path, data, height: String(height) }), 'response');

/** If a field occurs twice, the last one counts. */
async function wrongRepeated(rpc: RpcContext): Promise<string | undefined> {
  const { denom } = rpc.chain;
  const head = rpc.chain.head();
  const of = (names: readonly string[]) =>
    asked(rpc, SUPPLY, toHex(concat(...names.map((name) => textField(1, name)))), head);
  const twice = await of([FOREIGN, denom]);
  const once = await of([denom]);
  return (
    unlike('the supply of a coin that is named twice', twice['value'], once['value']) ??
    unlike('whether there is a supply', toBase64(bytesOf(once['value'])) === '', false)
  );
}

/** The page is an embedded message, with fields in any order and next to unknown fields. */
async function wrongPage(rpc: RpcContext): Promise<string | undefined> {
  const head = rpc.chain.head();
  const row = SERVICE_METHODS.find(({ grpcPath }) => grpcPath === ACCOUNTS.grpc);
  const shown = await rest(
    rpc,
    ACCOUNTS.rest,
    'pagination.offset=1&pagination.limit=2&pagination.count_total=true&pagination.reverse=true',
    head,
  );
  const fields = [amountField(2, 1n), amountField(3, 2n), amountField(4, 1n), amountField(5, 1n)];
  for (const data of [
    bytesField(1, concat(...fields)),
    concat(LATER, bytesField(1, concat(LATER, ...fields.toReversed())), LATER),
  ]) {
    const told = await asked(rpc, ACCOUNTS.grpc, toHex(data), head);
    const read = row && decode(row.response, bytesOf(told['value']));
    const page = read?.ok ? row?.render(read.value) : told['log'];
    const problem = unlike(`a page of ${ACCOUNTS.grpc}`, page, shown);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
