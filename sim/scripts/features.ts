import type { AccessListItem } from '../../core/app/chain.ts';
import { contractAddressOf } from '../../core/app/evm/execute.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, concat, EMPTY, hex } from '../../core/lib/bytes.ts';
import type { FeeMarket } from '../clients/answers/feeMarket.ts';
import { type DevAccount, EVM_CHAIN_ID } from '../cluster.ts';
import { premature, signerOf, unheeded } from './authorizations.ts';
import { FEATURE_NAMES, FEATURES, type Feature, MADE_BY_FACTORY } from './featurePrograms.ts';
import { initCodeOf } from './programs.ts';
import { refusals } from './refusals.ts';
import type { ClientState, Draft, Script } from './script.ts';
import { GWEI, IN_FLIGHT_MAX } from './transfers.ts';

const DEPLOY_GAS = 400_000n;
const CALL_GAS = 300_000n;
const SLOTS = 8;
/** One transaction in so many is followed by one that no node may take. */
const BAD_ONE_IN = 2;
const NOBODY = new Uint8Array(20);
const precompile = (number: number): Bytes => hex(number.toString(16).padStart(40, '0'));

const word = (value: number | bigint): Bytes => hex(value.toString(16).padStart(64, '0'));
const padded = (address: Bytes): Bytes => concat(new Uint8Array(12), address);
const stranger = (index: number): Bytes => new Uint8Array(20).fill(0xb0 + index);
/**
 * Reverts, or jumps to an invalid place if it is paid; deploys the byte 0xEF; runs out of gas while its code is stored.
 */
const BAD_INIT_CODES: readonly Bytes[] = [
  hex('3460ff575f5ffd'),
  hex('60ef60005360016000f3'),
  hex('6103e85ff3'),
];

type Fees = Pick<Draft, 'tip' | 'feeCap' | 'isWanted'>;
type Call = Pick<Draft, 'to' | 'data' | 'value' | 'gas'> & Partial<Draft>;

/**
 * Something of every kind: each type of transaction, refunds, floors, creation and destruction, delegations, failures.
 */
export function features(suite: CryptoSuite, market: FeeMarket): Script {
  const authority = authorityOf(suite);
  const makers = [...CALLS, phoenixOf(suite)];
  const refused = refusals(market);
  return (state) => {
    const owner = present(state.accounts[0], 'an account');
    const missing = FEATURE_NAMES.findIndex((_, i) => !state.isConfirmed(owner, i));
    if (missing >= 0) return deployment(state, owner);
    const at = (feature: Feature): Bytes =>
      contractAddressOf(owner.address, BigInt(FEATURE_NAMES.indexOf(feature)), suite);
    const from = present(state.accounts[state.choices.choose(state.accounts.length)], 'an account');
    if (state.open(from).length >= IN_FLIGHT_MAX) return [];
    const choose = (count: number): number => state.choices.choose(count);
    // Only one account sends delegations: their nonces follow the order of its transactions.
    const isDelegating = from === owner && choose(2) === 0;
    const make = isDelegating ? authority : present(makers[choose(makers.length)], 'a maker');
    const fees = feesOf(choose, market);
    const good = [make(at, choose, from)].flat().map((call): Draft => {
      const draft = { from, nonce: state.takeNonce(from), status: undefined, ...fees, ...call };
      return draft.type === 0 || draft.type === 1 ? { ...draft, tip: draft.feeCap } : draft;
    });
    if (choose(BAD_ONE_IN) > 0) return good;
    const known = state.taken(from);
    const old = known[choose(Math.max(1, known.length))];
    return [...good, refused(present(good.at(-1), 'a draft'), old, choose, state.isConfirmed(from, 0))];
  };
}

/**
 * Tips that fit, one without room above the base fee, and none. Where the base fee gets that low: the lowest price ever
 * enough.
 */
