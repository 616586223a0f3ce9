/** The messages that a Cosmos transaction may carry on this chain, with all checks that need no state. */
import { parseAddress } from '../../address/kinds.ts';
import { type Decode, decode } from '../../codec/proto.ts';
import { equalBytes } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Address } from '../../types/ids.ts';
import { type BankError, bankError, type SdkError, sdkError } from '../sdkErrors.ts';
import type { Any, Coin } from '../tx/tables.ts';
import { TYPE_URL } from '../typeUrls.ts';
import type { AminoObject } from './aminoJson.ts';
import { coinsProblem, coinsText } from './coins.ts';
import { MSG_MULTI_SEND, MSG_SEND, type MsgMultiSend, type MsgSend } from './tables.ts';

/** One receiver of a bank message. */
export interface Payment {
  readonly to: Address;
  readonly coins: readonly Coin[];
}

/** Both bank messages move coins from one sender to one or more receivers. */
export interface CosmosMessage {
  readonly typeUrl: string;
  readonly signer: Address;
  readonly payments: readonly Payment[];
  /** The sum of the payments. */
  readonly total: readonly Coin[];
  /** `{type, value}`, the message's amino JSON. */
  readonly amino: AminoObject;
}

type Checked<T> = Result<T, SdkError | BankError>;

const fail = (...args: Parameters<typeof sdkError>): { readonly ok: false; readonly error: SdkError } =>
  err(sdkError(...args));

function account(what: string, text: string, hrp: string): Checked<Address> {
  const address = parseAddress('acc', text, hrp);
  if (!address.ok) return fail(7, `invalid ${what} address: ${address.error.message}`);
  // Bech32 has an upper-case form too. Accepting it would allow two different messages with the same meaning.
  return text === text.toLowerCase()
    ? address
    : fail(7, `invalid ${what} address: ${text} is not in lower case`);
}

function checkedCoins(coins: readonly Coin[]): SdkError | undefined {
  const problem = coins.length === 0 ? 'no coins' : coinsProblem(coins);
  return problem === undefined ? undefined : sdkError(10, `${coinsText(coins)}: ${problem}`);
}

const aminoCoins = (coins: readonly Coin[]) => coins.map(({ denom, amount }) => ({ denom, amount }));

function sendMessage({ fromAddress, toAddress, amount }: MsgSend, hrp: string): Checked<CosmosMessage> {
  const from = account('from', fromAddress, hrp);
  if (!from.ok) return from;
  const to = account('to', toAddress, hrp);
  if (!to.ok) return to;
  const problem = checkedCoins(amount);
  if (problem !== undefined) return err(problem);
  const value = { from_address: fromAddress, to_address: toAddress, amount: aminoCoins(amount) };
  return ok({
    typeUrl: TYPE_URL.msgSend,
    signer: from.value,
    payments: [{ to: to.value, coins: amount }],
    total: amount,
    amino: { type: 'cosmos-sdk/MsgSend', value },
  });
}

function multiSendMessage({ inputs, outputs }: MsgMultiSend, hrp: string): Checked<CosmosMessage> {
  const [input] = inputs;
  if (input === undefined) return err(bankError('no inputs to send transaction'));
  if (inputs.length > 1) return err(bankError('multiple senders not allowed'));
  if (outputs.length === 0) return err(bankError('no outputs to send transaction'));
  const from = account('input', input.address, hrp);
  if (!from.ok) return from;
  const payments: Payment[] = [];
  for (const { address, coins } of outputs) {
    const to = account('output', address, hrp);
    if (!to.ok) return to;
    const problem = checkedCoins(coins);
    if (problem !== undefined) return err(problem);
    payments.push({ to: to.value, coins });
  }
  const problem = checkedCoins(input.coins);
  if (problem !== undefined) return err(problem);
  if (!sameSum(input.coins, payments)) return err(bankError('sum inputs != sum outputs'));
  const row = ({ address, coins }: MsgMultiSend['inputs'][number]) => ({ address, coins: aminoCoins(coins) });
  return ok({
    typeUrl: TYPE_URL.msgMultiSend,
    signer: from.value,
    payments,
    total: input.coins,
    amino: {
      type: 'cosmos-sdk/MsgMultiSend',
      value: { inputs: inputs.map(row), outputs: outputs.map(row) },
    },
  });
}

function sameSum(total: readonly Coin[], payments: readonly Payment[]): boolean {
  const rest = new Map(total.map(({ denom, amount }) => [denom, BigInt(amount)]));
  for (const { coins } of payments) {
    for (const { denom, amount } of coins) rest.set(denom, (rest.get(denom) ?? 0n) - BigInt(amount));
  }
  return [...rest.values()].every((amount) => amount === 0n);
}

/** `hrp` is the chain's account prefix. */
export function decodeMessage(
  { typeUrl, value }: Any,
  hrp: string,
  read: Decode = decode,
): Checked<CosmosMessage> {
  if (typeUrl === TYPE_URL.msgSend) {
    const message = read(MSG_SEND, value);
    return message.ok ? sendMessage(message.value, hrp) : fail(2, message.error.message);
  }
  if (typeUrl === TYPE_URL.msgMultiSend) {
    const message = read(MSG_MULTI_SEND, value);
    return message.ok ? multiSendMessage(message.value, hrp) : fail(2, message.error.message);
  }
  return fail(6, `unrecognized message: ${typeUrl}`);
}

/** The one account that must sign all messages; transactions with several signers are refused. */
export function signerOf(messages: readonly CosmosMessage[]): Checked<Address> {
  const [first] = messages;
  if (first === undefined) return fail(18, 'must contain at least one message');
  return messages.every(({ signer }) => equalBytes(signer, first.signer))
    ? ok(first.signer)
    : fail(37, 'messages of more than one signer in a transaction');
}
