/** Targets for transactions, sign documents, genesis and requests. */
import fc from 'fast-check';
import { formatAddress } from '../../core/address/kinds.ts';
import { parseAppState } from '../../core/app/appState.ts';
import { type AminoJson, type AminoObject, aminoText } from '../../core/app/cosmos/aminoJson.ts';
import { hashStruct, typedDataDigest, typedDataOf } from '../../core/app/cosmos/eip712.ts';
import { decodeMessage } from '../../core/app/cosmos/messages.ts';
import { aminoDoc, directSignBytes } from '../../core/app/cosmos/signBytes.ts';
import { MSG_SEND, PUB_KEY, SIGN_DOC, SIGNER_INFO } from '../../core/app/cosmos/tables.ts';
import { defaultAppState } from '../../core/app/defaultAppState.ts';
import { decodeEthTx } from '../../core/app/evm/ethTx.ts';
import { decodeTx } from '../../core/app/tx/decodeTx.ts';
import { AUTH_INFO, TX_BODY, TX_RAW } from '../../core/app/tx/tables.ts';
import { wrapEthTx } from '../../core/app/tx/wrapEthTx.ts';
import { TYPE_URL } from '../../core/app/typeUrls.ts';
import { decode, encode } from '../../core/codec/proto.ts';
import { sha256 } from '../../core/crypto/hash.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { EMPTY, to0xHex, toHex } from '../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../core/lib/utf8.ts';
import { parseJson, renderJson } from '../../core/rpc/jsonText.ts';
import { acceleratedSuite } from '../crypto/accelerated.ts';
import { second } from './second.ts';
import { signedEthTx } from './signedEthTx.ts';
import { tableProperty } from './tables.ts';
import {
  agree,
  bytesOf,
  damaged,
  damagedBytes,
  drawnFrom,
  type FuzzTarget,
  holds,
  seldom,
} from './target.ts';

const address = bytesOf(20);
const amount = fc.bigInt({ min: 1n, max: 2n ** 128n });
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

const sendFields = fc.record({ from: address, to: address, amount });
const sendMessage = (from: Uint8Array, to: Uint8Array, value: bigint) => ({
  typeUrl: TYPE_URL.msgSend,
  value: encode(MSG_SEND, {
    fromAddress: formatAddress('acc', 'chain', from),
    toAddress: formatAddress('acc', 'chain', to),
    amount: [{ denom: 'achain', amount: value.toString() }],
  }),
});

const message = fc.oneof(
  {
    weight: 7,
    arbitrary: drawnFrom(1024, (i) => {
      const from = sha256(encodeUtf8(`${i}`));
      return sendMessage(from.slice(12), from.slice(0, 20), BigInt(i) ** BigInt(i % 12) + 1n);
    }),
  },
  { weight: 1, arbitrary: sendFields.map(({ from, to, amount: value }) => sendMessage(from, to, value)) },
);

const fee = fc.record({ amount, gasLimit: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }) }).map((one) => ({
  amount: [{ denom: 'achain', amount: one.amount.toString() }],
  gasLimit: one.gasLimit,
  payer: '',
  granter: '',
}));

const rawTx = fc
  .record({
    messages: fc.array(message, { minLength: 1, maxLength: 3 }),
    memo: fc.string({ maxLength: 20 }),
    timeoutHeight: uint64,
    fee,
    sequence: uint64,
    mode: fc.constantFrom(0, 1, 2, 127),
    key: bytesOf(33),
    signature: fc.oneof(...[63, 64, 65, 66].map(bytesOf)),
  })
  .map((tx) => {
    const publicKey = { typeUrl: TYPE_URL.ethPubKey, value: encode(PUB_KEY, { key: tx.key }) };
    const modeInfo = { single: { mode: tx.mode }, multi: EMPTY };
    const signer = encode(SIGNER_INFO, { publicKey, modeInfo, sequence: tx.sequence });
    const body = { ...tx, extensionOptions: [], nonCriticalExtensionOptions: [] };
    return encode(TX_RAW, {
      bodyBytes: encode(TX_BODY, body),
      authInfoBytes: encode(AUTH_INFO, { signerInfos: [signer], fee: tx.fee, tip: EMPTY }),
      signatures: [tx.signature],
    });
  });

function wrap(raw: Uint8Array, suite: CryptoSuite): Uint8Array {
  const read = decodeEthTx(raw, suite);
  if (!read.ok) throw new Error(`our own transaction is refused: ${read.error.code}`);
  return wrapEthTx(read.value.tx, 'achain');
}