function feesOf(choose: (count: number) => number, { noBaseFee, minGasPrice }: FeeMarket): Fees {
  const fees: readonly Fees[] = [
    { tip: GWEI, feeCap: 100n * GWEI },
    { tip: 3n * GWEI, feeCap: 3n * GWEI },
    { tip: 0n, feeCap: 50n * GWEI },
    { tip: 5n * GWEI + 7n, feeCap: 100n * GWEI },
    ...(noBaseFee || minGasPrice > 0n ? [{ tip: 0n, feeCap: minGasPrice, isWanted: true }] : []),
  ];
  return present(fees[choose(fees.length)], 'fees');
}

function deployment(state: ClientState, owner: DevAccount): readonly Draft[] {
  if (state.open(owner).length >= IN_FLIGHT_MAX || state.nonceOf(owner) >= FEATURE_NAMES.length) return [];
  const nonce = state.takeNonce(owner);
  const data = initCodeOf(FEATURES[present(FEATURE_NAMES[nonce], 'a contract')]);
  const fees = { gas: DEPLOY_GAS, tip: GWEI, feeCap: 100n * GWEI };
  // A transaction that creates a contract may pay it at once.
  return [{ from: owner, to: undefined, data, nonce, value: BigInt(nonce % 2), ...fees, status: '0x1' }];
}

type Maker = (
  at: (feature: Feature) => Bytes,
  choose: (count: number) => number,
  from: DevAccount,
) => Call | readonly Call[];

const calling = (to: Bytes, data: Bytes, value = 0n): Call => ({ to, data, value, gas: CALL_GAS });

/** Sets two slots, each maybe several times, to values that may be zero. */
function pairs(choose: (count: number) => number): Bytes {
  const first = choose(SLOTS);
  const words = Array.from({ length: 1 + choose(5) }, () => [
    word((first + choose(2)) % SLOTS),
    word(choose(3)),
  ]);
  return concat(...words.flat());
}

const clearAll = concat(...Array.from({ length: SLOTS }, (_, slot) => [word(slot), word(0)]).flat());
const fillAll = concat(...Array.from({ length: SLOTS }, (_, slot) => [word(slot), word(9)]).flat());

const CALLS: readonly Maker[] = [
  (at, choose) => calling(at('slots'), pairs(choose)),
  (at, choose) => calling(at('slots'), choose(2) === 0 ? clearAll : fillAll),
  // Runs out of gas somewhere on its way.
  (at, choose) => ({ ...calling(at('slots'), pairs(choose)), gas: 26_000n + BigInt(choose(30_000)) }),
  (at, choose, from) => {
    // The callee is warm to its own code.
    const lookedAt = [stranger(0), at('teller'), stranger(2), at('teller')];
    const address = choose(2) === 0 ? from.address : present(lookedAt[choose(lookedAt.length)], 'an address');
    return calling(at('teller'), padded(address));
  },
  (at, choose) => calling(at('guard'), word(choose(5))),
  (at, choose) => calling(at('factory'), concat(word(choose(4)), word(choose(2))), BigInt(choose(3))),
  (at, choose) => calling(at('payer'), padded(stranger(choose(12))), BigInt(choose(2) * 1_000)),
  (at, choose) => calling(at('delegator'), concat(padded(at('slots')), pairs(choose)), 1n),
  (at, choose) =>
    calling(at('reader'), concat(padded(at(choose(2) === 0 ? 'slots' : 'guard')), pairs(choose))),
  (at, choose) => calling(at('undoer'), concat(padded(at('slots')), pairs(choose))),
  (at) => calling(at('elder'), EMPTY),
  (at) => calling(at('latch'), EMPTY),
  // A precompile, called by the transaction itself: it costs gas and may fail.
  (_, choose) => calling(precompile(2 + 2 * choose(2)), new Uint8Array(choose(3) * 40), BigInt(choose(2))),
  (at, choose) => calling(at('hasher'), new Uint8Array(choose(100)).fill(choose(256))),
  (at, choose) => ({
    ...calling(at('slots'), pairs(choose)),
    type: 1,
    accessList: accessList(at('slots'), choose),
  }),
  (at, choose) => ({ ...calling(at('slots'), pairs(choose)), accessList: accessList(at('teller'), choose) }),
  // So much data that it costs more than the execution (EIP-7623).
  (_, choose) => calling(stranger(13), new Uint8Array(300 + choose(300)).fill(choose(2))),
  // A transfer of nothing to an account that does not exist: it must not create the account.
  (_, choose) => ({ ...calling(stranger(20 + choose(3)), EMPTY), type: 0 }),
  (_, choose, from) => ({
    ...calling(choose(2) === 0 ? from.address : stranger(choose(12)), EMPTY, 5n),
    type: 0,
    gas: 21_000n,
  }),
  (_, choose) => ({
    to: undefined,
    data: present(BAD_INIT_CODES[choose(BAD_INIT_CODES.length)], 'code'),
    value: BigInt(choose(2)),
    gas: 100_000n,
  }),
];

