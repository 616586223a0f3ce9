import { formatAddress } from '../../core/address/kinds.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { toBase64 } from '../../core/lib/base64.ts';
import { type Bytes, toUpperHex } from '../../core/lib/bytes.ts';
import type { RpcContext } from '../../core/rpc/context.ts';
import { handleRest } from '../../core/rpc/cosmos/rest.ts';
import type { ClientCalls } from '../calls.ts';
import type { ChoiceStream } from '../choices.ts';
import type { DevAccount } from '../cluster.ts';
import type { Process } from '../process.ts';
import type { BankSpec } from '../scenario/clientSpecs.ts';
import type { World } from '../world.ts';
import { type BankSend, bankTx } from './cosmosTx.ts';

const POLL_MICROS = 500_000;
/** A transaction not seen in a block for so long is sent again. */
const RESEND_MICROS = 5_000_000;
/** Unconfirmed transactions of one account at most. */
const IN_FLIGHT_MAX = 8;
const COMPLAINTS_MAX = 20;
/** Strangers who receive. */
const RECEIVERS = 8;

export const receiver = (index: number): Bytes => new Uint8Array(20).fill(0xa0 + index);
export const RECEIVER_ADDRESSES: readonly Bytes[] = Array.from({ length: RECEIVERS }, (_, i) => receiver(i));

export interface SentBankTx extends BankSend {
  readonly raw: Bytes;
  /** SHA-256 in upper-case hex, as the REST API names transactions. */
  readonly hash: string;
  readonly sequence: number;
  sentAt: number;
  /** Head of the node when it was sent last. */
  sentHead: number;
  /** Height that the client was told. */
  height: number | undefined;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A wallet that sends bank.MsgSend through one node's REST API, polls for their blocks, and keeps what it was told. */
export class Banker {
  readonly spec: BankSpec;
  readonly accounts: readonly DevAccount[];
  readonly sent: SentBankTx[] = [];
  readonly complaints: string[] = [];
  readonly #world: World;
  readonly #calls: ClientCalls;
  readonly #node: Process;
  readonly #suite: CryptoSuite;
  readonly #choices: ChoiceStream;
  readonly #numbers = new Map<DevAccount, bigint>();
  readonly #sequences = new Map<DevAccount, number>();
  #isPolling = false;

  constructor(
    world: World,
    calls: ClientCalls,
    suite: CryptoSuite,
    spec: BankSpec,
    accounts: readonly DevAccount[],
  ) {
    this.spec = spec;
    this.accounts = accounts;
    this.#world = world;
    this.#calls = calls;
    this.#node = world.process(spec.at);
    this.#suite = suite;
    this.#choices = world.choices.stream(`client/${spec.name}`);
  }

  get confirmed(): readonly SentBankTx[] {
    return this.sent.filter(({ height }) => height !== undefined);
  }

  /** Heights from the last submission to the block, or to the head as long as there is none. */
  waits(): readonly { readonly hash: string; readonly waited: number }[] {
    const head = this.#node.node?.rpc?.chain.head() ?? 0;
    return this.sent.map(({ hash, height, sentHead }) => ({ hash, waited: (height ?? head) - sentHead }));
  }

  start(): void {
    this.#world.every(this.spec.period, () => this.#sendNext());
    this.#world.every(POLL_MICROS, () => this.#poll());
  }

  #complain(text: string): void {
    if (this.complaints.length < COMPLAINTS_MAX) this.complaints.push(text);
  }

  #sendNext(): Promise<void> | undefined {
    if (this.spec.count > 0 && this.sent.length >= this.spec.count) return undefined;
    if (this.#node.state !== 'up') return undefined;
    const from = present(this.accounts[this.#choices.choose(this.accounts.length)], 'an account');
    const open = this.sent.filter((tx) => tx.from === from && tx.height === undefined);
    if (open.length >= IN_FLIGHT_MAX) return undefined;
    const to = receiver(this.#choices.choose(RECEIVERS));
    const amount = BigInt(1 + this.#choices.choose(1_000_000));
    return this.#calls.within(this.#node, async (context) => {
      const number = this.#numbers.get(from) ?? (await this.#accountNumber(context, from));
      if (number === undefined) return;
      this.#numbers.set(from, number);
      const sequence = this.#sequences.get(from) ?? 0;
      this.#sequences.set(from, sequence + 1);
      const tx = this.#sign(context, { from, to, amount }, number, sequence);
      this.sent.push(tx);
      await this.#submit(context, tx);
    });
  }

  async #accountNumber(context: RpcContext, { address }: DevAccount): Promise<bigint | undefined> {
    const text = formatAddress('acc', context.chain.hrp, address);
    const { status, body } = await ask(context, 'GET', `/cosmos/auth/v1beta1/account_info/${text}`);
    const { info } = body as { readonly info?: { readonly account_number?: string } };
    if (status === 200 && info?.account_number !== undefined) return BigInt(info.account_number);
    this.#complain(`account_info of ${text} was answered by status ${status}`);
    return undefined;
  }

  #sign(context: RpcContext, send: BankSend, accountNumber: bigint, sequence: number): SentBankTx {
    const { chainId } = context.chain;
    const data = { chainId, accountNumber, sequence: BigInt(sequence) };
    const raw = bankTx(this.#suite, send, data, context.chain);
    const hash = toUpperHex(this.#suite.sha256(raw));
    return { ...send, raw, hash, sequence, sentAt: 0, sentHead: 0, height: undefined };
  }

  async #submit(context: RpcContext, tx: SentBankTx): Promise<void> {
    tx.sentAt = this.#world.now;
    tx.sentHead = context.chain.head();
    const { status, body } = await ask(context, 'POST', '/cosmos/tx/v1beta1/txs', {
      tx_bytes: toBase64(tx.raw),
      mode: 'BROADCAST_MODE_SYNC',
    });
    const { tx_response } = body as { readonly tx_response?: { readonly txhash: string } };
    // Refusals are answers too: already known, or a sequence that a resend is too late with.
    if (status === 200 && tx_response?.txhash !== tx.hash)
      this.#complain(`broadcast answered ${tx_response?.txhash} for ${tx.hash}`);
  }

  async #poll(): Promise<void> {
    if (this.#isPolling || this.#node.state !== 'up') return;
    this.#isPolling = true;
    const open = this.sent.filter(({ height }) => height === undefined);
    await this.#calls.within(this.#node, async (context) => {
      for (const tx of open) await this.#askForBlock(context, tx);
    });
    this.#isPolling = false;
    for (const tx of open) {
      if (tx.height !== undefined || this.#world.now - tx.sentAt < RESEND_MICROS) continue;
      await this.#calls.within(this.#node, (context) => this.#submit(context, tx));
    }
  }

  async #askForBlock(context: RpcContext, tx: SentBankTx): Promise<void> {
    const { status, body } = await ask(context, 'GET', `/cosmos/tx/v1beta1/txs/${tx.hash}`);
    if (status === 404) return;
    const { tx_response } = body as {
      readonly tx_response?: { readonly height: string; readonly code: number };
    };
    if (status !== 200 || tx_response === undefined)
      return this.#complain(`a question for ${tx.hash} was answered by status ${status}`);
    if (tx_response.code !== 0) this.#complain(`${tx.hash} has code ${tx_response.code}, expected 0`);
    tx.height = Number(tx_response.height);
  }
}

async function ask(context: RpcContext, method: string, path: string, body?: unknown): Promise<Answer> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const answer = await handleRest(context, { method, path, query: '', headers: {}, body: text });
  return { status: answer.status, body: JSON.parse(String(answer.body)) as unknown };
}
