/** Messages and typed data that a node signs with a key of its own, and whom it takes for the signer of a message. */
import { type Bytes, concat, hex, to0xHex } from '../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import type { Fields } from '../../clients/answers/answers.ts';
import { toWord } from '../../reference/state.ts';
import { eth, fieldsOf, unlike } from '../questions.ts';
import { SECRET, TO, walletOf } from './rawTxs.ts';

const INVALID_PARAMS = -32602;
/** Signatures over them have both values of v. */
const MESSAGES = ['a', 'b', 'c', 'd', 'e', 'f'];
const DOMAIN = 'EIP712Domain(string name)';
const NOTE = 'Note(bool isOne,bool isOther,Point[2] points,Point[] more)';
const POINT = 'Point(uint256 x)';
const TYPES = {
  EIP712Domain: [{ name: 'name', type: 'string' }],
  Note: [
    { name: 'isOne', type: 'bool' },
    { name: 'isOther', type: 'bool' },
    { name: 'points', type: 'Point[2]' },
    { name: 'more', type: 'Point[]' },
  ],
  Point: [{ name: 'x', type: 'uint256' }],
};

const LETTER =
  'Letter(address to,bytes4 mark,bytes32 seal,bytes body,string word,int8 change,uint24 size,Area area,Zone zone)';
const AREA = 'Area(uint256 x)';
const ZONE = 'Zone(Area inner)';
const LETTER_TYPES = {
  EIP712Domain: [{ name: 'name', type: 'string' }],
  Letter: [
    { name: 'to', type: 'address' },
    { name: 'mark', type: 'bytes4' },
    { name: 'seal', type: 'bytes32' },
    { name: 'body', type: 'bytes' },
    { name: 'word', type: 'string' },
    { name: 'change', type: 'int8' },
    { name: 'size', type: 'uint24' },
    { name: 'area', type: 'Area' },
    { name: 'zone', type: 'Zone' },
  ],
  Zone: [{ name: 'inner', type: 'Area' }],
  Area: [{ name: 'x', type: 'uint256' }],
};

/** Signatures are those that a wallet with the same key makes. */
export async function wrongSignings(rpc: RpcContext): Promise<string | undefined> {
  const own = walletOf(rpc.suite);
  const keys = { addresses: [own], secret: (_: Bytes) => SECRET };
  const namespaces = [...new Set([...rpc.limits.namespaces, 'personal'])];
  const ctx: RpcContext = { ...rpc, keys, limits: { ...rpc.limits, namespaces } };
  const name = to0xHex(own);
  return (await wrongPersonal(ctx, name)) ?? (await wrongTyped(ctx, name)) ?? wrongLetter(ctx, name);
}

/** r, s, and 27 or 28. */
function signatureOf({ suite }: RpcContext, digest: Bytes): string {
  const { rs, recovery } = suite.secp256k1Sign(SECRET, digest);
  return to0xHex(concat(rs, Uint8Array.of(27 + recovery)));
}

