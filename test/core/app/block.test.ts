import { createMPT } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { getContractAddress, toRlp, toHex as viemHex, keccak256 as viemKeccak } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { appHashOf } from '../../../core/app/appHash.ts';
import type { EthBlock, EthReceipt } from '../../../core/app/chain.ts';
import { decodeEthBlock, encodeEthBlock } from '../../../core/app/evm/blockCodec.ts';
import { delegationTo } from '../../../core/app/evm/delegation.ts';
import { keccak256 } from '../../../core/crypto/hash.ts';
import { equalBytes, hex, to0xHex, toHex } from '../../../core/lib/bytes.ts';
import type { FinalizeReply } from '../../../core/types/app.ts';
import { COIN, type Committed, TestChain } from './support/chain.ts';
import { deploying, LOOP, REVERTER, STORE_AND_LOG, TOPIC, UNDEFINED_OPCODE, word } from './support/code.ts';
import { GWEI, signRaw, signTx, wallet, wrapRaw } from './support/wallet.ts';

const alice = wallet(0);
const bob = wallet(1);
const carol = wallet(2);
const created = (nonce: number) => getContractAddress({ from: alice.account.address, nonce: BigInt(nonce) });

let chain: TestChain;
let deployed: Committed;
let mixed: Committed;
let ethBlock: EthBlock;

beforeAll(async () => {
  chain = await TestChain.fresh([alice, bob].map(({ address }) => ({ address, balance: 10_000n * COIN })));
  const codes = [STORE_AND_LOG, REVERTER, LOOP, UNDEFINED_OPCODE];
  deployed = await chain.commit(
    await Promise.all(
      codes.map((code, nonce) => signTx(alice, { data: deploying(code), nonce, gas: 200_000n })),
    ),
  );
  const authorization = await bob.account.signAuthorization({ address: created(0), chainId: 9000, nonce: 0 });
  mixed = await chain.commit([
    await signTx(alice, { to: created(0), data: word(7), nonce: 4 }),
    await signTx(alice, { to: created(1), nonce: 5 }),
    await signTx(alice, { to: created(2), nonce: 6, gas: 50_000n }),
    await signTx(alice, { to: created(3), nonce: 7 }),
    await signTx(alice, {
      type: 'eip2930',
      to: created(0),
      data: word(0),
      nonce: 8,
      accessList: [{ address: created(0), storageKeys: [word(0)] }],
    }),
    await signTx(alice, {
      type: 'eip7702',
      to: bob.account.address,
      data: word(9),
      nonce: 9,
      authorizationList: [authorization],
    }),
    await signTx(alice, { type: 'legacy', to: carol.account.address, value: 3n, nonce: 10, gas: 21_000n }),
  ]);
  ethBlock = chain.reader.ethBlock(2) as EthBlock;
});

test('a block of deployments creates the contracts', () => {
  expect(deployed.reply.txResults.map((result) => result.code)).toEqual([0, 0, 0, 0]);
  expect(toHex(chain.reader.latest().code(hex(created(0))))).toBe(STORE_AND_LOG);
  expect(chain.reader.latest().account(hex(created(0)))?.nonce).toBe(1n);
});

test('failed transactions are charged and visible: code 0, status 0, vm_error in the event', () => {
  expect(ethBlock.receipts.map((receipt) => receipt.status)).toEqual([1, 0, 0, 0, 1, 1, 1]);
  expect(mixed.reply.txResults.every((result) => result.code === 0)).toBe(true);
  const failures = mixed.reply.txResults.map(
    (result) =>
      result.events
        .find((event) => event.type === 'ethereum_tx')
        ?.attributes.find((attribute) => attribute.key === 'ethereumTxFailed')?.value,
  );
  expect(failures).toEqual([
    undefined,
    'execution reverted',
    'out of gas',
    'invalid opcode: opcode 0xc not defined',
    undefined,
    undefined,
    undefined,
  ]);
  expect(ethBlock.receipts[2]?.gasUsed).toBe(50_000n);
  expect(ethBlock.receipts[3]?.gasUsed).toBe(100_000n);
  expect(chain.reader.latest().account(alice.address)?.nonce).toBe(11n);
});

test('gas is what the Yellow Paper says', () => {
  const [store, revert, , , listed, , transfer] = ethBlock.receipts as readonly EthReceipt[];
  // 21000 + 31 zero bytes · 4 + 16; cold slot 0 → 7: 22100; log1 of 32 bytes: 375 + 375 + 8 · 32; the rest by hand.
  const body = 3 + 3 + 3 + 3 + 22_100 + 3 + 6 + 3 + 3 + 3 + (375 + 375 + 256);
  expect(store?.gasUsed).toBe(BigInt(21_000 + 31 * 4 + 16 + body));
  expect(revert?.gasUsed).toBe(BigInt(21_000 + 3 + 3 + 6 + 3 + 3));
  expect(transfer?.gasUsed).toBe(21_000n);
  // Access list 2400 + 1900; clearing a warm slot costs 2900 and gives back 4800 (a fifth of the gas at most).
  const before = 21_000 + 32 * 4 + 4_300 + (3 + 3 + 3 + 3 + 2_900 + 3 + 6 + 3 + 3 + 3 + (375 + 375 + 256));
  expect(listed?.gasUsed).toBe(BigInt(before - Math.min(4_800, Math.floor(before / 5))));
});

