/** The Cosmos face as its clients use it: CosmJS, gRPC with reflection, and a wallet that knows EIP-712 only. */
import { once } from 'node:events';
import { makeAuthInfoBytes, makeSignBytes, makeSignDoc, Registry } from '@cosmjs/proto-signing';
import { defaultRegistryTypes, StargateClient } from '@cosmjs/stargate';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { BinaryReader } from 'cosmjs-types/binary';
import { BaseAccount } from 'cosmjs-types/cosmos/auth/v1beta1/auth';
import { QueryAccountRequest, QueryAccountResponse } from 'cosmjs-types/cosmos/auth/v1beta1/query';
import { SignMode } from 'cosmjs-types/cosmos/tx/signing/v1beta1/signing';
import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { concat, keccak256, SigningKey, TypedDataEncoder } from 'ethers';
import protobuf from 'protobufjs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Devnet, KEYS, startDevnet } from './devnet.ts';

const ALICE = 'chain17w0adeg64ky0daxwd2ugyuneellmjgnxkl0eq4';
const CHAIN_ID = 'chain_9000-1';
const GAS = 200_000;
const FEE = [{ denom: 'achain', amount: String(BigInt(GAS) * 5_000_000_000n) }];

const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replace(/^0x/, ''), 'hex'));
const key = new SigningKey(KEYS[0]);
const pubKey = {
  typeUrl: '/chain.crypto.v1.ethsecp256k1.PubKey',
  value: new Uint8Array([10, 33, ...bytesOf(key.compressedPublicKey)]),
};
const registry = new Registry(defaultRegistryTypes);

let devnet: Devnet;
let client: StargateClient;
let receiver = '';
beforeAll(async () => {
  devnet = await startDevnet();
  // CosmJS does not believe a chain without a block.
  await vi.waitFor(
    async () => {
      const latest = await fetch(`${devnet.rest}/cosmos/base/tendermint/v1beta1/blocks/latest`);
      expect(latest.status).toBe(200);
    },
    { timeout: 120_000, interval: 100 },
  );
  client = await StargateClient.connect(devnet.consensusRpc, {
    accountParser: ({ value }) => {
      const reader = new BinaryReader(value);
      reader.uint32();
      const base = BaseAccount.decode(reader.bytes());
      const { address, accountNumber, sequence } = base;
      return { address, pubkey: null, accountNumber, sequence: Number(sequence) };
    },
  });
  const { address_string } = (await (
    await fetch(
      `${devnet.rest}/cosmos/auth/v1beta1/bech32/${'AgICAgICAgICAgICAgICAgICAgI='.replace('=', '%3D')}`,
    )
  ).json()) as { address_string: string };
  receiver = address_string;
});
afterAll(async () => {
  client?.disconnect();
  await devnet?.stop();
});

/** A MsgSend of Alice's next sequence; `sign` gives r, s and v over what the mode says. */
async function transfer(
  mode: SignMode,
  sign: (accountNumber: bigint, sequence: number, body: Uint8Array, auth: Uint8Array) => string,
): Promise<Uint8Array> {
  const { accountNumber, sequence } = await client.getSequence(ALICE);
  const value = { fromAddress: ALICE, toAddress: receiver, amount: [{ denom: 'achain', amount: '1000' }] };
  const message = { typeUrl: '/cosmos.bank.v1beta1.MsgSend', value };
  const body = registry.encodeTxBody({ messages: [message] });
  const auth = makeAuthInfoBytes([{ pubkey: pubKey, sequence }], FEE, GAS, undefined, undefined, mode);
  const signature = bytesOf(sign(accountNumber, sequence, body, auth)).slice(0, 64);
  return TxRaw.encode({ bodyBytes: body, authInfoBytes: auth, signatures: [signature] }).finish();
}

const rsOf = (digest: string): string => {
  const { r, s } = key.sign(digest);
  return concat([r, s]);
};

