import { TX_RAW } from '../../core/app/tx/tables.ts';
import { decode, encode } from '../../core/codec/proto.ts';
import { present } from '../../core/lib/assert.ts';
import { toBase64 } from '../../core/lib/base64.ts';
import { type Bytes, EMPTY } from '../../core/lib/bytes.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { handleRest } from '../../core/rpc/cosmos/rest.ts';
import type { BankDraft } from './cosmosTx.ts';

/** How much gas a node said a draft would use, or why it did not say. */
export interface Simulated {
  readonly gas: bigint | undefined;
  readonly text: string;
  /** The draft has the next sequence of the newest state: no other transaction has to come first. */
  readonly isNext: boolean;
  /** Bytes of the draft with its signature. */
  readonly bytes: number;
  /** How much less gas it may use in its block: receivers that have no account yet may have one by then. */
  readonly less: bigint;
}

/** Extra gas for a receiver that has no account yet. */
const NEWCOMER = 20_000n;
/**
 * Gas per byte, and how much more a node may say for the few bytes by which the simulated and the sent transaction
 * differ.
 */
const [BYTE_GAS, SLACK] = [10, 100n];

/** Simulates as wallets do before they know the gas: with hardly any gas, and without a signature. */
export async function simulated(
  rpc: RpcContext,
  draft: BankDraft,
  sequence: number,
  signed: Bytes,
): Promise<Simulated> {
  const { nonce = 0n } = rpc.chain.latest().account(draft.from.address) ?? {};
  const raw = decode(TX_RAW, signed);
  const unsigned = present(raw.ok ? raw.value : undefined, 'a transaction that was just made');
  // Some clients send as many empty signatures as there will be.
  const signatures = sequence % 4 < 2 ? [] : [EMPTY];
  const tx_bytes = toBase64(encode(TX_RAW, { ...unsigned, signatures }));
  const path = '/cosmos/tx/v1beta1/simulate';
  const post = (to: string, body: object) =>
    handleRest(rpc, { method: 'POST', path: to, query: '', headers: {}, body: JSON.stringify(body) });
  // Older clients send the decoded transaction, which loses unknown fields.
  const isOpen = sequence % 2 === 1 && draft.ignorable === undefined;
  const parts = isOpen ? await post('/cosmos/tx/v1beta1/decode', { tx_bytes }) : undefined;
  const answer = await post(path, parts === undefined ? { tx_bytes } : JSON.parse(String(parts.body)));
  const { gas_info, message } = JSON.parse(String(answer.body)) as {
    readonly gas_info?: { readonly gas_used: string };
    readonly message?: string;
  };
  return {
    gas: gas_info && BigInt(gas_info.gas_used),
    text: message ?? '',
    isNext: nonce === BigInt(sequence),
    bytes: signed.length,
    less: NEWCOMER * BigInt(draft.messages.flat().length),
  };
}

/** Compares a simulation with the block that has the transaction: a sender that names the simulated gas has enough. */
export function wrongSimulation(
  { gas, text, isNext, less, bytes }: Simulated,
  used: bigint,
  sentBytes: number,
): string | undefined {
  // While earlier transactions of the sender are in flight, a node cannot simulate the next one.
  if (gas === undefined)
    return !isNext && text.includes('account sequence mismatch') ? undefined : `was not simulated: ${text}`;
  if (!isNext) return 'was simulated out of its turn';
  return gas + BigInt(BYTE_GAS * (sentBytes - bytes)) >= used && gas <= used + less + SLACK
    ? undefined
    : `was simulated with ${gas} gas, used ${used}`;
}
