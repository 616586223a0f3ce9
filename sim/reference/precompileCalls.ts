/**
 * Calls of precompiles whose outputs follow from their definitions: sums of generators, hashes of little data, points
 * off a curve.
 */
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import { blake2b } from '@noble/hashes/blake2.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { type Bytes, concat, EMPTY, hex } from '../../core/lib/bytes.ts';

export interface PrecompileCall {
  readonly what: string;
  readonly address: number;
  readonly input: Bytes;
  /** Undefined: the call fails and takes all gas. */
  readonly output: Bytes | undefined;
  /** Gas as of Osaka. */
  readonly cost: bigint;
}

const sized = (value: bigint, bytes: number): Bytes => hex(value.toString(16).padStart(2 * bytes, '0'));
const word = (value: bigint): Bytes => sized(value, 32);
const ONE = word(1n);

/** `output` is undefined for a failure. */
const call = (
  what: string,
  address: number,
  cost: bigint,
  input: Bytes,
  output: Bytes | undefined,
): PrecompileCall => ({ what, address, input, output, cost });

/** A hash with a signature, and its signer. */
const SIGNED = hex(
  '18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1c000000000000000000000000000000000000000000000000000000000000001c73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75feeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549',
);
const SIGNER = hex('000000000000000000000000a94f5374fce5edbc8e2a8697c15331677e6ebf0b');

/** The fifth vector of EIP-152: BLAKE2b of "abc" in twelve rounds. */
const BLAKED = concat(
  hex('0000000c48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5'),
  hex('d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b616263'),
  new Uint8Array(125),
  hex('0300000000000000000000000000000001'),
);

const simple = (): readonly PrecompileCall[] => [
  call('a signature', 1, 3_000n, SIGNED, SIGNER),
  call('no signature', 1, 3_000n, SIGNED.subarray(0, 96), EMPTY),
  call('SHA-256', 2, 60n + 12n, ONE, sha256(ONE)),
  call(
    'RIPEMD-160',
    3,
    600n + 2n * 120n,
    concat(ONE, ONE),
    concat(new Uint8Array(12), ripemd160(concat(ONE, ONE))),
  ),
  call('what it is given', 4, 15n + 3n, ONE.subarray(30), ONE.subarray(30)),
  // 3 to the 5th modulo 7; EIP-7883.
  call('a power', 5, 500n, concat(ONE, ONE, ONE, hex('030507')), hex('05')),
  call('rounds of BLAKE2', 9, 12n, BLAKED, blake2b(hex('616263'))),
  call('rounds of BLAKE2 with a flag of two', 9, 12n, concat(BLAKED.subarray(0, 212), hex('02')), undefined),
];

function onBn254(): readonly PrecompileCall[] {
  const { G1, G2, fields } = bn254;
  type Point = typeof G1.Point.BASE;
  const g1 = (point: Point): Bytes => {
    const { x, y } = point.toAffine();
    return concat(word(x), word(y));
  };
  const { x, y } = G2.Point.BASE.toAffine();
  // The imaginary part comes first (EIP-197).
  const g2 = concat(word(x.c1), word(x.c0), word(y.c1), word(y.c0));
  const [one, three, five] = [1n, 3n, 5n].map((times) => G1.Point.BASE.multiplyUnsafe(times)) as [
    Point,
    Point,
    Point,
  ];
  const pair = (left: Point): Bytes => concat(g1(left), g2);
  return [
    call('a sum on BN254', 6, 150n, concat(g1(three), g1(five)), g1(G1.Point.BASE.multiplyUnsafe(8n))),
    call('a sum of nothing on BN254', 6, 150n, EMPTY, new Uint8Array(64)),
    call('a sum beside BN254', 6, 150n, concat(word(1n), word(3n)), undefined),
    call(
      'a sum outside the field of BN254',
      6,
      150n,
      concat(word(fields.Fp.ORDER + 1n), word(2n)),
      undefined,
    ),
    call(
      'a product on BN254',
      7,
      6_000n,
      concat(g1(three), word(fields.Fr.ORDER + 7n)),
      g1(G1.Point.BASE.multiplyUnsafe(21n)),
    ),
    call('pairings on BN254', 8, 45_000n + 2n * 34_000n, concat(pair(one), pair(one.negate())), ONE),
    call('other pairings on BN254', 8, 45_000n + 34_000n, pair(one), word(0n)),
    call('half a pairing on BN254', 8, 45_000n, pair(one).subarray(0, 191), undefined),
  ];
}

/** EIP-2537: four products, each at so many thousandths of its price. */
const productsCost = (price: bigint, perMille: bigint): bigint => (4n * price * perMille) / 1_000n;