/** EIP-191: the signer of a message is recovered from either v. */
async function wrongPersonal(rpc: RpcContext, name: string): Promise<string | undefined> {
  for (const text of MESSAGES) {
    const message = encodeUtf8(text);
    const digest = rpc.suite.keccak256(encodeUtf8(`\x19Ethereum Signed Message:\n${message.length}${text}`));
    const signature = signatureOf(rpc, digest);
    const told = [
      await eth(rpc, 'eth_sign', [name, to0xHex(message)]),
      await eth(rpc, 'personal_ecRecover', [to0xHex(message), signature]),
    ];
    const problem = unlike(`the signature of ${text} and its signer`, told, [signature, name]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** EIP-712: the digest covers each truth value and each item of a list, and a list of fixed size has that many. */
async function wrongTyped(rpc: RpcContext, name: string): Promise<string | undefined> {
  const { keccak256 } = rpc.suite;
  const hashOf = (type: string, ...fields: readonly Bytes[]): Bytes =>
    keccak256(concat(keccak256(encodeUtf8(type)), ...fields));
  const points = (list: readonly bigint[]): Bytes =>
    keccak256(concat(...list.map((x) => hashOf(POINT, toWord(x)))));
  const ask = (sizes: readonly bigint[]): Promise<unknown> => {
    const of = (list: readonly bigint[]): unknown => list.map((x) => ({ x: String(x) }));
    const message = { isOne: true, isOther: false, points: of(sizes), more: of([5n]) };
    const data = { types: TYPES, primaryType: 'Note', domain: { name: 'here' }, message };
    return eth(rpc, 'eth_signTypedData_v4', [name, data]);
  };
  const domain = hashOf(DOMAIN, keccak256(encodeUtf8('here')));
  const note = hashOf(NOTE + POINT, toWord(1n), toWord(0n), points([1n, 2n]), points([5n]));
  const digest = keccak256(concat(Uint8Array.of(0x19, 0x01), domain, note));
  const refused: unknown[] = [];
  for (const sizes of [[1n], [1n, 2n, 3n]])
    refused.push(fieldsOf((await ask(sizes)) as Fields, 'refused')['code']);
  return (
    unlike('the signature of typed data', await ask([1n, 2n]), signatureOf(rpc, digest)) ??
    unlike('lists of another size than their type with the codes', refused, [INVALID_PARAMS, INVALID_PARAMS])
  );
}

/**
 * EIP-712: each kind of value in its own place, the types that a type names in order of their names, and none of a type
 * that is absent. A domain can be signed alone. A number that its type has no room for, and bytes of another size, are
 * refused.
 */
async function wrongLetter(rpc: RpcContext, name: string): Promise<string | undefined> {
  const { keccak256 } = rpc.suite;
  const [mark, seal, body] = [hex('a1b2c3d4'), new Uint8Array(32).fill(0xc5), Uint8Array.of(1, 2, 3)];
  const letter = {
    to: to0xHex(TO),
    mark: to0xHex(mark),
    seal: to0xHex(seal),
    body: to0xHex(body),
    word: 'wörd',
    change: -128,
    size: '0xffffff',
    zone: { inner: { x: '9' } },
  };
  const ask = async (message: object, primaryType = 'Letter'): Promise<unknown> => {
    const data = { types: LETTER_TYPES, primaryType, domain: { name: 'here' }, message };
    return eth(rpc, 'eth_signTypedData_v4', [name, data]);
  };
  const hashOf = (type: string, ...fields: readonly Bytes[]): Bytes =>
    keccak256(concat(keccak256(encodeUtf8(type)), ...fields));
  const [right, left] = [new Uint8Array(12), new Uint8Array(28)];
  const domain = hashOf(DOMAIN, keccak256(encodeUtf8('here')));
  const struct = hashOf(
    // The types that it names follow in order of their names, not in the order in which they are found.
    LETTER + AREA + ZONE,
    concat(right, TO),
    concat(mark, left),
    seal,
    keccak256(body),
    keccak256(encodeUtf8('wörd')),
    toWord(2n ** 256n - 128n),
    toWord(0xffffffn),
    new Uint8Array(32),
    hashOf(ZONE + AREA, hashOf(AREA, toWord(9n))),
  );
  const digestOf = (...hashes: readonly Bytes[]): Bytes =>
    keccak256(concat(Uint8Array.of(0x19, 0x01), ...hashes));
  const beyond = [
    { change: 128 },
    { change: -129 },
    { size: '0x1000000' },
    { mark: '0xa1b2c3' },
    { to: '0x5e' },
  ];
  const codes: unknown[] = [];
  for (const change of beyond) {
    const told = (await ask({ ...letter, ...change })) as Fields;
    codes.push(fieldsOf(told, 'refused')['code']);
  }
  return (
    unlike('the signature of a letter', await ask(letter), signatureOf(rpc, digestOf(domain, struct))) ??
    unlike(
      'the signature of a domain alone',
      await ask({ name: 'here' }, 'EIP712Domain'),
      signatureOf(rpc, digestOf(domain)),
    ) ??
    unlike(
      'values that their types have no room for with the codes',
      codes,
      beyond.map(() => INVALID_PARAMS),
    )
  );
}
