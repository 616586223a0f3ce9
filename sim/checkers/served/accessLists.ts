import { present } from '../../../core/lib/assert.ts';
import { concat, hex, to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { type Fields, quantity } from '../../clients/answers/answers.ts';
import { list, number, text } from '../../reference/rlp.ts';
import { toBig } from '../../reference/state.ts';
import { eth, listOf, unlike } from '../questions.ts';
import { CONTRACT, code, GAS, RICH, SENDER, STRANGER, TX_GAS, word } from './pretences.ts';

/** Receives the balance of the destroyed contract. */
const HEIR = `0x${'9b'.repeat(20)}`;
/** Touches its slots 5 and 1, the balances of its caller and of a stranger, and a precompile, then ends as given. */
const toucher = (end: string): string =>
  `0x60055450600160015533315073${STRANGER.slice(2)}31505f5f5f5f60045afa50${end}`;
/**
 * Gas of the toucher: PUSH1, SLOAD warm, POP; PUSH1 twice, SSTORE of a new value; CALLER, BALANCE warm, POP; PUSH20,
 * BALANCE warm, POP; the arguments of a call and its cost.
 */
const TOUCHING =
  3n +
  100n +
  2n +
  (3n + 3n + 20_000n) +
  (2n + 100n + 2n) +
  (3n + 100n + 2n) +
  (4n * 2n + 3n + 2n + 100n + 15n + 2n);
const LISTED = 2n * 2_400n + 2n * 1_900n;

/** An access list holds, in order, all that is touched beyond what is warm anyway, however the call ends. */
async function wrongLists(rpc: RpcContext): Promise<string | undefined> {
  const touched = [
    { address: STRANGER, storageKeys: [] },
    { address: CONTRACT, storageKeys: [1n, 5n].map((slot) => `0x${word(slot)}`) },
  ];
  // The called contract and the sender are warm anyway.
  const given = [CONTRACT, SENDER].map((address) => ({ address, storageKeys: [`0x${word(7n)}`] }));
  for (const [end, more, error, heirs] of [
    ['00', 0n, undefined, []],
    ['5f5ffd', 4n, 'execution reverted', []],
    [`73${HEIR.slice(2)}ff`, 2_400n + 3n + 5_000n, undefined, [HEIR]],
  ] as const) {
    const accessList = [...touched, ...heirs.map((address) => ({ address, storageKeys: [] }))].sort((a, b) =>
      a.address < b.address ? -1 : 1,
    );
    const call = { from: SENDER, to: CONTRACT, accessList: given };
    const told = await eth(rpc, 'eth_createAccessList', [call, 'latest', code(toucher(end))]);
    const gasUsed = quantity(TX_GAS + LISTED + TOUCHING + more);
    const wanted = { accessList, ...(error === undefined ? {} : { error }), gasUsed };
    const problem = unlike('eth_createAccessList', told, wanted);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Touches the slots numbered by its gas price and by the base fee. */
const PRICE_TOUCHER = '0x3a545048545000';

/** The list is made at the gas price that the call names. If a call names one fee field, the others follow from it. */
async function wrongListPrices(rpc: RpcContext): Promise<string | undefined> {
  const { baseFeePerGas: base } = present(rpc.chain.ethBlock(rpc.chain.head()), 'the head').header;
  const suggested = BigInt(String(await eth(rpc, 'eth_maxPriorityFeePerGas', [])));
  const tip = suggested + 3n;
  const state = { ...code(PRICE_TOUCHER), [SENDER]: { balance: quantity(RICH) } };
  for (const [fees, paid] of [
    [{}, [0n]],
    [{ gasPrice: quantity(base + tip) }, [base, base + tip]],
    [{ maxPriorityFeePerGas: quantity(tip) }, [base, base + tip]],
    [{ maxFeePerGas: quantity(base + tip) }, [base, base + suggested]],
  ] as const) {
    const call = { from: SENDER, to: CONTRACT, gas: quantity(GAS), ...fees };
    const told = (await eth(rpc, 'eth_createAccessList', [call, 'latest', state])) as Fields;
    const storageKeys = [...new Set(paid)].map((slot) => `0x${word(slot)}`);
    const wanted = [{ address: CONTRACT, storageKeys }];
    const problem = unlike(`a list made for ${JSON.stringify(fees)}`, told['accessList'], wanted);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * Instructions that visit an account: number of stack words below its address (and the gas), then the code after it.
 */
const VISITS: readonly (readonly [below: number, tail: string])[] = [
  [0, '3150'],
  [0, '3b50'],
  [0, '3f50'],
  [3, '3c'],
  [5, '5af150'],
  [5, '5af250'],
  [4, '5af450'],
  [4, '5afa50'],
];

/** An account that is read or called is on the list, by whatever instruction. */
async function wrongVisits(rpc: RpcContext): Promise<string | undefined> {
  const visited = VISITS.map((_, i) => `0x${`d${i}`.repeat(20)}`);
  const visits = VISITS.map(
    ([below, tail], i) => `${'5f'.repeat(below)}73${(visited[i] as string).slice(2)}${tail}`,
  );
  const call = { from: SENDER, to: CONTRACT };
  const told = (await eth(rpc, 'eth_createAccessList', [
    call,
    'latest',
    code(`0x${visits.join('')}00`),
  ])) as Fields;
  const wanted = visited.map((address) => ({ address, storageKeys: [] }));
  return unlike('who is on eth_createAccessList', told['accessList'], wanted);
}

const SECRET = new Uint8Array(32).fill(0x5c);

/** A tuple of EIP-7702 that makes the wallet of this key run the contract's code; and the wallet. */
function authorized({ chain, suite }: RpcContext): { readonly wallet: string; readonly tuple: Fields } {
  const key = suite.secp256k1PublicKey(SECRET, false).slice(1);
  const fields = [number(chain.evmChainId), text(hex(CONTRACT.slice(2))), number(0n)];
  const digest = suite.keccak256(concat(Uint8Array.of(0x05), list(fields)));
  const { rs, recovery } = suite.secp256k1Sign(SECRET, digest);
  const [r, s] = [rs.subarray(0, 32), rs.subarray(32)].map((half) => quantity(toBig(half)));
  return {
    wallet: to0xHex(suite.keccak256(key).slice(12)),
    tuple: {
      chainId: quantity(chain.evmChainId),
      address: CONTRACT,
      nonce: '0x0',
      yParity: quantity(recovery),
      r,
      s,
    },
  };
}

/** Whoever signed an authorization is warm anyway. */
async function wrongAuthorities(rpc: RpcContext): Promise<string | undefined> {
  const { wallet, tuple } = authorized(rpc);
  const visits = [wallet, STRANGER].map((address) => `73${address.slice(2)}3150`).join('');
  const call = { from: SENDER, to: CONTRACT };
  const told: unknown[] = [];
  for (const more of [{ authorizationList: [tuple] }, {}]) {
    const params = [{ ...call, ...more }, 'latest', code(`0x${visits}00`)];
    told.push(listOf((await eth(rpc, 'eth_createAccessList', params)) as Fields, 'accessList').length);
  }
  return unlike('how many are on a list with an authorization, and without', told, [1, 2]);
}

/** Access lists (EIP-2930): which slots and accounts they hold, and at which gas price they are made. */
export const wrongAccessLists = async (rpc: RpcContext): Promise<string | undefined> =>
  (await wrongLists(rpc)) ??
  (await wrongListPrices(rpc)) ??
  (await wrongVisits(rpc)) ??
  wrongAuthorities(rpc);
