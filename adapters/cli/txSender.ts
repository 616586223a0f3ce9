import { formatAddress, parseAnyAddress } from '../../core/address/kinds.ts';
import { decodeMessage } from '../../core/app/cosmos/messages.ts';
import { type AminoContent, aminoSignBytes, directSignBytes } from '../../core/app/cosmos/signBytes.ts';
import { PUB_KEY, SIGN_MODE } from '../../core/app/cosmos/tables.ts';
import { renderError } from '../../core/app/errors.ts';
import { TX_BODY } from '../../core/app/tx/tables.ts';
import { TYPE_URL } from '../../core/app/typeUrls.ts';
import { encode } from '../../core/codec/proto.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { toBase64 } from '../../core/lib/base64.ts';
import { EMPTY } from '../../core/lib/bytes.ts';
import type { Result } from '../../core/lib/result.ts';
import { FULL_AUTH_INFO, FULL_TX, type FullTx } from '../../core/rpc/cosmos/txTables.ts';
import type { KeyInfo, KeyringError } from '../keyring/keyring.ts';
import { OperatingError } from '../operatingError.ts';
import { type KeysOptions, type Open, valueOrThrow } from './keysOpen.ts';
import type { RestClient, RestOptions } from './restClient.ts';
import { coinsOf, feeOf } from './txFile.ts';

export interface TxOptions extends RestOptions, KeysOptions {
  readonly from?: string;
  readonly chainId?: string;
  readonly gas: string;
  readonly gasAdjustment: string;
  readonly gasPrices?: string;
  readonly fees?: string;
  readonly note: string;
  readonly broadcastMode: string;
  readonly signMode?: string;
  readonly offline?: boolean;
  readonly accountNumber?: string;
  readonly sequence?: string;
  readonly timeoutHeight?: string;
  readonly yes?: boolean;
  readonly generateOnly?: boolean;
  readonly dryRun?: boolean;
}

export function numberOf(flag: string, text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  if (!/^[0-9]{1,19}$/.test(text))
    throw new OperatingError(`${flag}: expected a whole number, found ${text}`);
  return BigInt(text);
}

/** A larger --gas-adjustment is probably a mistake. */
const ADJUSTMENT_MAX = 1000;

function modeOf(text = 'direct'): keyof typeof SIGN_MODE {
  if (text === 'direct') return 'direct';
  if (text === 'amino-json') return 'aminoJson';
  throw new OperatingError(`--sign-mode: expected direct or amino-json, found ${text}`);
}

/** Signs transactions with one key for one chain. */
export class Sender {
  readonly #open: Open<TxOptions>;
  readonly #client: RestClient;
  readonly #key: Result<KeyInfo, KeyringError>;
  readonly address: string;

  /** Throws OperatingError if the key is not in the keyring, unless nothing is signed and an address is enough. */
  constructor(open: Open<TxOptions>, client: RestClient, from: string) {
    this.#open = open;
    this.#client = client;
    const parsed = parseAnyAddress(from, open.hrp);
    const named = open.keyring.show(from);
    this.#key = named.ok || !parsed.ok ? named : open.keyring.show(parsed.value.address);
    const isBare = !this.#key.ok && open.options.generateOnly === true;
    const isAccount = parsed.ok && (parsed.value.kind === 'acc' || parsed.value.kind === 'hex');
    this.address = formatAddress(
      'acc',
      open.hrp,
      isBare && isAccount ? parsed.value.address : this.key.address,
    );
  }

  get key(): KeyInfo {
    return valueOrThrow(this.#key);
  }

  /** Flags take precedence over the node: the user may want a later sequence, or have no node. */
  async #account(): Promise<{ readonly accountNumber: bigint; readonly sequence: bigint }> {
    const { offline, accountNumber, sequence } = this.#open.options;
    const given = {
      accountNumber: numberOf('--account-number', accountNumber),
      sequence: numberOf('--sequence', sequence),
    };
    if (given.accountNumber !== undefined && given.sequence !== undefined)
      return { accountNumber: given.accountNumber, sequence: given.sequence };
    if (offline === true) throw new OperatingError('--offline needs --account-number and --sequence');
    const path = `/cosmos/auth/v1beta1/account_info/${this.address}`;
    const { info } = await this.#client.get<{ info: { account_number: string; sequence: string } }>(path);
    return {
      accountNumber: given.accountNumber ?? BigInt(info.account_number),
      sequence: given.sequence ?? BigInt(info.sequence),
    };
  }