const direct = () =>
  transfer(SignMode.SIGN_MODE_DIRECT, (accountNumber, _, body, auth) =>
    rsOf(keccak256(makeSignBytes(makeSignDoc(body, auth, CHAIN_ID, accountNumber)))),
  );

describe('CosmJS', () => {
  test('reads an account and its balance, sends coins and finds the transaction again', async () => {
    expect((await client.getAccount(ALICE))?.accountNumber).toBe(0n);
    expect((await client.getBalance(ALICE, 'achain')).amount).toBe((10_000n * 10n ** 18n).toString());
    const sent = await client.broadcastTx(await direct(), 120_000, 100);
    expect(sent.code).toBe(0);
    expect((await client.getBalance(receiver, 'achain')).amount).toBe('1000');
    const found = await client.getTx(sent.transactionHash);
    expect(found?.height).toBe(sent.height);
    const [listed] = await client.searchTx([{ key: 'transfer.recipient', value: receiver }]);
    expect(listed?.hash).toBe(sent.transactionHash);
    const body = (await (
      await fetch(`${devnet.rest}/cosmos/tx/v1beta1/txs/${sent.transactionHash}`)
    ).json()) as {
      tx: { body: { messages: readonly { '@type': string }[] } };
      tx_response: { height: string };
    };
    expect(body.tx.body.messages[0]?.['@type']).toBe('/cosmos.bank.v1beta1.MsgSend');
    expect(body.tx_response.height).toBe(String(sent.height));
  });
});

test('a wallet that signs EIP-712 typed data moves coins', async () => {
  const fields = (...pairs: string[][]) =>
    pairs.map(([name, type]) => ({ name, type }) as { name: string; type: string });
  const types = {
    Tx: fields(
      ['account_number', 'string'],
      ['chain_id', 'string'],
      ['fee', 'Fee'],
      ['memo', 'string'],
      ['sequence', 'string'],
      ['msg0', 'TypeMsgSend0'],
    ),
    Fee: fields(['amount', 'Coin[]'], ['gas', 'string']),
    Coin: fields(['denom', 'string'], ['amount', 'string']),
    TypeMsgSend0: fields(['value', 'TypeValue0'], ['type', 'string']),
    TypeValue0: fields(
      ['to_address', 'string'],
      ['from_address', 'string'],
      ['amount', 'TypeValueAmount0[]'],
    ),
    TypeValueAmount0: fields(['denom', 'string'], ['amount', 'string']),
  };
  const domainTypes = {
    EIP712Domain: fields(
      ['name', 'string'],
      ['version', 'string'],
      ['chainId', 'uint256'],
      ['verifyingContract', 'string'],
      ['salt', 'string'],
    ),
  };
  const domain = {
    name: 'Cosmos Web3',
    version: '1.0.0',
    chainId: 9000,
    verifyingContract: 'cosmos',
    salt: '0',
  };
  const raw = await transfer(SignMode.SIGN_MODE_LEGACY_AMINO_JSON, (accountNumber, sequence) => {
    const message = {
      account_number: String(accountNumber),
      chain_id: CHAIN_ID,
      fee: { amount: FEE, gas: String(GAS) },
      memo: '',
      sequence: String(sequence),
      msg0: {
        type: 'cosmos-sdk/MsgSend',
        value: { from_address: ALICE, to_address: receiver, amount: [{ denom: 'achain', amount: '1000' }] },
      },
    };
    const parts = [
      '0x1901',
      TypedDataEncoder.hashStruct('EIP712Domain', domainTypes, domain),
      TypedDataEncoder.hashStruct('Tx', types, message),
    ];
    return rsOf(keccak256(concat(parts)));
  });
  expect((await client.broadcastTx(raw, 120_000, 100)).code).toBe(0);
});

