/**
 * The account side: address conversions, key derivation, transactions decoded and verified (with noble and with what a
 * node uses), beside the same work in ethers and CosmJS; then account queries a second over REST and gRPC, and the
 * node's memory after them.
 */
import { readFileSync } from 'node:fs';
import { fromBech32, toBech32 } from '@cosmjs/encoding';
import { Client, credentials } from '@grpc/grpc-js';
import { QueryAccountRequest } from 'cosmjs-types/cosmos/auth/v1beta1/query';
import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { computeAddress, getAddress, HDNodeWallet, keccak256, SigningKey, Transaction } from 'ethers';
import { acceleratedSuite } from '../adapters/crypto/accelerated.ts';
import { toEip55 } from '../core/address/eip55.ts';
import { formatAddress, parseAddress } from '../core/address/kinds.ts';
import { directSignBytes } from '../core/app/cosmos/signBytes.ts';
import { MSG_SEND, PUB_KEY, SIGN_MODE, SIGNER_INFO } from '../core/app/cosmos/tables.ts';
import { isSignedBy } from '../core/app/cosmos/verify.ts';
import { decodeEthTx } from '../core/app/evm/ethTx.ts';
import { decodeTx } from '../core/app/tx/decodeTx.ts';
import { AUTH_INFO, TX_BODY, TX_RAW } from '../core/app/tx/tables.ts';
import { wrapEthTx } from '../core/app/tx/wrapEthTx.ts';
import { TYPE_URL } from '../core/app/typeUrls.ts';
import { encode } from '../core/codec/proto.ts';
import { ethAddress } from '../core/crypto/addresses.ts';
import { deriveSecret, ethHdPath, mnemonicToSeed } from '../core/crypto/hd.ts';
import { nobleSuite } from '../core/crypto/noble.ts';
import type { CryptoSuite } from '../core/crypto/suite.ts';
import { present } from '../core/lib/assert.ts';
import { type Bytes, EMPTY, hex, parseHex, to0xHex } from '../core/lib/bytes.ts';
import { spread } from './ethereum/client.ts';
import { ORRERY, withNode } from './ethereum/nodes.ts';
import type { Print } from './figure.ts';

const MNEMONIC = 'test test test test test test test test test test test junk';
const CHAIN_ID = 'chain_9000-1';
const QUERIES = 5000;
const REST = 'http://127.0.0.1:28337';
const GRPC = '127.0.0.1:28090';

/** How often a second `work` is done, the best of three turns of at least a quarter of a second. */
function rateOf(work: (i: number) => void): number {
  let best = 0;
  let n = 0;
  for (let turn = 0; turn < 3; turn++) {
    const start = performance.now();
    const before = n;
    while (performance.now() - start < 250) for (let i = 0; i < 8; i++) work(n++);
    best = Math.max(best, ((n - before) * 1000) / (performance.now() - start));
  }
  return best;
}

function compare(print: Print, metric: string, vs: string, ours: number, theirs: number): void {
  print({ bench: 'accounts', metric, value: ours, unit: '1/s', vs, ratio: ours / theirs });
}

const some = Array.from({ length: 256 }, (_, i) => nobleSuite.sha256(Uint8Array.of(i)).slice(0, 20));
const pick = <T>(list: readonly T[], i: number): T => list[i % list.length] as T;

function addresses(print: Print): void {
  const texts = some.map((address) => formatAddress('acc', 'chain', address));
  const plain = some.map(to0xHex);
  const roundTrip = rateOf((i) => {
    const parsed = parseAddress('acc', pick(texts, i), 'chain');
    if (!parsed.ok || formatAddress('acc', 'chain', parsed.value).length === 0) throw new Error('not read');
  });
  const theirs = rateOf((i) => {
    const { prefix, data } = fromBech32(pick(texts, i), 1023);
    if (toBech32(prefix, data, 1023).length === 0) throw new Error('not read');
  });
  compare(print, 'Bech32 read and written', 'CosmJS 0.39.0', roundTrip, theirs);
  const eip55 = rateOf((i) => void toEip55(pick(some, i)));
  compare(
    print,
    'EIP-55 written',
    'ethers 6.17.0',
    eip55,
    rateOf((i) => void getAddress(pick(plain, i))),
  );
}

