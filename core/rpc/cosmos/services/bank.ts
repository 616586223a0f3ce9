import { accountAddress, readAddressField } from '../requests.ts';
import { type ServiceMethod, serviceMethod } from '../service.ts';

export const bankMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: 'cosmos.bank.v1beta1.Query',
    name: 'AllBalances',
    verb: 'GET',
    path: '/cosmos/bank/v1beta1/balances/{address}',
    doc: 'Every denomination an address holds; the native one is its Ethereum balance.',
    readRest: readAddressField,
    run: ({ ctx, view }, { address }) => {
      const amount = view.account(accountAddress(address, ctx.chain.hrp))?.balance ?? 0n;
      return amount === 0n ? [] : [{ denom: ctx.chain.denom, amount: amount.toString() }];
    },
    renderRest: (balances) => ({ balances, pagination: { next_key: null, total: String(balances.length) } }),
  }),
];
