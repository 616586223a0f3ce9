import { defaultAppState } from '../core/app/defaultAppState.ts';
import { ed25519Address, ethAddress } from '../core/crypto/addresses.ts';
import { deriveSecret, ethHdPath, mnemonicToSeed } from '../core/crypto/hd.ts';
import type { CryptoSuite } from '../core/crypto/suite.ts';
import { present } from '../core/lib/assert.ts';
import type { Bytes } from '../core/lib/bytes.ts';
import { encodeUtf8 } from '../core/lib/utf8.ts';
import type { Genesis } from '../core/types/genesis.ts';
import { type Address, type Micros, timestampOf } from '../core/types/ids.ts';
import { DEFAULT_PARAMS } from '../core/types/params.ts';
import { type FeeMarket, feeMarketSection, USUAL_FEES } from './clients/answers/feeMarket.ts';
import { Signer } from './machine/signer.ts';
import type { GenesisSpec, UpdateSpec } from './scenario/chainSpecs.ts';
import type { ValidatorSpec } from './scenario/scenario.ts';
import { Schedule } from './schedule.ts';

/** 2026-01-01T00:00:00Z: virtual time 0 of every run, on every correct clock. */
export const EPOCH_MICROS: Micros = 1_767_225_600_000_000;
export const CHAIN_ID = 'chain_9000-1';
export const EVM_CHAIN_ID = 9000n;

/** The well-known development accounts, as anvil and hardhat have them. */
const DEV_MNEMONIC = 'test test test test test test test test test test test junk';
const DEV_ACCOUNTS = 10;
/** Of each development account, in the smallest unit. */
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

/** Derivation stretches the words 2048 times; once is enough. */
function deriveDevAccounts(suite: CryptoSuite): readonly DevAccount[] {
  if (devAccounts !== undefined) return devAccounts;
  const seed = mnemonicToSeed(DEV_MNEMONIC);
  devAccounts = Array.from({ length: DEV_ACCOUNTS }, (_, i) => {
    const secret = deriveSecret(seed, ethHdPath(0, i));
    if (!secret.ok) throw new RangeError(secret.error.message);
    return { secret: secret.value, address: ethAddress(suite.secp256k1PublicKey(secret.value, false)) };
  });
  return devAccounts;
}

/** Beyond the well-known ones: keys that follow from their numbers. */
const moreAccounts = (suite: CryptoSuite, count: number): readonly DevAccount[] =>
  Array.from({ length: Math.max(0, count) }, (_, i) => {
    const secret = suite.sha256(encodeUtf8(`orrery-sim account ${i}`));
    return { secret, address: ethAddress(suite.secp256k1PublicKey(secret, false)) };
  });

/** Validators whose keys follow from their names, twins with the key of another, and the genesis that they share. */
export function makeCluster(
  suite: CryptoSuite,
  validators: readonly ValidatorSpec[],
  accountsWanted = DEV_ACCOUNTS,
  spec: GenesisSpec = { initialHeight: 1, startsIn: 0, params: DEFAULT_PARAMS, feeMarket: USUAL_FEES },
  updates: readonly UpdateSpec[] = [],
): Cluster {
  const members = validators.map(({ name, twinOf, key }) => {
    // A signer each: a twin has the key, and its own memory of what it signed.
    const original = validators.find((one) => one.name === twinOf);
    const text = original?.key ?? twinOf ?? key ?? name;
    const signer = new Signer(suite, suite.sha256(encodeUtf8(`orrery-sim validator ${text}`)));
    return { name, signer, address: ed25519Address(signer.publicKey) };
  });
  const accounts = [...deriveDevAccounts(suite), ...moreAccounts(suite, accountsWanted - DEV_ACCOUNTS)];
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
      const pubKey = { type: 'ed25519' as const, bytes: signer.publicKey };
      return power === 0n ? [] : [{ name, address, pubKey, power }];
    }),
    appHash: new Uint8Array(0),
    appState: {
      ...defaultAppState({
        accounts: accounts.map(({ address }) => ({ address, balance: DEV_BALANCE })),
      }),
      // Where a scenario says nothing, the application's own defaults have to be the usual ones.
      ...(spec.feeMarket === USUAL_FEES ? {} : { feemarket: feeMarketSection(spec.feeMarket) }),
    },
  };
  const schedule = new Schedule(spec, voters, updates);
  return { genesis, members, accounts, schedule, feeMarket: spec.feeMarket };
}
