import type { AccessListItem, EthHeader, EthTx } from '../../core/app/chain.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { type Bytes, EMPTY, toHex } from '../../core/lib/bytes.ts';
import { authorityOf } from './authority.ts';
import type { CallNode } from './calls.ts';
import { type Ended, Machine, PRECOMPILE_NAMES } from './machine.ts';
import type { Row } from './rows.ts';
import { delegateOf, delegation, type Log, type Name, type ReferenceState, toBig } from './state.ts';

/** What a transaction does according to the reference. */
export interface Outcome {
  readonly status: 0 | 1;
  readonly gasUsed: bigint;
  readonly price: bigint;
  readonly logs: readonly Log[];
  readonly contract: Bytes | undefined;
  /** The output of the call, or the deployed code. */
  readonly output: Bytes;
  /** The error in geth's words; undefined if all went well. */
  readonly error: string | undefined;
  /** The call tree. */
  readonly calls: CallNode | undefined;
  readonly rows: readonly Row[];
  readonly authorities: Authorities;
}

/** Signers of the authorizations of a transaction. */
interface Authorities {
  readonly all: readonly Name[];
  /** Those whose authorizations took effect. */
  readonly heard: readonly Name[];
}

export interface ReferenceWorld {
  readonly chainId: bigint;
  readonly suite: CryptoSuite;
  readonly hashOf: (height: number) => Bytes | undefined;
  /** The least price of a unit of gas, wei. */
  readonly minGasPrice: bigint;
  /** The account that gets the base fee; undefined when it is burned. */
  readonly collector: Name | undefined;
  /** Instructions recorded for each transaction. */
  readonly rowsMax: number;
}

const [TX_GAS, CREATE_GAS, ADDRESS_GAS, KEY_GAS, AUTHORIZATION_GAS, KNOWN_AUTHORITY] = [
  21_000, 32_000, 2_400, 1_900, 25_000, 12_500,
];
const [INIT_CODE_MAX, TX_GAS_MAX, NOBODY] = [49_152, 16_777_216n, '0'.repeat(40)];

const TYPES: readonly EthTx['type'][] = [0, 1, 2, 4];
/** Half of secp256k1's order (EIP-2). */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

const isListed = ({ address, storageKeys }: AccessListItem): boolean =>
  address.length === 20 && storageKeys.every(({ length }) => length === 32);

/** A nonzero byte counts four times (EIP-7623). */
function tokensOf(data: Bytes): number {
  return data.reduce((sum, byte) => sum + (byte === 0 ? 1 : 4), 0);
}

function intrinsicGas({ to, data, accessList, authorizationList }: EthTx): number {
  const keys = accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0);
  const creation = to === undefined ? CREATE_GAS + 2 * Math.ceil(data.length / 32) : 0;
  return (
    TX_GAS +
    4 * tokensOf(data) +
    creation +
    ADDRESS_GAS * accessList.length +
    KEY_GAS * keys +
    AUTHORIZATION_GAS * authorizationList.length
  );
}

const floorGas = ({ data }: EthTx): number => TX_GAS + 10 * tokensOf(data);

/** Why a block may not hold this transaction at this place; undefined when it may. */
export function refusal(
  tx: EthTx,
  state: ReferenceState,
  { baseFeePerGas }: EthHeader,
  gasLeft: bigint,
  { chainId, minGasPrice }: ReferenceWorld,
): string | undefined {
  const { nonce, balance, code } = state.account(toHex(tx.from));
  const rules: readonly (readonly [boolean, string])[] = [
    [tx.nonce === nonce, `has nonce ${tx.nonce}, not ${nonce}`],
    [balance >= tx.value + tx.gasLimit * tx.maxFeePerGas, `costs more than ${balance}`],
    [tx.maxFeePerGas >= baseFeePerGas, `offers ${tx.maxFeePerGas}, the base fee is ${baseFeePerGas}`],
    [tx.maxFeePerGas >= minGasPrice, `offers ${tx.maxFeePerGas}, the least price is ${minGasPrice}`],
    [tx.maxPriorityFeePerGas <= tx.maxFeePerGas, 'has a tip above its cap'],
    [tx.gasLimit <= gasLeft, `wants ${tx.gasLimit} gas of ${gasLeft}`],
    [tx.gasLimit >= BigInt(Math.max(intrinsicGas(tx), floorGas(tx))), 'has too little gas'],
    [tx.gasLimit <= TX_GAS_MAX, 'wants more gas than one may'],
    [tx.chainId === undefined || tx.chainId === chainId, 'is of another chain'],
    [code.length === 0 || delegateOf(code) !== undefined, 'is sent by a contract'],
    [tx.to !== undefined || tx.data.length <= INIT_CODE_MAX, 'makes too long a contract'],
    [tx.type !== 4 || (tx.to !== undefined && tx.authorizationList.length > 0), 'authorizes nobody'],
    [TYPES.includes(tx.type), 'is of no type'],
    [tx.to === undefined || tx.to.length === 20, 'pays no address'],
    [tx.accessList.every(isListed), 'lists what is no address'],
    [tx.s <= HALF_ORDER && (tx.type === 0 || tx.v <= 1n), 'has an odd signature'],
  ];
  return rules.find(([holds]) => !holds)?.[1];
}

