/**
 * Genesis transactions: how the validators of a future chain exchange their keys, in the SDK's own form (a signed
 * MsgCreateValidator with account number and sequence 0 and the memo `nodeid@host:port`). This chain has no staking
 * module: `collect-gentxs` checks one and adds its validator to the genesis. The coins are not moved.
 */
import { formatAddress, parseAddress } from '../../address/kinds.ts';
import { bytes, optional, string } from '../../codec/fields.ts';
import { decode, encode, table } from '../../codec/proto.ts';
import type { CryptoSuite } from '../../crypto/suite.ts';
import { type Bytes, EMPTY, equalBytes } from '../../lib/bytes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Address } from '../../types/ids.ts';
import { ANY, type Any, AUTH_INFO, COIN, type Coin, TX_BODY, type TxRaw } from '../tx/tables.ts';
import { ETH_PUB_KEY_URLS, TYPE_URL } from '../typeUrls.ts';
import { directSignBytes } from './signBytes.ts';
import { PUB_KEY, SIGN_MODE, SIGNER_INFO } from './tables.ts';

const TEXT_MAX = 512;
const PACKAGE = 'cosmos.staking.v1beta1';
/** Coins per unit of voting power, as on chains with 18 decimals. */
export const POWER_REDUCTION = 10n ** 18n;

interface Description {
  readonly moniker: string;
  readonly identity: string;
  readonly website: string;
  readonly securityContact: string;
  readonly details: string;
}
/** Fractions of one, as digits with 18 decimal places: `100000000000000000` is a tenth. */
interface CommissionRates {
  readonly rate: string;
  readonly maxRate: string;
  readonly maxChangeRate: string;
}
export interface MsgCreateValidator {
  readonly description: Description | undefined;
  readonly commission: CommissionRates | undefined;
  readonly minSelfDelegation: string;
  readonly delegatorAddress: string;
  readonly validatorAddress: string;
  readonly pubkey: Any | undefined;
  readonly value: Coin | undefined;
}

const DESCRIPTION = table<Description>(`${PACKAGE}.Description`, [
  string(1, 'moniker', TEXT_MAX),
  string(2, 'identity', TEXT_MAX),
  string(3, 'website', TEXT_MAX),
  string(4, 'securityContact', TEXT_MAX),
  string(5, 'details', TEXT_MAX),
]);
const COMMISSION_RATES = table<CommissionRates>(`${PACKAGE}.CommissionRates`, [
  string(1, 'rate', TEXT_MAX),
  string(2, 'maxRate', TEXT_MAX),
  string(3, 'maxChangeRate', TEXT_MAX),
]);
export const MSG_CREATE_VALIDATOR = table<MsgCreateValidator>(`${PACKAGE}.MsgCreateValidator`, [
  optional(1, 'description', DESCRIPTION),
  optional(2, 'commission', COMMISSION_RATES),
  string(3, 'minSelfDelegation', TEXT_MAX),
  string(4, 'delegatorAddress', TEXT_MAX),
  string(5, 'validatorAddress', TEXT_MAX),
  optional(6, 'pubkey', ANY),
  optional(7, 'value', COIN),
]);
const CONSENSUS_KEY = table<{ readonly key: Bytes }>('cosmos.crypto.ed25519.PubKey', [bytes(1, 'key', 32)]);

export const CREATE_VALIDATOR_URL = '/cosmos.staking.v1beta1.MsgCreateValidator';
const CONSENSUS_KEY_URL = '/cosmos.crypto.ed25519.PubKey';

/** `0.1` → its digits with 18 decimal places; undefined if the text is not a decimal number. */
export function decimalDigits(text: string): string | undefined {
  const match = /^([0-9]{1,20})(?:\.([0-9]{1,18}))?$/.exec(text);
  if (match === null) return undefined;
  return BigInt((match[1] as string) + (match[2] ?? '').padEnd(18, '0')).toString();
}

/** The inverse: digits → `0.100000000000000000`. */
export function decimalText(digits: string): string {
  const padded = digits.padStart(19, '0');
  return `${padded.slice(0, -18)}.${padded.slice(-18)}`;
}

export interface GenTxFacts {
  readonly operator: { readonly address: Address; readonly publicKey: Bytes };
  /** 32 bytes, ed25519. */
  readonly consensusKey: Bytes;
  readonly amount: Coin;
  readonly description: Description;
  readonly commission: CommissionRates;
  readonly minSelfDelegation: string;
  /** `nodeid@host:port`. */
  readonly memo: string;
  readonly gasLimit: bigint;
  readonly fee: readonly Coin[];
}

