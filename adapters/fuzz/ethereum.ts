/** Targets for Ethereum input: requests, RLP, transactions, revert reasons. */
import fc from 'fast-check';
import { decodeEthTx } from '../../core/app/evm/ethTx.ts';
import { decodeRlp, encodeRlp, type RlpItem } from '../../core/app/evm/rlp.ts';
import { to0xHex } from '../../core/lib/bytes.ts';
import type { Schema } from '../../core/rpc/eth/method.ts';
import { revertReason } from '../../core/rpc/eth/revert.ts';
import { ETH_METHODS } from '../../core/rpc/eth/table.ts';
import { acceleratedSuite } from '../crypto/accelerated.ts';
import { type FuzzNode, fuzzNode } from './fuzzNode.ts';
import { second } from './second.ts';
import { signedEthTx } from './signedEthTx.ts';
import {
  agree,
  Disagreement,
  damaged,
  damagedBytes,
  type FuzzTarget,
  holds,
  holdsLater,
  seldom,
} from './target.ts';

const ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const hexText = fc.uint8Array({ maxLength: 40 }).map(to0xHex);
const likely = fc.constantFrom<unknown>(
  ...['latest', 'pending', 'earliest', 'safe', '0x0', '0x1', '0x2', '0x', '0xffffffffffffffff', ADDRESS],
  ...[`0x${'00'.repeat(32)}`, null, true, false, 0, -1, 1.5, 1e308, '', '3', [], {}, [[]], 'callTracer'],
);
const KEYS = [
  ...[
    'from',
    'to',
    'gas',
    'gasPrice',
    'maxFeePerGas',
    'maxPriorityFeePerGas',
    'value',
    'nonce',
    'data',
    'input',
  ],
  ...[
    'accessList',
    'authorizationList',
    'chainId',
    'address',
    'storageKeys',
    'topics',
    'fromBlock',
    'toBlock',
  ],
  ...[
    'blockHash',
    'blockNumber',
    'requireCanonical',
    'balance',
    'code',
    'state',
    'stateDiff',
    'tracer',
    'tracerConfig',
  ],
  ...[
    'blockStateCalls',
    'calls',
    'blockOverrides',
    'stateOverrides',
    'time',
    'baseFeePerGas',
    'validation',
    'timeout',
  ],
];
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    likely,
    hexText,
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...KEYS), hexText), tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** Mostly values that match the schema of a parameter. */
function ofSchema(schema: Schema): fc.Arbitrary<unknown> {
  const { type, enum: values, properties, items, oneOf, anyOf } = schema as Record<string, unknown>;
  const choices = (oneOf ?? anyOf) as readonly Schema[] | undefined;
  if (choices !== undefined) return fc.oneof(...choices.map(ofSchema), anything);
  if (Array.isArray(values)) return fc.oneof(fc.constantFrom(...values), anything);
  if (type === 'object' && typeof properties === 'object' && properties !== null) {
    const fields = Object.entries(properties).map(
      ([key, field]) => [key, ofSchema(field as Schema)] as const,
    );
    return fc.oneof(fc.record(Object.fromEntries(fields), { requiredKeys: [] }), anything);
  }
  if (type === 'array' && typeof items === 'object' && items !== null)
    return fc.oneof(fc.array(ofSchema(items as Schema), { maxLength: 3 }), anything);
  if (type === 'boolean') return fc.oneof(fc.boolean(), anything);
  return fc.oneof(likely, hexText, anything);
}

const request = fc.constantFrom(...ETH_METHODS).chain(({ method, params }) =>
  fc.record({
    jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0'),
    id: fc.oneof(fc.nat(), fc.string(), fc.constant(null), anything),
    method: fc.constant(method),
    params: fc.oneof(
      fc.tuple(...params.map(({ schema }) => ofSchema(schema))),
      fc.array(anything, { maxLength: 5 }),
    ),
  }),
);

const body = fc.oneof(
  { arbitrary: request.map((one) => JSON.stringify(one)), weight: 8 },
  { arbitrary: fc.array(request, { maxLength: 3 }).map((batch) => JSON.stringify(batch)), weight: 1 },
  { arbitrary: damaged(request.map((one) => JSON.stringify(one))), weight: 2 },
);

let started: Promise<FuzzNode> | undefined;

/** Every request must get a result or a JSON-RPC error, and the node must still answer afterwards. */
async function requestProperty() {
  started ??= fuzzNode();
  const node = await started;
  return holdsLater(body, async (text) => {
    const answer = await node.ask(text);
    const [crash] = node.crashes.splice(0);
    if (crash !== undefined) throw new Disagreement(crash);
    if (answer === undefined || answer === '') return;
    for (const one of [JSON.parse(answer)].flat()) {
      if (one.error?.code === -32603) throw new Disagreement(`internal error: ${one.error.message}`);
      if (one.error === undefined && one.result === undefined)
        throw new Disagreement('neither result nor error');
    }
    const alive = await node.ask('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}');
    agree('still alive', alive, '{"jsonrpc":"2.0","id":1,"result":"0x2328"}');
  });
}