test('simulation tells the gas of a transfer that nobody has signed', async () => {
  const raw = await direct();
  const unsigned = TxRaw.encode({ ...TxRaw.decode(raw), signatures: [new Uint8Array(0)] }).finish();
  const answer = await fetch(`${devnet.rest}/cosmos/tx/v1beta1/simulate`, {
    method: 'POST',
    body: JSON.stringify({ tx_bytes: Buffer.from(unsigned).toString('base64') }),
  });
  const { gas_info } = (await answer.json()) as { gas_info: { gas_used: string } };
  expect(Number(gas_info.gas_used)).toBeGreaterThan(21_000);
  expect(Number(gas_info.gas_used)).toBeLessThan(GAS);
});

describe('gRPC', () => {
  const same = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
  const plain = (bytes: Buffer): Uint8Array => new Uint8Array(bytes);
  let grpc: Client;
  beforeAll(() => {
    grpc = new Client(devnet.grpc, credentials.createInsecure());
  });
  afterAll(() => grpc?.close());

  const ask = (path: string, request: Uint8Array, metadata = new Metadata()): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      grpc.makeUnaryRequest(path, same, plain, request, metadata, (error, answer) =>
        error === null ? resolve(answer as Uint8Array) : reject(error),
      );
    });

  test('answers for the same account as REST, now and at an earlier height', async () => {
    const request = QueryAccountRequest.encode({ address: ALICE }).finish();
    const path = '/cosmos.auth.v1beta1.Query/Account';
    const { account } = QueryAccountResponse.decode(await ask(path, request));
    const rest = (await (await fetch(`${devnet.rest}/cosmos/auth/v1beta1/accounts/${ALICE}`)).json()) as {
      account: { base_account: { sequence: string } };
    };
    const sequenceOf = (value: Uint8Array): bigint => {
      const reader = new BinaryReader(value);
      reader.uint32();
      return BaseAccount.decode(reader.bytes()).sequence;
    };
    expect(account?.typeUrl).toBe('/chain.types.v1.EthAccount');
    expect(String(sequenceOf(account?.value as Uint8Array))).toBe(rest.account.base_account.sequence);
    const early = new Metadata();
    early.set('x-cosmos-block-height', '1');
    const first = QueryAccountResponse.decode(await ask(path, request, early));
    expect(sequenceOf(first.account?.value as Uint8Array)).toBe(0n);
  });

  test('tells of an unknown account with NotFound and of a bad address with InvalidArgument', async () => {
    const code = (address: string) =>
      ask('/cosmos.auth.v1beta1.Query/Account', QueryAccountRequest.encode({ address }).finish()).catch(
        (error: ServiceError) => error.code,
      );
    expect(await code('0x00000000000000000000000000000000000a11ce')).toBe(5);
    expect(await code('chain1nonsense')).toBe(3);
  });

  test.each(['v1', 'v1alpha'])('reflects its services and their messages (%s)', async (version) => {
    const text = (field: number, value: string) =>
      new Uint8Array([field * 8 + 2, value.length, ...Buffer.from(value)]);
    const stream = grpc.makeBidiStreamRequest(
      `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
      same,
      plain,
    );
    stream.write(text(7, '*'));
    const [listed] = (await once(stream, 'data')) as [Uint8Array];
    expect(Buffer.from(listed).toString('latin1')).toContain('cosmos.bank.v1beta1.Query');
    stream.write(text(4, 'cosmos.bank.v1beta1.Query'));
    const [files] = (await once(stream, 'data')) as [Uint8Array];
    stream.end();
    const reader = protobuf.Reader.create(files);
    const descriptors: Uint8Array[] = [];
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag >>> 3 !== 4) {
        reader.skipType(tag & 7);
        continue;
      }
      const end = reader.uint32() + reader.pos;
      while (reader.pos < end) {
        reader.uint32();
        descriptors.push(reader.bytes());
      }
    }
    const all = descriptors.map((one) => Buffer.from(one).toString('latin1')).join('');
    expect(all).toContain('QueryAllBalancesRequest');
    // A file comes with those it imports.
    expect(all).toContain('PageRequest');
  });
});