test('a set-code transaction delegates the authority, raises its nonce and runs the code at its address', () => {
  const view = chain.reader.latest();
  expect(equalBytes(view.code(bob.address), delegationTo(hex(created(0))))).toBe(true);
  expect(view.account(bob.address)?.nonce).toBe(1n);
  expect(toHex(view.storage(bob.address, new Uint8Array(32)))).toBe(word(9).slice(2));
  expect(toHex(ethBlock.receipts[5]?.logs[0]?.address as Uint8Array)).toBe(toHex(bob.address));
});

test('a delegated account still sends transactions', async () => {
  const { reply } = await chain.commit([
    await signTx(bob, { to: carol.account.address, value: 1n, nonce: 1 }),
  ]);
  expect(reply.txResults[0]?.code).toBe(0);
});

test('an account still sends in the block in which it is delegated', async () => {
  const accounts = [alice, bob].map(({ address }) => ({ address, balance: COIN }));
  const fresh = await TestChain.fresh(accounts);
  const authorization = await bob.account.signAuthorization({ address: created(0), chainId: 9000, nonce: 0 });
  const to = carol.account.address;
  const txs = [
    await signTx(alice, { type: 'eip7702', to, authorizationList: [authorization], nonce: 0 }),
    await signTx(bob, { to, value: 1n, nonce: 1 }),
  ];
  expect(await fresh.propose(txs)).toEqual(txs);
  const { reply } = await fresh.commit(txs);
  expect(reply.txResults.map(({ code }) => code)).toEqual([0, 0]);
  expect(equalBytes(fresh.reader.latest().code(bob.address), delegationTo(hex(created(0))))).toBe(true);
});

test('logs count over the block and the bloom holds their address and topic', () => {
  const logs = ethBlock.receipts.flatMap((receipt) => receipt.logs);
  expect(logs.map((log) => log.logIndex)).toEqual([0, 1, 2]);
  expect(logs.every((log) => toHex(log.topics[0] as Uint8Array) === TOPIC)).toBe(true);
  // Recomputed by hand from the definition (Yellow Paper 4.3.1) with another library's keccak.
  const expected = new Uint8Array(256);
  for (const log of logs) {
    for (const item of [log.address, ...log.topics]) {
      const hash = hex(viemKeccak(item));
      for (const i of [0, 2, 4]) {
        const bit = (((hash[i] as number) << 8) + (hash[i + 1] as number)) % 2048;
        expected[255 - Math.floor(bit / 8)] =
          (expected[255 - Math.floor(bit / 8)] as number) | (1 << (bit % 8));
      }
    }
  }
  expect(toHex(ethBlock.header.logsBloom)).toBe(toHex(expected));
});

const trieRoot = async (values: readonly Uint8Array[]): Promise<string> => {
  const trie = await createMPT();
  for (const [i, value] of values.entries()) await trie.put(RLP.encode(i), value);
  return toHex(trie.root());
};

/** The receipt as another implementation encodes it. */
const receiptBytes = (receipt: EthReceipt): Uint8Array => {
  const body = RLP.encode([
    receipt.status,
    receipt.cumulativeGasUsed,
    receipt.logsBloom,
    receipt.logs.map((log) => [log.address, [...log.topics], log.data]),
  ] as Parameters<typeof RLP.encode>[0]);
  return receipt.type === 0 ? body : Uint8Array.of(receipt.type, ...body);
};

test('transactions and receipts roots are those of an independent trie', async () => {
  expect(toHex(ethBlock.header.transactionsRoot)).toBe(
    await trieRoot(ethBlock.transactions.map((tx) => tx.raw)),
  );
  expect(toHex(ethBlock.header.receiptsRoot)).toBe(await trieRoot(ethBlock.receipts.map(receiptBytes)));
});

test('the block hash is keccak256 of the RLP header and the parent chain is unbroken', () => {
  const h = ethBlock.header;
  const minimal = (value: bigint | number) => (BigInt(value) === 0n ? '0x' : viemHex(value));
  const fields = [
    viemHex(h.parentHash),
    viemHex(h.unclesHash),
    viemHex(h.coinbase),
    viemHex(h.stateRoot),
    viemHex(h.transactionsRoot),
    viemHex(h.receiptsRoot),
    viemHex(h.logsBloom),
    minimal(h.difficulty),
    minimal(h.number),
    minimal(h.gasLimit),
    minimal(h.gasUsed),
    minimal(h.timestamp),
    viemHex(h.extraData),
    viemHex(h.mixHash),
    viemHex(h.nonce),
    minimal(h.baseFeePerGas),
    viemHex(h.withdrawalsRoot),
    minimal(h.blobGasUsed),
    minimal(h.excessBlobGas),
    viemHex(h.parentBeaconBlockRoot),
    viemHex(h.requestsHash),
  ] as const;
  const pad = (field: string) => (field.length % 2 === 0 ? field : `0x0${field.slice(2)}`);
  expect(to0xHex(ethBlock.hash)).toBe(viemKeccak(toRlp(fields.map((field) => pad(field) as `0x${string}`))));
  expect(toHex(h.parentHash)).toBe(toHex((chain.reader.ethBlock(1) as EthBlock).hash));
  expect(toHex(chain.reader.ethBlock(1)?.header.parentHash as Uint8Array)).toBe(
    toHex((chain.reader.ethBlock(0) as EthBlock).hash),
  );
  expect(toHex(h.extraData)).toBe(toHex(mixed.blockId.hash));
});

