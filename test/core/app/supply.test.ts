import fc from 'fast-check';
import { getContractAddress } from 'viem';
import { expect, test } from 'vitest';
import { readSupply } from '../../../core/app/bank/keeper.ts';
import { hex } from '../../../core/lib/bytes.ts';
import { COIN, TestChain, testGenesis, VALIDATOR } from './support/chain.ts';
import { DESTROYER, deploying, LOOP, REVERTER, STORE_AND_LOG, word } from './support/code.ts';
import { GWEI, signTx, wallet } from './support/wallet.ts';

const wallets = [0, 1, 2].map(wallet);
const fresh = [7, 8].map(wallet);

type Kind = 'transfer' | 'deploy' | 'store' | 'revert' | 'loop' | 'destroy';

/** Init code that keeps its value by destroying itself in favour of itself: the coins are gone. */
const BURNS_ITS_VALUE = '0x30ff';

const steps = fc.array(
  fc.record({
    from: fc.integer({ min: 0, max: 2 }),
    kind: fc.constantFrom<Kind>('transfer', 'deploy', 'store', 'revert', 'loop', 'destroy'),
    to: fc.integer({ min: 0, max: 4 }),
    value: fc.bigInt(0n, 1000n * GWEI),
    tip: fc.bigInt(0n, 2n * GWEI),
  }),
  { minLength: 1, maxLength: 8 },
);

test('whatever is executed, the supply is the sum of all balances: only base fees and destroyed coins leave', async () => {
  const genesis = testGenesis({ accounts: wallets.map(({ address }) => ({ address, balance: COIN })) });
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const chain = await TestChain.open(genesis);
      const setup = [STORE_AND_LOG, REVERTER, LOOP, DESTROYER].map((code, nonce) =>
        signTx(wallets[0] as (typeof wallets)[0], { data: deploying(code), nonce, gas: 200_000n }),
      );
      await chain.commit(await Promise.all(setup));
      const contracts = [0, 1, 2, 3].map((nonce) =>
        getContractAddress({
          from: (wallets[0] as (typeof wallets)[0]).account.address,
          nonce: BigInt(nonce),
        }),
      );
      const nonces = [4, 0, 0];
      const everyone = [...wallets, ...fresh];
      const created: string[] = [];
      const txs: Uint8Array[] = [];
      for (const step of list) {
        const from = wallets[step.from] as (typeof wallets)[0];
        const nonce = nonces[step.from] as number;
        nonces[step.from] = nonce + 1;
        const base = { nonce, value: step.value, maxPriorityFeePerGas: step.tip };
        const receiver = everyone[step.to] as (typeof wallets)[0];
        const call = (index: number, data?: string) => ({
          ...base,
          to: contracts[index],
          ...(data ? { data } : {}),
        });
        const shapes: Record<Kind, Record<string, unknown>> = {
          transfer: { ...base, to: receiver.account.address },
          deploy: { ...base, data: BURNS_ITS_VALUE, gas: 200_000n },
          store: call(0, word(step.value)),
          revert: call(1),
          loop: call(2),
          destroy: call(3, word(BigInt(receiver.account.address))),
        };
        if (step.kind === 'deploy') {
          created.push(getContractAddress({ from: from.account.address, nonce: BigInt(nonce) }));
        }
        txs.push(await signTx(from, shapes[step.kind]));
      }
      const { reply } = await chain.commit(txs);
      expect(reply.txResults.every((result) => result.code === 0)).toBe(true);
      const view = chain.reader.latest();
      const addresses = [
        ...everyone.map((one) => one.address),
        ...[...contracts, ...created].map((one) => hex(one)),
        VALIDATOR,
      ];
      const total = addresses.reduce((sum, address) => sum + (view.account(address)?.balance ?? 0n), 0n);
      expect(readSupply(view, 'achain')).toBe(total);
      const block = chain.reader.ethBlock(2);
      const burned = (block?.header.gasUsed ?? 0n) * (block?.header.baseFeePerGas ?? 0n);
      expect(readSupply(chain.reader.view(1) as typeof view, 'achain') - total >= burned).toBe(true);
    }),
    { numRuns: 15 },
  );
});

test('where genesis collects the base fee, nothing is burned', async () => {
  const base = testGenesis({ accounts: wallets.map(({ address }) => ({ address, balance: COIN })) });
  const appState = base.appState as { feemarket: { params: object } };
  const feemarket = {
    ...appState.feemarket,
    params: { ...appState.feemarket.params, collect_base_fee: true },
  };
  const chain = await TestChain.open({ ...base, appState: { ...appState, feemarket } });
  await chain.commit([
    await signTx(wallets[0] as (typeof wallets)[0], { to: wallets[1]?.account.address, nonce: 0, value: 5n }),
  ]);
  expect(readSupply(chain.reader.latest(), 'achain')).toBe(3n * COIN);
});
