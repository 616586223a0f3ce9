import { defaultAppState } from '../core/app/defaultAppState.ts';
import { ethAddress } from '../core/crypto/addresses.ts';
import type { CryptoSuite } from '../core/crypto/suite.ts';
import { present } from '../core/lib/assert.ts';
import { type Bytes, hex } from '../core/lib/bytes.ts';
import { encodeUtf8 } from '../core/lib/utf8.ts';
import type { Genesis } from '../core/types/genesis.ts';
import { type Address, type Micros, timestampOf } from '../core/types/ids.ts';
import { DEFAULT_PARAMS } from '../core/types/params.ts';
import { type FeeMarket, feeMarketSection, USUAL_FEES } from './clients/answers/feeMarket.ts';
import { Signer } from './machine/signer.ts';
import { validatorAddressOf } from './reference/validatorAddress.ts';
import type { GenesisSpec, UpdateSpec } from './scenario/chainSpecs.ts';
import type { ValidatorSpec } from './scenario/scenario.ts';
import { Schedule } from './schedule.ts';

/** 2026-01-01T00:00:00Z: virtual time 0 of every run, on every correct clock. */
export const EPOCH_MICROS: Micros = 1_767_225_600_000_000;
export const CHAIN_ID = 'chain_9000-1';
export const EVM_CHAIN_ID = 9000n;

/** The well-known development accounts of anvil and hardhat, from the mnemonic of eleven times `test`, then `junk`. */
export const DEV_SECRETS: readonly Bytes[] = [
  'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  '7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  '47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
  '8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
  '92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
  '4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356',
  'dbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97',
  '2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
].map(hex);
/** Balance of each development account, in the smallest unit. */
export const DEV_BALANCE = 10_000n * 10n ** 18n;

export interface DevAccount {
  readonly address: Address;
  readonly secret: Bytes;
}

export interface Member {
  readonly name: string;
  readonly signer: Signer;
  readonly address: Address;
}

export interface Cluster {
  readonly genesis: Genesis;
  readonly members: readonly Member[];
  readonly accounts: readonly DevAccount[];
  readonly schedule: Schedule;
  readonly feeMarket: FeeMarket;
}

let devAccounts: readonly DevAccount[] | undefined;

export const accountOf = (suite: CryptoSuite, secret: Bytes): DevAccount => ({
  secret,
  address: ethAddress(suite.secp256k1PublicKey(secret, false)),
});

/** Their addresses are derived once. */
function wellKnownAccounts(suite: CryptoSuite): readonly DevAccount[] {
  devAccounts ??= DEV_SECRETS.map((secret) => accountOf(suite, secret));
  return devAccounts;
}

/** Accounts beyond the well-known ones, with keys derived from their numbers. */
const moreAccounts = (suite: CryptoSuite, count: number): readonly DevAccount[] =>
  Array.from({ length: Math.max(0, count) }, (_, i) =>
    accountOf(suite, suite.sha256(encodeUtf8(`orrery-sim account ${i}`))),
  );

/** Validators with keys derived from their names, twins with the key of another, and the genesis that they share. */
export function makeCluster(
  suite: CryptoSuite,
  validators: readonly ValidatorSpec[],
  accountsWanted = DEV_SECRETS.length,
  spec: GenesisSpec = { initialHeight: 1, startsIn: 0, params: DEFAULT_PARAMS, feeMarket: USUAL_FEES },
  updates: readonly UpdateSpec[] = [],
): Cluster {
  const members = validators.map(({ name, twinOf, key, keyType }) => {
    // One signer each: a twin has the same key, but its own memory of what it signed.
    const original = validators.find((one) => one.name === twinOf);
    const text = original?.key ?? twinOf ?? key ?? name;
    const seed = suite.sha256(encodeUtf8(`orrery-sim validator ${text}`));
    const signer = new Signer(suite, seed, original?.keyType ?? keyType);
    return { name, signer, address: validatorAddressOf(signer.pubKey) };
  });
  const accounts = [...wellKnownAccounts(suite), ...moreAccounts(suite, accountsWanted - DEV_SECRETS.length)];
  const voters = members.map(({ name, address }, i) => {
    const { power } = present(validators[i], 'validator');
    return { name, address, power: BigInt(power) };
  });
  const genesis: Genesis = {
    genesisTime: timestampOf(EPOCH_MICROS + spec.startsIn),
    chainId: CHAIN_ID,
    initialHeight: spec.initialHeight,
    params: spec.params,
    validators: members.flatMap(({ name, signer, address }, i) => {
      const { power } = present(voters[i], 'a voter');
      return power === 0n ? [] : [{ name, address, pubKey: signer.pubKey, power }];
    }),
    appHash: new Uint8Array(0),
    appState: {
      ...defaultAppState({
        accounts: accounts.map(({ address }) => ({ address, balance: DEV_BALANCE })),
      }),
      // Where a scenario sets nothing, the application's own defaults have to be the usual ones.
      ...(spec.feeMarket === USUAL_FEES ? {} : { feemarket: feeMarketSection(spec.feeMarket) }),
    },
  };
  const schedule = new Schedule(spec, voters, updates);
  return { genesis, members, accounts, schedule, feeMarket: spec.feeMarket };
}