  async chainId(): Promise<string> {
    const known = this.#open.options.chainId ?? this.#client.chainId;
    if (known !== '') return known;
    if (this.#open.options.offline === true) throw new OperatingError('--offline needs --chain-id');
    const path = '/cosmos/base/tendermint/v1beta1/node_info';
    return (await this.#client.get<{ default_node_info: { network: string } }>(path)).default_node_info
      .network;
  }

  /** The fee from flags, or twice the node's minimum gas price, as the base fee may rise. */
  async #fee(gas: bigint) {
    const { fees, gasPrices } = this.#open.options;
    if (fees !== undefined) return coinsOf('--fees', fees);
    if (gasPrices !== undefined) return feeOf(gasPrices, gas);
    if (this.#open.options.offline === true)
      throw new OperatingError('--offline needs --fees or --gas-prices');
    const path = '/cosmos/base/node/v1beta1/config';
    const { minimum_gas_price } = await this.#client.get<{ minimum_gas_price: string }>(path);
    return coinsOf('minimum_gas_price', minimum_gas_price).flatMap(({ denom, amount }) =>
      amount === '0' ? [] : [{ denom, amount: (BigInt(amount) * 2n * gas).toString() }],
    );
  }

  /** Signs the transaction's body and fee again, in the mode of --sign-mode. */
  async sign(tx: FullTx): Promise<FullTx> {
    const { accountNumber, sequence } = await this.#account();
    const mode = modeOf(this.#open.options.signMode);
    const publicKey = { typeUrl: TYPE_URL.ethPubKey, value: encode(PUB_KEY, { key: this.key.publicKey }) };
    const modeInfo = { single: { mode: SIGN_MODE[mode] }, multi: EMPTY };
    const authInfo = {
      signerInfos: [{ publicKey, modeInfo, sequence }],
      fee: tx.authInfo?.fee,
      tip: undefined,
    };
    const { body } = tx;
    if (body === undefined) throw new OperatingError('the transaction has no body');
    const data = { chainId: await this.chainId(), accountNumber, sequence };
    const document =
      mode === 'direct'
        ? directSignBytes(
            { bodyBytes: encode(TX_BODY, body), authInfoBytes: encode(FULL_AUTH_INFO, authInfo) },
            data,
          )
        : aminoSignBytes(this.#aminoContent(tx), data);
    const secret = valueOrThrow(this.#open.keyring.secret(this.key.name));
    const { rs } = nobleSuite.secp256k1Sign(secret, nobleSuite.keccak256(document));
    return { body, authInfo, signatures: [rs] };
  }

  /** Amino's document cannot express extensions: they would not be covered by the signature. */
  #aminoContent({ body, authInfo }: FullTx): AminoContent {
    const {
      messages: anys = [],
      memo = '',
      timeoutHeight = 0n,
      extensionOptions,
      nonCriticalExtensionOptions,
    } = body ?? {};
    if ((extensionOptions?.length ?? 0) > 0 || (nonCriticalExtensionOptions?.length ?? 0) > 0)
      throw new OperatingError('a transaction with extension options is signed with --sign-mode direct');
    const messages = anys.map((any) => {
      const message = decodeMessage(any, this.#open.hrp);
      if (!message.ok) throw new OperatingError(renderError(message.error).log);
      return message.value;
    });
    const fee = authInfo?.fee ?? { amount: [], gasLimit: 0n, payer: '', granter: '' };
    return { messages, fee, memo, timeoutHeight };
  }

  /** Simulated gas of the transaction times --gas-adjustment. */
  async estimate(tx: FullTx): Promise<bigint> {
    const raw = encode(FULL_TX, await this.sign(tx));
    const answer = await this.#client.post<{ gas_info: { gas_used: string } }>(
      '/cosmos/tx/v1beta1/simulate',
      {
        tx_bytes: toBase64(raw),
      },
    );
    const adjustment = Number(this.#open.options.gasAdjustment);
    if (!(adjustment > 0 && adjustment <= ADJUSTMENT_MAX)) throw new OperatingError('invalid gas adjustment');
    return BigInt(Math.ceil(Number(answer.gas_info.gas_used) * adjustment));
  }

  async withFee(tx: FullTx, gasLimit: bigint): Promise<FullTx> {
    const fee = { amount: await this.#fee(gasLimit), gasLimit, payer: '', granter: '' };
    return { ...tx, authInfo: { signerInfos: [], fee, tip: undefined } };
  }
}