async function txProperty() {
  const types = await second('cosmjs-types/cosmos/tx/v1beta1/tx');
  const suite = await acceleratedSuite();
  const known = new WeakMap<Uint8Array, Uint8Array>();
  const wrapped = signedEthTx.map((raw) => {
    const one = known.get(raw) ?? wrap(raw, suite);
    known.set(raw, one);
    return one;
  });
  const bytes = fc.oneof({ weight: 4, arbitrary: rawTx }, { weight: 1, arbitrary: wrapped });
  return holds(damagedBytes(bytes), (bytes) => {
    for (const isSimulation of [false, true]) {
      const read = decodeTx(bytes, suite, 'achain', { isSimulation });
      if (read.ok && read.value.kind === 'ethereum')
        agree('wrapped again', toHex(wrapEthTx(read.value.tx, 'achain')), toHex(bytes));
    }
    const raw = decode(TX_RAW, bytes);
    if (!raw.ok) return;
    agree('encoded again', toHex(encode(TX_RAW, raw.value)), toHex(bytes));
    if (types === undefined) return;
    const theirs = types.TxRaw.decode(bytes);
    agree('the body as CosmJS reads it', toHex(raw.value.bodyBytes), toHex(theirs.bodyBytes));
  });
}

async function signDocProperty() {
  const types = await second('cosmjs-types/cosmos/tx/v1beta1/tx');
  const document = fc.record({ bodyBytes: fc.uint8Array(), authInfoBytes: fc.uint8Array(), n: uint64 });
  return holds(document, ({ n, ...tx }) => {
    const bytes = directSignBytes(tx, { chainId: 'chain_9000-1', accountNumber: n, sequence: 0n });
    const read = decode(SIGN_DOC, bytes);
    agree('the number', read.ok ? read.value.accountNumber.toString() : read.error, n.toString());
    if (types === undefined) return;
    const theirs = types.SignDoc.encode({ ...tx, chainId: 'chain_9000-1', accountNumber: n }).finish();
    agree('the document as CosmJS writes it', toHex(bytes), toHex(theirs));
  });
}

const aminoJson: fc.Arbitrary<AminoJson> = fc.letrec<{ json: AminoJson }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.boolean(),
    fc.integer(),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.string({ maxLength: 4 }), tie('json'), { maxKeys: 3 }) as fc.Arbitrary<AminoObject>,
  ),
})).json;

async function eip712Property() {
  const ethers = await second('ethers');
  const { keccak256: keccak } = await acceleratedSuite();
  const document = fc.record({
    isCompared: seldom,
    messages: fc.array(message, { minLength: 1, maxLength: 3 }),
    fee,
    memo: fc.string(),
    n: uint64,
  });
  return holds(document, ({ messages, n, isCompared, ...rest }) => {
    const decoded = messages.map((one) => decodeMessage(one, 'chain'));
    const doc = aminoDoc(
      { ...rest, timeoutHeight: 0n, messages: decoded.flatMap((one) => (one.ok ? [one.value] : [])) },
      { chainId: 'chain_9000-1', accountNumber: n, sequence: n },
    );
    const data = typedDataOf(doc, 9000n);
    if (data === undefined) throw new Error('no typed data');
    typedDataDigest(data, keccak);
    if (ethers === undefined || !isCompared) return;
    const { EIP712Domain: _, ...types } = data.types;
    const theirs = ethers.TypedDataEncoder.hashStruct('Tx', types, data.message);
    agree('the hash as ethers has it', to0xHex(hashStruct('Tx', data.message, data.types, keccak)), theirs);
  });
}

const genesisText = sendFields.map(({ from, amount: balance }) =>
  JSON.stringify(defaultAppState({ accounts: [{ address: from, balance }] })),
);

export const MESSAGE_TARGETS: readonly FuzzTarget[] = [
  { name: 'tx-decode', doc: 'transactions as consensus carries them', property: txProperty },
  {
    name: 'sign-doc',
    doc: 'documents of mode DIRECT',
    property: signDocProperty,
  },
  {
    name: 'amino-json',
    doc: 'JSON of the legacy amino mode',
    property: () =>
      holds(aminoJson, (value) => {
        const text = aminoText(value);
        agree('JSON reads it back', sorted(JSON.parse(text)), sorted(value));
        if (/[<>&]/.test(text)) throw new Error('not escaped');
      }),
  },
  { name: 'eip712', doc: 'typed data of Cosmos transactions', property: eip712Property },
  { name: 'protobuf', doc: 'tables of the API', property: () => tableProperty(damagedBytes(rawTx)) },
  {
    name: 'genesis',
    doc: "genesis.json's app_state",
    property: async () => {
      const { keccak256 } = await acceleratedSuite();
      return holds(damaged(genesisText), (text) => {
        const json = parsedJson(text);
        if (json === undefined) return;
        const state = parseAppState(json, 'chain_9000-1', keccak256);
        if (!state.ok && state.error.path === '') throw new Error('a refusal without a place');
      });
    },
  },
  {
    name: 'json-rpc',
    doc: 'envelopes of JSON-RPC, as read before any node is asked',
    property: () =>
      holds(damaged(fc.json()), (text) => {
        const ours = parseJson(text);
        agree('taken as by the host', ours.ok, parsedJson(text) !== undefined);
        if (ours.ok)
          agree(
            'written again',
            JSON.stringify(JSON.parse(renderJson(ours.value))),
            JSON.stringify(JSON.parse(text)),
          );
      }),
  },
];

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.keys(value)
          .sort()
          .map((key) => [key, sorted((value as Record<string, unknown>)[key])])
      : value;