function onBls(): readonly PrecompileCall[] {
  const { G1, G2, fields } = bls12_381;
  type Point1 = typeof G1.Point.BASE;
  type Point2 = typeof G2.Point.BASE;
  const numbers = (...values: readonly bigint[]): Bytes => concat(...values.map((value) => sized(value, 64)));
  const g1 = (point: Point1): Bytes => {
    const { x, y } = point.toAffine();
    return numbers(x, y);
  };
  const g2 = (point: Point2): Bytes => {
    const { x, y } = point.toAffine();
    return numbers(x.c0, x.c1, y.c0, y.c1);
  };
  const [one, two] = [G1.Point.BASE, G2.Point.BASE];
  const times = [1n, 2n, 3n, 5n];
  const scalars = [fields.Fr.ORDER + 4n, 0n, 6n, 7n];
  const sum = times.reduce((all, many, i) => all + many * (scalars[i] as bigint), 0n) % fields.Fr.ORDER;
  const sumOf = <P>(base: { multiplyUnsafe(many: bigint): P }, bytes: (point: P) => Bytes): Bytes =>
    concat(...times.flatMap((many, i) => [bytes(base.multiplyUnsafe(many)), word(scalars[i] as bigint)]));
  // (0, 2) is on the curve, but outside the subgroup: three times it is the point at infinity.
  const elsewhere = numbers(0n, 2n);
  const paired = (left: Point1): Bytes => concat(g1(left), g2(two));
  // The library's types ask for a list and return coordinates, but it takes a number and returns points.
  const mapped1 = bls12_381.G1.mapToCurve(5n as never) as unknown as Point1;
  const mapped2 = bls12_381.G2.mapToCurve([5n, 6n]) as unknown as Point2;
  return [
    call('a sum on G1', 0x0b, 375n, concat(g1(one.multiplyUnsafe(3n)), g1(one)), g1(one.multiplyUnsafe(4n))),
    call('a sum elsewhere than on G1', 0x0b, 375n, concat(elsewhere, new Uint8Array(128)), elsewhere),
    call('a sum beside G1', 0x0b, 375n, concat(numbers(0n, 3n), g1(one)), undefined),
    call(
      'a sum with something before a number',
      0x0b,
      375n,
      concat(hex('01'), g1(one).subarray(1), g1(one)),
      undefined,
    ),
    call('products on G1', 0x0c, productsCost(12_000n, 797n), sumOf(one, g1), g1(one.multiplyUnsafe(sum))),
    call('a product on G1', 0x0c, 12_000n, concat(g1(one), word(9n)), g1(one.multiplyUnsafe(9n))),
    call('a product elsewhere than on G1', 0x0c, 12_000n, concat(elsewhere, word(9n)), undefined),
    call('no product on G1', 0x0c, 0n, EMPTY, undefined),
    call('a sum on G2', 0x0d, 600n, concat(g2(two.multiplyUnsafe(3n)), g2(two)), g2(two.multiplyUnsafe(4n))),
    call('products on G2', 0x0e, productsCost(22_500n, 884n), sumOf(two, g2), g2(two.multiplyUnsafe(sum))),
    call(
      'pairings on BLS12-381',
      0x0f,
      37_700n + 2n * 32_600n,
      concat(paired(one), paired(one.negate())),
      ONE,
    ),
    call('other pairings on BLS12-381', 0x0f, 37_700n + 32_600n, paired(one), word(0n)),
    call('a number on G1', 0x10, 5_500n, numbers(5n), g1(mapped1)),
    call('two numbers on G2', 0x11, 23_800n, numbers(5n, 6n), g2(mapped2)),
    ...evaluated(one.multiplyUnsafe(3n).toBytes(), G1.Point.ZERO.toBytes()),
  ];
}

/** EIP-4844: a constant polynomial that is three everywhere. */
function evaluated(three: Bytes, nothing: Bytes): readonly PrecompileCall[] {
  const hash = sha256(three);
  const of = (value: bigint): Bytes =>
    concat(hex('01'), hash.subarray(1), word(77n), word(value), three, nothing);
  const answer = concat(word(4_096n), word(bls12_381.fields.Fr.ORDER));
  return [
    call('an evaluation', 0x0a, 50_000n, of(3n), answer),
    call('a false evaluation', 0x0a, 50_000n, of(4n), undefined),
  ];
}

/** A vector of RIP-7212: hash, signature and key. */
const P256_SIGNED = hex(
  '4cee90eb86eaa050036147a12d49004b6b9c72bd725d39d4785011fe190f0b4da73bd4903f0ce3b639bbbf6e8e80d16931ff4bcf5993d58468e8fb19086e8cac36dbcd03009df8c59286b162af3bd7fcc0450c9aa81be5d10d312af6c66b1d604aebd3099c618202fcfe16ae7770b0c49ab5eadf74b754204a3bb6060e44eff37618b065f9832de4ca6ca971a7a1adc826d0f7c00181a5fb2ddf79ae00b4e10e',
);

const onP256 = (): readonly PrecompileCall[] => [
  call('a signature on P-256', 0x100, 6_900n, P256_SIGNED, ONE),
  call('no signature on P-256', 0x100, 6_900n, concat(ONE, P256_SIGNED.subarray(32)), EMPTY),
];

const GROUPS = [simple, onBn254, onBls, onP256] as const;
const known = new Map<number, readonly PrecompileCall[]>();

/** Some calls, others for each turn. Groups with slow curves are built once in a process. */
export function precompileCalls(turn: number, count: number): readonly PrecompileCall[] {
  const group = turn % GROUPS.length;
  const calls = known.get(group) ?? (GROUPS[group] as () => readonly PrecompileCall[])();
  known.set(group, calls);
  const from = Math.floor(turn / GROUPS.length) * count;
  return Array.from({ length: count }, (_, i) => calls[(from + i) % calls.length] as PrecompileCall);
}
