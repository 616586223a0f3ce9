import { toEip55 } from '../core/address/eip55.ts';
import type { CryptoSuite } from '../core/crypto/suite.ts';
import { present } from '../core/lib/assert.ts';
import { type Bytes, to0xHex, toHex } from '../core/lib/bytes.ts';
import { signDynamicFeeTx } from '../core/rpc/eth/signTx.ts';
import type { ClientCalls, EthAsk } from './calls.ts';
import type { ChoiceStream } from './choices.ts';
import { type Cluster, type DevAccount, EVM_CHAIN_ID } from './cluster.ts';
import type { Process } from './process.ts';
import type { ClientSpec } from './scenario/scenario.ts';
import type { World } from './world.ts';

const GWEI = 10n ** 9n;
const TRANSFER_GAS = 21_000n;
const POLL_MICROS = 500_000;
/** A transaction not seen in a block for so long is sent again, as wallets do. */
const RESEND_MICROS = 5_000_000;
/** Unconfirmed transactions of one account at most. */
const IN_FLIGHT_MAX = 8;

export interface SentTx {
  readonly hash: string;
  readonly raw: Bytes;
  readonly from: DevAccount;
  readonly to: Bytes;
  readonly nonce: number;
  readonly value: bigint;
  sentAt: number;
  /** What the client was told. */
  receipt: { readonly blockNumber: number; readonly blockHash: string } | undefined;
}

/**
 * A wallet that sends plain transfers at a steady rate through one node's JSON-RPC, polls for receipts, and remembers
 * everything it was told. Its accounts are its own: no other client uses them.
 */
export class EvmClient {
  readonly spec: ClientSpec;
  readonly sent: SentTx[] = [];
  /** Answers that no correct node may give, with the time. */
  readonly complaints: string[] = [];
  readonly accounts: readonly DevAccount[];
  readonly #world: World;
  readonly #calls: ClientCalls;
  readonly #node: Process;
  readonly #suite: CryptoSuite;
  readonly #choices: ChoiceStream;
  readonly #nonces = new Map<DevAccount, number>();
  #isPolling = false;

  constructor(
    world: World,
    calls: ClientCalls,
    cluster: Cluster,
    suite: CryptoSuite,
    spec: ClientSpec,
    accounts: readonly DevAccount[],
  ) {
    this.spec = spec;
    this.#world = world;
    this.#calls = calls;
    this.#node = world.process(spec.at);
    this.#suite = suite;
    this.#choices = world.choices.stream(`client/${spec.name}`);
    this.accounts = accounts.slice(0, spec.accounts);
    for (const account of this.accounts) this.#nonces.set(account, 0);
    present(cluster.accounts[0], 'development accounts');
  }

  get confirmed(): readonly SentTx[] {
    return this.sent.filter((tx) => tx.receipt !== undefined);
  }

  start(): void {
    this.#every(this.spec.period, () => this.#sendNext());
    this.#every(POLL_MICROS, () => this.#poll());
  }

  #every(period: number, act: () => Promise<void> | undefined): void {
    const fire = (): Promise<void> | undefined => {
      this.#world.schedule(this.#world.now + period, fire);
      return act();
    };
    this.#world.schedule(this.#world.now + period, fire);
  }

  #sendNext(): Promise<void> | undefined {
    if (this.spec.count > 0 && this.sent.length >= this.spec.count) return undefined;
    if (this.#node.state !== 'up') return undefined;
    const account = present(this.accounts[this.#choices.choose(this.accounts.length)], 'an account');
    const open = this.sent.filter((tx) => tx.from === account && tx.receipt === undefined);
    if (open.length >= IN_FLIGHT_MAX) return undefined;
    const tx = this.#make(account);
    this.sent.push(tx);
    return this.#submit(tx);
  }

  #make(from: DevAccount): SentTx {
    const nonce = this.#nonces.get(from) ?? 0;
    this.#nonces.set(from, nonce + 1);
    const to = new Uint8Array(20).fill(0x70 + this.#choices.choose(8));
    const value = BigInt(1 + this.#choices.choose(1_000_000));
    const raw = signDynamicFeeTx(
      {
        chainId: EVM_CHAIN_ID,
        nonce: BigInt(nonce),
        maxPriorityFeePerGas: GWEI,
        maxFeePerGas: 100n * GWEI,
        gas: TRANSFER_GAS,
        to,
        value,
        data: new Uint8Array(0),
        accessList: [],
      },
      from.secret,
      this.#suite,
    );
    const hash = to0xHex(this.#suite.keccak256(raw));
    return { hash, raw, from, to, nonce, value, sentAt: this.#world.now, receipt: undefined };
  }

  #submit(tx: SentTx): Promise<void> {
    tx.sentAt = this.#world.now;
    return this.#calls.run(this.#node, async (ask) => {
      const reply = await ask('eth_sendRawTransaction', [to0xHex(tx.raw)]);
      // Errors are answers too: already known, nonce too low after a resend. Only a wrong hash is never right.
      if ('result' in reply && reply.result !== tx.hash) {
        this.complaints.push(`eth_sendRawTransaction answered ${String(reply.result)} for ${tx.hash}`);
      }
    });
  }

  async #poll(): Promise<void> {
    if (this.#isPolling || this.#node.state !== 'up') return;
    this.#isPolling = true;
    const open = this.sent.filter((tx) => tx.receipt === undefined);
    await this.#calls.run(this.#node, async (ask) => {
      for (const tx of open) await this.#askReceipt(ask, tx);
    });
    this.#isPolling = false;
    for (const tx of open) {
      if (tx.receipt === undefined && this.#world.now - tx.sentAt >= RESEND_MICROS) await this.#submit(tx);
    }
  }

  async #askReceipt(ask: EthAsk, tx: SentTx): Promise<void> {
    const reply = await ask('eth_getTransactionReceipt', [tx.hash]);
    if (!('result' in reply) || reply.result === null) return;
    const receipt = reply.result as {
      readonly blockNumber: string;
      readonly blockHash: string;
      readonly status: string;
      readonly from: string;
    };
    if (receipt.status !== '0x1') this.complaints.push(`transfer ${tx.hash} failed`);
    if (receipt.from.toLowerCase() !== `0x${toHex(tx.from.address)}`) {
      this.complaints.push(
        `receipt of ${tx.hash} names ${receipt.from}, expected ${toEip55(tx.from.address)}`,
      );
    }
    tx.receipt = { blockNumber: Number(receipt.blockNumber), blockHash: receipt.blockHash };
  }
}