const accessList = (address: Bytes, choose: (count: number) => number): readonly AccessListItem[] => [
  { address, storageKeys: Array.from({ length: choose(4) }, () => word(choose(SLOTS))) },
  ...(choose(2) === 0 ? [{ address: stranger(30), storageKeys: [] }] : []),
];

/**
 * In turn: delegates one account that sends nothing to some contract, or takes that back, and calls it; then two ways
 * to fail at that. The second way alternates with delegating a new account, which the transaction only reads.
 */
function authorityOf(suite: CryptoSuite): Maker {
  const [heir, outcast] = [signerOf('authority', suite), signerOf('outcast', suite)];
  let [turn, nonce] = [0, 0n];
  return (at, choose) => {
    const kind = turn++ % 3;
    if (turn % 6 === 0) {
      const fresh = signerOf(`authority ${turn}`, suite);
      // Nobody accesses the second one.
      const signers = [fresh, signerOf(`bystander ${turn}`, suite)];
      const tuple = { chainId: 0n, address: at('slots'), nonce: 0n };
      const authorizationList = signers.map(({ sign }) => sign(tuple));
      return { ...calling(at('teller'), padded(fresh.address)), type: 4, authorizationList };
    }
    if (kind > 0) {
      const authorizationList = (kind === 1 ? unheeded : premature)(outcast, stranger(50));
      // The gas of reading the signer shows whether the tuples have made it warm.
      return { ...calling(at('teller'), padded(outcast.address)), type: 4, authorizationList };
    }
    const targets = [at('slots'), at('guard'), NOBODY, at('teller')];
    const tuple = heir.sign({
      chainId: choose(2) === 0 ? 0n : EVM_CHAIN_ID,
      address: present(targets[choose(targets.length)], 'a target'),
      nonce: nonce++,
    });
    return {
      ...calling(heir.address, choose(3) === 0 ? pairs(choose) : word(choose(5))),
      // The guard reverts without input, and other code runs out of gas. The delegation holds all the same.
      ...(choose(3) === 0 ? { data: EMPTY } : {}),
      ...(choose(3) === 0 ? { gas: 47_500n + BigInt(choose(30_000)) } : {}),
      type: 4,
      authorizationList: [tuple],
    };
  };
}

/**
 * Creates a contract that stores and destroys itself at once, and again at the same address, and then sends a coin
 * there: nothing that was stored may come back.
 */
function phoenixOf(suite: CryptoSuite): Maker {
  let salt = 1_000;
  return (at) => {
    const made = concat(Uint8Array.of(0xff), at('factory'), word(++salt), suite.keccak256(MADE_BY_FACTORY));
    const make = calling(at('factory'), concat(word(salt), word(1)));
    return [make, make, { ...calling(suite.keccak256(made).slice(12), EMPTY, 1n), gas: 21_000n }];
  };
}
