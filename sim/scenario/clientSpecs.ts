/** Clients of a scenario, each with everything left out filled in. */

/**
 * What a wallet sends:
 * - `transfers`: plain transfers;
 * - `contracts`: contracts that revert, destroy themselves, go deep and log much;
 * - `erc20-churn`: a token;
 * - `features`: something of every kind of transaction and rule;
 * - `crowd`: more transfers than blocks hold;
 * - `shelf`: one contract whose storage is filled and cleared over and over;
 * - `authorities`: transactions of an account whose nonce and coins others use meanwhile;
 * - `bulk`: transfers with much calldata;
 * - `waits`: transfers whose blocks are waited for;
 * - `bounds`: what lies exactly on a bound of gas;
 * - `emptied`: the last of what its accounts have;
 * - `squeezed`: most of what an account has, again after a full pool evicted it;
 * - `refunded`: the same again after its coins came back;
 * - `tips`: transfers whose tips fall;
 * - `wild`: random programs;
 * - `faults`: programs that fail, each in another way.
 */
export const SCRIPTS = [
  'transfers',
  'contracts',
  'erc20-churn',
  'features',
  'crowd',
  'shelf',
  'authorities',
  'bulk',
  'waits',
  'bounds',
  'emptied',
  'squeezed',
  'refunded',
  'tips',
  'wild',
  'faults',
] as const;

export interface ClientSpec {
  readonly name: string;
  readonly at: string;
  readonly script: (typeof SCRIPTS)[number];
  /** Virtual µs between two transactions. */
  readonly period: number;
  readonly accounts: number;
  /** Transactions in all; 0 is no end. */
  readonly count: number;
  /** Another node, which is given every second transaction of an account. */
  readonly alsoAt?: string;
  /** The share of a token's calls that ask for more than there is, in parts per million. */
  readonly revertPpm?: number;
}

/**
 * What a wallet of bank messages sends: one MsgSend after the other, something of every kind with Ethereum transactions
 * in between, plain messages whose blocks it waits for, or what lies exactly on a bound of gas or coins.
 */
export const BANK_SCRIPTS = ['transfers', 'features', 'waits', 'bounds'] as const;

/** A wallet that sends bank messages through a node's REST API. */
export interface BankSpec {
  readonly name: string;
  readonly at: string;
  readonly script?: (typeof BANK_SCRIPTS)[number];
  /** Virtual µs between two transactions. */
  readonly period: number;
  readonly accounts: number;
  /** Transactions in all; 0 is no end. */
  readonly count: number;
}

/** A light client: it trusts one header and follows the chain from there by headers, commits and validator sets. */
export interface LightSpec {
  readonly name: string;
  /** The node that it asks. */
  readonly at: string;
  /** Virtual µs between two looks. */
  readonly period: number;
  /** `skipping` verifies the newest header against an old one, bisecting where it must; `adjacent` takes each. */
  readonly mode: 'skipping' | 'adjacent';
  /** Nodes whose header it compares with what it verified. */
  readonly witnesses: readonly string[];
}

export const SUBSCRIPTIONS = ['newHeads', 'logs', 'transactionReceipts', 'newPendingTransactions'] as const;
export type SubscriptionKind = (typeof SUBSCRIPTIONS)[number];

/** A client of the EVM websocket that reads its subscriptions at its own speed. */
export interface ListenerSpec {
  readonly name: string;
  readonly at: string;
  readonly subscribe: readonly SubscriptionKind[];
  /** Virtual µs between two messages that it reads; undefined reads at once. */
  readonly readPeriod: number | undefined;
  /** Bytes that may lie unread before the node cuts it off. */
  readonly roomBytes: number;
}

export const ATTACKS = ['filters', 'logs', 'nonsense'] as const;

/** A client of the JSON-RPC that asks for as much as it can. */
export interface AttackerSpec {
  readonly name: string;
  readonly at: string;
  /** Virtual µs between two floods. */
  readonly period: number;
  readonly script: (typeof ATTACKS)[number];
  /** Requests of a flood. */
  readonly count: number;
}

/** A client that has a validator's key, and brings a node evidence against it, real and false. */
export interface AccuserSpec {
  readonly name: string;
  readonly at: string;
  /** Virtual µs between two pieces. */
  readonly period: number;
  /** The validator. It counts as faulty, because its key signs two votes. */
  readonly against: string;
}

/** A client of the JSON-RPC that follows the chain by filters, subscriptions and the pending block. */
export interface WatcherSpec {
  readonly name: string;
  readonly at: string;
  /** Virtual µs between two looks. */
  readonly period: number;
}

/** A client of the consensus websocket that follows queries and resumes after every break. */
export interface SubscriberSpec {
  readonly name: string;
  readonly at: string;
  readonly queries: readonly string[];
  /** Virtual µs between two looks at its socket. */
  readonly period: number;
  /** Messages it reads at a look. */
  readonly reads: number;
  /** Bytes that may lie unread before the node cuts it off. */
  readonly roomBytes: number;
}