test('the app hash joins the Ethereum block hash and the module root', () => {
  const view = chain.reader.view(2);
  expect(toHex(mixed.reply.appHash)).toBe(toHex(appHashOf(ethBlock.hash, view?.modulesRoot as Uint8Array)));
  expect(toHex(ethBlock.header.stateRoot)).toBe(toHex(view?.stateRoot as Uint8Array));
});

test('the size is that of the block in RLP', () => {
  const txs = ethBlock.transactions.map((tx) => (tx.type === 0 ? RLP.decode(tx.raw) : tx.raw));
  const h = ethBlock.header;
  const numbers = [h.difficulty, BigInt(h.number), h.gasLimit, h.gasUsed, BigInt(h.timestamp)];
  const header = [
    h.parentHash,
    h.unclesHash,
    h.coinbase,
    h.stateRoot,
    h.transactionsRoot,
    h.receiptsRoot,
    h.logsBloom,
    ...numbers,
    h.extraData,
    h.mixHash,
    h.nonce,
    h.baseFeePerGas,
    h.withdrawalsRoot,
    h.blobGasUsed,
    h.excessBlobGas,
    h.parentBeaconBlockRoot,
    h.requestsHash,
  ];
  expect(ethBlock.size).toBe(RLP.encode([header, txs, [], []] as Parameters<typeof RLP.encode>[0]).length);
});

test('the stored record gives back the same block', () => {
  const decoded = decodeEthBlock(encodeEthBlock(ethBlock), keccak256);
  expect(decoded).toEqual({ ok: true, value: ethBlock });
});

test('a database opened again answers the same', async () => {
  const again = await TestChain.open(chain.genesis, chain.kv);
  const head = chain.reader.head();
  expect(again.reader.head()).toBe(head);
  expect(again.reader.ethBlock(2)).toEqual(ethBlock);
  const location = again.reader.ethTxLocation(ethBlock.transactions[1]?.hash as Uint8Array);
  expect(location).toEqual({ height: 2, index: 1, ethIndex: 1 });
  expect(again.reader.nextBaseFee()).toBe(chain.reader.nextBaseFee());
  const next = await again.commit([]);
  expect(next.block.header.height).toBe(head + 1);
});

test('a database is not opened with the genesis of another chain', async () => {
  const other = { ...chain.genesis, chainId: 'chain_9000-2' };
  await expect(TestChain.open(other, chain.kv)).rejects.toMatchObject({
    code: 'store',
    message: 'the database is of chain "chain_9000-1", genesis is of "chain_9000-2"',
  });
});

test('the same block twice gives the same bytes', async () => {
  const raw = await signRaw(alice, { to: created(0), data: word(1), nonce: 11, maxFeePerGas: 50n * GWEI });
  const results: { readonly reply: FinalizeReply; readonly hash: string }[] = [];
  for (let run = 0; run < 2; run++) {
    const fresh = await TestChain.open(chain.genesis);
    for (const height of [1, 2]) await fresh.commit(chain.reader.block(height)?.txs ?? []);
    await fresh.commit(chain.reader.block(3)?.txs ?? []);
    const { reply } = await fresh.commit([wrapRaw(raw)]);
    results.push({ reply, hash: toHex(fresh.reader.ethBlock(4)?.hash as Uint8Array) });
  }
  expect(results[0]).toEqual(results[1]);
  expect(results[0]?.reply.txResults[0]?.code).toBe(0);
});

test('events name sender and recipient in EIP-55 text', () => {
  const events = mixed.reply.txResults[6]?.events ?? [];
  const of = (type: string) =>
    Object.fromEntries(
      (events.find((event) => event.type === type)?.attributes ?? []).map(({ key, value }) => [key, value]),
    );
  expect(of('ethereum')).toEqual({
    sender: alice.account.address,
    recipient: carol.account.address,
    amount: '3',
  });
  expect(of('ethereum_tx')).toMatchObject({
    ethereumTxHash: to0xHex(ethBlock.transactions[6]?.hash as Uint8Array),
    txIndex: '6',
    txGasUsed: '21000',
  });
  expect(of('message')).toMatchObject({ action: '/chain.evm.v1.MsgEthereumTx', module: 'evm', txType: '0' });
  expect(of('transfer').amount).toBe('3achain');
});
