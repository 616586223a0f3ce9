/** cosmos.tx.v1beta1.Service, codecs: transactions to bytes and back, in protobuf and legacy amino. */
import type { TxBody } from '../../../app/tx/tables.ts';
import { bytes, optional, string } from '../../../codec/fields.ts';
import { encode, table } from '../../../codec/proto.ts';
import type { Bytes } from '../../../lib/bytes.ts';
import { type ServiceMethod, serviceMethod } from '../service.ts';
import { GRPC, GrpcError } from '../status.ts';
import { stdTxBytes, stdTxJson } from '../stdTx.ts';
import { openTx } from '../txResponse.ts';
import { FULL_TX, type FullAuthInfo, type FullTx, TEXT_MAX } from '../txTables.ts';

const SERVICE = 'cosmos.tx.v1beta1.Service';
const ROOT = '/cosmos/tx/v1beta1';
const PACKAGE = 'cosmos.tx.v1beta1';

const TX_BYTES_REQUEST = [bytes(1, 'txBytes', TEXT_MAX)] as const;
const AMINO_JSON = [string(1, 'aminoJson', TEXT_MAX)] as const;
const AMINO_BINARY = [bytes(1, 'aminoBinary', TEXT_MAX)] as const;

const NO_BODY: TxBody = {
  messages: [],
  memo: '',
  timeoutHeight: 0n,
  extensionOptions: [],
  nonCriticalExtensionOptions: [],
};
const NO_AUTH_INFO: FullAuthInfo = { signerInfos: [], fee: undefined, tip: undefined };

/** Decodes a `Tx`; missing parts become empty messages. Throws GrpcError. */
function opened(txBytes: Bytes): FullTx {
  const tx = openTx(txBytes);
  if (tx === undefined) throw new GrpcError(GRPC.invalidArgument, 'tx parse error');
  return { ...tx, body: tx.body ?? NO_BODY, authInfo: tx.authInfo ?? NO_AUTH_INFO };
}

export const txCodingMethods: readonly ServiceMethod[] = [
  serviceMethod({
    service: SERVICE,
    name: 'TxEncode',
    verb: 'POST',
    path: `${ROOT}/encode`,
    doc: 'The bytes of a transaction in JSON.',
    request: table<{ readonly tx: FullTx | undefined }>(`${PACKAGE}.TxEncodeRequest`, [
      optional(1, 'tx', FULL_TX),
    ]),
    response: table<{ readonly txBytes: Bytes }>(`${PACKAGE}.TxEncodeResponse`, TX_BYTES_REQUEST),
    run: (_, { tx }) => {
      if (tx === undefined) throw new GrpcError(GRPC.invalidArgument, 'invalid empty tx');
      return { txBytes: encode(FULL_TX, tx) };
    },
  }),
  serviceMethod({
    service: SERVICE,
    name: 'TxDecode',
    verb: 'POST',
    path: `${ROOT}/decode`,
    doc: 'A transaction in JSON from its bytes.',
    request: table<{ readonly txBytes: Bytes }>(`${PACKAGE}.TxDecodeRequest`, TX_BYTES_REQUEST),
    response: table<{ readonly tx: FullTx | undefined }>(`${PACKAGE}.TxDecodeResponse`, [
      optional(1, 'tx', FULL_TX),
    ]),
    run: (_, { txBytes }) => {
      if (txBytes.length === 0) throw new GrpcError(GRPC.invalidArgument, 'invalid empty tx bytes');
      return { tx: opened(txBytes) };
    },
  }),
  serviceMethod({
    service: SERVICE,
    name: 'TxEncodeAmino',
    verb: 'POST',
    path: `${ROOT}/encode/amino`,
    doc: "Amino's bytes of a StdTx in JSON.",
    request: table<{ readonly aminoJson: string }>(`${PACKAGE}.TxEncodeAminoRequest`, AMINO_JSON),
    response: table<{ readonly aminoBinary: Bytes }>(`${PACKAGE}.TxEncodeAminoResponse`, AMINO_BINARY),
    run: (_, { aminoJson }) => {
      if (aminoJson === '') throw new GrpcError(GRPC.invalidArgument, 'invalid empty tx json');
      return { aminoBinary: stdTxBytes(aminoJson) };
    },
  }),
  serviceMethod({
    service: SERVICE,
    name: 'TxDecodeAmino',
    verb: 'POST',
    path: `${ROOT}/decode/amino`,
    doc: "A StdTx in JSON from amino's bytes.",
    request: table<{ readonly aminoBinary: Bytes }>(`${PACKAGE}.TxDecodeAminoRequest`, AMINO_BINARY),
    response: table<{ readonly aminoJson: string }>(`${PACKAGE}.TxDecodeAminoResponse`, AMINO_JSON),
    run: (_, { aminoBinary }) => {
      if (aminoBinary.length === 0) throw new GrpcError(GRPC.invalidArgument, 'invalid empty tx bytes');
      return { aminoJson: stdTxJson(aminoBinary) };
    },
  }),
];
