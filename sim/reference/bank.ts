import { parseAddress } from '../../core/address/kinds.ts';
import type { AuthRecord, ChainReader } from '../../core/app/chain.ts';
import {
  DYNAMIC_FEE,
  MSG_MULTI_SEND,
  MSG_SEND,
  PUB_KEY,
  SIGN_MODE,
  SIGNER_INFO,
} from '../../core/app/cosmos/tables.ts';
import { AUTH_INFO, TX_BODY, TX_RAW } from '../../core/app/tx/tables.ts';
import { TYPE_URL } from '../../core/app/typeUrls.ts';
import { decode, type Shape } from '../../core/codec/proto.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, toHex } from '../../core/lib/bytes.ts';
import { Unknown } from './frame.ts';
import { signDoc } from './signDoc.ts';
import type { Name, ReferenceState } from './state.ts';

interface Coins {
  readonly denom: string;
  readonly amount: string;
}
interface Send {
  readonly from: Name;
  readonly to: readonly { readonly name: Name; readonly coins: readonly Coins[] }[];
  readonly coins: readonly Coins[];
}

/** A transaction of bank messages, read again. */
export interface BankTx {
  readonly sends: readonly Send[];
  readonly sequence: bigint;
  readonly fee: bigint;
  readonly gasLimit: bigint;
  readonly tip: bigint | undefined;
  readonly timeoutHeight: bigint;
  readonly pubKey: Bytes | undefined;
  readonly signature: Bytes;
  readonly signed: { readonly bodyBytes: Bytes; readonly authInfoBytes: Bytes };
  readonly size: number;
}

function read<T>(shape: Shape<T>, bytes: Bytes): T {
  const result = decode(shape, bytes);
  if (!result.ok) throw new Unknown(result.error.message);
  return result.value;
}

function nameOf(text: string, hrp: string): Name {
  const address = parseAddress('acc', text, hrp);
  if (!address.ok) throw new Unknown(address.error.message);
  return toHex(address.value);
}

const amountIn = (coins: readonly Coins[], denom: string): bigint =>
  coins.reduce((sum, coin) => sum + (coin.denom === denom ? BigInt(coin.amount) : 0n), 0n);

function sendOf({ typeUrl, value }: { readonly typeUrl: string; readonly value: Bytes }, hrp: string): Send {
  if (typeUrl === TYPE_URL.msgSend) {
    const { fromAddress, toAddress, amount } = read(MSG_SEND, value);
    return {
      from: nameOf(fromAddress, hrp),
      to: [{ name: nameOf(toAddress, hrp), coins: amount }],
      coins: amount,
    };
  }
  if (typeUrl !== TYPE_URL.msgMultiSend) throw new Unknown(typeUrl);
  const { inputs, outputs } = read(MSG_MULTI_SEND, value);
  const input = present(inputs[0], 'a sender');
  const to = outputs.map(({ address, coins }) => ({ name: nameOf(address, hrp), coins }));
  return { from: nameOf(input.address, hrp), to, coins: input.coins };
}

export function readBankTx(bytes: Bytes, { hrp, denom }: ChainReader): BankTx {
  const raw = read(TX_RAW, bytes);
  const [body, info] = [read(TX_BODY, raw.bodyBytes), read(AUTH_INFO, raw.authInfoBytes)];
  const signer = read(SIGNER_INFO, present(info.signerInfos[0], 'a signer'));
  if (signer.modeInfo?.single?.mode !== SIGN_MODE.direct) throw new Unknown('another way to sign');
  const option = body.extensionOptions[0];
  const tip = option === undefined ? undefined : BigInt(read(DYNAMIC_FEE, option.value).maxPriorityPrice);
  return {
    sends: body.messages.map((message) => sendOf(message, hrp)),
    sequence: signer.sequence,
    fee: amountIn(info.fee?.amount ?? [], denom),
    gasLimit: info.fee?.gasLimit ?? 0n,
    tip,
    timeoutHeight: body.timeoutHeight,
    pubKey: signer.publicKey === undefined ? undefined : read(PUB_KEY, signer.publicKey.value).key,
    signature: present(raw.signatures[0], 'a signature').slice(0, 64),
    signed: raw,
    size: bytes.length,
  };
}