const rlpItem: fc.Arbitrary<RlpItem> = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof({ maxDepth: 4 }, fc.uint8Array({ maxLength: 70 }), fc.array(tie('item'), { maxLength: 4 })),
})).item;

const textOf = (item: unknown): unknown =>
  item instanceof Uint8Array ? to0xHex(item) : (item as unknown[]).map(textOf);

async function rlpProperty() {
  const ethers = await second('ethers');
  return holds(damagedBytes(rlpItem.map(encodeRlp)), (bytes) => {
    const ours = decodeRlp(bytes);
    if (ours.ok) {
      agree('written again', to0xHex(encodeRlp(ours.value)), to0xHex(bytes));
      if (ethers !== undefined)
        agree('as ethers reads it', textOf(ours.value), ethers.decodeRlp(to0xHex(bytes)));
    }
  });
}

const fields = (count: number) =>
  fc.array(fc.oneof(fc.uint8Array({ maxLength: 33 }), fc.constant(new Uint8Array()), fc.constant([])), {
    minLength: count,
    maxLength: count,
  });

const envelope = fc.oneof(
  ...(
    [
      [undefined, 9],
      [1, 11],
      [2, 12],
      [3, 14],
      [4, 13],
      [5, 3],
    ] as const
  ).map(([type, count]) =>
    fields(count).map((list) => {
      const rlp = encodeRlp(list as RlpItem);
      return type === undefined ? rlp : Uint8Array.from([type, ...rlp]);
    }),
  ),
);

async function txProperty() {
  const ethers = await second('ethers');
  const suite = await acceleratedSuite();
  const bytes = fc.oneof(envelope, damagedBytes(envelope), signedEthTx, damagedBytes(signedEthTx));
  return holds(fc.tuple(bytes, seldom), ([one, isCompared]) => {
    const ours = decodeEthTx(one, suite);
    if (!ours.ok || ethers === undefined) return;
    const { tx } = ours.value;
    // ethers cannot read a nonce above what a double holds, nor a tip above the fee cap; this node refuses the latter
    // at admission.
    if (tx.nonce > Number.MAX_SAFE_INTEGER || tx.maxPriorityFeePerGas > tx.maxFeePerGas) return;
    const theirs = ethers.Transaction.from(to0xHex(one));
    agree('the hash as ethers has it', to0xHex(tx.hash), theirs.hash);
    if (isCompared) agree('the sender as ethers has it', to0xHex(tx.from), theirs.from.toLowerCase());
  });
}

const revertData = fc
  .tuple(
    fc.constantFrom('08c379a0', '4e487b71'),
    fc.array(
      fc.oneof(
        fc.constantFrom(0n, 1n, 32n, 17n, 2n ** 256n - 1n),
        fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      ),
      { maxLength: 4 },
    ),
  )
  .map(([selector, words]) =>
    Uint8Array.from(
      Buffer.from(selector + words.map((one) => one.toString(16).padStart(64, '0')).join(''), 'hex'),
    ),
  );

async function revertProperty() {
  const ethers = await second('ethers');
  const coder = ethers?.AbiCoder.defaultAbiCoder();
  const reasons = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => {
    const encoded: string = coder?.encode(['string'], [text]) ?? '0x';
    return { bytes: Uint8Array.from(Buffer.from(`08c379a0${encoded.slice(2)}`, 'hex')), text };
  });
  return holds(
    fc.oneof(
      reasons,
      damagedBytes(revertData).map((bytes) => ({ bytes, text: undefined })),
      fc.uint8Array({ maxLength: 100 }).map((bytes) => ({ bytes, text: undefined })),
    ),
    ({ bytes, text }) => {
      const reason = revertReason(bytes);
      if (text !== undefined && coder !== undefined) agree('the reason', reason, text);
      if (reason !== undefined && reason.length > bytes.length + 100)
        throw new Disagreement('a reason from nowhere');
    },
  );
}

export const ETHEREUM_TARGETS: readonly FuzzTarget[] = [
  {
    name: 'jsonrpc',
    doc: 'whole requests of every Ethereum method, answered by a node',
    property: requestProperty,
  },
  { name: 'rlp', doc: 'RLP', property: rlpProperty },
  { name: 'ethtx', doc: 'signed Ethereum transactions', property: txProperty },
  { name: 'abi-revert', doc: 'reasons of reverts', property: revertProperty },
];