function warmUp(state: ReferenceState, tx: EthTx, { coinbase }: EthHeader): void {
  for (const name of [...PRECOMPILE_NAMES, toHex(tx.from), toHex(coinbase)]) state.touch(name);
  if (tx.to !== undefined) state.touch(toHex(tx.to));
  for (const { address, storageKeys } of tx.accessList) {
    state.touch(toHex(address));
    for (const key of storageKeys) state.touch(`${toHex(address)}/${toBig(key)}`);
  }
}

function authorize(state: ReferenceState, tx: EthTx, { chainId, suite }: ReferenceWorld): Authorities {
  const [all, heard]: [Name[], Name[]] = [[], []];
  for (const one of tx.authorizationList) {
    const authority = authorityOf(one, chainId, suite);
    if (authority === undefined) continue;
    const name = toHex(authority);
    all.push(name);
    state.touch(name);
    const { code, nonce } = state.account(name);
    if ((code.length > 0 && delegateOf(code) === undefined) || nonce !== one.nonce) continue;
    heard.push(name);
    if (state.exists(name)) state.refundMore(KNOWN_AUTHORITY);
    const isNobody = toHex(one.address) === NOBODY;
    state.put(name, { nonce: nonce + 1n, code: isNobody ? EMPTY : delegation(one.address) });
  }
  return { all, heard };
}

function execute(machine: Machine, tx: EthTx, gas: number): Ended {
  const { from, to, value, data } = tx;
  const [caller, depth] = [toHex(from), 0];
  if (to === undefined) {
    const name = toHex(machine.addressOf(from, tx.nonce));
    return machine.create('CREATE', name, { caller, value, gas, depth, code: data });
  }
  const self: Name = toHex(to);
  const delegate = delegateOf(machine.state.account(self).code);
  if (delegate !== undefined) machine.state.touch(delegate);
  return machine.run('CALL', self, { self, caller, value, data, gas, isStatic: false, depth }, value);
}

/**
 * Buys gas, runs, refunds what is left plus at most a fifth of what was used, pays the tip, and burns the base fee or
 * pays it to its collector.
 */
export function runTransaction(
  state: ReferenceState,
  header: EthHeader,
  tx: EthTx,
  world: ReferenceWorld,
): Outcome {
  const base = header.baseFeePerGas;
  const wished = base + tx.maxPriorityFeePerGas;
  const price = wished < tx.maxFeePerGas ? wished : tx.maxFeePerGas;
  const [from, limit] = [toHex(tx.from), Number(tx.gasLimit)];
  state.beginTx();
  state.put(from, { nonce: tx.nonce + 1n });
  state.pay(from, -tx.gasLimit * price);
  warmUp(state, tx, header);
  const authorities = authorize(state, tx, world);
  const machine = new Machine(state, header, { origin: from, price }, world);
  const ended = execute(machine, tx, limit - intrinsicGas(tx));
  const used = limit - ended.gas;
  const gasUsed = Math.max(used - Math.min(state.refund, Math.floor(used / 5)), floorGas(tx));
  state.pay(from, BigInt(limit - gasUsed) * price);
  state.pay(toHex(header.coinbase), BigInt(gasUsed) * (price - base));
  if (world.collector !== undefined) state.pay(world.collector, BigInt(gasUsed) * base);
  state.endTx();
  return {
    status: ended.ending === 'stop' ? 1 : 0,
    gasUsed: BigInt(gasUsed),
    price,
    logs: [...state.logs],
    contract: tx.to === undefined ? machine.addressOf(tx.from, tx.nonce) : undefined,
    output: ended.output,
    error: ended.error,
    calls: machine.calls.root,
    rows: machine.rows.all,
    authorities,
  };
}
