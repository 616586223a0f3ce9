import { createHash } from 'node:crypto';
import type { comet38 } from '@cosmjs/tendermint-rpc';
import protobuf from 'protobufjs';

/**
 * The hash of a header as CosmJS decoded it, by the rules since Tendermint 0.34 (protobuf leaves). Written against
 * node:crypto and protobufjs and proven on a block of CometBFT: nothing of the node takes part. CosmJS' own function
 * still hashes the amino encoding of earlier releases and finds no present chain right.
 */
export function headerHash(header: comet38.Header): string {
  const { version, time, lastBlockId } = header;
  const milliseconds = time.getTime();
  const leaves = [
    message((w) => {
      if (version.block !== 0) w.uint32(8).uint64(version.block);
      if (version.app !== 0) w.uint32(16).uint64(version.app);
    }),
    message((w) => w.uint32(10).string(header.chainId)),
    message((w) => w.uint32(8).int64(header.height)),
    message((w) => {
      w.uint32(8).int64(Math.floor(milliseconds / 1000));
      const nanos = (milliseconds % 1000) * 1e6 + (time.nanoseconds ?? 0);
      if (nanos !== 0) w.uint32(16).int32(nanos);
    }),
    message((w) => {
      if (lastBlockId === null) throw new Error('a first header has no last block');
      w.uint32(10).bytes(lastBlockId.hash).uint32(18).fork();
      w.uint32(8).uint32(lastBlockId.parts.total).uint32(18).bytes(lastBlockId.parts.hash).ldelim();
    }),
    ...[
      header.lastCommitHash,
      header.dataHash,
      header.validatorsHash,
      header.nextValidatorsHash,
      header.consensusHash,
      header.appHash,
      header.lastResultsHash,
      header.evidenceHash,
      header.proposerAddress,
    ].map((bytes) => message((w) => bytes.length > 0 && w.uint32(10).bytes(bytes))),
  ];
  return merkle(leaves).toString('hex');
}

function message(write: (writer: protobuf.Writer) => unknown): Uint8Array {
  const writer = protobuf.Writer.create();
  write(writer);
  return writer.finish();
}

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** RFC 6962's tree. */
function merkle(leaves: readonly Uint8Array[]): Buffer {
  if (leaves.length === 1) return sha256(Uint8Array.of(0), leaves[0] as Uint8Array);
  const half = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return sha256(Uint8Array.of(1), merkle(leaves.slice(0, half)), merkle(leaves.slice(half)));
}