/** The parts of the transaction that the signature covers. */
export function genTxParts(facts: GenTxFacts, hrp: string): Omit<TxRaw, 'signatures'> {
  const { operator, consensusKey, amount, description, commission, minSelfDelegation } = facts;
  const message = {
    description,
    commission,
    minSelfDelegation,
    delegatorAddress: formatAddress('acc', hrp, operator.address),
    validatorAddress: formatAddress('val', hrp, operator.address),
    pubkey: { typeUrl: CONSENSUS_KEY_URL, value: encode(CONSENSUS_KEY, { key: consensusKey }) },
    value: amount,
  };
  const body = {
    messages: [{ typeUrl: CREATE_VALIDATOR_URL, value: encode(MSG_CREATE_VALIDATOR, message) }],
    memo: facts.memo,
    timeoutHeight: 0n,
    extensionOptions: [],
    nonCriticalExtensionOptions: [],
  };
  const signer = encode(SIGNER_INFO, {
    publicKey: { typeUrl: TYPE_URL.ethPubKey, value: encode(PUB_KEY, { key: operator.publicKey }) },
    modeInfo: { single: { mode: SIGN_MODE.direct }, multi: EMPTY },
    sequence: 0n,
  });
  const fee = { amount: facts.fee, gasLimit: facts.gasLimit, payer: '', granter: '' };
  return {
    bodyBytes: encode(TX_BODY, body),
    authInfoBytes: encode(AUTH_INFO, { signerInfos: [signer], fee, tip: EMPTY }),
  };
}

export const genTxSignBytes = (parts: Omit<TxRaw, 'signatures'>, chainId: string): Bytes =>
  directSignBytes(parts, { chainId, accountNumber: 0n, sequence: 0n });

/** What a genesis transaction states, after all checks. */
export interface GenesisValidatorClaim {
  readonly operator: Address;
  readonly consensusKey: Bytes;
  readonly moniker: string;
  readonly amount: Coin;
  readonly memo: string;
}

export interface GenTxError {
  readonly code: 'gentx';
  readonly message: string;
}
const bad = (message: string): Result<never, GenTxError> => err({ code: 'gentx', message });

function messageOf(raw: TxRaw): Result<{ message: MsgCreateValidator; memo: string }, GenTxError> {
  const body = decode(TX_BODY, raw.bodyBytes);
  if (!body.ok) return bad(`tx parse error: ${body.error.message}`);
  const { messages, memo } = body.value;
  const [any] = messages;
  if (any === undefined || messages.length !== 1)
    return bad(`must provide genesis transaction with exactly 1 message, found ${messages.length}`);
  if (any.typeUrl !== CREATE_VALIDATOR_URL)
    return bad(`expected ${CREATE_VALIDATOR_URL}, found ${any.typeUrl}`);
  const message = decode(MSG_CREATE_VALIDATOR, any.value);
  return message.ok ? ok({ message: message.value, memo }) : bad(`tx parse error: ${message.error.message}`);
}

/** The public key of the signer, if its signature over account number 0 and this chain id is valid. */
function signerKeyOf(
  raw: TxRaw,
  chainId: string,
  suite: Pick<CryptoSuite, 'keccak256' | 'secp256k1Verify'>,
): Result<Bytes, GenTxError> {
  const info = decode(AUTH_INFO, raw.authInfoBytes);
  const [first] = info.ok ? info.value.signerInfos : [];
  const signer = first === undefined ? undefined : decode(SIGNER_INFO, first);
  const any = signer?.ok === true ? signer.value.publicKey : undefined;
  const key = any !== undefined && ETH_PUB_KEY_URLS.has(any.typeUrl) ? decode(PUB_KEY, any.value) : undefined;
  if (key?.ok !== true || key.value.key.length !== 33) return bad('no eth_secp256k1 key of a signer');
  const [signature] = raw.signatures;
  if (signature === undefined || raw.signatures.length !== 1) return bad('no signatures supplied');
  const digest = suite.keccak256(genTxSignBytes(raw, chainId));
  if (signature.length < 64 || !suite.secp256k1Verify(key.value.key, digest, signature.slice(0, 64)))
    return bad(
      `signature verification failed; please verify account number (0), sequence (0) and chain-id (${chainId})`,
    );
  return ok(key.value.key);
}

/** Checks a genesis transaction of this chain. `addressOf` derives an address from a public key. */
export function readGenTx(
  raw: TxRaw,
  chain: { readonly chainId: string; readonly hrp: string },
  suite: Pick<CryptoSuite, 'keccak256' | 'secp256k1Verify'>,
  addressOf: (publicKey: Bytes) => Address,
): Result<GenesisValidatorClaim, GenTxError> {
  const opened = messageOf(raw);
  if (!opened.ok) return opened;
  const { message, memo } = opened.value;
  const operator = parseAddress('val', message.validatorAddress, chain.hrp);
  if (!operator.ok) return bad(`validator address: ${operator.error.message}`);
  const signerKey = signerKeyOf(raw, chain.chainId, suite);
  if (!signerKey.ok) return signerKey;
  if (!equalBytes(addressOf(signerKey.value), operator.value))
    return bad('pubKey does not match signer address');
  const { pubkey, value, description } = message;
  const key = pubkey?.typeUrl === CONSENSUS_KEY_URL ? decode(CONSENSUS_KEY, pubkey.value) : undefined;
  if (key?.ok !== true || key.value.key.length !== 32)
    return bad(`consensus key: expected 32 bytes of ${CONSENSUS_KEY_URL}`);
  if (value === undefined || !/^[1-9][0-9]{0,77}$/.test(value.amount))
    return bad('invalid delegation amount');
  const moniker = description?.moniker ?? '';
  if (moniker === '') return bad('empty description');
  return ok({ operator: operator.value, consensusKey: key.value.key, moniker, amount: value, memo });
}
