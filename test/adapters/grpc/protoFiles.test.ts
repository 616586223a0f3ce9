/** proto/cosmos and proto/chain say what the service table serves, and other people's code reads it the same way. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BaseAccount } from 'cosmjs-types/cosmos/auth/v1beta1/auth';
import { QueryAllBalancesResponse } from 'cosmjs-types/cosmos/bank/v1beta1/query';
import { TxResponse } from 'cosmjs-types/cosmos/base/abci/v1beta1/abci';
import { GetTxsEventRequest, OrderBy } from 'cosmjs-types/cosmos/tx/v1beta1/service';
import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor.js';
import { expect, test } from 'vitest';
import { serviceRoot } from '../../../adapters/grpc/descriptors.ts';
import { protoTexts } from '../../../adapters/grpc/protoText.ts';
import { REFLECTION_SERVICES, Reflection } from '../../../adapters/grpc/reflection.ts';
import { INTERFACES } from '../../../core/rpc/cosmos/interfaces.ts';
import { SERVICE_METHODS } from '../../../core/rpc/cosmos/table.ts';

const folder = new URL('../../../proto/', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.proto'))
  .sort();
const textOf = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
/** Those of the consensus engine, which core/codec is held to. */
const isOfEngine = (name: string): boolean => name.startsWith('tendermint/') && !name.endsWith('/all.proto');

/** Messages by full name, each with its file. */
function ownersOf(names: readonly string[]): Map<string, string> {
  const owners = new Map<string, string>();
  for (const name of names) {
    const { root, package: space = '' } = protobuf.parse(textOf(name), { keepCase: true });
    const found = root.lookup(space);
    if (!(found instanceof protobuf.Namespace)) throw new Error(`${name} has no package`);
    for (const one of found.nestedArray) owners.set(`${space}.${one.name}`, name);
  }
  return owners;
}

test('every file of the API is what the table makes of it, and no other is there', async () => {
  const made = protoTexts(serviceRoot(SERVICE_METHODS), ownersOf(files.filter(isOfEngine)));
  for (const [name, text] of made)
    await expect(text, name).toMatchFileSnapshot(fileURLToPath(new URL(name, folder)));
  expect(files.filter((name) => !isOfEngine(name))).toEqual([...made.keys()].sort());
});

test('names of the API begin at the root: protoc looks for the first part of others in the inmost scope', () => {
  for (const name of files.filter((file) => !isOfEngine(file))) {
    const lines = textOf(name).split('\n');
    const code = lines.filter((line) => !/^ *(package|import|\/\/)/.test(line)).join('\n');
    expect(code.match(/(?<![.\w])\w+\.[\w.]+/g) ?? [], name).toEqual([]);
  }
});

/** Everything under proto/, as a client's compiler reads it. */
function parsedRoot(): protobuf.Root {
  const root = new protobuf.Root();
  for (const name of files) protobuf.parse(textOf(name), root, { keepCase: true });
  for (const name of ['any', 'timestamp', 'duration']) {
    const common = protobuf.common.get(`google/protobuf/${name}.proto`);
    if (common?.nested !== undefined) root.addJSON(common.nested);
  }
  root.resolveAll();
  return root;
}

test('the files parse together: every method, with request and response', () => {
  const root = parsedRoot();
  for (const { service, name, request, response } of SERVICE_METHODS) {
    const method = root.lookupService(service).methods[name]?.resolve() as protobuf.Method | undefined;
    expect(method?.resolvedRequestType?.fullName).toBe(`.${request.name}`);
    expect(method?.resolvedResponseType?.fullName).toBe(`.${response.name}`);
  }
  expect(new Set(SERVICE_METHODS.map(({ service }) => service)).size).toBeGreaterThanOrEqual(8);
});