function keys(print: Print): void {
  const seed = mnemonicToSeed(MNEMONIC);
  const ours = rateOf((i) => {
    const secret = deriveSecret(seed, ethHdPath(0, i));
    if (!secret.ok) throw new Error(secret.error.message);
    ethAddress(nobleSuite.secp256k1PublicKey(secret.value, true));
  });
  const root = HDNodeWallet.fromSeed(seed);
  const theirs = rateOf((i) => void root.derivePath(ethHdPath(0, i)).address);
  compare(print, "address at m/44'/60'/0'/0/i of a seed", 'ethers 6.17.0', ours, theirs);
}

interface Sample {
  readonly raw: Bytes;
  readonly key: Bytes;
}

/** A MsgSend, signed in mode DIRECT. */
function cosmosTx(): Sample {
  const secret = hex('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
  const key = nobleSuite.secp256k1PublicKey(secret, true);
  const address = (bytes: Bytes): string => formatAddress('acc', 'chain', bytes);
  const amount = [{ denom: 'achain', amount: '1000' }];
  const message = { fromAddress: address(ethAddress(key)), toAddress: address(pick(some, 1)), amount };
  const body = {
    messages: [{ typeUrl: TYPE_URL.msgSend, value: encode(MSG_SEND, message) }],
    memo: '',
    timeoutHeight: 0n,
    extensionOptions: [],
    nonCriticalExtensionOptions: [],
  };
  const signer = encode(SIGNER_INFO, {
    publicKey: { typeUrl: TYPE_URL.ethPubKey, value: encode(PUB_KEY, { key }) },
    modeInfo: { single: { mode: SIGN_MODE.direct }, multi: EMPTY },
    sequence: 0n,
  });
  const fee = { amount, gasLimit: 200_000n, payer: '', granter: '' };
  const parts = {
    bodyBytes: encode(TX_BODY, body),
    authInfoBytes: encode(AUTH_INFO, { signerInfos: [signer], fee, tip: EMPTY }),
  };
  const document = directSignBytes(parts, { chainId: CHAIN_ID, accountNumber: 0n, sequence: 0n });
  const { rs } = nobleSuite.secp256k1Sign(secret, nobleSuite.keccak256(document));
  return { raw: encode(TX_RAW, { ...parts, signatures: [rs] }), key };
}

function verifyCosmos({ raw, key }: Sample, suite: CryptoSuite): void {
  const tx = decodeTx(raw, suite, 'achain');
  const data = { chainId: CHAIN_ID, accountNumber: 0n, sequence: 0n };
  if (!tx.ok || tx.value.kind !== 'cosmos' || !isSignedBy(tx.value, key, data, 9000n, suite))
    throw new Error('not accepted');
}

/** The same with CosmJS's messages and ethers' recovery: no library does both. */
function verifyCosmosElsewhere({ raw, key }: Sample): void {
  const tx = TxRaw.decode(raw);
  const document = directSignBytes(
    { bodyBytes: tx.bodyBytes, authInfoBytes: tx.authInfoBytes },
    { chainId: CHAIN_ID, accountNumber: 0n, sequence: 0n },
  );
  const digest = keccak256(document);
  const rs = present(tx.signatures[0], 'a signature');
  const wanted = computeAddress(to0xHex(key));
  for (const v of [27, 28]) {
    const signature = { r: to0xHex(rs.slice(0, 32)), s: to0xHex(rs.slice(32)), v };
    if (computeAddress(SigningKey.recoverPublicKey(digest, signature)) === wanted) return;
  }
  throw new Error('not accepted');
}

async function transactions(print: Print): Promise<void> {
  const fast = await acceleratedSuite();
  const cosmos = cosmosTx();
  const theirs = rateOf(() => verifyCosmosElsewhere(cosmos));
  const vs = 'CosmJS types 0.11.0 and ethers 6.17.0';
  compare(
    print,
    'MsgSend decoded and verified, noble',
    vs,
    rateOf(() => verifyCosmos(cosmos, nobleSuite)),
    theirs,
  );
  compare(
    print,
    'MsgSend decoded and verified, accelerated',
    vs,
    rateOf(() => verifyCosmos(cosmos, fast)),
    theirs,
  );
  const wallet = HDNodeWallet.fromPhrase(MNEMONIC);
  const signed = await wallet.signTransaction({
    type: 2,
    chainId: 9000,
    nonce: 0,
    to: to0xHex(pick(some, 2)),
    value: 1n,
    gasLimit: 21_000n,
    maxFeePerGas: 2_000_000_000n,
    maxPriorityFeePerGas: 1n,
  });
  const bytes = parseHex(signed);
  const eth = bytes.ok ? decodeEthTx(bytes.value, nobleSuite) : undefined;
  if (eth?.ok !== true) throw new Error('not decoded');
  const wrapped = wrapEthTx(eth.value.tx, 'achain');
  const recovered = rateOf(() => void Transaction.from(signed).from);
  const decodeWith = (suite: CryptoSuite): number =>
    rateOf(() => {
      if (!decodeTx(wrapped, suite, 'achain').ok) throw new Error('not accepted');
    });
  compare(
    print,
    'Ethereum transfer unwrapped and recovered, noble',
    'ethers 6.17.0',
    decodeWith(nobleSuite),
    recovered,
  );
  compare(
    print,
    'Ethereum transfer unwrapped and recovered, accelerated',
    'ethers 6.17.0',
    decodeWith(fast),
    recovered,
  );
}

/** Resident memory of a process in MiB; undefined where the system does not tell. */
function residentMiB(pid: number): number | undefined {
  try {
    const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return match === null ? undefined : Number(match[1]) / 1024;
  } catch {
    return undefined;
  }
}

async function queriesPerSecond(ask: () => Promise<unknown>): Promise<number> {
  await spread(200, ask, performance.now() + 30_000);
  const start = performance.now();
  await spread(QUERIES, ask, start + 120_000);
  return (QUERIES * 1000) / (performance.now() - start);
}

async function queries(print: Print): Promise<void> {
  const address = formatAddress('acc', 'chain', ethAddress(cosmosTx().key));
  await withNode(ORRERY, async ({ pid }) => {
    const memory = (metric: string): void => {
      const value = residentMiB(pid);
      if (value !== undefined) print({ bench: 'accounts', metric, value, unit: 'MiB' });
    };
    memory('resident before the queries');
    const url = `${REST}/cosmos/auth/v1beta1/accounts/${address}`;
    const rest = await queriesPerSecond(async () => {
      const answer = await fetch(url);
      if (answer.status !== 200) throw new Error(`status ${answer.status}`);
      await answer.text();
    });
    print({ bench: 'accounts', metric: 'account queries over REST', value: rest, unit: '1/s' });
    const client = new Client(GRPC, credentials.createInsecure());
    const request = Buffer.from(QueryAccountRequest.encode({ address }).finish());
    const same = (bytes: Buffer): Buffer => bytes;
    const path = '/cosmos.auth.v1beta1.Query/Account';
    const grpc = await queriesPerSecond(
      () =>
        new Promise<void>((resolve, reject) => {
          client.makeUnaryRequest(path, same, same, request, (error) =>
            error === null ? resolve() : reject(error),
          );
        }),
    );
    client.close();
    print({ bench: 'accounts', metric: 'account queries over gRPC', value: grpc, unit: '1/s' });
    memory(`resident after ${2 * QUERIES} queries`);
  });
}

export async function run(print: Print): Promise<void> {
  addresses(print);
  keys(print);
  await transactions(print);
  await queries(print);
}