/** Gas of a bank transaction: its bytes, its signature, and each balance that changes. */
const [BYTE, ANTE, MESSAGE, BALANCE, NEW_ACCOUNT] = [10n, 26_000n, 1_000n, 5_000n, 25_000n];

/** Why a block may not hold it; undefined when it may. */
export function bankRefusal(
  tx: BankTx,
  state: ReferenceState,
  auth: AuthRecord | undefined,
  place: {
    readonly height: number;
    readonly baseFee: bigint;
    readonly gasLeft: bigint;
    readonly chainId: string;
  },
  suite: CryptoSuite,
): string | undefined {
  const from = present(tx.sends[0], 'a message').from;
  const { nonce, balance } = state.account(from);
  const key = tx.pubKey ?? auth?.pubKey;
  const digest = suite.keccak256(signDoc(tx.signed, place.chainId, auth?.accountNumber ?? 0n));
  const isSigned = key !== undefined && suite.secp256k1Verify(key, digest, tx.signature);
  const rules: readonly (readonly [boolean, string])[] = [
    [tx.sequence === nonce, `has sequence ${tx.sequence}, not ${nonce}`],
    [tx.timeoutHeight === 0n || tx.timeoutHeight >= BigInt(place.height), 'is too late'],
    [balance >= charged(tx, place.baseFee), `pays a fee of more than ${balance}`],
    [tx.fee >= place.baseFee * tx.gasLimit, 'pays less than the base fee'],
    [tx.gasLimit <= place.gasLeft, `wants ${tx.gasLimit} gas of ${place.gasLeft}`],
    [tx.gasLimit >= BYTE * BigInt(tx.size) + ANTE, 'has too little gas'],
    [tx.sends.every((send) => send.from === from), 'has two senders'],
    [auth !== undefined && isSigned, 'is not signed by its sender'],
  ];
  return rules.find(([holds]) => !holds)?.[1];
}

function charged({ tip, fee, gasLimit }: BankTx, baseFee: bigint): bigint {
  const byTip = tip === undefined ? fee : gasLimit * (baseFee + tip);
  return byTip < fee ? byTip : fee;
}

export interface BankBlock {
  readonly baseFee: bigint;
  readonly coinbase: Name;
  readonly denom: string;
  /** Nobody may send coins there. */
  readonly blocked: Name;
}

/** All messages or none; the fee is paid either way. Answers with its code and gas. */
export function runBankTx(
  state: ReferenceState,
  tx: BankTx,
  { baseFee, coinbase, denom, blocked }: BankBlock,
): { readonly code: number; readonly gasUsed: bigint } {
  const from = present(tx.sends[0], 'a message').from;
  const fee = charged(tx, baseFee);
  state.beginTx();
  state.put(from, { nonce: tx.sequence + 1n });
  state.pay(from, -fee);
  state.pay(coinbase, fee - baseFee * tx.gasLimit);
  const before = state.checkpoint();
  let gasUsed = BYTE * BigInt(tx.size) + ANTE;
  const isSpent = (gas: bigint): boolean => {
    gasUsed += gas;
    return gasUsed > tx.gasLimit;
  };
  const run = (send: Send): number => {
    if (isSpent(MESSAGE)) return 11;
    const total = amountIn(send.coins, denom);
    if (send.coins.some((coin) => coin.denom !== denom) || state.account(from).balance < total) return 5;
    if (isSpent(BALANCE)) return 11;
    state.pay(from, -total);
    for (const { name, coins } of send.to) {
      if (isSpent(state.exists(name) ? BALANCE : NEW_ACCOUNT)) return 11;
      if (name === blocked) return 4;
      state.pay(name, amountIn(coins, denom));
    }
    return 0;
  };
  const code = tx.sends.reduce((failed, send) => (failed === 0 ? run(send) : failed), 0);
  if (code !== 0) state.revert(before);
  return { code, gasUsed };
}
