import { TX_RAW } from '../../core/app/tx/tables.ts';
import { decode, encode } from '../../core/codec/proto.ts';
import { present } from '../../core/lib/assert.ts';
import { toBase64 } from '../../core/lib/base64.ts';
import { type Bytes, EMPTY } from '../../core/lib/bytes.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { handleRest } from '../../core/rpc/cosmos/rest.ts';
import type { BankDraft } from './cosmosTx.ts';

/** What a node said a draft would use, or why it did not say. */
export interface Simulated {
  readonly gas: bigint | undefined;
  readonly text: string;
  /** The newest state has the sequence of the draft: nothing has to come before it. */
  readonly isNext: boolean;
  /** What the draft would have had with its signature. */
  readonly bytes: number;
  /** How much less it may be by then: receivers of the draft who are nobody yet may be somebody. */
  readonly less: bigint;
}

/** What a receiver costs more who is nobody yet. */
const NEWCOMER = 20_000n;
/** What a byte costs, and how much more a node may say for the few bytes by which a draft and what is sent differ. */
const [BYTE_GAS, SLACK] = [10, 100n];

/** As wallets ask before they know how much gas to name: with hardly any, and without a signature. */
export async function simulated(
  rpc: RpcContext,
  draft: BankDraft,
  sequence: number,
  signed: Bytes,
): Promise<Simulated> {
  const { nonce = 0n } = rpc.chain.latest().account(draft.from.address) ?? {};
  const raw = decode(TX_RAW, signed);
  const unsigned = present(raw.ok ? raw.value : undefined, 'a transaction that was just made');
  // Some name as many signatures as there will be.
  const signatures = sequence % 4 < 2 ? [] : [EMPTY];
  const tx_bytes = toBase64(encode(TX_RAW, { ...unsigned, signatures }));
  const path = '/cosmos/tx/v1beta1/simulate';
  const post = (to: string, body: object) =>
    handleRest(rpc, { method: 'POST', path: to, query: '', headers: {}, body: JSON.stringify(body) });
  // Older clients send it taken apart, which loses what nobody knows.
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

/** Held against what a block says of one that succeeded, which has so many bytes: whoever names what he was told has enough. */
export function wrongSimulation(
  { gas, text, isNext, less, bytes }: Simulated,
  used: bigint,
  sentBytes: number,
): string | undefined {
  // Whoever has others on their way is told nothing of the one after them.
  if (gas === undefined)
    return !isNext && text.includes('account sequence mismatch') ? undefined : `was not simulated: ${text}`;
  if (!isNext) return 'was simulated out of its turn';
  return gas + BigInt(BYTE_GAS * (sentBytes - bytes)) >= used && gas <= used + less + SLACK
    ? undefined
    : `was simulated with ${gas} gas, used ${used}`;
}