test('CosmJS reads messages that are encoded by these files', () => {
  const root = parsedRoot();
  const bytesOf = (name: string, value: object): Uint8Array => {
    const type = root.lookupType(name);
    return type.encode(type.fromObject(value)).finish();
  };
  const account = { address: 'chain1x', account_number: 7, sequence: 9 };
  expect(BaseAccount.decode(bytesOf('cosmos.auth.v1beta1.BaseAccount', account))).toMatchObject({
    address: 'chain1x',
    accountNumber: 7n,
    sequence: 9n,
  });
  const balances = {
    balances: [{ denom: 'achain', amount: '5' }],
    pagination: { next_key: Buffer.from('k'), total: 3 },
  };
  const name = 'cosmos.bank.v1beta1.QueryAllBalancesResponse';
  expect(QueryAllBalancesResponse.decode(bytesOf(name, balances))).toMatchObject({
    balances: balances.balances,
    pagination: { total: 3n },
  });
  const response = {
    height: 4,
    txhash: 'AB',
    code: 5,
    raw_log: 'l',
    gas_wanted: 6,
    gas_used: 7,
    timestamp: 't',
  };
  expect(TxResponse.decode(bytesOf('cosmos.base.abci.v1beta1.TxResponse', response))).toMatchObject({
    height: 4n,
    txhash: 'AB',
    code: 5,
    rawLog: 'l',
    gasWanted: 6n,
    gasUsed: 7n,
    timestamp: 't',
  });
  const request = { query: 'a=1', order_by: 2, page: 3, limit: 4 };
  expect(GetTxsEventRequest.decode(bytesOf('cosmos.tx.v1beta1.GetTxsEventRequest', request))).toMatchObject({
    query: 'a=1',
    orderBy: OrderBy.ORDER_BY_DESC,
    page: 3n,
    limit: 4n,
  });
});

test('reflection serves every service of the files', () => {
  const reflection = new Reflection(SERVICE_METHODS);
  const listed = Buffer.from(reflection.answer(new Uint8Array([58, 1, 42]))).toString('latin1');
  for (const { service, name } of SERVICE_METHODS) {
    expect(listed).toContain(service);
    const symbol = `${service}.${name}`;
    const asked = new Uint8Array([34, symbol.length, ...Buffer.from(symbol)]);
    expect(Buffer.from(reflection.answer(asked)).toString('latin1')).toContain(name);
  }
});

test('reflection describes whatever may stand in an Any', () => {
  const reflection = new Reflection(SERVICE_METHODS);
  for (const typeUrl of new Set([...INTERFACES.values()].flat())) {
    const asked = new Uint8Array([34, typeUrl.length - 1, ...Buffer.from(typeUrl.slice(1))]);
    expect(Buffer.from(reflection.answer(asked)).toString('latin1'), typeUrl).not.toContain('not found');
  }
});

test('reflection describes itself, and says of no single field whether it is packed', () => {
  const reflection = new Reflection(SERVICE_METHODS);
  for (const symbol of [...REFLECTION_SERVICES, 'cosmos.auth.v1beta1.BaseAccount']) {
    const asked = new Uint8Array([34, symbol.length, ...Buffer.from(symbol)]);
    const answer = protobuf.Reader.create(reflection.answer(asked));
    const files: Uint8Array[] = [];
    while (answer.pos < answer.len) {
      const tag = answer.uint32();
      // file_descriptor_response, whose only field is the files.
      if (tag >>> 3 !== 4) answer.skipType(tag & 7);
      else
        for (const end = answer.uint32() + answer.pos; answer.pos < end; ) {
          answer.uint32();
          files.push(answer.bytes());
        }
    }
    const read = files.map((file) => descriptor.FileDescriptorProto.decode(file) as unknown as DescribedFile);
    const [first] = read;
    expect(`${first?.package}.`).toBe(symbol.slice(0, symbol.lastIndexOf('.') + 1));
    const fields = read.flatMap(({ messageType }) => messageType.flatMap(({ field }) => field));
    expect(fields.filter(({ label, options }) => label !== 3 && options?.packed !== undefined)).toEqual([]);
    expect(fields.length).toBeGreaterThan(3);
  }
});

interface DescribedFile {
  readonly package: string;
  readonly messageType: readonly {
    readonly field: readonly { readonly label: number; readonly options?: { readonly packed?: boolean } }[];
  }[];
}
